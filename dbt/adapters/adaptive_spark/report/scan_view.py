"""A dynamic filter's part of a node's entry: what the join's keys skipped, in words and figures. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbt.adapters.adaptive_spark.report import dynamic_filter_advice
from dbt.adapters.adaptive_spark.report.page_limits import cut, percent
from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter
from dbt.adapters.adaptive_spark.response.numbers import about, counted, size
from dbt.adapters.adaptive_spark.response.predicate_text import without_catalog

_BYTES = "bytes read"
_KINDS = {
    "empty": "no key at all, so nothing was read",
    "values": "a list of keys",
    "ranges": "ranges of keys",
}
_ROW_TESTS = {
    "bitmap": "a bitmap of the keys",
    "set": "a hash set of the keys",
    "bloom": "a bloom filter of the keys (lets a few others pass)",
}


@dataclass(frozen=True)
class ScanView:
    """A dynamic filter or the refusal of one; `figures` are names with values, and percentages for a bar."""

    scan: str
    keys: str
    words: str
    figures: Sequence[tuple[str, str, float | None]]

    @property
    def counts_bytes(self) -> bool:
        return any(name == _BYTES for name, *_ in self.figures)


def scan_view(found: DynamicFilter) -> ScanView:
    figures: list[tuple[str, str, float | None]] = []
    if found.build_rows is not None:
        keys = "" if found.build_keys is None else f", {counted(found.build_keys, 'distinct key')}"
        figures.append(("the other side of the join", f"{counted(found.build_rows, 'row')}{keys}", None))
    if found.kind is not None:
        ranges = f", as {counted(found.ranges, 'range')}" if found.ranges and found.kind != "ranges" else ""
        of_ranges = f"{found.ranges:,} " if found.ranges and found.kind == "ranges" else ""
        figures.append(
            ("files were skipped by", f"{of_ranges}{_KINDS.get(found.kind, found.kind)}{ranges}", None)
        )
    if found.row_test is not None:
        figures.append(("each row was checked by", _ROW_TESTS.get(found.row_test, found.row_test), None))
    if found.rows_read is not None:
        total = found.rows_total
        of = f" of about {about(total)} (estimate)" if total is not None else ""
        figures.append(("rows read", f"{found.rows_read:,}{of}", percent(found.rows_read / total) if total else None))  # fmt: skip
    for name, read, total, words in (
        (_BYTES, found.bytes_read, found.bytes_total, size),
        ("files read", found.files_read, found.files, "{:,}".format),
        ("row groups read (blocks of a file)", found.row_groups_read, found.row_groups, "{:,}".format),
    ):
        if read is not None:
            of = f" of {words(total)}" if total is not None else ""
            figures.append((name, f"{words(read)}{of}", percent(read / total) if total else None))
    if found.wait_ms is not None:
        figures.append(("waited for the keys", f"{found.wait_ms:,} ms", None))
    return ScanView(
        scan=without_catalog(found.scan) or "A join",
        keys=cut(without_catalog(f"{found.probe_key} = {found.build_key}")),
        words=cut(dynamic_filter_advice.words(found)),
        figures=figures,
    )

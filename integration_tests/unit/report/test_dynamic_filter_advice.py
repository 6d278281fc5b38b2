"""Verdicts of dynamic filters in words, and what to do about them. The texts are those of the extension's own code."""

import dataclasses
import re

import pytest

from build_support.builds import ROOT
from dbt.adapters.adaptive_spark.report.dynamic_filter_advice import Remedy, code_of, remedy, words
from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter

NOTHING = {field.name: None for field in dataclasses.fields(DynamicFilter)}
SCALA = ROOT / "jvm/src/main/scala/io/adaptivespark/join"


def dynamic(verdict, **more):
    return DynamicFilter(
        **{**NOTHING, "scan": "c.shop.orders", "probe_key": "o.id", "build_key": "r.id", "verdict": verdict, **more}
    )  # fmt: skip


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (dynamic("filtered", kept=0.2), "Filtered by the keys of the join. It kept about 20% of the rows."),
        (dynamic("filtered", kept=0.0), "Filtered by the keys of the join. It kept no row."),
        (
            dynamic("filtered"),
            "Filtered by the keys of the join. How many rows that left out is not known.",
        ),
        (dynamic("filtered", row_groups=96, row_groups_read=11), "Filtered by the keys of the join."),
        (
            dynamic("filtered", kept=0.974),
            "Filtered in vain: it kept about 97.4% of the rows. If it had to wait for the keys, and that happens in the next run too, the four "
            "runs after that go without this filter.",
        ),
        (
            dynamic("filtered", row_groups=96, row_groups_read=95),
            "Filtered in vain: it kept most row groups. If it had to wait for the keys, and that happens in the next run too, the four "
            "runs after that go without this filter.",
        ),
        (
            dynamic("the scan has 35449 bytes of files, less than spark.sql.dynamicFilter.minProbeSize"),
            "Not filtered. The table's files have only 35.4 kB, less than spark.sql.dynamicFilter.minProbeSize. Reading all of them is quick.",
        ),
        (
            dynamic("the scan would wait for a build side that reads more than itself, 2912000000 bytes against 180400128"),
            "Not filtered. The scan would have to wait for the other side of the join, whose files have 2.9 GB. The scan's own files have only "
            "180.4 MB. Reading all of them at once is quicker.",
        ),
        (
            dynamic("its last two runs kept 97 % of the rows or more, too many to wait for its keys; it is tried again after 4 runs without it"),
            "Not filtered. In its last two runs the filter kept 97% of the rows or more, which was not worth the wait for its keys. It is tried "
            "again after 4 runs without it.",
        ),
        (dynamic("a LeftOuter join needs all rows of this side"), "Not filtered. A left outer join needs every row of this side."),
        (dynamic("a reason of another release"), "Not filtered. A reason of another release."),
    ],
)  # fmt: skip
def test_words(found, told):
    assert words(found) == told


def test_a_build_side_that_is_too_large():
    assert remedy(
        dynamic("the build side has 412118004 bytes, more than spark.sql.dynamicFilter.maxBuildSize")
    ) == Remedy(
        "Let a larger table filter c.shop.orders",
        "The other side of the join has 412.1 MB, more than spark.sql.dynamicFilter.maxBuildSize, so its keys were not read. Reading more keys takes "
        "time and memory, on the driver too, so compare the run time before and after.",
        conf=("spark.sql.dynamicFilter.maxBuildSize", "512m"),
    )


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        ("spark.sql.exchange.reuse is false, so that the build side would run twice", ("spark.sql.exchange.reuse", "true")),
        ("the scan would wait for a build side that reads more than itself, 9 bytes against 8", "select {{ dynamic_filter_hint(on='orders') }} …"),
        ("keys of type DOUBLE can't be compared with what a file says of its values", None),
    ],
)  # fmt: skip
def test_lines_to_add(verdict, line):
    found = remedy(dynamic(verdict))
    assert (found.sql or found.conf) == line


def test_a_directory_is_no_alias():
    found = remedy(
        dynamic(
            "the scan would wait for a build side that reads more than itself, 9 bytes against 8",
            scan="/data/o'r d.d'r{{s",
        )
    )
    assert "on='drs'" in found.sql


@pytest.mark.parametrize(
    "verdict",
    [
        "filtered",
        "a hint says NO_DYNAMIC_FILTER",
        "nothing filters the build side, or only what filters the scan by its key, too",
        "the scan has 35449 bytes of files, less than spark.sql.dynamicFilter.minProbeSize",
        f"the build side has {10 * 2**30} bytes, more than spark.sql.dynamicFilter.maxBuildSize",
        "no scan below gives this key unchanged",
        "its format can't skip data by this column, or Spark does already",
        "its last two runs kept 97 % of the rows or more, too many to wait for its keys; it is tried again after 4 runs without it",
        "",
    ],
)
def test_nothing_is_to_be_done_about_the_rest(verdict):
    assert remedy(dynamic(verdict)) is None


# One verdict of each code, as the extension writes it.
VERDICTS = {
    "build_too_large": "the build side has 9 bytes, more than spark.sql.dynamicFilter.maxBuildSize",
    "waits_too_long": "the scan would wait for a build side that reads more than itself, 9 bytes against 8",
    "exchange_not_reused": "spark.sql.exchange.reuse is false, so that the build side would run twice",
    "key_type": "keys of type DOUBLE can't be compared with what a file says of its values",
    "not_reduced": "nothing filters the build side, or only what filters the scan by its key, too",
    "scan_too_small": "the scan has 9 bytes of files, less than spark.sql.dynamicFilter.minProbeSize",
    "columns_too_small": "the scan's columns have about 9 bytes of files, less than spark.sql.dynamicFilter.minProbeSize",
    "useless_before": "its last two runs kept 97 % of the rows or more, too many to wait for its keys; it is tried again after 4 runs without it",
    "no_scan": "no scan below gives this key unchanged",
    "format_can_not_skip": "its format can't skip data by this column, or Spark does already",
    "shared": "what it reads is shared with another part of the query, which needs all of it",
    "not_repeatable": "the build side may come out differently if a part of it is computed again",
    "source_not_equal": "Spark can't tell that the build side's source is the same when it is read again, and would run it twice",
    "not_cached_yet": "the build side's cached table is not there yet, and would be computed twice",
    "stream": "its progress would count the build side's rows twice",
    "hint_off": "a hint says NO_DYNAMIC_FILTER",
    "other_values": "what reads the scan's files would compare other values than these keys",
    "plan_too_large": "the plan would become too large",
    "reading_failed": "reading the keys failed: no space left",
    "all_rows_needed": "a LeftOuter join needs all rows of this side",
    "read_first": "this side is the one that the join reads first",
}


@pytest.mark.parametrize("code", VERDICTS)
def test_each_verdict_has_its_code_and_its_sentence(code):
    known = code_of(VERDICTS[code])
    assert known is not None
    assert known[0] == code
    told = words(dynamic(VERDICTS[code]))
    assert told.startswith("Not filtered. ")
    assert not re.search(r"build side|probe|[{}]|\d bytes against", told)


@pytest.mark.parametrize("code", VERDICTS)
def test_the_extension_says_so(code):
    sources = " ".join(file.read_text() for file in SCALA.rglob("*.scala"))
    # what the extension fills in stands between the parts of its sentence
    fixed = re.split(r"\d+|DOUBLE|LeftOuter|NO_DYNAMIC_FILTER|no space left", VERDICTS[code])
    assert all(part.strip(" %") in re.sub(r"\s+", " ", sources) for part in fixed)


def test_a_verdict_of_another_release_has_no_code():
    assert code_of("a reason of another release") is None

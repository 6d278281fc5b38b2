"""Tables of what the filters of a run learned, for a terminal. Pure: from run_results.json to text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from dbt.adapters.adaptive_spark.response.predicate_text import without_table

PREDICATE_WIDTH = 76

LEGEND = """\
ran      the place in which Spark came to evaluate the predicate
written  its place in the SQL; shown where the order is another one
passes   the share of the sampled rows that it let through
ns/row   what it cost, in nanoseconds a row
"""

_NULL_CHECK = re.compile(r"\(?(\w+(?:\([\w, ]*\))?) IS NOT NULL\)?")


@dataclass(frozen=True)
class Predicate:
    """A conjunct as its filter ended: places count from 1; share and cost are None where it was never measured."""

    text: str
    ran: int
    written: int
    passes: float | None
    cost_ns: float | None


@dataclass(frozen=True)
class Filter:
    """A filter of a model, its predicates in the order in which they ran.

    `reorderings`: changes of order during the run.
    """

    rows_in: int
    rows_out: int
    reorderings: int
    predicates: Sequence[Predicate]

    @property
    def moved(self) -> bool:
        return any(each.ran != each.written for each in self.predicates)

    @property
    def began_in_its_order(self) -> bool:
        """True if the order is not the written one and was there from the first row."""
        return self.moved and not self.reorderings


def models_of(run_results: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The results of models, by the model's name."""
    return {
        result["unique_id"].split(".")[-1]: result
        for result in run_results["results"]
        if result["unique_id"].startswith("model.")
    }


def filters_of(result: Mapping[str, Any]) -> list[Filter]:
    """A model's filters with two predicates or more. Spark's own null checks, which nobody wrote, do not count."""
    sql = " ".join((result.get("compiled_code") or "").lower().split())
    filters = []
    for learned in result["adapter_response"].get("adaptive_filters") or []:
        conjuncts = learned["conjuncts"]
        _, texts = without_table([" ".join(each["predicate"].split()) for each in conjuncts])
        kept = [
            (text, each)
            for text, each in zip(texts, conjuncts, strict=True)
            if not is_added_null_check(text, sql)
        ]
        places = sorted(each["written_position"] for _, each in kept)
        predicates = [
            Predicate(
                text=text,
                ran=place,
                written=places.index(each["written_position"]) + 1,
                passes=each["selectivity"],
                cost_ns=each["cost_ns"],
            )
            for place, (text, each) in enumerate(kept, start=1)
        ]
        if len(predicates) > 1:
            filters.append(
                Filter(learned["rows_in"], learned["rows_out"], learned["reorderings"], predicates)
            )
    return filters


def is_added_null_check(text: str, sql: str) -> bool:
    check = _NULL_CHECK.fullmatch(text)
    return check is not None and f"{check[1].lower()} is not null" not in sql


def report(run_results: Mapping[str, Any]) -> str:
    """The text to print for `run_results.json`: a paragraph a model, a table a filter, and the sum."""
    models = [
        (name, result["adapter_response"].get("rows_affected"), filters_of(result))
        for name, result in models_of(run_results).items()
    ]
    filters = [each for _, _, of_model in models for each in of_model]
    if not filters:
        return "No model has a filter with two predicates or more to put in order.\n"
    lines = [click.style("What the filters learned", bold=True), "", *LEGEND.splitlines()]
    for name, rows, of_model in models:
        if of_model:
            lines += ["", *_model_lines(name, rows, of_model)]
    moved = sum(each.moved for each in filters)
    lines += ["", f"Filters that ran in another order than the written one: {moved} of {len(filters)}."]
    return "\n".join(lines) + "\n"


def _model_lines(name: str, rows: int | None, filters: Sequence[Filter]) -> Iterator[str]:
    yield click.style(name, bold=True) + (f" ({rows:,} rows)" if rows is not None else "")
    for each in filters:
        yield f"  {each.rows_in:,} rows in, {each.rows_out:,} out; {_verdict(each)}"
        yield from _table(each)


def _verdict(each: Filter) -> str:
    if each.began_in_its_order:
        return "started in another order than the written one and kept it"
    if each.moved:
        return "reordered once" if each.reorderings == 1 else f"reordered {each.reorderings} times"
    if all(predicate.passes is None for predicate in each.predicates):
        return "too few rows to learn from"
    return "the order stayed as written"


def _table(each: Filter) -> Iterator[str]:
    heading = ["ran", *(["written"] if each.moved else []), "passes", "ns/row", "predicate"]
    rows = [
        [
            str(predicate.ran),
            *([str(predicate.written)] if each.moved else []),
            "-" if predicate.passes is None else f"{predicate.passes:.1%}",
            "-" if predicate.cost_ns is None else f"{predicate.cost_ns:,.0f}",
            _shortened(predicate.text),
        ]
        for predicate in each.predicates
    ]
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    for number, (*figures, text) in enumerate([heading, *rows]):
        cells = (figure.rjust(width) for figure, width in zip(figures, widths, strict=False))
        line = "    " + "  ".join([*cells, text])
        yield click.style(line, dim=True) if number == 0 else line


def _shortened(text: str) -> str:
    return text if len(text) <= PREDICATE_WIDTH else text[: PREDICATE_WIDTH - 1] + "…"

"""Verdicts of dynamic filters in words, and what to do about them.

The codes and figures are those that the jar declares.
"""

import dataclasses
import re

import pytest

from build_support.builds import ROOT
from dbt.adapters.adaptive_spark.conf.extension_facts import exported
from dbt.adapters.adaptive_spark.report.dynamic_filter_advice import REASONS, Remedy, remedy, words
from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter
from dbt.adapters.adaptive_spark.response.statement_response import FILTERED

NOTHING = {field.name: None for field in dataclasses.fields(DynamicFilter)}
VERDICTS = exported("verdicts")
CODES = [each["code"] for each in VERDICTS]
REFUSALS = [each for each in VERDICTS if each["code"] != FILTERED]


def dynamic(code, figures=None, **more):
    known = {
        "scan": "c.shop.orders",
        "probe_key": "o.id",
        "build_key": "r.id",
        "verdict": "the extension's own text",
        "code": code,
        "figures": figures or {},
    }
    return DynamicFilter(**{**NOTHING, **known, **more})


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
            "Filtered in vain: it kept about 97.4% of the rows. If it had to wait for the keys, or the table is Delta Lake's or "
            "Iceberg's, and that happens in the next run too, the 4 runs after that go without this filter.",
        ),
        (
            dynamic("filtered", row_groups=96, row_groups_read=95),
            "Filtered in vain: it kept most row groups. If it had to wait for the keys, or the table is Delta Lake's or "
            "Iceberg's, and that happens in the next run too, the 4 runs after that go without this filter.",
        ),
        (
            dynamic("scan_too_small", {"scan_bytes": 35449.0, "limit_bytes": 4194304.0}),
            "Not filtered. The table's files have only 35.4 kB, less than spark.sql.dynamicFilter.minProbeSize. Reading all of them is quick.",
        ),
        (
            dynamic("build_reads_more", {"build_bytes": 2912000000.0, "scan_bytes": 180400128.0}),
            "Not filtered. The scan would have to wait for the other side of the join, which reads about as long as 2.9 GB of files. The scan's own "
            "files have only 180.4 MB. Reading all of them at once is quicker.",
        ),
        (
            dynamic("kept_too_many", {"kept": 0.97}),
            "Not filtered. In its last two runs the filter kept 97% of the rows or more, which was not worth what its keys cost. It is tried "
            "again after 4 runs without it.",
        ),
        (
            dynamic("join_needs_all_rows", verdict="a LEFT OUTER join needs all rows of this side"),
            "Not filtered. A LEFT OUTER join needs all rows of this side.",
        ),
    ],
)  # fmt: skip
def test_words(found, told):
    assert words(found) == told


@pytest.mark.parametrize("code", ["code_of_another_release", "scan_too_small"])
def test_the_extensions_own_text_stands_in_for_a_code_or_a_figure_that_is_not_known(code):
    assert words(dynamic(code, verdict="a {reason}")) == "Not filtered. A {reason}."


def test_a_build_side_that_is_too_large():
    assert remedy(dynamic("build_too_large", {"build_bytes": 412118004.0})) == Remedy(
        "Let a larger table filter c.shop.orders",
        "The other side of the join has 412.1 MB, more than spark.sql.dynamicFilter.maxBuildSize, so its keys were not read. Reading more keys takes "
        "time and memory, on the driver too, so compare the run time before and after.",
        conf=("spark.sql.dynamicFilter.maxBuildSize", "512m"),
    )


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("exchange_reuse_off", ("spark.sql.exchange.reuse", "true")),
        ("build_reads_more", "select {{ dynamic_filter_hint(on='orders') }} …"),
        ("key_type_unsupported", None),
    ],
)
def test_lines_to_add(code, line):
    found = remedy(dynamic(code))
    assert (found.sql or found.conf) == line


def test_a_directory_is_no_alias():
    found = remedy(dynamic("build_reads_more", scan="/data/o'r d.d'r{{s"))
    assert "on='drs'" in found.sql


def test_keys_beyond_four_gigabytes_are_better_left_unread():
    assert remedy(dynamic("build_too_large", {"build_bytes": 10.0 * 2**30})) is None


def test_nothing_is_to_be_done_about_the_rest():
    with_remedy = {code for code in CODES if remedy(dynamic(code)) is not None}
    assert with_remedy == {
        "build_too_large",
        "exchange_reuse_off",
        "build_reads_more",
        "key_type_unsupported",
    }


def test_the_docs_explain_each_code():
    docs = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
    assert [code for code in CODES if f"`{code}`" not in docs] == []


def test_each_refusal_has_its_sentence_and_each_sentence_its_refusal():
    assert set(REASONS) == {each["code"] for each in REFUSALS}


@pytest.mark.parametrize("verdict", REFUSALS, ids=lambda each: each["code"])
def test_a_sentence_needs_no_figure_that_the_extension_does_not_send(verdict):
    code, text = verdict["code"], verdict["example"]
    told = words(dynamic(code, dict.fromkeys(verdict["figures"], 0.5), verdict=text))
    own = f"Not filtered. {text[:1].upper()}{text[1:]}."
    assert (told == own) == (code == "join_needs_all_rows")
    assert told.startswith("Not filtered. ")
    assert not re.search(r"build side|probe|[{}]", told)

"""From the table functions' rows to the artifact and the console line."""

import pytest

from dbt.adapters.adaptive_spark.response.adapter_response import response
from dbt.adapters.adaptive_spark.response.statement_response import (
    QueryScope,
    can_carry_work,
    drops_rows,
    learned_filters,
    message,
    newest_query,
    rows_written,
    stats_sql,
)

SCOPE = QueryScope("model.shop.orders", "run-1", 17)


def row(filter_id, predicate, written, final, query_id=18):
    """A row of `adaptive_filter_stats()`."""
    return {
        "query_id": query_id,
        "query_tag": "model.shop.orders",
        "run_id": "run-1",
        "filter_id": filter_id,
        "predicate": predicate,
        "shape": f"t: {predicate}",
        "written_position": written,
        "final_position": final,
        "rows_monitored": 5,
        "selectivity": 0.5,
        "cost_ns": 12.5,
        "reorderings": 2,
        "rows_in": 100,
        "rows_out": 10,
        "may_throw": False,
        "branch": None,
    }


def stats(**tables):
    """The answer of Spark, with the tables that are named."""
    return {**dict.fromkeys(("queries", "filters", "dynamic", "plans"), ()), **tables}


def wrote(query_id, rows):
    return {"query_id": query_id, "rows_written": rows}


def test_a_filters_conjuncts_come_in_their_final_order():
    rows = [row(7, "a", 0, 1), row(7, "b", 1, 0)]
    conjunct = {"rows_monitored": 5, "selectivity": 0.5, "cost_ns": 12.5, "may_throw": False, "branch": None}
    assert learned_filters(rows) == [
        {
            "filter_id": 7,
            "rows_in": 100,
            "rows_out": 10,
            "reorderings": 2,
            "conjuncts": [
                {"predicate": "b", "shape": "t: b", "written_position": 1, "final_position": 0, **conjunct},
                {"predicate": "a", "shape": "t: a", "written_position": 0, "final_position": 1, **conjunct},
            ],
        }
    ]


def test_filters_come_in_the_order_in_which_they_were_made():
    filters = learned_filters([row(9, "a", 0, 0), row(7, "b", 0, 0), row(9, "c", 1, 1)])
    assert [(each["filter_id"], len(each["conjuncts"])) for each in filters] == [(7, 1), (9, 2)]


def test_rows_written_are_summed_over_queries_that_wrote():
    assert rows_written([wrote(1, 10), wrote(2, None), wrote(3, 5)]) == 15
    assert rows_written([wrote(1, 0)]) == 0
    assert rows_written([wrote(1, None)]) is None
    assert rows_written([]) is None


def test_the_newest_query_is_never_older_than_the_last_report():
    assert (
        newest_query(stats(queries=[wrote(18, 1), wrote(21, None)], filters=[row(7, "a", 0, 0, 19)]), 17)
        == 21
    )
    assert newest_query(stats(), 17) == 17


def ended(*conjuncts, reorderings=1):
    """A filter by its predicates and their written places, in the order in which it ended."""
    return {
        "reorderings": reorderings,
        "conjuncts": [
            {"predicate": predicate, "written_position": written, "final_position": final}
            for final, (predicate, written) in enumerate(conjuncts)
        ],
    }


UNMOVED = ended(("(a > 1)", 0), ("(b > 1)", 1))
MOVED = ended(("(b > 1)", 1), ("(a > 1)", 0))
BEGAN_MOVED = {**MOVED, "reorderings": 0}
NULL_CHECKS_MOVED = ended(
    ("(c.`d e`.x IS NOT NULL)", 3), ("(a > 1)", 1), ("(b > 1)", 2), ("(a IS NOT NULL)", 0)
)
ONE_PREDICATE = ended(("(a > 1)", 1), ("(a IS NOT NULL)", 0))
KEYS_MOVED = ended(
    ("in_dynamic_keys(t.a, 0)", 2), ("might_contain(scalarsubquery(), xxhash64(t.a, 42))", 1), ("(a > 1)", 0)
)


@pytest.mark.parametrize(
    ("rows", "filters", "words"),
    [
        (None, [], "OK"),
        (0, [], "OK, 0 rows"),
        (1, [], "OK, 1 row"),
        (27004, [MOVED, UNMOVED], "OK, 27,004 rows, 1 of 2 filters reordered for speed"),
        (None, [MOVED], "OK, 1 filter reordered for speed"),
        (None, [MOVED, MOVED], "OK, 2 filters reordered for speed"),
        (5, [UNMOVED, UNMOVED], "OK, 5 rows"),
        (5, [BEGAN_MOVED], "OK, 5 rows, 1 filter reordered from the start"),
        (5, [BEGAN_MOVED, UNMOVED], "OK, 5 rows, 1 of 2 filters reordered from the start"),
        (
            5,
            [BEGAN_MOVED, MOVED, UNMOVED],
            "OK, 5 rows, 1 of 3 filters reordered for speed, 1 of 3 filters reordered from the start",
        ),
        (5, [NULL_CHECKS_MOVED, ONE_PREDICATE, KEYS_MOVED], "OK, 5 rows"),
        (5, [MOVED, ONE_PREDICATE], "OK, 5 rows, 1 filter reordered for speed"),
    ],
)
def test_the_console_line(rows, filters, words):
    assert message(rows, filters) == words


def test_the_response_as_dbt_writes_it():
    written = response(stats(queries=[wrote(18, 10)], filters=[row(7, "a", 0, 0)])).to_dict(omit_none=True)
    assert written["_message"] == "OK, 10 rows"
    assert written["rows_affected"] == 10
    assert written["adaptive_filters"][0]["filter_id"] == 7


def test_a_statement_without_filters_says_so_with_an_empty_list():
    written = response(stats()).to_dict(omit_none=True)
    assert written == {
        "_message": "OK",
        "code": "OK",
        "adaptive_filters": [],
        "dynamic_filters": [],
        "aqe": {},
    }


def dynamic_row(scan, verdict):
    """A row of `dynamic_filter_stats()`."""
    counts = (
        "build_rows",
        "build_keys",
        "ranges",
        "rows_total",
        "rows_read",
        "bytes_total",
        "files",
        "files_read",
        "row_groups",
        "row_groups_read",
        "wait_ms",
    )
    texts = {
        "scan": scan,
        "probe_key": "id",
        "build_key": "k",
        "kind": "values",
        "row_test": "bitmap",
        "verdict": f"text of {verdict}",
        "verdict_code": verdict,
        "verdict_figures": None,
        "signature": "id in k",
    }
    return {"query_id": 18, **dict.fromkeys(counts, 10), "kept": 0.1, "bytes_read": 50, **texts}


def test_scans_that_joins_filtered_are_counted_once_and_refusals_are_kept():
    rows = [
        dynamic_row("fact", "filtered"),
        dynamic_row("fact", "filtered"),
        dynamic_row("dim", "scan_too_small"),
    ]
    answer = response(stats(dynamic=rows))
    assert str(answer) == "OK, 1 scan filtered by a join"
    assert [each["verdict_code"] for each in answer.dynamic_filters] == [
        "filtered",
        "filtered",
        "scan_too_small",
    ]
    assert (answer.dynamic_filters[0]["bytes_read"], answer.dynamic_filters[0]["row_test"]) == (50, "bitmap")


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ([0.0, 0.899], "OK, 2 scans filtered by joins"),
        ([0.9, 0.901], "OK, 1 scan filtered by a join, 1 scan filtered by a join in vain"),
        ([1.0, 0.98], "OK, 2 scans filtered by joins in vain"),
        ([None], "OK"),
    ],
)
def test_scans_that_were_spared_less_than_a_tenth_of_their_rows_are_filtered_in_vain(kept, words):
    dynamic = [{"scan": f"t{at}", "verdict_code": "filtered", "kept": share} for at, share in enumerate(kept)]
    assert message(None, [], dynamic) == words


@pytest.mark.parametrize(
    ("kept", "groups", "read", "outcome"),
    [
        (0.5, 10, 10, True),
        (0.95, 10, 1, False),
        (None, 10, 9, True),
        (None, 100, 91, False),
        (None, 0, 0, None),
        (None, 10, None, None),
    ],
)
def test_row_groups_tell_where_rows_are_not_known(kept, groups, read, outcome):
    assert drops_rows(kept, groups, read) is outcome


@pytest.mark.parametrize(
    ("kept", "groups", "files", "read", "outcome"),
    [
        (None, None, 10, 2, True),
        # of which little may have been read
        (None, None, 10, 10, None),
        (None, None, 0, 0, None),
        (0.95, None, 10, 2, False),
        (None, 10, 10, 2, False),
    ],
)
def test_files_that_were_skipped_tell_where_nothing_else_does(kept, groups, files, read, outcome):
    assert drops_rows(kept, groups, groups, files, read) is outcome


def test_of_a_plan_only_tables_that_statistics_may_help_are_told():
    changes = {
        kind: [{"tables": "c.shop.orders", "planned": 200, "actual": 3}]
        for kind in ("coalesced", "split", "join", "rows")
    }
    assert message(5, [], [], changes) == (
        "OK, 5 rows, statistics of orders may help (Spark estimated 200 rows and counted 3)"
    )
    del changes["rows"]
    assert message(5, [], [], changes) == "OK, 5 rows"


@pytest.mark.parametrize(
    "sql",
    [
        "select 1",
        "(select 1) union all (select 2)",
        '/* {"node": "x"} */\ncreate table t as select 1',
        "-- note\n  -- more\n/* a\n b */ INSERT into t select 1",
        "create or replace table t as select 1",
        "merge into t using s on true",
        "with a as (select 1) select * from a",
        "from t insert into u select *",
    ],
)
def test_statements_that_can_carry_work(sql):
    assert can_carry_work(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "-- only a comment",
        "describe extended t",
        "drop table if exists t",
        "set spark.a=1",
        "show databases",
        "create schema if not exists s",
        "create or replace view v as select 1",
        "create or replace temporary view v as select 1",
        "selection",
        "/* unclosed select 1",
    ],
)
def test_statements_that_cannot(sql):
    assert not can_carry_work(sql)


def test_queries_are_asked_for_by_tag_run_and_age():
    assert stats_sql(SCOPE) == "select stats from adaptive_run_stats('model.shop.orders', 'run-1', 17)"


def test_a_tag_cannot_end_its_literal():
    sql = stats_sql(QueryScope("x' or true --", "r", 0))
    assert "(cast(X'7827206f722074727565202d2d' as string), 'r', 0)" in sql

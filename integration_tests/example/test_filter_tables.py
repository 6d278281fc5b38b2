"""The tables of what filters learned, from results as dbt writes them."""

import click
import pytest

import filter_tables


def conjunct(predicate, written, final, selectivity=0.5, cost_ns=10.0, monitored=100):
    return {
        "predicate": predicate,
        "written_position": written,
        "final_position": final,
        "rows_monitored": monitored,
        "selectivity": selectivity,
        "cost_ns": cost_ns,
        "may_throw": False,
    }


def results(*conjuncts, sql="", reorderings=2, unique_id="model.flights.late"):
    learned = {
        "filter_id": 1,
        "rows_in": 1000,
        "rows_out": 10,
        "reorderings": reorderings,
        "conjuncts": conjuncts,
    }
    response = {"rows_affected": 10, "adaptive_filters": [learned]}
    return {"results": [{"unique_id": unique_id, "compiled_code": sql, "adapter_response": response}]}


def printed(run_results):
    """The lines below the legend, without colours."""
    text = click.unstyle(filter_tables.report(run_results))
    return text.split("\n\n", 2)[-1].splitlines()


def test_table_is_in_the_order_that_ran():
    lines = printed(
        results(conjunct("(b.c.delay > 30)", 1, 0, 0.125, 1500.0), conjunct("b.c.x LIKE '%a.b%'", 0, 1))
    )
    assert lines == [
        "late (10 rows)",
        "  1,000 rows in, 10 out; reordered 2 times",
        "    ran  written  passes  ns/row  predicate",
        "      1        2   12.5%   1,500  delay > 30",
        "      2        1   50.0%      10  x LIKE '%a.b%'",
        "",
        "Filters that ran in another order than the written one: 1 of 1.",
    ]


def test_an_order_that_was_there_from_the_start_has_not_changed():
    lines = printed(results(conjunct("(b > 1)", 1, 0), conjunct("(a > 1)", 0, 1), reorderings=0))
    assert lines[1] == "  1,000 rows in, 10 out; started in another order than the written one and kept it"


def test_written_order_has_no_column_of_its_own_where_nothing_moved():
    lines = printed(results(conjunct("(a > 1)", 0, 0), conjunct("(b > 1)", 1, 1), reorderings=0))
    assert lines[1:3] == [
        "  1,000 rows in, 10 out; the order stayed as written",
        "    ran  passes  ns/row  predicate",
    ]


def test_filter_that_was_never_sampled_says_so():
    unknown = {"selectivity": None, "cost_ns": None, "monitored": 0}
    lines = printed(results(conjunct("(a > 1)", 0, 0, **unknown), conjunct("(b > 1)", 1, 1, **unknown)))
    assert lines[1] == "  1,000 rows in, 10 out; too few rows to learn from"
    assert lines[3] == "      1       -       -  a > 1"


def test_null_checks_count_only_where_the_model_has_them():
    conjuncts = [
        conjunct("(t.a IS NOT NULL)", 0, 2),
        conjunct("(t.a > 1)", 1, 0),
        conjunct("(t.b IS NOT NULL)", 2, 1),
    ]
    lines = printed(
        results(*sorted(conjuncts, key=lambda each: each["final_position"]), sql="a > 1 and b is\n not null")
    )
    assert [line.split()[-4:] for line in lines[3:5]] == [["10", "a", ">", "1"], ["b", "IS", "NOT", "NULL"]]
    assert lines[1] == "  1,000 rows in, 10 out; the order stayed as written"


def test_null_check_of_a_function_counts_only_where_the_model_has_it():
    checked = conjunct("(make_date(y, m, d) IS NOT NULL)", 0, 0)
    others = [conjunct("(t.a > 1)", 1, 1), conjunct("(t.b > 1)", 2, 2)]
    joined, written = (
        "\n".join(printed(results(checked, *others, sql=sql)))
        for sql in ("make_date(y, m, d) = x", "make_date(y, m, d) is not null")
    )
    assert "make_date" not in joined
    assert "make_date(y, m, d) IS NOT NULL" in written


@pytest.mark.parametrize(
    "run_results",
    [
        results(conjunct("(a > 1)", 0, 0)),
        results(conjunct("(a > 1)", 0, 0), conjunct("(b > 1)", 1, 1), unique_id="test.flights.some_test"),
    ],
)
def test_nothing_to_order_is_said(run_results):
    assert (
        filter_tables.report(run_results)
        == "No model has a filter with two predicates or more to put in order.\n"
    )

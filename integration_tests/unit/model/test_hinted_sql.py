"""A hint stands where the model's author would have written it, and nothing else of the SQL changes."""

import pytest
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.model.hinted_sql import with_hint

HINT = "/*+ FILTER_ORDER(`a`) */"


@pytest.mark.parametrize(
    ("sql", "hinted"),
    [
        ("select a from t", f"select {HINT} a from t"),
        ("\n-- select\nSELECT\n  a", f"\n-- select\nSELECT {HINT}\n  a"),
        ("with w as (select 1 as a) select * from w", f"with w as (select 1 as a) select {HINT} * from w"),
        ("select a from (select b from t)", f"select {HINT} a from (select b from t)"),
        ("select 'select' as `select` from t", f"select {HINT} 'select' as `select` from t"),
        ("select /*+ BROADCAST(t) */ a from t", f"select {HINT} /*+ BROADCAST(t) */ a from t"),
        (
            "select a from t union all select a from s",
            f"select {HINT} a from t union all select {HINT} a from s",
        ),
        ("select distinct 'ü' as a", f"select {HINT} distinct 'ü' as a"),
    ],
)
def test_after_the_outermost_select(sql, hinted):
    assert with_hint(sql, HINT, "models/x.sql") == hinted


@pytest.mark.parametrize("sql", ["(select a from t)", "values (1)", "", "table t"])
def test_without_one_the_user_reads_what_to_do(sql):
    with pytest.raises(DbtValidationError, match=r"models/x\.sql has no SELECT outside of parentheses"):
        with_hint(sql, HINT, "models/x.sql")


def test_sql_that_can_not_be_cut_into_tokens():
    with pytest.raises(DbtValidationError, match=r"models/x\.sql is not understood"):
        with_hint("select 'a", HINT, "models/x.sql")

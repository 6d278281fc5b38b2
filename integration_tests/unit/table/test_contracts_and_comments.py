"""Constraints as properties and as checks; comments that have changed."""

from dbt.adapters.adaptive_spark.table.comments import comment_statements
from dbt.adapters.adaptive_spark.table.constraints import (
    checked_select,
    constraint_properties,
    idle_constraints,
)

COLUMNS = {
    "id": {"constraints": [{"type": "not_null"}, {"type": "primary_key"}]},
    "n": {
        "constraints": [{"type": "check", "expression": "n > 0"}, {"type": "check", "expression": "n < 9"}]
    },
}
CONSTRAINTS = [
    {"type": "check", "expression": "id > n", "name": "ordered"},
    {"type": "unique", "columns": ["id"]},
    {"type": "check", "expression": "id <> 'it''s'"},
]


def test_constraints_are_properties_of_delta_lakes_tables():
    assert constraint_properties(COLUMNS, CONSTRAINTS) == {
        "delta.constraints.id_not_null": "`id` is not null",
        "delta.constraints.n_check": "n > 0",
        "delta.constraints.n_check_2": "n < 9",
        "delta.constraints.ordered": "id > n",
        "delta.constraints.check_2": "id <> 'it''s'",
    }


def test_a_models_not_null_is_one_of_each_of_its_columns():
    of_model = [
        {"type": "not_null", "columns": ["id", "n"]},
        {"type": "not_null", "columns": ["n"], "name": "n_known"},
    ]
    assert constraint_properties({"id": {}, "n": {}}, of_model) == {
        "delta.constraints.id_not_null": "`id` is not null",
        "delta.constraints.n_not_null": "`n` is not null",
        "delta.constraints.n_known": "`n` is not null",
    }
    named = [{"type": "not_null", "columns": ["id", "n"], "name": "known"}]
    assert [*constraint_properties({}, named)] == ["delta.constraints.known", "delta.constraints.known_2"]


def test_rows_of_iceberg_are_checked_in_their_first_column():
    sql = checked_select("select 1", COLUMNS, CONSTRAINTS[:1], "iceberg", is_new_table=True)
    assert sql == checked_select("select 1", COLUMNS, CONSTRAINTS[:1], "iceberg", is_new_table=False)
    assert sql.startswith(
        "select case when not coalesce((`id` is not null), true) then raise_error("
        "'Constraint id_not_null of the contract is broken: `id` is not null') when not coalesce((n > 0), true)"
    )
    assert sql.endswith(" else `id` end as `id`, `n` from (\nselect 1\n) as model_subq")


def test_rows_for_a_table_of_delta_lake_are_checked_by_what_it_may_lack():
    sql = checked_select("select 1", COLUMNS, CONSTRAINTS[:1], "delta", is_new_table=False)
    assert " when not coalesce((n > 0), false) then raise_error(" in sql  # a null breaks a check there


def test_rows_of_others_are_selected_in_the_contracts_order():
    for format_, is_new_table in (("delta", True), ("parquet", True), ("parquet", False), (None, False)):
        assert checked_select("select 1", COLUMNS, CONSTRAINTS, format_, is_new_table) == (
            "select `id`, `n` from (\nselect 1\n) as model_subq"
        )


def test_constraints_that_nothing_enforces_are_one_sentence():
    def said(**configs):
        return idle_constraints(COLUMNS, CONSTRAINTS[:1], configs, "models/orders.sql")

    enforced = {"enforced": True}
    assert said(contract=enforced) == (
        "Nothing enforces the constraints id_not_null, n_check, n_check_2, ordered (models/orders.sql): its file_format "
        "is not said. Give it file_format delta or iceberg, or test its rows."
    )
    assert "its file_format is parquet." in said(contract=enforced, file_format="parquet")
    for configs in (
        {},
        {"contract": {"enforced": False}},
        {"contract": enforced, "file_format": "delta"},
        {"contract": enforced, "file_format": "iceberg"},
    ):
        assert said(**configs) is None
    assert idle_constraints({"id": {}}, [], {"contract": enforced}, "m") is None


DESCRIBED = [
    ("id", "bigint", None),
    ("N", "int", "it's"),
    ("", "", ""),
    ("# Metadata Columns", "", ""),
    ("comment", "string", ""),
    ("# Detailed Table Information", "", ""),
    ("Comment", "old", ""),
]


def comments(description=None, **columns):
    return comment_statements(
        "t", DESCRIBED, description, {k: {"description": v} for k, v in columns.items()}
    )


def test_only_changed_comments_are_written():
    assert comments("old", n="it's", id="") == []
    assert comments("", n="it's", id="") == [], "a comment from elsewhere stays"
    assert comments("it's", n="", id="a\\b") == [
        r"comment on table t is 'it\'s'",
        "alter table t alter column `n` comment ''",
        r"alter table t alter column `id` comment 'a\\b'",
    ]

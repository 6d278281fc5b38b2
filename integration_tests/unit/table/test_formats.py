"""Strategies and snapshots that a format cannot do."""

import pytest

from dbt.adapters.adaptive_spark.catalog.relation import AdaptiveSparkRelation as Relation
from dbt.adapters.adaptive_spark.table.formats import (
    files_left,
    format_fault,
    idle_key,
    is_unknown,
    overwrites_partitions,
    own_macro,
)

MODEL = "models/orders.sql"


def fault(kind="model", **configs):
    return format_fault({"materialized": "incremental", **configs}, kind, MODEL, lambda _: False)


@pytest.mark.parametrize("format_", ["delta", "iceberg"])
@pytest.mark.parametrize(
    "strategy", [None, "append", "merge", "delete+insert", "insert_overwrite", "microbatch"]
)
def test_two_formats_can_do_all(format_, strategy):
    assert fault(file_format=format_, incremental_strategy=strategy, unique_key="id") is None
    assert fault("snapshot", file_format=format_) is None


def test_others_cannot_change_rows():
    for strategy in ("merge", "delete+insert"):
        said = fault(incremental_strategy=strategy, unique_key="id")
        assert said.startswith(
            f"incremental_strategy {strategy} changes rows, and a table without file_format cannot"
        )
        assert fault(incremental_strategy=strategy, unique_key="id", file_format="orc") is not None
    assert fault("snapshot", file_format="parquet").endswith("Give it file_format delta or iceberg.")
    assert (
        fault("snapshot", file_format="hudi")
        is fault(incremental_strategy="merge", file_format="hudi")
        is None
    )
    assert fault(incremental_strategy="delete+insert", file_format="hudi", unique_key="id") is not None


def test_a_strategy_needs_what_it_works_by():
    assert fault(incremental_strategy="delete+insert", file_format="delta").endswith("Add it, or use append.")
    assert "the model has no partition_by" in fault(incremental_strategy="microbatch")
    assert fault(incremental_strategy="microbatch", partition_by="day") is None


def test_configs_of_another_adapters_merge_are_refused():
    merging = {"file_format": "delta", "incremental_strategy": "merge", "unique_key": "id"}
    assert fault(**merging, skip_matched_step=False, matched_condition=None) is None
    assert fault(**merging, skip_matched_step=True, not_matched_by_source_action="delete") == (
        "not_matched_by_source_action, skip_matched_step are configs of dbt-databricks that no incremental_strategy has "
        "here, so that the table would come out otherwise (models/orders.sql). Leave it out, or write a macro "
        "get_incremental_merge_sql in your project."
    )
    # where merge is the default
    assert fault(file_format="delta", unique_key="id", matched_condition="s.n > t.n") is not None
    own = {"materialized": "incremental", **merging, "skip_matched_step": True}
    for macro in ("get_incremental_merge_sql", "spark__get_merge_sql", "default__get_merge_sql"):
        assert format_fault(own, "model", MODEL, {macro}.__contains__) is None
    assert fault(file_format="delta", incremental_strategy="append", skip_matched_step=True) is None


def test_a_strategy_that_is_not_built_in_needs_a_macro_of_the_project():
    assert fault(incremental_strategy="insert+keep") == (
        "incremental_strategy: 'insert+keep' is not one of append, merge, delete+insert, insert_overwrite, microbatch, "
        "and the project has no macro get_incremental_insert_keep_sql (models/orders.sql). "
        "Leave it out for the default, append."
    )
    configs = {"materialized": "incremental", "incremental_strategy": "insert+keep"}
    assert format_fault(configs, "model", MODEL, {"get_incremental_insert_keep_sql"}.__contains__) is None
    assert format_fault(configs, "model", MODEL, {"get_incremental_keep_sql"}.__contains__) is not None
    configs["incremental_strategy"] = "microbatch"
    assert format_fault(configs, "model", MODEL, {"get_incremental_microbatch_sql"}.__contains__) is None


@pytest.mark.parametrize(
    ("strategy", "macro", "expected"),
    [
        ("insert+keep", "get_incremental_insert_keep_sql", "strategy"),
        ("merge", "get_incremental_merge_sql", "strategy"),
        ("merge", "get_merge_sql", "sql"),
        ("merge", "spark__get_merge_sql", "sql"),
        ("merge", "spark__get_insert_into_sql", ""),
        ("microbatch", "adaptive_spark__get_insert_overwrite_sql", "sql"),
        ("delete+insert", "get_delete_insert_merge_sql", ""),
    ],
)
def test_macros_of_the_project_make_a_strategys_sql(strategy, macro, expected):
    assert own_macro(strategy, {macro}.__contains__) == expected


def test_only_incremental_models_and_snapshots_have_faults():
    assert (
        fault(materialized="table", incremental_strategy="merge")
        is fault("seed", incremental_strategy="x")
        is None
    )


def test_a_key_that_replaces_nothing_is_idle():
    said = {"materialized": "incremental", "unique_key": "id"}
    assert "Give it file_format delta or iceberg and incremental_strategy merge" in idle_key(
        said, "model", MODEL
    )
    assert " Use incremental_strategy merge, or " in idle_key(
        {**said, "file_format": "delta"}, "model", MODEL
    )
    for others in (
        {"incremental_strategy": "merge"},
        {"incremental_strategy": "microbatch"},
        {"unique_key": None},
    ):
        assert idle_key({**said, **others}, "model", MODEL) is None
    assert (
        idle_key({**said, "materialized": "table"}, "model", MODEL)
        is idle_key(said, "snapshot", MODEL)
        is None
    )


@pytest.mark.parametrize(
    ("configs", "expected"),
    [
        ({"incremental_strategy": "insert_overwrite", "partition_by": "p", "file_format": "delta"}, True),
        ({"incremental_strategy": "microbatch", "partition_by": "p"}, True),
        ({"incremental_strategy": "microbatch", "partition_by": "p", "file_format": "iceberg"}, False),
        ({"incremental_strategy": "insert_overwrite"}, False),
        ({"incremental_strategy": "append", "partition_by": "p"}, False),
    ],
)
def test_partitions_are_overwritten_by_two_strategies(configs, expected):
    assert overwrites_partitions({"materialized": "incremental", **configs}) is expected


def test_an_iceberg_table_is_in_the_way_of_other_formats():
    assert files_left("iceberg", "shop.orders", MODEL) is None
    for format_ in ("delta", "parquet", None):
        assert files_left(format_, "shop.orders", MODEL).endswith(
            "(models/orders.sql). Give it another alias; or run `drop table shop.orders purge`, and remove what is left "
            "of its folder."
        )


def test_a_table_that_could_not_be_described_is_not_taken_for_one_of_another_format():
    table = {"database": "lake", "schema": "shop", "identifier": "orders", "type": "table"}
    unknown = Relation.create(**table)
    assert is_unknown(unknown, {"file_format": "iceberg"})
    assert not is_unknown(unknown, {})
    for known in (
        None,
        Relation.create(**{**table, "database": None}),
        Relation.create(**{**table, "type": "view"}),
        Relation.create(**table, information="Provider: parquet"),
    ):
        assert not is_unknown(known, {"file_format": "iceberg"})

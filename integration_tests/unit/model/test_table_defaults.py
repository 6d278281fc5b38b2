"""The profile's format in nodes that name none, and the mode of overwriting."""

from types import SimpleNamespace

import pytest
from dbt_common.exceptions import CompilationError

from dbt import selected_resources
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.model import node_configs
from dbt.adapters.adaptive_spark.model.node_configs import NodeConfigs
from dbt.adapters.adaptive_spark.model.table_defaults import anew, changed, set_default_format

MODE = "spark.sql.sources.partitionOverwriteMode"
OVERWRITING = {"materialized": "incremental", "incremental_strategy": "insert_overwrite", "partition_by": "p"}


class Configs(dict):
    """A config in the form of dbt's, as far as it is read."""

    def to_dict(self):
        return dict(self)


def node(name, kind="model", database=None, **configs):
    return SimpleNamespace(
        unique_id=f"{kind}.shop.{name}",
        database=database,
        schema="shop",
        name=name,
        resource_type=kind,
        fqn=["shop", name],
        original_file_path=f"{kind}s/{name}.sql",
        config=Configs(configs),
    )


def test_nodes_with_tables_get_the_profiles_format_unless_they_name_one():
    nodes = [
        node("a"),
        node("b", file_format="parquet"),
        node("c", "seed"),
        node("d", "snapshot"),
        node("e", "test"),
    ]
    set_default_format(nodes, "delta")
    assert [each.config.get("file_format") for each in nodes] == ["delta", "parquet", "delta", "delta", None]
    set_default_format([untouched := node("f")], None)
    assert untouched.config == {}


def test_nodes_in_a_catalog_of_one_format_have_it_unless_they_name_another():
    formats = {"lake": "iceberg"}
    nodes = [
        node("a", database="lake"),
        node("b", database="lake", file_format="parquet"),
        node("c", "seed", database="other"),
        node("d", "snapshot"),
    ]
    for default in ("delta", None):
        for each in nodes:
            each.config.pop("file_format", None) if each.name != "b" else None
        set_default_format(nodes, default, formats.get)
        assert [each.config.get("file_format") for each in nodes] == ["iceberg", "parquet", default, default]


def test_partitions_are_overwritten_unless_the_model_says_otherwise():
    said = [ConfEntry("spark.a.b", "1")]
    assert changed(OVERWRITING, said) == [ConfEntry(MODE, "dynamic"), *said]
    assert changed(OVERWRITING, [ConfEntry(MODE, "static")]) == [ConfEntry(MODE, "static")]
    assert changed({"materialized": "table"}, said) == said


def test_a_table_that_is_made_over_files_finds_no_old_partitions():
    said = [ConfEntry(MODE, "dynamic"), ConfEntry("spark.a.b", "1")]
    placed = {"partition_by": "day", "location_root": "/data"}
    assert anew(placed, said, True) == [ConfEntry("spark.a.b", "1"), ConfEntry(MODE, "static")]
    for configs, overwrites in (
        (placed, False),
        ({"partition_by": "day"}, True),
        ({"location_root": "/"}, True),
    ):
        assert anew(configs, said, overwrites) == said


@pytest.fixture
def warned(monkeypatch):
    sentences = []
    monkeypatch.setattr(node_configs._logger, "warning", sentences.append)
    return sentences


def test_tables_of_selected_nodes_are_checked_before_a_run_and_in_it(monkeypatch, warned):
    wrong = {"materialized": "incremental", "incremental_strategy": "merge", "unique_key": "id"}
    nodes = [node("a", **wrong), node("b", **wrong), node("c", **wrong, file_format="delta")]
    monkeypatch.setattr(selected_resources, "SELECTED_RESOURCES", ["model.shop.a", "model.shop.c"])
    configs = NodeConfigs(SimpleNamespace(), lambda: None)
    configs.check_tables(nodes)
    configs.check_tables(nodes)
    sentence = (
        "incremental_strategy merge changes rows, and a table without file_format cannot (models/a.sql). "
    )
    assert len(warned) == 1 and warned[0].startswith(sentence)
    with pytest.raises(CompilationError) as error:
        configs.checked(nodes[0])
    assert error.value.msg == warned[0]


def test_a_key_without_effect_is_said_once(monkeypatch, warned):
    idle = node("a", materialized="incremental", unique_key="id")
    monkeypatch.setattr(selected_resources, "SELECTED_RESOURCES", ["model.shop.a"])
    configs = NodeConfigs(SimpleNamespace(), lambda: None)
    configs.check_tables([idle])
    configs.checked(idle)
    assert len(warned) == 1 and warned[0].startswith(
        "unique_key has no effect with incremental_strategy append"
    )

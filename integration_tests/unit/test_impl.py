"""The answers of the plugin and the adapter to dbt itself."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from dbt.adapters.factory import AdapterContainer
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtValidationError

import dbt.adapters.adaptive_spark
from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.impl import AdaptiveSparkAdapter
from dbt.adapters.adaptive_spark.model.node_configs import NodeConfigs
from dbt.adapters.adaptive_spark.response.statement_response import QueryScope
from dbt.adapters.adaptive_spark.spark.session_conf import SESSION_CATALOG_KEY


def node(**fields):
    given = {
        "unique_id": "model.shop.orders",
        "original_file_path": "models/orders.sql",
        "name": "orders",
        "resource_type": "model",
        "fqn": ["shop", "orders"],
    }
    return SimpleNamespace(**{**given, **fields})


class Manager:
    """Records what the adapter asks for."""

    def __init__(self):
        self.entered, self.left = [], []
        self.memory = SimpleNamespace(prior={"model.shop.orders": '{"version":1}'}.get)

    def enter_node(self, unique_id, entries, queries, model, prior):
        self.entered.append((unique_id, entries, queries, model, prior))
        return "run"

    def leave_node(self, run):
        self.left.append(run)
        return SimpleNamespace(rows_written=7)


class Statistics:
    """Records of which nodes it was told."""

    def __init__(self):
        self.begun, self.ended = [], []

    def before(self, node, wanted):
        self.begun.append(node.unique_id)

    def after(self, wanted, rows):
        self.ended.append((wanted.node.unique_id, wanted.config.columns, wanted.confs, rows))


@pytest.fixture
def adapter():
    adapter = object.__new__(AdaptiveSparkAdapter)
    adapter.connections = Manager()
    adapter.statistics = Statistics()
    adapter.configs = NodeConfigs(SimpleNamespace(), lambda: None)
    adapter.get_relation = lambda *_: None
    return adapter


def config(fields=None, **configs):
    place = {"database": None, "schema": "shop", "alias": "orders"}
    return SimpleNamespace(
        model=node(
            config=SimpleNamespace(to_dict=lambda: configs, get=configs.get), **{**place, **(fields or {})}
        )
    )


def test_dbt_loads_the_plugin_and_dbt_sparks_with_it():
    container = AdapterContainer()
    container.load_plugin("adaptive_spark")
    assert container.get_adapter_type_names("adaptive_spark") == ["adaptive_spark", "spark"]
    assert container.get_adapter_package_names("adaptive_spark") == ["dbt_adaptive_spark", "dbt_spark", "dbt"]


def test_the_plugin_is_made_once_and_is_the_only_name_of_the_package():
    assert dbt.adapters.adaptive_spark.Plugin is dbt.adapters.adaptive_spark.Plugin
    with pytest.raises(AttributeError, match="has no attribute 'Plugins'"):
        _ = dbt.adapters.adaptive_spark.Plugins


def test_dbt_finds_the_version():
    assert AdapterContainer()._adapter_version("adaptive_spark") == f"={version}"
    found = AdaptiveSparkAdapter.get_adapter_run_info(SimpleNamespace(_extra={"file_format": "delta"}))
    assert (found.adapter_name, found.adapter_version) == ("adaptive_spark", version)
    assert found.model_adapter_details == {"adapter_type": "adaptive_spark", "table_format": "delta"}


def test_a_clone_finds_the_view_materialization():
    macros = Path(dbt.adapters.adaptive_spark.Plugin.include_path) / "macros" / "materialization_view.sql"
    assert "{% materialization view, adapter='adaptive_spark' -%}" in macros.read_text(encoding="utf-8")


def test_a_nodes_confs_end_with_its_tag_and_its_run_and_spark_is_told_what_is_known_of_it(
    adapter, monkeypatch
):
    monkeypatch.setattr("dbt.adapters.adaptive_spark.impl.get_invocation_id", lambda: "run-1")
    assert adapter.pre_model_hook(config(momentum=0.5, materialized="table")).run == "run"
    unique_id, entries, queries, model, prior = adapter.connections.entered[0]
    assert [(entry.key, entry.value) for entry in entries] == [
        ("spark.sql.adaptiveFilter.momentum", "0.5"),
        ("spark.sql.adaptiveFilter.queryTag", "model.shop.orders"),
        ("spark.sql.adaptiveFilter.runId", "run-1"),
    ]
    assert unique_id == "model.shop.orders"
    assert queries == QueryScope("model.shop.orders", "run-1", -1)
    assert model == "models/orders.sql"
    assert prior == '{"version":1}'


@pytest.mark.parametrize(
    ("fields", "configs"),
    [({"unique_id": "model.shop.new"}, {}), ({}, {"adaptive_filter": False, "dynamic_filter": False})],
)
def test_nothing_is_said_of_an_unknown_node_nor_of_one_without_filters(adapter, fields, configs):
    adapter.pre_model_hook(config(fields, **configs))
    assert adapter.connections.entered[0][4] is None


def test_batches_share_what_is_known_of_their_node(adapter):
    adapter.pre_model_hook(config({"batch": SimpleNamespace(id="20250101")}))
    unique_id, _, queries, _, prior = adapter.connections.entered[0]
    assert (unique_id, queries.query_tag) == ("model.shop.orders", "model.shop.orders@20250101")
    assert prior == '{"version":1}'


def test_a_bad_config_sets_nothing(adapter):
    with pytest.raises(DbtValidationError, match="collect_rate: 0 is not auto or a whole number in"):
        adapter.pre_model_hook(config(collect_rate=0))
    assert adapter.connections.entered == []


def test_after_a_test_only_the_hooks_own_context_counts(adapter):
    adapter.post_model_hook({"context": "of jinja"}, adapter.pre_model_hook(config()))
    assert adapter.connections.left == ["run"]


def test_statistics_follow_the_model(adapter):
    own = {"spark.sql.adaptiveStatistics.sample": 0.5}
    adapter.post_model_hook({}, adapter.pre_model_hook(config(analyze="all", spark_conf=own)))
    adapter.post_model_hook({}, adapter.pre_model_hook(config(analyze="off")))
    assert adapter.statistics.begun == ["model.shop.orders"] * 2
    confs = (ConfEntry("spark.sql.adaptiveStatistics.sample", "0.5"),)
    assert adapter.statistics.ended == [("model.shop.orders", "all", confs, 7)]


def test_a_model_that_failed_has_no_statistics(adapter):
    context = adapter.pre_model_hook(config(analyze="all"))
    with pytest.raises(DbtValidationError):
        try:
            raise DbtValidationError("the model failed")
        finally:
            adapter.post_model_hook({}, context)
    assert adapter.connections.left == ["run"]
    assert adapter.statistics.ended == []


SESSION = "org.apache.iceberg.spark.SparkSessionCatalog"


@pytest.mark.parametrize(
    ("confs", "extends"),
    [
        ({}, False),
        ({"": "org.apache.spark.sql.delta.catalog.DeltaCatalog"}, False),
        ({"": SESSION, ".type": "hive"}, False),
        ({"": SESSION}, False),
        ({"": SESSION, ".type": "rest"}, True),
        ({"": SESSION, ".catalog-impl": "com.example.Glue"}, True),
        ({"": "com.example.Catalog"}, True),
    ],
)
def test_a_session_catalog_extends_the_metastore_unless_its_tables_are_the_metastores(
    adapter, confs, extends
):
    given = {f"{SESSION_CATALOG_KEY}{key}": value for key, value in confs.items()}
    adapter.connections.spark_confs = lambda: SimpleNamespace(
        explicit=lambda keys: {key: given.get(key) for key in keys}
    )
    assert adapter.extends_session_catalog() is extends


class Confs(dict):
    """A session's confs, all of which it takes."""

    place_of_fixed = ""

    def set(self, entry):
        self[entry.key] = entry.value

    def explicit(self, keys):
        return {key: self.get(key) for key in keys}

    def unset(self, key):
        self.pop(key, None)


def test_types_that_spark_cuts_are_asked_for_whole(adapter, monkeypatch):
    confs, asked = Confs(), []
    adapter.connections.spark_confs = lambda: confs
    cut = "struct<a:int,b:int,... 6 more fields>"

    def described(_, relation):
        asked.append(dict(confs))
        return [SimpleNamespace(dtype="whole" if confs or relation == "narrow" else cut)]

    monkeypatch.setattr(SparkAdapter, "get_columns_in_relation", described)
    assert [each.dtype for each in adapter.get_columns_in_relation("wide")] == ["whole"]
    assert asked == [{}, {"spark.sql.debug.maxToStringFields": "100000"}]
    assert not confs
    adapter.get_columns_in_relation("narrow")
    assert asked[2:] == [{}]


def test_the_first_rows_of_a_seed_replace_all_partitions_of_its_files(adapter):
    configs = {"location_root": "/data", "partition_by": "day"}
    mode = ConfEntry("spark.sql.sources.partitionOverwriteMode", "static")
    dynamic = ConfEntry(mode.key, "dynamic")
    seed = SimpleNamespace(resource_type="seed", config=configs)
    assert adapter.table_confs(seed, [dynamic]) == [mode]
    assert adapter.table_confs(SimpleNamespace(resource_type="seed", config={}), [dynamic]) == [dynamic]

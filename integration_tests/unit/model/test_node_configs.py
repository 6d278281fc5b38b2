"""Configs that have no effect where they are said, and those of nodes that dbt never runs by themselves."""

from types import SimpleNamespace

import pytest
from dbt_common.exceptions import CompilationError, DbtValidationError

from dbt.adapters.adaptive_spark.model import node_configs
from dbt.adapters.adaptive_spark.model.config_names import config_names
from dbt.adapters.adaptive_spark.model.node_configs import NodeConfigs

# a right value for each config, which all differ from the values of the project below
VALUES = {
    "adaptive_filter": True,
    "collect_rate": 10,
    "calculate_rate": "auto",
    "momentum": 0.5,
    "policy": "conditional",
    "initial_order": "written",
    "errors": "exact",
    "dynamic_filter": False,
    "filter_order": ["a"],
    "analyze": "all",
    "spark_conf": {"spark.a.b": 1},
}
OF_FILTERS = [name for name in VALUES if name not in ("filter_order", "analyze", "spark_conf")]
FOLDERS = {"model": "models", "seed": "seeds", "snapshot": "snapshots", "test": "tests"}
EMPTY = {
    kind: {}
    for kind in (
        "sources",
        "exposures",
        "metrics",
        "semantic_models",
        "saved_queries",
        "unit_tests",
        "macros",
    )
}


class Configs(dict):
    """A config in the form of dbt's, as far as it is read."""

    def to_dict(self):
        return dict(self)


def node(name, kind="model", configs=None, parents=(), file=None, **fields):
    suffix = {"seed": "csv", "test": "yml"}.get(kind, "sql")
    given = {
        "unique_id": f"{kind}.shop.{name}",
        "resource_type": kind,
        "name": name,
        "fqn": ["shop", name],
        "original_file_path": file or f"{FOLDERS.get(kind, kind)}/{name}.{suffix}",
        "depends_on": SimpleNamespace(nodes=[f"model.shop.{each}" for each in parents]),
        "config": Configs(configs or {}),
    }
    return SimpleNamespace(**given | fields)


def unread(kind, name, **configs):
    """A part of the project that is never run."""
    file = "models/schema.yml"
    return SimpleNamespace(
        resource_type=kind, name=name, original_file_path=file, config=SimpleNamespace(_extra=configs)
    )


def manifest(*nodes, **others):
    return SimpleNamespace(nodes={each.unique_id: each for each in nodes}, **EMPTY | others)


@pytest.fixture
def warned(monkeypatch):
    sentences = []
    monkeypatch.setattr(node_configs._logger, "warning", sentences.append)
    return sentences


def check(*nodes, project=None, run=None, **others):
    """Runs the last of the nodes, or those named."""
    found = manifest(*nodes, **others)
    configs = NodeConfigs(SimpleNamespace(**project or {}), lambda: found)
    for each in run or nodes[-1:]:
        configs.checked(each)


def ephemeral(name, *parents, **configs):
    return node(name, configs={"materialized": "ephemeral", **configs}, parents=parents)


def idle(kind):
    """Configs that have no effect on nodes of a kind."""
    return {
        "seed": [*OF_FILTERS, "filter_order"],
        "snapshot": ["filter_order", "analyze"],
        "test": ["filter_order", "analyze"],
        "unit_test": ["filter_order", "analyze"],
    }.get(kind, [])


def test_every_config_has_a_value_here():
    assert {*VALUES} == {*config_names()}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("kind", ["model", "seed", "snapshot", "test", "unit_test"])
def test_a_config_is_told_of_exactly_where_it_has_no_effect(warned, kind, name):
    given = node("it", kind, {name: VALUES[name]})
    check(given)
    path = given.original_file_path + (", it" if kind == "test" else "")
    expected = f"{name} has no effect on a {kind.replace('_', ' ')} ({path}): "
    assert [each.startswith(expected) for each in warned] == [True] * (name in idle(kind))


@pytest.mark.parametrize("name", VALUES)
def test_a_config_of_an_ephemeral_model_is_told_of(warned, name):
    check(ephemeral("part", **{name: VALUES[name]}), node("orders", parents=["part"]))
    assert warned == [
        f"{name} has no effect on an ephemeral model (models/part.sql): "
        "its SQL runs in the models that refer to it, with their configs. Leave it out."
    ]


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("seed", "filter_order has no effect on a seed (seeds/it.csv): it is for models in SQL. Leave it out."),
        ("test", "analyze has no effect on a test (tests/it.yml, it): it is for models and seeds. Leave it out."),
        ("seed", "momentum and errors have no effect on a seed (seeds/it.csv): its rows pass no filter and no join. Leave them out."),
    ],
)  # fmt: skip
def test_the_sentence_says_why(warned, kind, sentence):
    names = [name for name in VALUES if name in sentence.partition(" no effect")[0]]
    check(node("it", kind, {name: VALUES[name] for name in names}))
    assert warned == [sentence]


@pytest.mark.parametrize(
    ("configs", "words"),
    [
        ({"momentum": 3}, "momentum: 3 is not a number in [0, 1] (models/part.sql). Leave it out for the default, 0.3."),
        ({"collect_rate": "many"}, "collect_rate: 'many' is not auto or a whole number in [1, 2147483647] (models/part.sql). Leave it out for the default, 1000."),
        ({"adaptive_filtre": True}, "adaptive_filtre is not a config of adaptive_spark (models/part.sql). Did you mean adaptive_filter?"),
        ({"filter_order": []}, "filter_order: [] names no column (models/part.sql). Write it as ['status', 't.amount']; leave it out for the order that is learned."),
        ({"spark_conf": {"spark": 1}}, "spark_conf: 'spark' is not a Spark conf key (models/part.sql). Keys look like spark.sql.shuffle.partitions."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("reader", ["model", "test", "snapshot"])
def test_a_wrong_value_of_an_ephemeral_model_stops_each_node_that_reads_it(warned, reader, configs, words):
    part, between = ephemeral("part", **configs), ephemeral("between", "part")
    with pytest.raises(DbtValidationError) as error:
        check(part, between, node("orders", reader, parents=["between"]))
    assert error.value.msg == words


def test_nodes_that_do_not_read_a_wrong_ephemeral_model_run(warned):
    part, table = ephemeral("part", momentum=3), node("table", parents=["part"])
    check(
        part, table, node("orders", parents=["table"]), node("alone"), run=[node("orders", parents=["table"])]
    )
    assert warned == []


def test_what_the_project_says_of_all_models_is_told_of_none(warned):
    given = {"momentum": 0.5, "filter_order": ["a"]}
    nodes = [
        ephemeral("part", **given),
        node("python", configs=given, language="python"),
        node("orders", configs=given, parents=["part"]),
    ]
    project = {"models": {"+momentum": 0.5, "shop": {"+filter_order": ["a"]}}}
    check(*nodes, project=project, run=nodes[1:])
    assert warned == []
    check(*nodes, run=nodes[1:])
    assert [each.partition(" (")[0] for each in warned] == [
        "filter_order has no effect on a model in Python",
        "momentum and filter_order have no effect on an ephemeral model",
    ]


def test_what_the_project_says_of_all_seeds_is_told_once(warned):
    seeds = [node(name, "seed", {"filter_order": ["a"]}) for name in ("codes", "names")]
    check(*seeds, project={"seeds": {"+filter_order": ["a"]}}, run=seeds)
    assert [each.partition(":")[0] for each in warned] == [
        "filter_order has no effect on a seed (seeds/codes.csv)"
    ]


def test_each_node_that_says_it_is_told_of_once(warned):
    seeds = [node(name, "seed", {"filter_order": ["a"]}) for name in ("codes", "names")]
    check(*seeds, run=[*seeds, *seeds])
    assert [each.partition(":")[0] for each in warned] == [
        "filter_order has no effect on a seed (seeds/codes.csv)",
        "filter_order has no effect on a seed (seeds/names.csv)",
    ]


@pytest.mark.parametrize("value", ["off", False, None])
def test_analyze_that_is_off_asks_for_nothing(warned, value):
    check(node("it", "test", {"analyze": value}))
    assert warned == []


def test_a_seed_that_turns_filters_off_is_told_of_once(warned):
    check(node("codes", "seed", {"adaptive_filter": False, "momentum": 0.5}))
    assert len(warned) == 1


def test_filters_in_hooks_of_a_seed_have_its_configs(warned):
    check(node("codes", "seed", {"momentum": 0.5, "post-hook": [{"sql": "insert into x select …"}]}))
    assert warned == []


def test_a_config_of_what_is_never_run_is_told_of_once(warned):
    parts = {
        "sources": {"s": unread("source", "customers", momentum=3)},
        "exposures": {"e": unread("exposure", "board", filter_order=["a"], analyze="auto", owner="me")},
        "macros": {"m": unread("macro", "cents", docs={})},
    }
    analysis = node("study", "analysis", file="analyses/study.sql")
    analysis.config = SimpleNamespace(_extra={"errors": "exact", "collect_rate": 5})
    runs = [node("orders"), node("orders")]
    check(analysis, *runs, run=runs, **parts)
    assert warned == [
        "momentum has no effect on a source (models/schema.yml, customers): Spark runs nothing for it. Leave it out.",
        "filter_order and analyze have no effect on an exposure (models/schema.yml, board): Spark runs nothing for it. Leave them out.",
        "collect_rate and errors have no effect on an analysis (analyses/study.sql): Spark runs nothing for it. Leave them out.",
    ]


def test_what_may_be_a_users_own_config_of_a_source_is_not_told_of(warned):
    runs = [node("orders")]
    check(*runs, run=runs, sources={"s": unread("source", "customers", policy="strict", errors="none")})
    assert warned == []


def test_what_a_package_says_is_not_told_of(warned):
    source = unread("source", "customers", momentum=3)
    source.package_name = "of_others"
    runs = [node("orders")]
    check(*runs, run=runs, sources={"s": source}, project={"project_name": "shop"})
    assert warned == []


def test_configs_of_filters_beside_one_that_turns_them_off_are_told_of(warned):
    configs = {
        "adaptive_filter": False,
        "momentum": 0.5,
        "filter_order": ["a"],
        "dynamic_filter": True,
        "analyze": "auto",
    }
    check(node("orders", configs=configs))
    assert warned == [
        "adaptive_filter: false leaves momentum and filter_order nothing to do (models/orders.sql). Keep one or the other."
    ]


def test_configs_of_filters_have_an_effect_where_a_hint_turns_them_on(warned):
    sql = "select /*+ Adaptive_Filter */ a from t where a > 1 and b < 2"
    check(node("orders", configs={"adaptive_filter": False, "momentum": 0.5}, compiled_code=sql))
    assert warned == []
    sql = "select /*+ NO_ADAPTIVE_FILTER */ a from t where a > 1 and b < 2"
    check(node("orders", configs={"adaptive_filter": False, "momentum": 0.5}, compiled_code=sql))
    assert len(warned) == 1


def test_one_of_project_and_model_may_turn_filters_off_and_the_other_configure_them(warned):
    configs = {"adaptive_filter": False, "momentum": 0.5}
    check(node("orders", configs=configs), project={"models": {"+momentum": 0.5}})
    check(node("orders", configs=configs), project={"models": {"+adaptive_filter": False}})
    assert warned == []


def test_a_name_that_looks_like_a_config_is_told_of_once_a_run(warned):
    nodes = [node(name, configs={"error": "x"}) for name in ("orders", "items")]
    check(*nodes, run=nodes)
    assert warned == [
        "error is not a config of adaptive_spark (models/orders.sql). Did you mean errors? "
        "If it is a config of your own, put it under meta."
    ]


def test_macros_are_those_of_the_project_and_of_the_nodes_own_package():
    macros = {
        name: SimpleNamespace(name=name, package_name=package)
        for name, package in {"ours": "shop", "theirs": "dbt_utils", "another": "dbt"}.items()
    }
    found = manifest(macros=macros)
    configs = NodeConfigs(SimpleNamespace(project_name="shop"), lambda: found)
    of = {package: configs.has_macro(node("it", package_name=package)) for package in ("shop", "dbt_utils")}
    names = {package: [name for name in macros if has(name)] for package, has in of.items()}
    assert names == {"shop": ["ours"], "dbt_utils": ["ours", "theirs"]}
    assert not NodeConfigs(SimpleNamespace(project_name="shop"), lambda: None).has_macro(node("it"))("ours")


def test_macros_that_dispatch_finds_are_those_of_its_packages():
    names = ("spark__get_merge_sql", "get_merge_sql")
    macros = {name: SimpleNamespace(name=name, package_name="company_macros") for name in names}
    orders = {"dbt": ["shop", "company_macros", "dbt"], "dbt_utils": ["other"]}
    for order, found in ((orders, [True, False]), ({}, [False, False])):
        project = SimpleNamespace(project_name="shop", get_macro_search_order=order.get)
        has = NodeConfigs(project, lambda: manifest(macros=macros)).has_macro(node("it", package_name="shop"))
        assert [has(name) for name in names] == found


def placed(name, alias="orders", root="/data", package="shop", language="sql", **configs):
    configs = {"materialized": "table", "location_root": root, **configs}
    return node(name, configs=configs, alias=alias, package_name=package, language=language)


def test_two_tables_of_one_place_are_refused(warned):
    with pytest.raises(CompilationError, match=r"the table of models/a\.sql has its files in the same place"):
        check(placed("a"), placed("b"))


@pytest.mark.parametrize(
    "other",
    [
        {"root": "/other"},
        {"alias": "customers"},
        {"materialized": "view"},
        {"file_format": "iceberg"},
        {"language": "python"},
        {"package": "theirs"},
    ],
    ids=str,
)
def test_tables_of_other_places_are_not_refused(warned, other):
    theirs = SimpleNamespace(name="default__location_clause", package_name="theirs")
    macros = {"macro": theirs}
    for nodes in ((placed("a"), placed("b", **other)), (placed("b", **other), placed("a"))):
        check(*nodes, project={"project_name": "shop"}, macros=macros)


@pytest.mark.parametrize("macro", ["location_clause", "spark__location_clause", "spark__create_table_as"])
def test_macros_of_the_project_may_put_tables_elsewhere(warned, macro):
    macros = {"macro": SimpleNamespace(name=macro, package_name="shop")}
    check(placed("a"), placed("b"), project={"project_name": "shop"}, macros=macros)

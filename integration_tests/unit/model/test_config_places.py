"""At which level of the project a config is said."""

from types import SimpleNamespace

from dbt.adapters.adaptive_spark.model.config_places import ConfigPlaces

PROJECT = SimpleNamespace(
    models={"+a": 1, "shop": {"+a": 2, "staging": {"+a": 3, "b": {"+x": 4}, "orders": "no level"}}},
    seeds={"shop": {"+a": 5}},
    snapshots={},
    data_tests={"shop": {"a": 6}},
)


def places(resource_type, *fqn, **fields):
    return ConfigPlaces.of_node(SimpleNamespace(resource_type=resource_type, fqn=fqn, **fields), PROJECT)


def test_levels_are_those_on_the_way_to_the_node():
    staged = places("model", "shop", "staging", "orders")
    assert [staged.depth("a", value) for value in (3, 2)] == [2, staged.own]
    other = places("model", "shop", "marts", "orders")
    assert other.depth("a", 2) == 1
    assert places("model", "package", "orders").depth("a", 1) == 0


def test_each_resource_type_has_a_tree_of_its_own():
    assert places("seed", "shop", "codes").depth("a", 5) == 1
    assert places("test", "shop", "unique").depth("a", 6) == 1
    for kind in ("snapshot", "unit_test", "operation"):
        found = places(kind, "shop", "x")
        assert found.depth("a", 5) == found.own


def test_what_no_level_says_is_the_nodes_own():
    found = places("model", "shop", "orders")
    assert found.depth("c", 1) == found.own == len(found.levels)
    assert ConfigPlaces().depth("c", 1) == ConfigPlaces().own


def test_what_the_file_says_is_the_nodes_own_though_a_level_says_it_too():
    found = places("model", "shop", "orders", config_call_dict={"a": 2})
    assert found.depth("a", 2) == found.own


def test_keys_of_a_dictionary_have_places_of_their_own():
    found = ConfigPlaces([{"+d": {"x": 1}}, {"d": {"y": 2}}], {"d": {"z": 3}})
    assert [found.depth("d", value, key) for key, value in (("x", 1), ("y", 2), ("z", 3), ("x", 9))] == [
        0,
        1,
        2,
        2,
    ]


def test_a_package_says_farther_from_its_nodes_than_the_project():
    package = SimpleNamespace(models={"+a": 7, "theirs": {"staging": {"+b": 8}}})
    project = SimpleNamespace(
        models={"theirs": {"+c": 9}}, project_name="shop", dependencies={"theirs": package}
    )
    of_theirs = SimpleNamespace(resource_type="model", fqn=("theirs", "staging", "x"), package_name="theirs")
    found = ConfigPlaces.of_node(of_theirs, project)
    assert [found.depth(*said) for said in (("a", 7), ("b", 8), ("c", 9))] == [0, 2, 4]
    assert found.depth("d", 1) == found.own == 5

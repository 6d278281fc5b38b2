"""Tables whose files lie where the next ones will."""

from types import SimpleNamespace

import pytest

from dbt.adapters.adaptive_spark.table.location import (
    by_place,
    files_in_place,
    files_of_seed,
    files_of_two,
    lies_in_place,
    seed_is_blocked,
)


@pytest.mark.parametrize(
    ("root", "location", "expected"),
    [
        ("/data/shop", "file:/data/shop/orders", True),
        ("/data/shop/", "hdfs://names:8020/data/shop/orders", True),
        ("file:///data/shop", "file:/data/shop/orders", True),
        ("s3a://lake/shop", "s3a://lake/shop/orders", True),
        ("s3://lake/shop", "s3a://lake/shop/orders", True),
        ("s3a://lake/shop", "s3a://pond/shop/orders", False),
        ("s3://lake/shop", "file:/shop/orders", False),
        ("shop", "file:/warehouse/default.db/shop/orders", True),
        ("/data/two words", "file:/data/two words/orders", True),
        ("/data", "file:/data/shop/orders", False),
        ("/data/shop", "file:/data/shop/orders_old", False),
        (None, "file:/data/shop/orders", False),
    ],
)
def test_places(root, location, expected):
    said = f"Database: shop\nTable: orders\nType: EXTERNAL\nLocation: {location} \nSchema: root\n"
    assert lies_in_place({"location_root": root}, "orders", said) is expected


def test_a_table_of_which_spark_says_no_place_is_none():
    assert not lies_in_place({"location_root": "/data"}, "orders", "")


@pytest.mark.parametrize("format_", ["delta", "iceberg"])
def test_formats_that_replace_their_files_are_not_in_the_way(format_):
    configs = {"location_root": "/data", "file_format": format_}
    assert not lies_in_place(configs, "orders", "Location: file:/data/orders\n")


def test_a_column_named_location_is_no_place():
    said = "Location: string\nLocation: file:/data/orders\n"
    assert lies_in_place({"location_root": "/data"}, "orders", said)


def test_the_remedy_is_said():
    assert files_in_place({"file_format": "orc"}, "shop.orders", "models/orders.sql") == (
        "shop.orders has its files where the location_root of its model puts the next table's. They stay where it is "
        "dropped, and Spark makes no table over files (models/orders.sql). Give it file_format delta or iceberg, or leave "
        "location_root out. Or set spark.sql.legacy.allowNonEmptyLocationInCTAS to true in its spark_conf: Spark then "
        "removes all that is in the folder before it writes."
    )
    for said in (files_in_place({}, "t", "m", False), files_in_place({"file_format": "hudi"}, "t", "m")):
        assert said.endswith("or leave location_root out.")


def test_only_delta_lake_makes_no_seed_over_files():
    said = "Location: file:/data/people\n"
    for format_, expected in (("delta", True), ("iceberg", False), ("parquet", False), (None, False)):
        assert seed_is_blocked({"location_root": "/data", "file_format": format_}, "people", said) is expected
    assert not seed_is_blocked({"location_root": "/other", "file_format": "delta"}, "people", said)
    assert files_of_seed("shop.people", "seeds/people.csv") == (
        "shop.people has its files where the location_root of its seed puts the next table's. They stay where it is "
        "dropped, and Delta Lake makes no seed over files (seeds/people.csv). Give the seed another location_root, or "
        "drop the table and remove its folder."
    )


def test_nodes_of_one_place_are_found():
    roots = {"a": "/data/", "b": "file:/data", "c": "file:///data", "d": None, "e": "data", "f": "data"}
    roots |= {"s": "s3://lake", "t": "s3a://lake/", "u": "s3://pond", "v": "hdfs://names/data"}
    nodes = [
        SimpleNamespace(name=name, alias="orders", config={"location_root": root})
        for name, root in roots.items()
    ]
    others = {"g": {"location_root": "/data"}, "i": {"location_root": "/data", "file_format": "iceberg"}}
    nodes += [SimpleNamespace(name=name, alias="lines", config=configs) for name, configs in others.items()]
    # a relative one is below its schema's folder, and files of Iceberg have names of their own
    found = [[node.name for node in each] for each in by_place(nodes).values()]
    assert found == [["a", "b", "c"], ["s", "t"], ["u"], ["v"], ["g"]]
    assert files_of_two("models/a.sql", "orders", "models/c.sql") == (
        "location_root: the table of models/a.sql has its files in the same place, as its alias is orders, too "
        "(models/c.sql). Give one of them another location_root or alias."
    )

"""Tables whose files lie where the next ones will."""

import pytest

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.table.location import (
    OVERWRITE_MODE,
    OVERWRITES_FILES,
    lies_in_place,
    refill_entries,
)

DYNAMIC = ConfEntry(OVERWRITE_MODE, "dynamic")
ANSI = ConfEntry("spark.sql.ansi.enabled", "true")


@pytest.mark.parametrize(
    ("root", "location", "expected"),
    [
        ("/data/shop", "file:/data/shop/orders", True),
        ("/data/shop/", "hdfs://names:8020/data/shop/orders", True),
        ("file:///data/shop", "file:/data/shop/orders", True),
        ("s3a://lake/shop", "s3a://lake/shop/orders", True),
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
def test_formats_that_replace_their_files_need_no_confs(format_):
    configs = {"location_root": "/data", "file_format": format_}
    assert not lies_in_place(configs, "orders", "Location: file:/data/orders\n")


def test_old_partitions_are_never_found_again():
    assert refill_entries({"partition_by": ["day"]}, [DYNAMIC, ANSI]) == [
        ConfEntry(OVERWRITES_FILES, "true"),
        ANSI,
        ConfEntry(OVERWRITE_MODE, "static"),
    ]


def test_confs_of_the_model_stay():
    refused = ConfEntry(OVERWRITES_FILES, "false")
    assert refill_entries({}, [DYNAMIC, refused]) == [ConfEntry(OVERWRITES_FILES, "true"), DYNAMIC, refused]

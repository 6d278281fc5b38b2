"""Partitions, clusters and properties: nothing but names and texts reaches SQL, and faults have a remedy."""

import pytest
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.table.layout import TableLayout

MODEL = "models/orders.sql"


def layout(**configs):
    return TableLayout.of(configs, MODEL)


@pytest.mark.parametrize(
    ("partition_by", "clause"),
    [
        (None, ""),
        ([], ""),
        ("day", "partitioned by (`day`)"),
        (["day", " s.t "], "partitioned by (`day`, `s`.`t`)"),
        ("`from-to`", "partitioned by (`from-to`)"),
        ("`a``b`", "partitioned by (`a``b`)"),
        ("from-to", "partitioned by (`from-to`)"),
        ("`a.b`", "partitioned by (`a.b`)"),
        ("year, month", "partitioned by (`year`, `month`)"),
        ("`a,b`,c", "partitioned by (`a,b`, `c`)"),
    ],
)
def test_partitions_are_columns(partition_by, clause):
    assert layout(partition_by=partition_by).partition_clause("partitioned by") == clause


@pytest.mark.parametrize(
    ("transform", "clause"),
    [
        ("days(ts)", "days(`ts`)"),
        ("Hours( ts )", "hours(`ts`)"),
        ("bucket(16, id)", "bucket(16, `id`)"),
        ("date(ts)", "days(`ts`)"),
        ("Date_Hour(ts)", "hours(`ts`)"),
        ("truncate(4,`a b`)", "truncate(4, `a b`)"),
        ("month(s.ts)", "month(`s`.`ts`)"),
    ],
)
def test_iceberg_has_transforms(transform, clause):
    found = layout(partition_by=[transform], file_format="iceberg").partition_clause("partitioned by")
    assert found == f"partitioned by ({clause})"


@pytest.mark.parametrize(
    ("configs", "sentence"),
    [
        ({"partition_by": 3}, "partition_by: 3 is not a column or a list of columns (models/orders.sql)."),
        (
            {"partition_by": [3]},
            "partition_by: 3 is not a column's name: it is not a text (models/orders.sql).",
        ),
        (
            {"partition_by": "a) as select 1 --"},
            "it has one of .,;()` where no name has it (models/orders.sql).",
        ),
        ({"partition_by": ""}, "partition_by: '' is not a column's name: it is empty (models/orders.sql)."),
        ({"partition_by": "`${a}`"}, "Spark would replace ${...} in it (models/orders.sql)."),
        (
            {"partition_by": "days(ts)"},
            "only Iceberg has, and the model names no file_format (models/orders.sql).",
        ),
        (
            {"partition_by": "days(ts)", "file_format": "delta"},
            "; or leave partition_by out for liquid_clustered_by.",
        ),
        ({"partition_by": "bucket(id)", "file_format": "iceberg"}, "is not a transform of Iceberg's"),
        ({"partition_by": "days(3, ts)", "file_format": "iceberg"}, "is not a transform of Iceberg's"),
        ({"partition_by": "weeks(ts)", "file_format": "iceberg"}, "They are years(c), months(c), days(c), "),
        ({"liquid_clustered_by": "a"}, "is for file_format delta, and the model names no file_format"),
        (
            {"liquid_clustered_by": "a", "file_format": "iceberg"},
            "and the model's is iceberg (models/orders.sql).",
        ),
        (
            {"liquid_clustered_by": "a", "partition_by": "b", "file_format": "delta"},
            "liquid_clustered_by and partition_by exclude each other in Delta Lake (models/orders.sql). Keep one.",
        ),
        (
            {"clustered_by": "a", "buckets": "b"},
            "buckets: 'b' is not a whole number above 0 (models/orders.sql).",
        ),
        ({"clustered_by": "a", "buckets": True}, "buckets: True is not a whole number above 0"),
        ({"tblproperties": ["a"]}, "tblproperties: ['a'] is not a dictionary (models/orders.sql)."),
        ({"tblproperties": {"a": [1]}}, "tblproperties: a: [1] is not text, a number or a boolean"),
        ({"tblproperties": {"": 1}}, "tblproperties: '' is not a property's name"),
        ({"file_format": "delta as select 1"}, "file_format: 'delta as select 1' is not a format's name"),
    ],
)
def test_a_fault_names_config_value_and_model(configs, sentence):
    with pytest.raises(DbtValidationError) as error:
        layout(**configs)
    assert sentence in str(error.value)


def test_delta_lake_has_clusters():
    assert (
        layout(liquid_clustered_by=["a", "b"], file_format="delta").cluster_clause == "cluster by (`a`, `b`)"
    )


def test_buckets_need_columns_and_a_number():
    assert layout(clustered_by="a", buckets="8").cluster_clause == "clustered by (`a`) into 8 buckets"
    assert layout(clustered_by="a").cluster_clause == layout(buckets=8).cluster_clause == ""


def test_properties_are_texts():
    properties = {"delta.appendOnly": True, "a'b": "c\\d", "n": 1, "v": "${x}"}
    clause = layout(tblproperties=properties).properties_clause({"n": "0", "rule": "a > 0"})
    assert clause == (
        r"tblproperties ('n' = '1', 'rule' = 'a > 0', 'delta.appendOnly' = 'true', 'a\'b' = 'c\\d', 'v' = '\u0024{x}')"
    )
    assert layout().properties_clause({}) == layout(tblproperties={}).properties_clause({}) == ""

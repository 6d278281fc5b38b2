"""The statements of `dbt docs generate`, by table."""

from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace

import pytest
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.catalog import docs_adapter
from dbt.adapters.adaptive_spark.catalog.docs_adapter import DocsAdapter
from dbt.adapters.adaptive_spark.catalog.docs_catalog import catalog_table
from dbt.adapters.adaptive_spark.catalog.table_facts import tables


def row_of(schema, table, provider, column):
    head = (schema, table, "table", provider, "me", None, None, None, None)
    return (*head, 0, column, "int", None, *[None] * 4, False, None)


DESCRIBED = [("id", "int", None), ("# Detailed Table Information", "", ""), ("Comment", "all of it", "")]


LISTED = {
    "shop": [row_of("shop", "t", "parquet", "id")],
    "lake": [
        row_of("lake", "t", "parquet", "id"),
        row_of("lake", "changes", "delta", None),
        row_of("lake", "events", "iceberg", None),
        row_of("lake", "others", "delta", None),
    ],
}


class Adapter(DocsAdapter):
    """The schemas shop, of Parquet, and lake, of several formats; any other one cannot be listed."""

    config = SimpleNamespace(threads=2)

    def __init__(self):
        self.asked, self.by_dbt_spark, self.failing = [], [], set()
        self.extends = self.lost = False
        self.noted = [("900", "12", "2", "0")]

    def own_rows(self, sql):
        for schema, rows in LISTED.items():
            if schema in sql:
                return rows
        raise RuntimeError("no permission")

    def extends_session_catalog(self):
        return self.extends

    @contextmanager
    def connection_named(self, name):
        yield
        self.closed_after = len(self.asked) + len(self.by_dbt_spark)

    def execute(self, sql, fetch):
        self.asked.append(sql)
        if self.lost:
            raise FailedToConnectError("Spark has ended.")
        if sql in self.failing:
            raise DbtRuntimeError(f"{sql} failed")
        rows = [*DESCRIBED, ("Statistics", "140 bytes, 5 rows", None)]
        if "detail" in sql:
            rows = [{"sizeInBytes": 77}]
        elif "snapshots" in sql:
            rows = self.noted
        return None, SimpleNamespace(rows=rows)


class Threads:
    def submit_connected(self, adapter, name, task):
        future = Future()
        try:
            future.set_result(task())
        except DbtRuntimeError as error:
            future.set_exception(error)
        return future


@pytest.fixture
def docs(monkeypatch):
    def theirs(self, nodes, used_schemas):
        self.by_dbt_spark.extend(each.schema for each in nodes)
        return catalog_table(tables([row_of("theirs", "t", "orc", "x")])), [RuntimeError("no permission")]

    monkeypatch.setattr(SparkAdapter, "get_catalog", theirs)
    monkeypatch.setattr(docs_adapter, "executor", lambda _: nullcontext(Threads()))
    return Adapter()


def node(schema, identifier="t"):
    return SimpleNamespace(schema=schema, identifier=identifier)


def test_a_schema_of_the_metastore_is_one_query(docs):
    found, errors = docs.get_catalog(iter([node("Shop", "T"), node("shop", "u")]), frozenset())
    assert [row["table_schema"] for row in found.rows] == ["shop"]
    assert (errors, docs.asked, docs.by_dbt_spark) == ([], [], [])


def test_the_projects_tables_of_formats_that_keep_their_columns_are_described_one_by_one(docs):
    found, errors = docs.get_catalog(
        [node("lake"), node("lake", "changes"), node("lake", "events")], frozenset()
    )
    cells = ("table_name", "column_name", "table_comment", "stats:bytes:value", "stats:rows:value")
    assert [tuple(row[name] for name in cells) for row in found.rows] == [
        ("t", "id", None, None, None),
        ("changes", "id", "all of it", 77, None),
        ("events", "id", "all of it", 900, 10),
    ]
    assert docs.asked[:3] == [
        "describe extended `lake`.`changes`",
        "describe detail `lake`.`changes`",
        "describe extended `lake`.`events`",
    ]
    assert len(docs.asked) == 4
    assert (errors, docs.by_dbt_spark) == ([], [])


@pytest.mark.parametrize(
    ("noted", "numbers"),
    [
        ([("900", "12", None, None)], (900, 12)),
        ([("900", "12", "0", "3")], (900, None)),
        ([(None, None, None, None)], (None, None)),
        ([], (None, None)),
    ],
)
def test_the_rows_of_an_iceberg_table_are_those_without_deletes(docs, noted, numbers):
    docs.noted = noted
    found, _ = docs.get_catalog([node("lake", "events")], frozenset())
    row = found.rows[-1]
    names = ("stats:bytes:value", "stats:rows:value")
    assert tuple(row.dict().get(name) for name in names) == numbers


def test_a_table_that_cannot_be_described_leaves_the_others_and_is_a_warning(docs, monkeypatch):
    warnings = []
    monkeypatch.setattr(
        docs_adapter, "_logger", SimpleNamespace(warning=warnings.append, debug=lambda _: None)
    )
    docs.failing |= {"describe extended `lake`.`changes`", "describe detail `lake`.`others`"}
    found, errors = docs.get_catalog(
        [node("lake", each) for each in ("changes", "events", "others")], frozenset()
    )
    assert sorted(row["table_name"] for row in found.rows) == ["events", "others", "t"]
    assert errors == []
    (warning,) = warnings
    assert warning.startswith("The docs lack the columns of `lake`.`changes`: ")


def test_a_spark_that_is_lost_is_not_asked_again(docs):
    docs.lost = True
    with pytest.raises(FailedToConnectError):
        docs.get_catalog([node("lake", each) for each in ("changes", "events")], frozenset())


def test_the_connection_is_open_until_all_is_asked(docs):
    docs.get_catalog([node("lake", "changes"), node("lost")], frozenset())
    assert docs.closed_after == len(docs.asked) + len(docs.by_dbt_spark)


def test_dbt_spark_describes_schemas_of_which_nothing_is_known(docs):
    found, errors = docs.get_catalog([node("shop"), node("lost")], frozenset())
    assert [(row["table_schema"], row["column_name"]) for row in found.rows] == [
        ("shop", "id"),
        ("theirs", "x"),
    ]
    assert (docs.by_dbt_spark, [str(error) for error in errors]) == (["lost"], ["no permission"])


def test_what_the_metastore_lacks_another_session_catalog_may_have(docs):
    docs.extends = True
    docs.get_catalog([node("shop")], frozenset())
    assert docs.by_dbt_spark == []
    docs.get_catalog([node("Shop"), node("shop", "u")], frozenset())
    assert docs.by_dbt_spark == ["Shop", "shop"]

"""The adapter's lists of schemas and relations by catalog, against answers as Spark gives them."""

from types import SimpleNamespace

import pytest
from dbt.adapters.sql import SQLAdapter
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.catalog.catalog_adapter import CatalogAdapter
from dbt.adapters.adaptive_spark.catalog.catalog_faults import CatalogFaults
from dbt.adapters.adaptive_spark.catalog.docs_adapter import by_catalog
from dbt.adapters.adaptive_spark.catalog.relation import AdaptiveSparkRelation as Relation

ICEBERG = "Type: MANAGED\nProvider: iceberg\n"
LAKE = Relation.create(database="lake", schema="shop").without_identifier()


class Adapter(CatalogAdapter):
    """An adapter that answers statements from `answers`; one that is an error is raised."""

    def __init__(self, configured=("lake",), **answers):
        self.answers = {key.replace("_", " "): answer for key, answer in answers.items()}
        self.asked, self.told, self.macros = [], [], []
        self.configured = configured
        self.catalog_faults = CatalogFaults(self.is_configured, self.told.append)
        self._macro_resolver = None

    def is_configured(self, catalog):
        return catalog in self.configured

    def has_conf(self, catalog):
        return self.is_configured(catalog)

    def execute(self, sql, auto_begin=False, fetch=False, limit=None):
        self.asked.append(sql)
        answer = next(each for key, each in self.answers.items() if sql.startswith(key))
        if isinstance(answer, Exception):
            raise answer
        return None, SimpleNamespace(rows=answer)

    def execute_macro(self, name, *_, kwargs=None, **__):
        self.macros.append((name, {key: str(value) for key, value in kwargs.items()}))
        answer = self.answers[name.replace("_", " ")]
        if isinstance(answer, Exception):
            raise answer
        return answer


def listed(adapter):
    return [(str(each), each.type, each.is_iceberg) for each in adapter.list_relations_without_caching(LAKE)]


def test_tables_and_views_of_a_catalog_are_in_two_lists():
    adapter = Adapter(
        show_table_extended=[("shop", "orders", False, ICEBERG), ("", "x__dbt_tmp", True, "Type: VIEW\n")],
        show_views=[("shop", "seen", False)],
    )
    assert listed(adapter) == [("lake.shop.orders", "table", True), ("lake.shop.seen", "view", False)]
    assert adapter.asked == ["show table extended in lake.shop like '*'", "show views in lake.shop"]


def test_tables_are_described_one_by_one_where_spark_lists_them_so():
    adapter = Adapter(
        show_table_extended=DbtRuntimeError("SHOW TABLE EXTENDED is not supported for v2 tables"),
        show_tables=[("shop", "by-day", False)],
        describe=[("id", "int", None), ("", "", ""), ("Provider", "iceberg", "")],
        show_views=DbtRuntimeError("Catalog lake does not support views"),
    )
    assert listed(adapter) == [("lake.shop.`by-day`", "table", True)]
    assert "describe extended lake.shop.`by-day`" in adapter.asked
    assert not adapter.told


def test_a_column_is_not_taken_for_a_property():
    adapter = Adapter(
        show_table_extended=DbtRuntimeError("SHOW TABLE EXTENDED is not supported for v2 tables"),
        show_tables=[("shop", "orders", False)],
        describe=[
            ("Provider", "string", None),
            ("# Detailed Table Information", "", ""),
            ("Provider", "iceberg", ""),
        ],
        show_views=[],
    )
    assert listed(adapter) == [("lake.shop.orders", "table", True)]


HERE = Relation.create(schema="shop").without_identifier()
GONE = DbtRuntimeError("[TABLE_OR_VIEW_NOT_FOUND] The table or view `shop`.`x` cannot be found.")


def test_a_session_schema_whose_list_a_drop_broke_is_listed_again(monkeypatch):
    adapter = Adapter(show_tables=[("shop", "history", False)])
    answers = [GONE, GONE, [("shop", "history", False, ICEBERG)]]

    def once(*_, **__):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return [
            dict(zip(("database", "tableName", "isTemporary", "information"), row, strict=True))
            for row in answer
        ]

    monkeypatch.setattr(adapter, "execute_macro", once)
    monkeypatch.setattr(
        adapter, "_get_relation_information", lambda row: tuple(list(row.values())[i] for i in (0, 1, 3))
    )
    (found,) = adapter.list_relations_without_caching(HERE)
    assert (str(found), found.is_iceberg, answers) == ("shop.history", True, [])


@pytest.mark.parametrize(
    "tables",
    [
        [],
        [("", "x__dbt_tmp", True)],
        DbtRuntimeError("[SCHEMA_NOT_FOUND] The schema `shop` cannot be found."),
    ],
)
def test_a_session_schema_without_tables_is_empty(tables):
    adapter = Adapter(list_relations_without_caching=GONE, show_tables=tables)
    assert adapter.list_relations_without_caching(HERE) == []


def test_a_session_schema_that_others_change_all_the_time_stops_dbt():
    adapter = Adapter(list_relations_without_caching=GONE, show_tables=[("shop", "history", False)])
    with pytest.raises(
        DbtRuntimeError, match=r"The tables of shop cannot be listed: each time, another program"
    ):
        adapter.list_relations_without_caching(HERE)


def test_a_schema_that_cannot_be_listed_is_not_taken_to_be_empty(monkeypatch):
    monkeypatch.setattr(SQLAdapter, "list_relations", lambda *_: [])  # what dbt's cache has of it then
    refused = DbtRuntimeError("\n503 Service Unavailable\nat java.net")
    adapter = Adapter(show_table_extended=refused, show_tables=refused, list_schemas=[("shop",)])
    assert listed(adapter) == []
    (told,) = adapter.told
    assert told.startswith(
        "The tables of lake.shop cannot be listed: 503 Service Unavailable. Models in it fail, "
    )
    for ask in (
        lambda: adapter.refuse_unusable(node("lake", "Shop")),
        lambda: adapter.list_relations("lake", "shop"),
    ):
        with pytest.raises(DbtRuntimeError, match="503 Service Unavailable"):
            ask()
    adapter.refuse_unusable(node("lake", "other"))


def test_a_schema_that_only_others_write_may_be_unlisted(monkeypatch):
    monkeypatch.setattr(SQLAdapter, "list_relations", lambda *_: [])
    refused = DbtRuntimeError("403 Forbidden")
    adapter = Adapter(show_table_extended=refused, show_tables=refused, list_schemas=[("shop",)])
    adapter._macro_resolver = SimpleNamespace(
        nodes={"model.shop.a": node("lake", "Own"), "model.shop.b": node()}
    )
    assert listed(adapter) == [] and adapter.list_relations("lake", "shop") == []
    adapter._macro_resolver.nodes["model.shop.c"] = node("lake", "Shop")
    with pytest.raises(DbtRuntimeError, match="403 Forbidden"):
        adapter.list_relations("lake", "shop")


def test_a_schema_that_may_not_be_made_may_be_there():
    adapter = Adapter(create_schema=DbtRuntimeError("no privilege"), list_schemas=[("shop",)])
    adapter.create_schema(LAKE)
    adapter.refuse_unusable(node("lake", "shop"))


def test_a_schema_that_is_not_there_has_no_relations():
    missing = DbtRuntimeError("NoSuchNamespaceException: Namespace does not exist")
    adapter = Adapter(show_table_extended=missing, show_tables=missing)
    assert listed(adapter) == [] and not adapter.told


def test_a_catalog_that_is_not_configured_is_not_asked():
    adapter = Adapter(configured=())
    assert listed(adapter) == [] and adapter.list_schemas("lake") == []
    adapter.create_schema(LAKE)
    assert not adapter.asked and not adapter.macros
    assert len(adapter.told) == 1
    with pytest.raises(DbtRuntimeError, match="The catalog lake is not configured"):
        adapter.list_relations("lake", "shop")


def test_a_catalog_that_does_not_answer_is_asked_once():
    adapter = Adapter(list_schemas=DbtRuntimeError("\nconnection refused\nat java.net"))
    assert adapter.list_schemas("lake") == [] and adapter.list_schemas("lake") == [] and listed(adapter) == []
    assert len(adapter.macros) == 1 and not adapter.asked
    assert adapter.told[0].startswith("The catalog lake cannot be used: connection refused. Check ")
    with pytest.raises(DbtRuntimeError, match="connection refused"):
        adapter.check_schema_exists("lake", "shop")


def test_schemas_are_those_of_the_catalog_that_is_asked():
    adapter = Adapter(configured=("my-lake",), list_schemas=[("`a-b`",), ("Shop",)])
    assert adapter.list_schemas("`my-lake`") == ["a-b", "Shop"]
    assert adapter.check_schema_exists("my-lake", "shop")
    assert adapter.macros[0] == ("list_schemas", {"database": "`my-lake`"})
    assert adapter.list_schemas("spark_catalog") == adapter.list_schemas(None) == ["`a-b`", "Shop"]
    assert adapter.macros[-1] == ("list_schemas", {"database": "None"})


def node(database=None, schema="shop", parents=(), **fields):
    return SimpleNamespace(
        database=database, schema=schema, depends_on=SimpleNamespace(nodes=parents), **fields
    )


def test_a_node_does_not_run_where_its_catalog_or_a_parents_does_not_work():
    adapter = Adapter()
    manifest = SimpleNamespace(
        nodes={"model.shop.a": node("lake")}, sources={"source.shop.b": node("desert")}
    )
    adapter._macro_resolver = manifest
    adapter.refuse_unusable(node("lake", parents=["model.shop.a"]))
    adapter.refuse_unusable(node("spark_catalog"))
    for refused in (node("desert"), node(parents=["source.shop.b"])):
        with pytest.raises(DbtRuntimeError, match="The catalog desert is not configured"):
            adapter.refuse_unusable(refused)


def test_a_schema_with_the_name_of_a_catalog_is_refused():
    with pytest.raises(DbtRuntimeError, match="database: lake equals the schema"):
        Adapter().refuse_unusable(node("lake", "lake"))
    Adapter().refuse_unusable(node("shop", "shop"))


def test_a_rename_stays_in_its_catalog(monkeypatch):
    renamed = []
    monkeypatch.setattr(SQLAdapter, "rename_relation", lambda *both: renamed.append(both[1:]))
    old, new = (Relation.create(database="lake", schema="shop", identifier=name) for name in "ab")
    Adapter().rename_relation(old, new)
    assert renamed == [(old, new)]
    with pytest.raises(DbtRuntimeError, match="Spark renames tables within one catalog"):
        Adapter().rename_relation(old, Relation.create(schema="shop", identifier="b"))


def test_a_relation_is_found_in_whichever_case_unless_one_has_just_its_name():
    adapter = Adapter()
    relations = [
        Relation.create(database="lake", schema="shop", identifier=name) for name in ("Orders", "orders")
    ]
    assert adapter._make_match(relations, "lake", "shop", "Orders") == relations[:1]
    assert adapter._make_match(relations[:1], "lake", "shop", "orders") == relations[:1]
    assert adapter._make_match(relations, "lake", "shop", "late") == []
    # Spark has lowered the name of a table that dbt quotes
    assert adapter._make_match(relations[1:], None, "Shop", "Orders") == relations[1:]
    assert adapter._make_match(relations, "lake", "other", "orders") == []


def test_nodes_are_parted_by_catalog():
    nodes = [node(), node("lake"), node("spark_catalog"), SimpleNamespace(schema="shop")]
    here, elsewhere = by_catalog(nodes)
    assert here == [nodes[0], nodes[2], nodes[3]] and elsewhere == [nodes[1]]

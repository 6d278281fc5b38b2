"""Tables and views of a schema by what Spark lists."""

from dbt.adapters.adaptive_spark.catalog.listed_relations import ListedRelation, extended, named, views

TABLE = "Catalog: lake\nNamespace: shop\nTable: orders\nType: MANAGED\nProvider: iceberg\nSchema: root\n"


def test_temporary_views_of_the_session_are_left_out():
    rows = [("shop", "orders", False, TABLE), ("", "orders__dbt_tmp", True, "Type: VIEW\n")]
    assert extended(rows) == [ListedRelation("orders", TABLE)]
    assert named([("shop", "orders", False), ("", "x", True)]) == ["orders"]


def test_a_format_is_the_provider_whatever_else_the_text_says():
    listed = ListedRelation("orders", f"{TABLE}Comment: Provider: delta\n")
    assert listed.formats == {"is_delta": False, "is_hudi": False, "is_iceberg": True}
    assert listed.type == "table"
    assert ListedRelation("x").formats == {"is_delta": False, "is_hudi": False, "is_iceberg": False}


def test_views_have_a_list_of_their_own():
    (view,) = views([("shop", "seen", False)])
    assert (view.name, view.type) == ("seen", "view")

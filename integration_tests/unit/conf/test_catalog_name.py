"""Which catalog a database names, and how tables are told apart by it."""

import pytest

from dbt.adapters.adaptive_spark.conf.catalog_name import catalog_key, catalog_of, full_name, lowered_name


@pytest.mark.parametrize("database", [None, "", "spark_catalog", "SPARK_CATALOG", "shop"])
def test_none_the_session_catalog_and_the_schemas_own_name_are_one(database):
    assert catalog_of(database, "shop") is None
    assert full_name(database, "shop", "Orders") == "shop.Orders"
    assert lowered_name(database, "shop", "Orders") == ("shop", "orders")


def test_another_catalog_keeps_its_name():
    assert catalog_of("Lake", "shop") == "Lake"
    assert full_name("Lake", "shop", "Orders") == "Lake.shop.Orders"
    assert lowered_name("Lake", "shop", "Orders") == ("lake", "shop", "orders")
    assert catalog_key("Lake") == "spark.sql.catalog.Lake"


@pytest.mark.parametrize(
    ("database", "said"),
    [
        ("`lake`", "database: `lake` has a backquote. Write the catalog's name without"),
        ("lake.shop", "database: lake.shop has a dot, and a catalog's name has none"),
        ("${x}", "Spark would replace ${...} in ${x}"),
    ],
)
def test_a_name_that_no_catalog_has_is_refused(database, said):
    with pytest.raises(ValueError, match="database") as error:
        catalog_of(database, "shop")
    assert said in str(error.value)

"""The name of a node, for Spark and for its user."""

from types import SimpleNamespace

import pytest

from dbt.adapters.adaptive_spark.model.node_name import model_name, query_tag


def node(**fields):
    given = {"unique_id": "model.shop.orders", "original_file_path": "models/orders.sql", "name": "orders"}
    return SimpleNamespace(**{**given, **fields})


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("models/orders.sql", "models/orders.sql"),
        ("models/orders.py", "models/orders.py"),
        ("seeds/orders.csv", "seeds/orders.csv"),
        ("models/schema.yml", "models/schema.yml, orders"),
    ],
)
def test_a_node_is_named_by_its_file_and_in_a_shared_file_by_its_name(path, name):
    assert model_name(node(original_file_path=path)) == name


def test_batches_that_run_side_by_side_have_tags_of_their_own():
    assert query_tag(node()) == "model.shop.orders"
    assert query_tag(node(batch=None)) == "model.shop.orders"
    assert query_tag(node(batch=SimpleNamespace(id="20250101"))) == "model.shop.orders@20250101"

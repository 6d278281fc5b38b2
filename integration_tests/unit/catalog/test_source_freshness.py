"""How old sources are, from when their files last changed."""

from datetime import datetime, timezone

from dbt.adapters.adaptive_spark.catalog.source_freshness import freshness, last_modified_sql, missing

NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)


def test_one_query_for_all():
    assert last_modified_sql([("shop", "a"), ("s'p", "b")]) == (
        "select 0 as place, last_modified_ms, table_exists from adaptive_last_modified('shop', 'a')"
        " union all select 1 as place, last_modified_ms, table_exists from adaptive_last_modified(cast(X'732770' as string), 'b')"
    )


def test_ages_of_those_that_are_known():
    found = freshness([(1, 1767225600000, True), (0, None, True)], NOW)
    assert found == {
        1: {"max_loaded_at": datetime(2026, 1, 1, tzinfo=timezone.utc), "snapshotted_at": NOW, "age": 86400.0}
    }


def test_a_table_that_does_not_exist_is_another_than_one_without_files():
    rows = [(0, None, True), (1, None, False), (2, None, None), (3, 1767225600000, True)]
    assert missing(rows) == [1]

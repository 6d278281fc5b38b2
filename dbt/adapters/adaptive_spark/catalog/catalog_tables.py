"""The tables and views of a schema in another catalog than the session's, by statements that every catalog answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.catalog.catalog_faults import first_line
from dbt.adapters.adaptive_spark.catalog.described_table import properties
from dbt.adapters.adaptive_spark.catalog.listed_relations import ListedRelation, extended, named, views
from dbt.adapters.adaptive_spark.catalog.relation import AdaptiveSparkRelation

_logger = AdapterLogger("AdaptiveSpark")

Ask = Callable[[str], Sequence[Sequence[Any]]]


def relations_of(ask: Ask, schema: BaseRelation) -> list[BaseRelation]:
    """The relations of a schema: its tables, and its views, which a catalog that has any lists for themselves.

    `ask` answers a statement with rows. Raises DbtRuntimeError where the schema is not there or cannot be listed.
    """
    # a view takes the place of a table, since some catalogs list it as both
    listed = {each.name: each for each in (*_tables(ask, schema), *_views(ask, schema))}
    return [_relation(schema, each) for each in listed.values()]


def described(ask: Ask, table: BaseRelation) -> ListedRelation:
    """A relation by its name alone, as a list would have it; without information where it cannot be described."""
    try:
        rows = ask(f"describe extended {table}")
    except DbtRuntimeError as error:
        _logger.debug(f"{table} cannot be described: {first_line(error)}")
        rows = []
    said = properties(rows)  # a column may have a property's name
    text = "\n".join(f"{key}: {value}" for key, value in said.items() if key)
    return ListedRelation(str(table.identifier), text)


def _tables(ask: Ask, schema: BaseRelation) -> list[ListedRelation]:
    try:
        return extended(ask(f"show table extended in {schema} like '*'"))
    except DbtRuntimeError:
        # Spark 3.5 does not list tables of other catalogs so, nor any Spark where one table cannot be read
        names = named(ask(f"show tables in {schema}"))
        return [described(ask, _relation(schema, ListedRelation(name))) for name in names]


def _views(ask: Ask, schema: BaseRelation) -> list[ListedRelation]:
    try:
        return views(ask(f"show views in {schema}"))
    except DbtRuntimeError as error:
        _logger.debug(f"{schema} has no views: {first_line(error)}")
        return []


def _relation(schema: BaseRelation, listed: ListedRelation) -> BaseRelation:
    return AdaptiveSparkRelation.create(
        database=schema.database,
        schema=schema.schema,
        identifier=listed.name,
        type=listed.type,
        quote_policy=schema.quote_policy.to_dict(),
        information=listed.information,
        **listed.formats,
    )

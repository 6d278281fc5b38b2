"""The Spark catalog that dbt's `database` names. Pure."""

from __future__ import annotations

from typing import Any

SESSION_CATALOG = "spark_catalog"


def catalog_of(database: str | None, schema: str | None) -> str | None:
    """The catalog by the name that Spark knows it by; None for the session catalog.

    A database that equals its schema counts as none, as in dbt-spark. Raises ValueError for a name that no catalog has.
    """
    if not database or database == schema or database.lower() == SESSION_CATALOG:
        return None
    if "`" in database:
        raise ValueError(
            f"database: {database} has a backquote. Write the catalog's name without: dbt adds them where it has to"
        )
    if "." in database:
        raise ValueError(
            f"database: {database} has a dot, and a catalog's name has none. Write the catalog as database and the rest "
            "as schema"
        )
    if "${" in database:
        raise ValueError(f"database: Spark would replace ${{...}} in {database}. Write the catalog's name")
    return database


def node_catalog(node: Any) -> str | None:
    """The catalog of one of dbt's nodes, which may have no database; None for the session catalog."""
    return catalog_of(getattr(node, "database", None), getattr(node, "schema", None))


def catalog_key(catalog: str) -> str:
    """The conf that configures a catalog."""
    return f"spark.sql.catalog.{catalog}"


def full_name(database: str | None, schema: str, identifier: str) -> str:
    """A table's name as sentences and the report show it: with its catalog, unless that is the session's."""
    catalog = catalog_of(database, schema)
    return ".".join([*([] if catalog is None else [catalog]), schema, identifier])


def lowered_name(database: str | None, schema: str, identifier: str) -> tuple[str, ...]:
    """A table's name in lower case, part by part, without the session catalog."""
    catalog = catalog_of(database, schema)
    parts = [schema, identifier] if catalog is None else [catalog, schema, identifier]
    return tuple(part.lower() for part in parts)

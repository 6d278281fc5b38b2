"""Catalogs and schemas that cannot be used, each with the sentence that says why and what to do."""

from __future__ import annotations

import threading
from collections.abc import Callable

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.conf.catalog_name import catalog_key

# Spark's own error, and the exceptions by which catalogs say it
_LACKS_SCHEMA = ("[SCHEMA_NOT_FOUND]", "NoSuchNamespaceException", "NoSuchDatabaseException")
_REST_RUNS = "Models of other catalogs run; those in it, and those that read it, fail."


def not_configured(catalog: str) -> str:
    """The sentence for a catalog that Spark does not know."""
    key = catalog_key(catalog)
    return (
        f"The catalog {catalog} is not configured: {key} is not set. Set {key} to the catalog's class, with its "
        f"options below {key}., in server_side_parameters of the profile. {_REST_RUNS}"
    )


def unreachable(catalog: str, reason: str) -> str:
    """The sentence for a catalog that Spark knows and that does not answer, or refuses."""
    key = catalog_key(catalog)
    return (
        f"The catalog {catalog} cannot be used: {' '.join(reason.split())} Check {key} and its options below {key}. in "
        f"server_side_parameters of the profile. {_REST_RUNS}"
    )


def named_like_schema(catalog: str) -> str:
    """The sentence for a catalog that a schema's name hides."""
    return (
        f"database: {catalog} equals the schema, which means no catalog, as in dbt-spark, and {catalog_key(catalog)} is "
        "set. Give the schema another name, or leave database out."
    )


def across(old: str, new: str) -> str:
    """The sentence for a rename from one catalog to another."""
    return (
        f"{old} cannot be renamed to {new}: Spark renames tables within one catalog. Create {new} as a SELECT from "
        f"{old}, and drop {old}."
    )


def not_listed(schema: str, reason: str) -> str:
    """The sentence for a schema whose tables dbt cannot know, so that none of them is taken to be missing."""
    return (
        f"The tables of {schema} cannot be listed: {' '.join(reason.split())} Models in it fail, so that none replaces a "
        "table that is there. Run `dbt retry` once they can be listed."
    )


def unlisted(schema: str) -> str:
    """The sentence for a schema of which Spark's list fails each time, though it has tables."""
    return (
        f"The tables of {schema} cannot be listed: each time, another program drops one of them meanwhile. dbt stops, lest "
        "it took the schema for an empty one. Run it again."
    )


def lacks_schema(error: DbtRuntimeError) -> bool:
    """True if Spark knows the catalog, and in it no such schema."""
    return any(message in error.msg for message in _LACKS_SCHEMA)


def first_line(error: DbtRuntimeError) -> str:
    """The first line of what Spark said, as a sentence."""
    line = next(filter(None, map(str.strip, error.msg.splitlines())), type(error).__name__)
    return line if line.endswith(".") else f"{line}."


class CatalogFaults:
    """The catalogs of one command that cannot be used, and the schemas. Each is told of once, by `warn`, when it is
    first asked for.
    """

    def __init__(self, is_configured: Callable[[str], bool], warn: Callable[[str], None]) -> None:
        self._is_configured = is_configured
        self._warn = warn
        self._lock = threading.Lock()
        self._configured: set[str] = set()
        self._failed: dict[str, str] = {}
        self._not_listed: dict[tuple[str, ...], str] = {}
        self._told: set[str] = set()

    def of(self, catalog: str) -> str | None:
        """Why the catalog cannot be used; None where nothing is known against it.

        One that is not configured is looked for each time: a hook of the run may configure it for the sources in it.
        """
        with self._lock:
            return self._of(catalog)

    def for_good(self, catalog: str) -> str | None:
        """Why the catalog cannot be used, which then holds to the end: dbt's cache takes its schemas for empty ones."""
        with self._lock:
            sentence = self._of(catalog)
            if sentence is not None:
                self._failed[catalog] = sentence
            return sentence

    def _of(self, catalog: str) -> str | None:
        if catalog in self._failed or catalog in self._configured:
            return self._failed.get(catalog)
        if self._is_configured(catalog):
            self._configured.add(catalog)
            return None
        return self._tell(not_configured(catalog))

    def note(self, catalog: str, reason: str) -> str:
        """Takes the catalog out of use, for what Spark said of it, and returns the sentence."""
        with self._lock:
            sentence = self._failed.setdefault(catalog, unreachable(catalog, reason))
            return self._tell(sentence)

    def of_schema(self, catalog: str, schema: str) -> str | None:
        """Why the tables of a schema are not known; None where they are, or where nobody has asked."""
        with self._lock:
            return self._not_listed.get((catalog, schema.lower()))

    def note_schema(self, catalog: str, schema: str, reason: str) -> None:
        """Takes a schema out of use whose list failed, to the end: dbt's cache takes it for an empty one."""
        with self._lock:
            sentence = not_listed(f"{catalog}.{schema}", reason)
            self._tell(self._not_listed.setdefault((catalog, schema.lower()), sentence))

    def _tell(self, sentence: str) -> str:
        if sentence not in self._told:
            self._told.add(sentence)
            self._warn(sentence)
        return sentence

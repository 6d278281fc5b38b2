"""dbt-spark's adapter where `dbt docs generate` reads what tables are: by one query a schema of the metastore, by one
statement a table of another catalog or of a format that keeps its columns itself, and by one more for its numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.relation import RelationConfig
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt_common.exceptions import DbtRuntimeError
from dbt_common.utils.executor import executor

from dbt.adapters.adaptive_spark.catalog.catalog_adapter import CatalogAdapter
from dbt.adapters.adaptive_spark.catalog.described_table import described
from dbt.adapters.adaptive_spark.catalog.docs_catalog import catalog_table, with_databases
from dbt.adapters.adaptive_spark.catalog.table_facts import TableFacts, tables, tables_sql
from dbt.adapters.adaptive_spark.conf.catalog_name import node_catalog
from dbt.adapters.adaptive_spark.conf.conf_scope import SparkEndedError
from dbt.adapters.adaptive_spark.conf.named_formats import DELTA, ICEBERG

if TYPE_CHECKING:
    import agate

_logger = AdapterLogger("AdaptiveSpark")
# errors after which nothing more is asked
_LOST = (SparkEndedError, FailedToConnectError)
# What finds tables, and the name of its connection.
_Task: TypeAlias = tuple[str, Callable[[], list[TableFacts]]]
# Iceberg's own sums over the files of a table as it is now.
_NOTED = (
    "select s.summary['total-files-size'], s.summary['total-records'], s.summary['total-position-deletes'], "
    "s.summary['total-equality-deletes'] from {table}.snapshots s join {table}.refs r "
    "on s.snapshot_id = r.snapshot_id where r.name = 'main'"
)


def by_catalog(nodes: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """The nodes in the session catalog, and those in others."""
    here: list[Any] = []
    elsewhere: list[Any] = []
    for node in nodes:
        (here if node_catalog(node) is None else elsewhere).append(node)
    return here, elsewhere


class DocsAdapter(CatalogAdapter):
    """The part of the adapter that `dbt docs generate` asks."""

    def extends_session_catalog(self) -> bool:
        """True if the session catalog may have tables that are not the metastore's."""
        raise NotImplementedError

    def get_catalog(
        self, relation_configs: Iterable[RelationConfig], used_schemas: frozenset[tuple[str, str]]
    ) -> tuple[agate.Table, list[Exception]]:
        """One query for each schema, and statements for each table that the metastore knows only by name. dbt-spark
        describes schemas of which nothing is known.
        """
        # slow to import: dbt does so late too
        from dbt_common.clients.agate_helper import merge_tables

        nodes, elsewhere = by_catalog(relation_configs)
        # to its end: with --single-threaded all of it is asked on this connection
        with self.connection_named("catalog"):
            named: dict[str, set[str]] = {}
            for node in nodes:
                named.setdefault(str(node.schema).lower(), set()).add(str(node.identifier).lower())
            known = {schema: self._schema_facts(schema, named[schema]) for schema in sorted(named)}
            listed = [table for found in known.values() for table in found]
            metastores = [table for table in listed if table.is_known]
            of_formats = [
                table
                for table in listed
                if not table.is_known and table.name.lower() in named[table.schema.lower()]
            ]
            described_, failed = self._of_tasks(
                [*self._of_formats(of_formats), *self._of_catalogs(elsewhere)]
            )
            catalog = catalog_table([*metastores, *described_])
            others = [node for node in nodes if not known[str(node.schema).lower()]]
            if not others:
                return catalog, failed
            theirs, errors = super().get_catalog(others, used_schemas)
        return merge_tables([catalog, theirs]), [*failed, *errors]

    def _schema_facts(self, schema: str, named: set[str]) -> list[TableFacts]:
        """A schema's tables, none where some of those `named` are perhaps in another catalog than the metastore."""
        try:
            found = tables(self.own_rows(tables_sql(schema)))
            extended = self.extends_session_catalog()
        except _LOST:
            raise
        except Exception as error:  # noqa: BLE001  # each driver has its own
            _logger.warning(f"The tables of {schema} are described one by one: {error}")
            return []
        if extended and not named <= {table.name.lower() for table in found}:
            return []
        return found

    def get_filtered_catalog(
        self,
        relation_configs: Iterable[RelationConfig],
        used_schemas: frozenset[tuple[str, str]],
        relations: set[BaseRelation] | None = None,
    ) -> tuple[agate.Table, list[Exception]]:
        nodes = list(relation_configs)
        catalog, errors = super().get_filtered_catalog(nodes, used_schemas, relations)
        databases: dict[tuple[str, str], set[str]] = {}
        for node in by_catalog(nodes)[0]:
            if node.database is not None:
                key = (str(node.schema).lower(), str(node.identifier).lower())
                databases.setdefault(key, set()).add(node.database)
        return with_databases(catalog, databases), errors

    def _of_formats(self, tables_: Sequence[TableFacts]) -> list[_Task]:
        """The tasks that describe tables of the session catalog, as many as dbt has threads."""
        tasks = min(self.config.threads, len(tables_))
        return [(f"tables {at}", partial(self._described, tables_[at::tasks])) for at in range(tasks)]

    def _described(self, tables_: Iterable[TableFacts]) -> list[TableFacts]:
        """The tables as their formats describe them, without those that cannot be described: these are warnings, as
        one lost source leaves the docs of all else as they are.
        """
        found = []
        for table in tables_:
            try:
                rows = self.logged_rows(f"describe extended {table.sql_name}")
            except _LOST:
                raise
            except DbtRuntimeError as error:
                _logger.warning(f"The docs lack the columns of {table.sql_name}: {error}")
                continue
            facts = described(None, table.schema, table.name, table.is_view, rows)
            size, count = self._numbers(table.sql_name, table.provider)
            found.append(
                replace(
                    facts,
                    provider=table.provider,
                    owner=facts.owner or table.owner,
                    comment=facts.comment or table.comment,
                    size=size,
                    rows=count,
                )
            )
        return found

    def _numbers(self, table: str, provider: str | None) -> tuple[int | None, int | None]:
        """The bytes and the rows that a format notes of its files, None where it notes none. DESCRIBE EXTENDED has of
        Iceberg's what Spark would take in memory.
        """
        try:
            if provider == DELTA:
                (detail,) = self.execute(f"describe detail {table}", fetch=True)[1].rows
                return int(detail["sizeInBytes"]), None
            if provider == ICEBERG:
                (noted,) = self.logged_rows(_NOTED.format(table=table))
                size, count, deleted, by_value = (None if each is None else int(each) for each in noted)
                # which rows a delete by values meets is known where they are read
                return size, None if by_value or count is None else count - (deleted or 0)
        except _LOST:
            raise
        except (DbtRuntimeError, LookupError, TypeError, ValueError) as error:
            _logger.debug(f"No numbers of {table}: {error}")
        return None, None

    def _of_catalogs(self, nodes: Sequence[Any]) -> list[_Task]:
        """The tasks that find the nodes' tables as other catalogs than the session's describe them, one a schema."""
        named: dict[tuple[str, str], set[str]] = {}
        for node in nodes:
            named.setdefault((str(node.database), str(node.schema)), set()).add(str(node.identifier).lower())
        return [
            (f"{catalog}.{schema}", partial(self._tables_of, catalog, schema, names))
            for (catalog, schema), names in named.items()
        ]

    def _of_tasks(self, tasks: Sequence[_Task]) -> tuple[list[TableFacts], list[Exception]]:
        """The tables that tasks find, each on a connection of its name, with the errors of those that fail."""
        found: list[TableFacts] = []
        errors: list[Exception] = []
        if not tasks:
            return found, errors
        with executor(self.config) as threads:
            futures: list[Future[list[TableFacts]]] = [
                threads.submit_connected(self, name, task)  # type: ignore[no-untyped-call]  # dbt's own
                for name, task in tasks
            ]
            for future in futures:
                try:
                    found += future.result()
                except _LOST:
                    raise
                except DbtRuntimeError as error:
                    errors.append(error)
        return found, errors

    def _tables_of(self, catalog: str, schema: str, names: set[str]) -> list[TableFacts]:
        found = []
        for each in self.list_relations(catalog, schema):
            if str(each.identifier).lower() not in names:
                continue
            facts = described(
                catalog,
                schema,
                str(each.identifier),
                each.is_view,
                self.logged_rows(f"describe extended {each}"),
            )
            if facts.provider == ICEBERG and not facts.is_view:
                size, count = self._numbers(str(each), ICEBERG)
                facts = replace(facts, size=size, rows=count)
            found.append(facts)
        return found

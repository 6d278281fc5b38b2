"""dbt-spark's adapter where `dbt docs generate` reads what tables are: by one query a schema of the metastore, by one
statement a table of another catalog or of a format that keeps its columns itself, and by two in Delta Lake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    import agate

_logger = AdapterLogger("AdaptiveSpark")
# the format whose DESCRIBE EXTENDED has no size
_DELTA = "delta"


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
        with self.connection_named("catalog"):
            named: dict[str, set[str]] = {}
            for node in nodes:
                named.setdefault(str(node.schema).lower(), set()).add(str(node.identifier).lower())
            known = {schema: self._schema_facts(schema, named[schema]) for schema in sorted(named)}
        tasks: dict[str, Callable[[], list[TableFacts]]] = {}
        found: list[TableFacts] = []
        for schema, tables_ in known.items():
            for table in tables_:
                if table.columns and not table.is_foreign:
                    found.append(table)
                elif table.name.lower() in named[schema]:
                    tasks[table.sql_name] = partial(self._format_facts, table)
        foreign, failed = self._of_tasks({**tasks, **self._of_catalogs(elsewhere)})
        catalog = catalog_table([*found, *foreign])
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
        except (SparkEndedError, FailedToConnectError):
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

    def _format_facts(self, table: TableFacts) -> list[TableFacts]:
        """The table as its format describes it."""
        facts = described(
            None,
            table.schema,
            table.name,
            table.is_view,
            self.logged_rows(f"describe extended {table.sql_name}"),
        )
        size = self._delta_size(table) if table.provider == _DELTA else facts.size
        return [
            replace(
                facts,
                provider=table.provider,
                owner=facts.owner or table.owner,
                comment=facts.comment or table.comment,
                size=size,
            )
        ]

    def _delta_size(self, table: TableFacts) -> int | None:
        (detail,) = self.execute(f"describe detail {table.sql_name}", fetch=True)[1].rows
        return None if detail["sizeInBytes"] is None else int(detail["sizeInBytes"])

    def _of_catalogs(self, nodes: Sequence[Any]) -> dict[str, Callable[[], list[TableFacts]]]:
        """The tasks that find the nodes' tables as other catalogs than the session's describe them, one a schema."""
        named: dict[tuple[str, str], set[str]] = {}
        for node in nodes:
            named.setdefault((str(node.database), str(node.schema)), set()).add(str(node.identifier).lower())
        return {
            f"{catalog}.{schema}": partial(self._tables_of, catalog, schema, names)
            for (catalog, schema), names in named.items()
        }

    def _of_tasks(
        self, tasks: Mapping[str, Callable[[], list[TableFacts]]]
    ) -> tuple[list[TableFacts], list[Exception]]:
        """The tables that tasks find, each on a connection of its name, with the errors of those that fail."""
        found: list[TableFacts] = []
        errors: list[Exception] = []
        if not tasks:
            return found, errors
        with executor(self.config) as threads:
            futures: list[Future[list[TableFacts]]] = [
                threads.submit_connected(self, name, task)  # type: ignore[no-untyped-call]  # dbt's own
                for name, task in tasks.items()
            ]
            for future in futures:
                try:
                    found += future.result()
                except DbtRuntimeError as error:
                    errors.append(error)
        return found, errors

    def _tables_of(self, catalog: str, schema: str, names: set[str]) -> list[TableFacts]:
        return [
            described(
                catalog,
                schema,
                str(each.identifier),
                each.is_view,
                self.logged_rows(f"describe extended {each}"),
            )
            for each in self.list_relations(catalog, schema)
            if str(each.identifier).lower() in names
        ]

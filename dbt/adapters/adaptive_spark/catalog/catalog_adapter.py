"""dbt-spark's adapter where a relation's `database` is a Spark catalog: its schemas, its tables, and its faults.

In the session catalog all methods are dbt-spark's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.relation import RelationConfig
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.catalog.catalog_faults import (
    CatalogFaults,
    across,
    first_line,
    lacks_schema,
    named_like_schema,
    unlisted,
)
from dbt.adapters.adaptive_spark.catalog.catalog_tables import relations_of
from dbt.adapters.adaptive_spark.catalog.listed_formats import is_iceberg
from dbt.adapters.adaptive_spark.catalog.listed_relations import named
from dbt.adapters.adaptive_spark.catalog.relation import AdaptiveSparkRelation
from dbt.adapters.adaptive_spark.conf.catalog_name import catalog_of
from dbt.adapters.adaptive_spark.conf.conf_scope import SparkEndedError
from dbt.adapters.adaptive_spark.conf.quoting import unquoted

if TYPE_CHECKING:
    import agate

_logger = AdapterLogger("AdaptiveSpark")
_TIMES_LISTED = 5


class CatalogAdapter(SparkAdapter):
    """An adapter that never asks a catalog that cannot be used, so that the models of other catalogs run."""

    Relation: TypeAlias = AdaptiveSparkRelation

    def __init__(self, config: Any, mp_context: Any) -> None:
        super().__init__(config, mp_context)
        self.catalog_faults = CatalogFaults(self.is_configured, _logger.warning)

    def is_configured(self, catalog: str) -> bool:
        """True if Spark knows the catalog by its confs, or may know it otherwise."""
        raise NotImplementedError

    def has_conf(self, catalog: str) -> bool:
        """True if Spark knows the catalog by its confs."""
        raise NotImplementedError

    def own_rows(self, sql: str) -> Sequence[Sequence[Any]]:
        """The rows of a query of the adapter's own, which dbt does not log."""
        raise NotImplementedError

    def refuse_unusable(self, node: Any) -> None:
        """Raises DbtRuntimeError for a node in a catalog that cannot be used, or that reads a table of such a one; and
        for one in a schema whose tables are not known.
        """
        for each in [node, *self._parents(node)]:
            database, schema = getattr(each, "database", None), getattr(each, "schema", None)
            if database and database == schema and self.has_conf(database):
                raise DbtRuntimeError(named_like_schema(database))
            _refuse(self._fault(database, schema))
        _refuse(self._schema_fault(getattr(node, "database", None), getattr(node, "schema", None)))

    def _parents(self, node: Any) -> list[Any]:
        names = getattr(getattr(node, "depends_on", None), "nodes", ())
        manifest: Any = self.get_macro_resolver() if names else None
        found = (manifest.nodes.get(name) or manifest.sources.get(name) for name in names)
        return [] if manifest is None else [parent for parent in found if parent is not None]

    def _fault(self, database: str | None, schema: str | None) -> str | None:
        catalog = catalog_of(database, schema)
        return None if catalog is None else self.catalog_faults.of(catalog)

    def _schema_fault(self, database: str | None, schema: str | None) -> str | None:
        catalog = catalog_of(database, schema)
        return None if catalog is None or schema is None else self.catalog_faults.of_schema(catalog, schema)

    def set_relations_cache(
        self,
        relation_configs: Iterable[RelationConfig],
        clear: bool = False,
        required_schemas: set[BaseRelation] | None = None,
    ) -> None:
        """Fills the cache, after it has told of catalogs that are not configured and that only sources are in: no
        list would tell of these.
        """
        nodes = list(relation_configs)
        for parent in (parent for node in nodes for parent in self._parents(node)):
            self._fault(parent.database, parent.schema)
        super().set_relations_cache(nodes, clear, required_schemas)

    def list_schemas(self, database: str | None) -> list[str]:
        """The schemas of a catalog, which dbt names as SQL; none of one that cannot be used."""
        catalog = catalog_of(unquoted(database) if database else None, None)
        if catalog is None:
            return super().list_schemas(cast(str, None))
        if self.catalog_faults.for_good(catalog) is not None:
            return []
        try:
            return self._shown_schemas(catalog)
        except DbtRuntimeError as error:
            if not lacks_schema(error):  # as a catalog of folders says where it has no schema yet
                self._note(catalog, error)
            return []

    def _shown_schemas(self, catalog: str) -> list[str]:
        named = self.Relation.create(database=catalog).include(schema=False, identifier=False)
        return [unquoted(name) for name in super().list_schemas(named.render())]

    def _is_of_schema(self, relation: BaseRelation, error: DbtRuntimeError) -> bool:
        """True of an error of one schema. Takes its catalog out of use where this lists no schemas either."""
        catalog = str(relation.database)
        if not isinstance(error, SparkEndedError):
            with suppress(DbtRuntimeError):
                self._shown_schemas(catalog)
                return True
        self._note(catalog, error)
        return False

    def _note(self, catalog: str, error: DbtRuntimeError) -> None:
        """Takes a catalog out of use. Raises an error that is not the catalog's."""
        if isinstance(error, SparkEndedError):
            raise error
        self.catalog_faults.note(catalog, first_line(error))

    def check_schema_exists(self, database: str | None, schema: str) -> bool:
        if catalog_of(database, schema) is None:
            return super().check_schema_exists(cast(str, None), schema)
        found = self.list_schemas(database)
        _refuse(self._fault(database, schema))
        return schema.lower() in (name.lower() for name in found)

    def _has_nodes(self, database: str | None, schema: str) -> bool:
        """True of the schemas that the project makes tables in, which must not be taken for empty ones."""
        manifest: Any = self.get_macro_resolver()
        wanted = (catalog_of(database, schema), schema.lower())
        return manifest is None or any(
            (catalog_of(getattr(node, "database", None), node.schema), node.schema.lower()) == wanted
            for node in manifest.nodes.values()
        )

    def create_schema(self, relation: BaseRelation) -> None:
        """Creates a schema, and takes its catalog out of use where that is refused."""
        if relation.database is None:
            super().create_schema(relation)
            return
        if self.catalog_faults.for_good(relation.database) is not None:
            return
        try:
            super().create_schema(relation)
        except DbtRuntimeError as error:
            if self._is_of_schema(relation, error):  # its own models then say so, unless it is there already
                _logger.warning(f"{relation.without_identifier()} cannot be made: {first_line(error)}")

    def drop_schema(self, relation: BaseRelation) -> None:
        """Drops a schema with its tables: other catalogs than the session's know no CASCADE."""
        if relation.database is not None:
            for each in self.list_relations_without_caching(relation.without_identifier()):
                self.drop_relation(each)  # type: ignore[no-untyped-call]  # dbt's own
        super().drop_schema(relation)

    def list_relations(self, database: str | None, schema: str) -> list[BaseRelation]:
        _refuse(self._fault(database, schema))
        found: list[BaseRelation] = super().list_relations(catalog_of(database, schema), schema)
        _refuse(self._fault(database, schema))
        fault = self._schema_fault(database, schema)
        if fault is not None and self._has_nodes(database, schema):
            _refuse(fault)
        return found

    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        """The relations of a schema; none of a catalog or schema that cannot be used, whose nodes do not run."""
        catalog = schema_relation.database
        if catalog is None:
            return self._listed(schema_relation)
        if self.catalog_faults.for_good(catalog) is not None:
            return []
        try:
            return relations_of(self.logged_rows, schema_relation)
        except DbtRuntimeError as error:
            if not lacks_schema(error) and self._is_of_schema(schema_relation, error):
                self.catalog_faults.note_schema(catalog, str(schema_relation.schema), first_line(error))
            return []

    def _listed(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        """dbt-spark's list, its names quoted as the project says, which dbt-spark forgets. Again where others dropped a
        table while Spark made it: dbt-spark takes that for a schema without tables, and dbt would make its snapshots
        and incremental models anew.

        Raises DbtRuntimeError where that happens each time.
        """
        for _ in range(_TIMES_LISTED):
            found = super().list_relations_without_caching(schema_relation)
            if found or not self._has_tables(str(schema_relation.schema)):
                return [each.replace(quote_policy=schema_relation.quote_policy) for each in found]
        raise DbtRuntimeError(unlisted(str(schema_relation.schema)))

    def _has_tables(self, schema: str) -> bool:
        try:
            return bool(named(self.logged_rows(f"show tables in {schema}")))
        except DbtRuntimeError as error:
            if lacks_schema(error):
                return False
            raise

    def logged_rows(self, sql: str) -> list[Any]:
        """The rows of a statement that dbt logs."""
        return list(self.execute(sql, fetch=True)[1].rows)

    def get_relation(self, database: str | None, schema: str, identifier: str) -> BaseRelation | None:
        return super().get_relation(cast(str, catalog_of(database, schema)), schema, identifier)

    def _build_spark_relation_list(
        self, row_list: agate.Table, relation_info_func: Callable[[agate.Row], tuple[str, str, str]]
    ) -> list[BaseRelation]:
        """Names Iceberg's tables in Hive's metastore, which dbt-spark takes for Hive's."""
        relations = super()._build_spark_relation_list(row_list, relation_info_func)
        return [
            each.replace(is_iceberg=True) if is_iceberg(getattr(each, "information", None) or "") else each
            for each in relations
        ]

    def _make_match(
        self, relations_list: list[BaseRelation], database: str | None, schema: str, identifier: str
    ) -> list[BaseRelation]:
        """The name as it is written, else in whichever case: the session catalog and some others lower names, and some
        do not.
        """
        of_schema = [each for each in relations_list if str(each.schema).lower() == schema.lower()]
        exact = [each for each in of_schema if each.identifier == identifier]
        return exact or [each for each in of_schema if str(each.identifier).lower() == identifier.lower()]

    def rename_relation(self, from_relation: BaseRelation, to_relation: BaseRelation) -> None:
        if from_relation.database != to_relation.database:
            raise DbtRuntimeError(across(str(from_relation), str(to_relation)))
        super().rename_relation(from_relation, to_relation)  # type: ignore[no-untyped-call]  # dbt's own


def _refuse(fault: str | None) -> None:
    if fault is not None:
        raise DbtRuntimeError(fault)

"""The adapter: dbt-spark's, with confs and statistics around each node that dbt runs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import import_module
from multiprocessing.context import SpawnContext
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from dbt.adapters.base.impl import FreshnessResponse
from dbt.adapters.base.meta import available
from dbt.adapters.base.relation import AdapterTrackingRelationInfo, BaseRelation
from dbt.adapters.capability import Capability, CapabilityDict, CapabilitySupport, Support
from dbt.adapters.contracts.connection import AdapterResponse, ConnectionState
from dbt.adapters.contracts.macros import MacroResolverProtocol
from dbt.adapters.contracts.relation import RelationConfig
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.connections import SparkConnectionMethod
from dbt.adapters.spark.relation import SparkRelation
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Formatting
from dbt_common.exceptions import DbtRuntimeError, DbtValidationError
from dbt_common.invocation import get_invocation_id

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.catalog.catalog_adapter import CatalogAdapter, by_catalog
from dbt.adapters.adaptive_spark.catalog.clone_view import is_clone
from dbt.adapters.adaptive_spark.catalog.docs_catalog import catalog_table
from dbt.adapters.adaptive_spark.catalog.source_freshness import freshness, last_modified_sql, missing
from dbt.adapters.adaptive_spark.catalog.table_facts import TableFacts, tables, tables_sql
from dbt.adapters.adaptive_spark.conf.catalog_name import SESSION_CATALOG, catalog_key
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_keys import QUERY_TAG, RUN_ID
from dbt.adapters.adaptive_spark.conf.conf_scope import SparkEndedError
from dbt.adapters.adaptive_spark.connections import AdaptiveSparkConnectionManager, NodeRun
from dbt.adapters.adaptive_spark.learned.listing import in_format
from dbt.adapters.adaptive_spark.model.bulk_filter import (
    bulk_filter_sql,
    check_files,
    filtered_relation,
    leaves,
    ordered,
    parsed,
    selectivity_of,
    without_facts,
)
from dbt.adapters.adaptive_spark.model.hints import (
    to_adaptive_filter_hint,
    to_dynamic_filter_hint,
    to_hint,
    to_order_hint,
    with_hint,
)
from dbt.adapters.adaptive_spark.model.model_config import AdaptiveSparkConfig
from dbt.adapters.adaptive_spark.model.node_configs import NodeConfigs
from dbt.adapters.adaptive_spark.model.node_name import model_name, query_tag
from dbt.adapters.adaptive_spark.model.seed_rows import seed_chunks
from dbt.adapters.adaptive_spark.model.table_macros import TableMacros
from dbt.adapters.adaptive_spark.response.statement_response import QueryScope
from dbt.adapters.adaptive_spark.spark.session_conf import JARS_KEY, SESSION_CATALOG_KEY
from dbt.adapters.adaptive_spark.statistics.analyze_config import AnalyzeConfig
from dbt.adapters.adaptive_spark.statistics.analyze_plan import relation_statement
from dbt.adapters.adaptive_spark.statistics.node_statistics import AnalyzeRequest, NodeStatistics
from dbt.adapters.adaptive_spark.statistics.run_analyze import table_facts

if TYPE_CHECKING:
    import agate

_logger = AdapterLogger("AdaptiveSpark")

_REPORTED_NONE = -1


def _nothing(*_: Any, **__: Any) -> str:
    """Macros render nothing while dbt parses: their arguments may come from Spark, which is not asked then."""
    return ""


@dataclass(frozen=True)
class HookContext:
    """A node that runs, and what its statistics are to be, if any."""

    run: NodeRun
    statistics: AnalyzeRequest | None


class AdaptiveSparkAdapter(TableMacros, CatalogAdapter):
    """dbt's entry point for `type: adaptive_spark`."""

    ConnectionManager: TypeAlias = AdaptiveSparkConnectionManager
    AdapterSpecificConfigs: TypeAlias = AdaptiveSparkConfig

    connections: AdaptiveSparkConnectionManager

    _capabilities = CapabilityDict(
        {
            Capability.TableLastModifiedMetadata: CapabilitySupport(support=Support.Full),
            Capability.TableLastModifiedMetadataBatch: CapabilitySupport(support=Support.Full),
        }
    )

    def __init__(self, config: Any, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        self.statistics = NodeStatistics(self)
        self.configs = NodeConfigs(config, self.get_macro_resolver)

    def is_configured(self, catalog: str) -> bool:
        return self._is_databricks or self.has_conf(catalog)

    @property
    def _is_databricks(self) -> bool:
        """True where catalogs have no confs."""
        profile = self.config.credentials
        return bool(profile.cluster) or profile.method == SparkConnectionMethod.ODBC

    def has_conf(self, catalog: str) -> bool:
        if self._is_databricks:
            return False
        key = catalog_key(catalog)
        return self.connections.spark_confs().explicit([key])[key] is not None

    def pre_model_hook(self, config: Mapping[str, Any]) -> HookContext:
        """Sets the node's confs; dbt hands what this returns to `post_model_hook`, whatever happens in between."""
        node = config.model  # type: ignore[attr-defined]  # dbt calls its RuntimeConfigObject a mapping
        name = model_name(node)
        queries = QueryScope(query_tag(node), get_invocation_id(), _REPORTED_NONE)
        model_config = self.configs.checked(node)
        entries = [
            *model_config.entries,
            ConfEntry(QUERY_TAG, queries.query_tag),
            ConfEntry(RUN_ID, queries.run_id),
        ]
        # batches share what is known of their node: its id has no batch in it
        unique_id = str(node.unique_id)
        prior = self.connections.memory.prior(unique_id) if model_config.learns else None
        self._check_order(node)
        self.refuse_unusable(node)
        analyze = model_config.analyze
        request = None if analyze is None else AnalyzeRequest(node, analyze, name, model_config.entries)
        self.statistics.before(node, request)
        # whatever can fail comes first: dbt calls post_model_hook, which leaves the node, only once this has returned
        self._replace_clone(node)
        run = self.connections.enter_node(unique_id, entries, queries, name, prior)
        return HookContext(run, request)

    def set_relations_cache(
        self,
        relation_configs: Iterable[RelationConfig],
        clear: bool = False,
        required_schemas: set[BaseRelation] | None = None,
    ) -> None:
        """dbt's own, which it calls before the first node runs: here nodes' tables are checked."""
        self.configs.check_tables(nodes := list(relation_configs))
        super().set_relations_cache(nodes, clear, required_schemas)

    def _replace_clone(self, node: Any) -> None:
        """Lets a seed take the place of its clone, which is a view where tables cannot be cloned.

        dbt refuses to seed to a view.
        """
        if str(node.resource_type) != "seed":
            return
        existing = cast(SparkRelation | None, self.get_relation(node.database, node.schema, node.alias))
        if existing is not None and existing.is_view and is_clone(existing.information, node.alias):
            self.drop_relation(existing)  # type: ignore[no-untyped-call]  # dbt's own

    def _check_order(self, node: Any) -> None:
        """A model whose SQL has no place for its `filter_order` stops before its table is replaced."""
        sql = getattr(node, "compiled_code", None)
        if sql:
            model = {
                name: getattr(node, name, None)
                for name in ("resource_type", "language", "original_file_path")
            }
            self.in_filter_order(sql, node.config.get("filter_order"), model)

    def post_model_hook(self, config: Mapping[str, Any], context: HookContext) -> None:
        """Puts the confs back and collects the model's statistics.

        In tests `config` is not the one of `pre_model_hook`, so only `context` counts.
        """
        ended = self.connections.leave_node(context.run)
        has_failed = sys.exc_info()[0] is not None  # dbt calls this in a `finally`
        if context.statistics is not None and not has_failed:
            self.statistics.after(context.statistics, ended.rows_written)

    def cleanup_connections(self) -> None:
        if sys.exc_info()[0] is None and self.statistics.has_pending:
            lacking = "Statistics of microbatch models could not be collected"
            with self.connections.observing(lacking), self.connection_named("statistics"):
                self.statistics.finish()
        super().cleanup_connections()

    @available
    def analyze_sources(self, names: Any, analyze: Any) -> None:
        """Collects the statistics of sources for the macro of this name; `names` is None for all of them."""
        config = AnalyzeConfig.of(analyze, "analyze_sources")
        if config is None:
            raise DbtValidationError(
                f"analyze_sources: analyze: {analyze!r} leaves nothing to do. Leave it out for the default, auto."
            )
        self.statistics.of_sources(names, config)

    @available.parse(_nothing)
    def analyze_sql(self, relation: Any, columns: Any) -> str:
        """The statement that the macro `analyze_relation` renders."""
        return relation_statement(relation, columns, self.config.credentials.schema)

    @available.parse(_nothing)
    def adaptive_filter_hint(self, given: Sequence[Any], named: Mapping[str, Any]) -> str:
        """The hint that the macro of this name renders."""
        return to_adaptive_filter_hint(given, named)

    @available.parse(_nothing)
    def filter_order_hint(self, order: Sequence[str]) -> str:
        """The hint that the macro of this name renders."""
        return to_order_hint(order)

    @available
    def in_filter_order(self, sql: str, order: Sequence[str] | None, model: Mapping[str, Any]) -> str:
        """A model's SQL with the hint of its config `filter_order`, if it has one."""
        if not order or model["resource_type"] != "model" or model["language"] != "sql":
            return sql
        return with_hint(sql, to_hint(order=order), model["original_file_path"])

    @available.parse(_nothing)
    def dynamic_filter_hint(self, on: Sequence[str] | str, off: Sequence[str] | str) -> str:
        """The hint that the macro of this name renders."""
        return to_dynamic_filter_hint(on, off)

    @available
    def adaptive_report(self, format: str) -> str:
        """The text that the macro of this name prints."""
        return in_format(format)(self.connections.memory.known())

    @available
    def seed_chunks(self, rows: agate.Table) -> list[str]:
        """A seed's rows, for the macro `load_csv_rows`."""
        return list(seed_chunks(rows.rows))

    @available.parse(without_facts)
    def bulk_filter(self, relation: BaseRelation, expression: Any) -> str:
        """The query that the macro of this name renders."""
        filtered, tree = filtered_relation(relation), parsed(expression)
        check_files(tree, self._release)
        names = {leaf.name for leaf in leaves(tree) if leaf.name} | {filtered}
        facts = {name: table for name in names if (table := self._facts(name)) is not None}
        return bulk_filter_sql(filtered, ordered(tree, selectivity_of(facts.get(filtered), facts)))

    def _release(self) -> str:
        """Spark's, such as 4.1.4."""
        return str(self.execute("select version()", fetch=True)[1].rows[0][0]).partition(" ")[0]

    def _facts(self, relation: str) -> TableFacts | None:
        """The metastore's facts about a relation, whose name is as dbt renders it: its schema and table come last.

        None for an ephemeral one, which has no schema, in other catalogs, and where they cannot be read.
        """
        schema, _, table = relation.rpartition(".")
        catalog, _, schema = schema.rpartition(".")
        if not schema or catalog.strip("`") not in ("", SESSION_CATALOG):
            return None
        with self.connections.observing(
            "bulk_filter starts in the written order, since statistics cannot be read"
        ):
            return table_facts(self.connections.spark_confs().statistics, schema, table)
        return None

    def get_catalog(
        self, relation_configs: Iterable[RelationConfig], used_schemas: frozenset[tuple[str, str]]
    ) -> tuple[agate.Table, list[Exception]]:
        """One query for each schema, as dbt-spark does where formats keep columns elsewhere, and one for each table of
        other catalogs.
        """
        # slow to import: dbt does so late too
        from dbt_common.clients.agate_helper import merge_tables

        nodes, elsewhere = by_catalog(relation_configs)
        with self.connection_named("catalog"):
            named: dict[str, set[str]] = {}
            for node in nodes:
                named.setdefault(str(node.schema).lower(), set()).add(str(node.identifier).lower())
            known = {schema: self._schema_facts(schema, named[schema]) for schema in sorted(named)}
        described, failed = self.described_tables(elsewhere) if elsewhere else ([], [])
        catalog = catalog_table([*(table for found in known.values() for table in found), *described])
        others = [node for node in nodes if not known[str(node.schema).lower()]]
        if not others:
            return catalog, failed
        theirs, errors = super().get_catalog(others, used_schemas)
        return merge_tables([catalog, theirs]), [*failed, *errors]

    def _schema_facts(self, schema: str, named: set[str]) -> list[TableFacts]:
        """A schema's tables, none where one of them has its columns elsewhere, or where some of those `named` are
        perhaps in another catalog than the metastore.
        """
        confs = self.connections.spark_confs()
        try:
            found = tables(confs.statistics(tables_sql(schema)))
            extended = confs.explicit([SESSION_CATALOG_KEY])[SESSION_CATALOG_KEY] is not None
        except SparkEndedError:
            raise
        except Exception as error:  # noqa: BLE001  # each driver has its own
            _logger.warning(f"The tables of {schema} are described one by one: {error}")
            return []
        if extended and not named <= {table.name.lower() for table in found}:
            return []
        return [] if any(table.is_foreign or not table.columns for table in found) else found

    def calculate_freshness_from_metadata_batch(
        self, sources: list[BaseRelation], macro_resolver: MacroResolverProtocol | None = None
    ) -> tuple[list[AdapterResponse | None], dict[BaseRelation, FreshnessResponse]]:
        """By the sources' files, in one query; without those that have none."""
        if not sources:
            return [], {}
        known = freshness(self._last_modified(sources), datetime.now(timezone.utc))
        return [], {source: known[place] for place, source in enumerate(sources) if place in known}

    def _last_modified(self, sources: Sequence[BaseRelation]) -> Sequence[Sequence[Any]]:
        elsewhere = {
            at: each for at, each in enumerate(sources) if getattr(each, "database", None) is not None
        }
        here = [at for at in range(len(sources)) if at not in elsewhere]
        names = [(str(sources[at].schema), str(sources[at].identifier)) for at in here]
        connection = self.connections.get_if_exists()
        is_usable = connection is not None and connection.state != ConnectionState.CLOSED
        with nullcontext() if is_usable else self.connection_named("freshness"):
            rows = self.connections.spark_confs().statistics(last_modified_sql(names)) if names else ()
            changed = [(at, *self.last_change(source)) for at, source in elsewhere.items()]
        return [*((here[row[0]], *row[1:]) for row in rows), *changed]

    def calculate_freshness_from_metadata(
        self, source: BaseRelation, macro_resolver: MacroResolverProtocol | None = None
    ) -> tuple[AdapterResponse | None, FreshnessResponse]:
        """Raises DbtRuntimeError for a source that does not exist, and for one whose last change nobody knows."""
        rows = self._last_modified([source])
        if missing(rows):
            raise DbtRuntimeError(
                f"{source} does not exist. Create it, or correct the source's schema and identifier."
            )
        known = freshness(rows, datetime.now(timezone.utc))
        if not known:
            raise DbtRuntimeError(
                f"{source} has no files whose times tell when it last changed. Give the source a loaded_at_field."
            )
        return None, known[0]

    def debug_query(self) -> None:
        """Connects, and lists below `dbt debug`'s connection keys what only a running Spark can say."""
        row = self.execute("select version(), adaptive_spark_version()", fetch=True)[1].rows[0]
        listed = {"spark": str(row[0]).split(" ")[0], "extension": row[1]}
        with self.connections.observing(f"Spark does not say its {JARS_KEY}"):
            listed["jars"] = self.connections.spark_confs().explicit([JARS_KEY])[JARS_KEY]
        for name, value in listed.items():
            fire_event(Formatting(f"  {name}: {value}"))

    @classmethod
    def get_adapter_run_info(cls, config: RelationConfig) -> AdapterTrackingRelationInfo:
        """dbt's record of the adapter. dbt's own method looks for a module named like the class and finds none."""
        return AdapterTrackingRelationInfo(  # type: ignore[abstract]  # dbt's own base class, as dbt itself builds it
            adapter_name=cls.type(),
            base_adapter_version=import_module("dbt.adapters.__about__").version,
            adapter_version=version,
            model_adapter_details=cls._get_adapter_specific_run_info(config),
        )

    @classmethod
    def _get_adapter_specific_run_info(cls, config: RelationConfig) -> dict[str, Any]:
        return {**super()._get_adapter_specific_run_info(config), "adapter_type": cls.type()}

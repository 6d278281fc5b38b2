"""The adapter: dbt-spark's, with confs and statistics around each node that dbt runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from multiprocessing.context import SpawnContext
from typing import TYPE_CHECKING, Any, TypeAlias

from dbt.adapters.base.column import Column
from dbt.adapters.base.meta import available
from dbt.adapters.base.relation import AdapterTrackingRelationInfo, BaseRelation
from dbt.adapters.contracts.relation import RelationConfig
from dbt.adapters.spark.connections import SparkConnectionMethod
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Formatting
from dbt_common.exceptions import CompilationError, DbtValidationError
from dbt_common.invocation import get_invocation_id

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.catalog.docs_adapter import DocsAdapter
from dbt.adapters.adaptive_spark.catalog.freshness_adapter import FreshnessAdapter
from dbt.adapters.adaptive_spark.catalog.table_facts import TableFacts
from dbt.adapters.adaptive_spark.conf.catalog_name import SESSION_CATALOG, catalog_key
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_keys import QUERY_TAG, RUN_ID
from dbt.adapters.adaptive_spark.conf.conf_scope import confs_in_force
from dbt.adapters.adaptive_spark.conf.quoting import unquoted
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
from dbt.adapters.adaptive_spark.model.replaced_tables import ReplacedTables
from dbt.adapters.adaptive_spark.model.seed_rows import seed_chunks
from dbt.adapters.adaptive_spark.model.table_macros import TableMacros, renders_nothing
from dbt.adapters.adaptive_spark.response.statement_response import QueryScope
from dbt.adapters.adaptive_spark.spark.session_conf import DEFAULT_CATALOG_KEY, JARS_KEY, SESSION_CATALOG_KEY
from dbt.adapters.adaptive_spark.spark.table_formats import CATALOG_KIND_KEY, DELTA, ICEBERG
from dbt.adapters.adaptive_spark.statistics.analyze_config import AnalyzeConfig
from dbt.adapters.adaptive_spark.statistics.analyze_plan import relation_statement
from dbt.adapters.adaptive_spark.statistics.node_statistics import AnalyzeRequest, NodeStatistics
from dbt.adapters.adaptive_spark.statistics.run_analyze import table_facts
from dbt.adapters.adaptive_spark.table.formats import own_macro
from dbt.adapters.adaptive_spark.table.privileges import asks_for_grants, grants_fault, show_grants

if TYPE_CHECKING:
    import agate

_REPORTED_NONE = -1
# the end of a struct's type of which Spark writes a part, and the conf of how many fields it writes
_CUT = re.compile(r"\.\.\. \d+ more fields?>")
_UNCUT = ConfEntry("spark.sql.debug.maxToStringFields", "100000")


@dataclass(frozen=True)
class HookContext:
    """A node that runs, and what its statistics are to be, if any."""

    run: NodeRun
    statistics: AnalyzeRequest | None


class AdaptiveSparkAdapter(TableMacros, ReplacedTables, DocsAdapter, FreshnessAdapter):
    """dbt's entry point for `type: adaptive_spark`."""

    ConnectionManager: TypeAlias = AdaptiveSparkConnectionManager
    AdapterSpecificConfigs: TypeAlias = AdaptiveSparkConfig

    connections: AdaptiveSparkConnectionManager
    # true once Spark has shown that it has them
    _has_grants = False

    def __init__(self, config: Any, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        self.connections.manifest = self.get_macro_resolver
        self.statistics = NodeStatistics(self)
        self.configs = NodeConfigs(config, self.get_macro_resolver, self._format_of)

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
        return self._is_set(catalog_key(catalog))

    def extends_session_catalog(self) -> bool:
        catalog = self._session_catalog
        if catalog == ICEBERG.catalog:
            kind = self.conf(CATALOG_KIND_KEY) or "hive"
            return kind in ICEBERG.unlisted or self._is_set(f"{SESSION_CATALOG_KEY}.catalog-impl")
        return catalog not in (None, DELTA.catalog)

    def is_icebergs_session(self) -> bool:
        return self._session_catalog == ICEBERG.catalog

    def has_default_catalog(self) -> bool:
        return self._is_set(DEFAULT_CATALOG_KEY)

    @cached_property
    def _session_catalog(self) -> str | None:
        return self.conf(SESSION_CATALOG_KEY)

    def _format_of(self, catalog: str) -> str | None:
        """The format that all tables of a catalog have, by its class; None where it may have others."""
        return ICEBERG.name if self.conf(catalog_key(catalog)) in ICEBERG.others else None

    def _is_set(self, key: str) -> bool:
        return self.conf(key) is not None

    def conf(self, key: str) -> str | None:
        return self.connections.spark_confs().explicit([key])[key]

    def own_rows(self, sql: str) -> Sequence[Sequence[Any]]:
        return self.connections.spark_confs().statistics(sql)

    def get_columns_in_relation(self, relation: BaseRelation) -> list[Any]:
        """dbt-spark's, by types as Spark writes them; these are asked for once more where a long one is cut."""
        found = super().get_columns_in_relation(relation)
        if not any(_CUT.search(column.dtype) for column in found):
            return found
        with confs_in_force(self.connections.spark_confs(), [_UNCUT], str(relation)):
            return super().get_columns_in_relation(relation)

    def pre_model_hook(self, config: Mapping[str, Any]) -> HookContext:
        """Sets the node's confs; dbt hands what this returns to `post_model_hook`, whatever happens in between."""
        node = config.model  # type: ignore[attr-defined]  # dbt calls its RuntimeConfigObject a mapping
        name = model_name(node)
        queries = QueryScope(query_tag(node), get_invocation_id(), _REPORTED_NONE)
        model_config = self.configs.checked(node)
        entries = [
            *self.table_confs(node, model_config.entries),
            ConfEntry(QUERY_TAG, queries.query_tag),
            ConfEntry(RUN_ID, queries.run_id),
        ]
        # batches share what is known of their node: its id has no batch in it
        unique_id = str(node.unique_id)
        prior = self.connections.memory.prior(unique_id) if model_config.learns else None
        self._check_order(node)
        self.check_place(node)
        if not self.configs.has_own(node):
            self.check_location(node, model_config.entries)
        self._check_grants(node)
        self.refuse_unusable(node)
        analyze = model_config.analyze
        request = None if analyze is None else AnalyzeRequest(node, analyze, name, model_config.entries)
        self.statistics.before(node, request)
        # whatever can fail comes first: dbt calls post_model_hook, which leaves the node, only once this has returned
        self.replace_clone(node)
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

    def _check_grants(self, node: Any) -> None:
        """Raises CompilationError before the table is made, where dbt could not give its grants after."""
        if self._has_grants or not asks_for_grants(node.config, self.configs.has_macro(node)):
            return
        relation = self.Relation.create_from(self.config, node)
        try:
            self.own_rows(show_grants(str(relation)))
        except RuntimeError as error:
            fault = grants_fault(str(error), model_name(node))
            if fault is not None:
                raise CompilationError(fault) from error
        self._has_grants = True

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

    @available.parse(renders_nothing)
    def analyze_sql(self, relation: Any, columns: Any) -> str:
        """The statement that the macro `analyze_relation` renders."""
        return relation_statement(relation, columns, self.config.credentials.schema)

    @available.parse(renders_nothing)
    def adaptive_filter_hint(self, given: Sequence[Any], named: Mapping[str, Any]) -> str:
        """The hint that the macro of this name renders."""
        return to_adaptive_filter_hint(given, named)

    @available.parse(renders_nothing)
    def filter_order_hint(self, order: Sequence[str]) -> str:
        """The hint that the macro of this name renders."""
        return to_order_hint(order)

    @available
    def in_filter_order(self, sql: str, order: Sequence[str] | None, model: Mapping[str, Any]) -> str:
        """A model's SQL with the hint of its config `filter_order`, if it has one."""
        if not order or model["resource_type"] != "model" or model["language"] != "sql":
            return sql
        return with_hint(sql, to_hint(order=order), model["original_file_path"])

    @available.parse(renders_nothing)
    def dynamic_filter_hint(self, on: Sequence[str] | str, off: Sequence[str] | str) -> str:
        """The hint that the macro of this name renders."""
        return to_dynamic_filter_hint(on, off)

    @available
    def adaptive_report(self, format: str) -> str:
        """The text that the macro of this name prints."""
        return in_format(format)(self.connections.memory.known())

    @available.parse(renders_nothing)
    def own_macro(self, strategy: str, node: Any) -> str:
        """Which macro of the project makes a strategy's SQL: `strategy`, `sql` or none."""
        return own_macro(strategy, self.configs.has_macro(node))

    @available.parse(renders_nothing)
    def own_materialization(self, name: str, language: str = "sql") -> str:
        """The macro of a materialization that the project has for dbt-spark, where dbt finds this adapter's before it;
        empty where it has none for the language.
        """
        return self.configs.own_materialization(name, language, ["spark"])

    @available.parse_list
    def get_missing_columns(self, from_relation: BaseRelation, to_relation: BaseRelation) -> list[Column]:
        """Spark's names have no case, by which dbt compares them."""
        known = {each.name.lower() for each in self.get_columns_in_relation(to_relation)}
        return [
            each for each in self.get_columns_in_relation(from_relation) if each.name.lower() not in known
        ]

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
            return table_facts(self.own_rows, unquoted(schema), unquoted(table))
        return None

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

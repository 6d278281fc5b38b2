"""Collects the statistics of nodes once they are built, and of sources when asked: who needs which columns,
and what the user reads of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.catalog_name import full_name, node_catalog
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_keys import nearest
from dbt.adapters.adaptive_spark.conf.conf_scope import Confs, SparkEndedError, confs_in_force
from dbt.adapters.adaptive_spark.statistics.analyze_config import AnalyzeConfig, ColumnError, check_columns
from dbt.adapters.adaptive_spark.statistics.analyze_plan import ELSEWHERE, Analysis, Skip
from dbt.adapters.adaptive_spark.statistics.downstream_usage import Graph, Needed
from dbt.adapters.adaptive_spark.statistics.manifest_graph import manifest_graph
from dbt.adapters.adaptive_spark.statistics.run_analyze import Spark, collect, keep, restore, table_facts

_logger = AdapterLogger("AdaptiveSpark")

# built as a whole, so that the rows they wrote are all the rows there are
_WHOLE = ("table", "seed")
_WITHOUT_ROWS = ("view", "ephemeral", "test", "unit")
# whose relation has the columns of the query
_OF_QUERIES = ("table", "view", "incremental")


@dataclass(frozen=True)
class AnalyzeRequest:
    """A node, or source, and what its statistics are to be, under the confs of its own;
    `name` is how the user knows it.
    """

    node: Any
    config: AnalyzeConfig
    name: str
    confs: Sequence[ConfEntry] = ()


class NodeStatistics:
    """Collector of the statistics of one adapter's nodes.

    Its methods may be called from any thread that has a connection.
    """

    def __init__(self, adapter: SparkAdapter) -> None:
        self._adapter = adapter
        self._lock = threading.Lock()
        self._graph: tuple[Any, Graph] | None = None
        # microbatch models of which a batch has been written, by unique id: their statistics are collected
        # once, when another node reads them
        self._pending: dict[str, AnalyzeRequest] = {}
        self._said: set[str] = set()
        # what a format or a catalog cannot do is said once
        self._refused: set[str] = set()

    def before(self, node: Any, request: AnalyzeRequest | None) -> None:
        """The node is about to be built: what it reads is there, all batches of it.

        Raises ColumnError where its config names a column that its query does not give.
        """
        for parent in getattr(node.depends_on, "nodes", ()):
            waiting = self._pending.pop(parent, None)
            if waiting is not None:
                self._collect_late(waiting)
        if request is None or node_catalog(node) is not None:
            return
        self._check_columns(request)
        if _only_adds(node):
            self._quietly(node, keep)

    def _check_columns(self, request: AnalyzeRequest) -> None:
        """Nothing is lost yet.

        What Spark can't say now, as of a table that a hook makes first, is seen once the node is built.
        """
        node, sql = request.node, getattr(request.node, "compiled_code", None)
        if isinstance(request.config.columns, str) or not sql or node.config.materialized not in _OF_QUERIES:
            return
        try:
            spark = _Statements(self._adapter)
            with confs_in_force(spark.confs, request.confs, request.name):
                types = {str(row[0]): str(row[1]) for row in spark.query(f"describe query {sql}")}
            if node.config.materialized == "incremental":
                table = table_facts(spark.query, node.schema, node.identifier)
                types |= {} if table is None else {each.name: each.type for each in table.columns}
        except Exception as error:  # noqa: BLE001  # each driver has its own
            _logger.debug(f"analyze: the columns of {request.name} are not known before it runs: {error}")
            return
        check_columns(request.config, types, f"{node.schema}.{node.identifier}", request.name)

    def after(self, request: AnalyzeRequest, rows_written: int | None) -> None:
        """The node is built.

        Raises ColumnError where its config names a column that its table lacks; of an incremental model, a warning
        says so.
        """
        node = request.node
        if node.config.materialized in _WITHOUT_ROWS:
            return
        if node_catalog(node) is not None:
            self._say_elsewhere(node)
            return
        if getattr(node, "batch", None) is not None:
            self._pending[node.unique_id] = request
            return
        if rows_written == 0 and _only_adds(node):
            self._quietly(node, restore)
        if node.config.materialized == "incremental":
            # its rows are there by now, and would be there twice if it failed and ran again
            self._collect_late(request)
            return
        is_all_there_is = node.config.materialized in _WHOLE and not _has_hooks(node)
        self._collect(request, rows_written if is_all_there_is else None)

    @property
    def has_pending(self) -> bool:
        """True if `finish` has anything to do."""
        return bool(self._pending)

    def finish(self) -> None:
        """The run is over: what nobody has read."""
        while self._pending:
            self._collect_late(self._pending.popitem()[1])

    def of_sources(self, names: Any, config: AnalyzeConfig) -> None:
        """Collects statistics of the project's sources, all or those that `names` has as `source` or `source.table`.

        Raises DbtValidationError for a name that is no source, and for a column that has no statistics.
        """
        if names is not None and (not isinstance(names, (str, list, tuple)) or not names):
            raise DbtValidationError(
                f"analyze_sources: sources: {names!r} is not a list of sources. "
                "Write it as [shop, crm.customers]; leave it out for all."
            )
        names = [names] if isinstance(names, str) else names
        manifest: Any = self._adapter.get_macro_resolver()
        sources = {f"{each.source_name}.{each.name}": each for each in manifest.sources.values()}
        chosen: dict[str, Any] = {}
        for wanted in sources if names is None else names:
            found = {name: each for name, each in sources.items() if wanted in (name, each.source_name)}
            if not found:
                raise DbtValidationError(
                    f"analyze_sources: {wanted!r} is not a source. {nearest(wanted, [*sources])}"
                )
            chosen |= found
        for source in chosen.values():
            self._collect(AnalyzeRequest(source, config, "analyze_sources"), may_have_changed=True)

    def _quietly(self, node: Any, act: Callable[[Spark, str, str], None]) -> None:
        """Where it fails, statistics are collected again: nothing that a user must know."""
        try:
            act(_Statements(self._adapter), node.schema, node.identifier)
        except Exception as error:  # noqa: BLE001  # each driver has its own
            _logger.debug(f"analyze: {node.schema}.{node.identifier}: {error}")

    def _collect_late(self, request: AnalyzeRequest) -> None:
        """Collects statistics of a node that has ended.

        A fault of that node is a warning, not an error of the one that runs now.
        """
        try:
            self._collect(request)
        except ColumnError as error:
            _logger.warning(str(error.msg))

    def _collect(
        self, request: AnalyzeRequest, rows: int | None = None, may_have_changed: bool = False
    ) -> None:
        node = request.node
        if node_catalog(node) is not None:
            self._say_elsewhere(node)
            return
        table = f"{node.schema}.{node.identifier}"
        unread: dict[str, str] = {}

        def needed(columns: Iterable[str]) -> Needed:
            with self._lock:
                found = self._project().needed(node.unique_id, columns)
            unread.update(found.unread)
            return found

        try:
            spark = _Statements(self._adapter)
            with confs_in_force(spark.confs, request.confs, table):
                outcome = collect(
                    spark,
                    request.config,
                    node.schema,
                    node.identifier,
                    needed,
                    request.name,
                    rows,
                    may_have_changed,
                )
        except ColumnError:
            raise
        except SparkEndedError as error:
            self._say_once(f"analyze: statistics were not collected to the end. {error.msg}")
            return
        except Exception as error:  # noqa: BLE001  # whatever goes wrong here, the model has succeeded
            _logger.warning(f"analyze: the statistics of {table} could not be collected: {error}")
            return
        self._say(table, outcome)
        self._say_unread(table, unread)

    def _say_elsewhere(self, node: Any) -> None:
        self._say(full_name(node.database, node.schema, node.identifier), ELSEWHERE)

    def _say_unread(self, table: str, unread: Mapping[str, str]) -> None:
        for reader, reason in unread.items():
            self._say_once(
                f"analyze: {reader} reads {table} too. Which columns it filters, joins or groups by is not known, because {reason}. "
                "If they matter, list all columns that need statistics, such as analyze: [a, b], or set analyze: all."
            )

    def _say(self, table: str, outcome: tuple[Analysis, float] | Skip) -> None:
        if isinstance(outcome, Skip):
            is_new = outcome.is_refusal and outcome.reason not in self._refused
            self._refused.add(outcome.reason)
            more = " Of more such tables nothing is said." if is_new else ""
            (_logger.warning if is_new else _logger.debug)(f"analyze: {table} {outcome.reason}.{more}")
            return
        analysis, seconds = outcome
        sample = "" if analysis.sample is None else f" (sample: {analysis.sample})"
        _logger.info(
            f"Collected statistics of {table} in {seconds:.1f} s{sample}, on {len(analysis.columns)} of its "
            f"{len(analysis.table.columns)} columns: {', '.join(analysis.columns)}"
        )

    def _say_once(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            _logger.info(sentence)

    def _project(self) -> Graph:
        manifest: Any = self._adapter.get_macro_resolver()
        if self._graph is None or self._graph[0] is not manifest:
            self._graph = (manifest, manifest_graph(self._adapter.config, manifest, self._relation))
        return self._graph[1]

    def _relation(self, node: Any) -> BaseRelation:
        return self._adapter.Relation.create_from(self._adapter.config, node)


def _has_hooks(node: Any) -> bool:
    """Nobody knows what they do; what they write counts as written by the node."""
    return bool(node.config.get("pre_hook") or node.config.get("post_hook"))


def _only_adds(node: Any) -> bool:
    """True if the node leaves its table's rows alone where it writes none."""
    config = node.config
    if _has_hooks(node):
        return False
    strategy = config.get("incremental_strategy") or "append"
    return config.materialized == "incremental" and (
        strategy == "append" or (strategy == "insert_overwrite" and bool(config.get("partition_by")))
    )


class _Statements:
    """This thread's connection."""

    def __init__(self, adapter: SparkAdapter) -> None:
        self._adapter = adapter
        self._spark: Any = adapter.connections.spark_confs()  # type: ignore[attr-defined]  # our own manager

    @property
    def confs(self) -> Confs:
        return self._spark  # type: ignore[no-any-return]

    def query(self, sql: str) -> Sequence[Sequence[Any]]:
        return self._spark.statistics(sql)  # type: ignore[no-any-return]

    def run(self, sql: str) -> Sequence[Sequence[Any]]:
        rows: Sequence[Sequence[Any]] = self._adapter.execute(sql, fetch=True)[1].rows
        return rows

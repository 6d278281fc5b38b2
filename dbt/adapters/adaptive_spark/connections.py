"""dbt's connections: opens them, follows the node that runs on each, and adds to its responses what it learned."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from dbt.adapters.contracts.connection import (
    AdapterRequiredConfig,
    AdapterResponse,
    Connection,
    ConnectionState,
)
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt.adapters.spark.connections import SparkConnectionManager, SparkConnectionMethod
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.conf.conf_entry import (
    ConfEntry,
)
from dbt.adapters.adaptive_spark.conf.conf_scope import (
    Confs,
    ConfScope,
    SparkEndedError,
)
from dbt.adapters.adaptive_spark.conf.installed_pyspark import unusable_pyspark
from dbt.adapters.adaptive_spark.conf.named_formats import (
    FORMATS,
    NamedFormats,
    formats_of,
    named_formats,
)
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.learned.evidence import remember_sql
from dbt.adapters.adaptive_spark.learned.store import FilterMemory, memory_path
from dbt.adapters.adaptive_spark.response.adapter_response import response
from dbt.adapters.adaptive_spark.response.plan_changes import advice
from dbt.adapters.adaptive_spark.response.run_stats import run_stats
from dbt.adapters.adaptive_spark.response.statement_response import (
    QueryScope,
    can_carry_work,
    newest_query,
    stats_sql,
)
from dbt.adapters.adaptive_spark.spark.command_server import CommandServer
from dbt.adapters.adaptive_spark.spark.server_error import ServerLostError

if TYPE_CHECKING:
    import agate

    from dbt.adapters.adaptive_spark.spark.local_session import CommandSessions

_logger = AdapterLogger("AdaptiveSpark")

# dbt's name for the connection on which on-run-start and on-run-end run
_OF_THE_RUN = "master"
# dbt-spark's incremental models set it and leave it set
_SET_BY_MACROS = ("spark.sql.sources.partitionOverwriteMode",)
# dbt's commands that ask Spark something once the project is parsed
_ASKING = frozenset(
    {
        "build",
        "clone",
        "compile",
        "freshness",
        "generate",
        "retry",
        "run",
        "run-operation",
        "seed",
        "show",
        "snapshot",
        "test",
    }
)


class Statistics(Confs, Protocol):
    """A connection as the manager uses it besides dbt's statements: its confs, and queries of our own."""

    def statistics(self, sql: str) -> Sequence[Sequence[Any]]: ...


def _asks_spark_here(config: AdapterRequiredConfig) -> bool:
    """True if the command that dbt was started with needs a Spark in this process. It parses the project first."""
    arguments = getattr(config, "args", None)
    return (
        getattr(arguments, "which", None) in _ASKING
        and getattr(arguments, "introspect", True) is not False
        and cast(AdaptiveSparkCredentials, config.credentials).method == SparkConnectionMethod.SESSION
    )


def _formats_of_text(config: AdapterRequiredConfig) -> NamedFormats:
    # a profile without a project, as `dbt debug` outside of one has it
    root = getattr(config, "project_root", None)
    if root is None:
        return NamedFormats()

    def paths(*kinds: str) -> Iterable[str]:
        return chain.from_iterable(getattr(config, f"{kind}_paths", None) or [] for kind in kinds)

    return named_formats(
        Path(root),
        paths("model", "snapshot", "seed", "test"),
        paths("macro"),
        Path(root, getattr(config, "packages_install_path", None) or "dbt_packages"),
        cast(AdaptiveSparkCredentials, config.credentials).file_format,
    )


@dataclass(frozen=True)
class NodeRun:
    """A node while it runs: its confs on the connection, how far its queries have been reported, and the rows
    that they wrote, if Spark said so.
    """

    unique_id: str
    confs: ConfScope
    queries: QueryScope
    rows_written: int | None = None


class AdaptiveSparkConnectionManager(SparkConnectionManager):
    """dbt-spark's connections, with a session of our own in this process and the extension proven on all."""

    TYPE = "adaptive_spark"

    def __init__(self, profile: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(profile, mp_context)
        self._nodes: dict[Hashable, NodeRun] = {}
        self._warned: set[str] = set()
        self._sessions: CommandSessions | None = None
        self._server: CommandServer | None = None
        # the project as dbt has parsed it; the adapter knows it
        self.manifest: Callable[[], Any] = lambda: None
        self.memory = FilterMemory(memory_path(profile))
        if _asks_spark_here(profile):
            with_dbts_logger = copy_context().run
            threading.Thread(target=with_dbts_logger, args=(self._start_spark,), daemon=True).start()

    def _start_spark(self) -> None:
        """Starts Spark while dbt parses, unless only the parsed project tells which formats it needs."""
        with suppress(
            Exception
        ):  # such as that there is no pyspark: the first connection meets it too, and says what to do
            from dbt.adapters.adaptive_spark.spark.local_session import start_early

            if self._named.is_all:
                credentials = cast(AdaptiveSparkCredentials, self.profile.credentials)
                start_early(credentials, self._in_order(sorted(self._named.names)))

    @cached_property
    def _named(self) -> NamedFormats:
        """The formats of the text: read once, where Spark starts, for that takes all models' files."""
        return _formats_of_text(self.profile)

    def _formats(self) -> Sequence[str]:
        """The formats of the parsed project's nodes, and then those of its text, which may be of sources; all that the
        text may mean where dbt parses nothing (`dbt show --inline-direct`).
        """
        nodes = getattr(self.manifest(), "nodes", None)
        of_text = [*sorted(self._named.names), *(sorted(self._named.perhaps) if nodes is None else [])]
        of_nodes = formats_of((nodes or {}).values(), getattr(self.profile, "project_name", None))
        return self._in_order([*of_nodes, *of_text])

    def _in_order(self, formats: Iterable[str]) -> Sequence[str]:
        """The formats and that of the profile, which is the first."""
        default = cast(AdaptiveSparkCredentials, self.profile.credentials).file_format
        first = [default] if default in FORMATS else []
        return list(dict.fromkeys([*first, *formats]))

    @contextmanager
    def exception_handler(self, sql: str) -> Generator[None, None, None]:
        """dbt-spark's handler, save that an error which is a sentence for the user already stays as it is."""
        try:
            yield
        except DbtRuntimeError:
            raise
        except Exception:
            with super().exception_handler(sql):
                raise

    def open(self, connection: Connection) -> Connection:  # type: ignore[override]  # dbt has a manager at hand wherever it opens
        credentials = cast(AdaptiveSparkCredentials, connection.credentials)
        if connection.state == ConnectionState.OPEN:
            return connection
        if credentials.method != SparkConnectionMethod.SESSION:
            # assigned when ready: dbt takes an open connection as it is, without what its session lacks
            connection.handle = self._command_server(credentials).connect()
            connection.state = ConnectionState.OPEN
            return connection
        is_own = connection.name == _OF_THE_RUN
        connection.handle = self._command_sessions(credentials).connect(lambda: connection.name, is_own)
        connection.state = ConnectionState.OPEN
        return connection

    def _command_sessions(self, credentials: AdaptiveSparkCredentials) -> CommandSessions:
        try:
            # pyspark is an extra, absent where Spark is remote
            from dbt.adapters.adaptive_spark.spark.local_session import CommandSessions
        except ImportError as error:
            if (error.name or "").startswith("dbt"):
                raise
            # an older pyspark lacks names that are imported there
            raise FailedToConnectError(unusable_pyspark(error)) from error

        with self.lock:
            if self._sessions is None:
                self._sessions = CommandSessions(credentials, self._formats())
            return self._sessions

    def _command_server(self, credentials: AdaptiveSparkCredentials) -> CommandServer:
        with self.lock:
            if self._server is None:
                self._server = CommandServer(credentials)
            return self._server

    def spark_confs(self) -> Statistics:
        """The confs and statistics of this thread's connection."""
        return cast(Statistics, self.get_thread_connection().handle)

    def enter_node(
        self,
        unique_id: str,
        entries: Sequence[ConfEntry],
        queries: QueryScope,
        model: str,
        prior: str | None = None,
    ) -> NodeRun:
        """Sets a node's confs on this thread's connection, and tells Spark what earlier runs learned of it; its
        statements' responses then say what they learned.
        """
        if prior is not None:
            self._remember(remember_sql(queries.query_tag, queries.run_id, prior))
        confs = ConfScope(self.spark_confs(), entries, also=_SET_BY_MACROS)
        node = NodeRun(unique_id, confs, queries)
        node.confs.enter(model)
        self._nodes[self.get_thread_identifier()] = node
        return node

    def _remember(self, sql: str) -> None:
        with self.observing("What earlier runs learned could not be told to Spark, so filters learn anew"):
            self.spark_confs().statistics(sql)

    def leave_node(self, node: NodeRun) -> NodeRun:
        """Puts the confs back as they were before `enter_node`, keeps what was learned,
        and returns the node as it ended.
        """
        ended = self._nodes.pop(self.get_thread_identifier(), node)
        lost = node.confs.leave()
        if lost:
            _logger.warning(
                f"{', '.join(lost)} could not be put back after {node.queries.query_tag}. "
                "Later statements on this connection may see the model's values."
            )
        self.memory.save_when_due()
        return ended

    def cleanup_all(self) -> None:
        """Closes the connections; dbt does so when a run ends, whichever way."""
        self.memory.save()
        super().cleanup_all()
        self._sessions = self._server = None

    def execute(
        self, sql: str, auto_begin: bool = False, fetch: bool = False, limit: int | None = None
    ) -> tuple[AdapterResponse, agate.Table]:
        plain, table = super().execute(sql, auto_begin=auto_begin, fetch=fetch, limit=limit)
        node = self._nodes.get(self.get_thread_identifier())
        if node is None or not can_carry_work(sql):
            return plain, table
        return self._learned(node) or plain, table

    def _learned(self, node: NodeRun) -> AdapterResponse | None:
        """The response for the node's statements since the last report, whose evidence goes into the memory.

        None where it cannot be read: dbt's own response then stands.
        """
        scope = node.queries
        lacking = "What the filters learned could not be read, so the artifacts of this run lack it"
        with self.observing(lacking):
            stats = run_stats(self.spark_confs().statistics(stats_sql(scope))[0][0])
            answer, newest = response(stats), newest_query(stats, scope.after)
            written = (
                node.rows_written
                if answer.rows_affected is None
                else (node.rows_written or 0) + answer.rows_affected
            )
            self._nodes[self.get_thread_identifier()] = replace(
                node, queries=replace(scope, after=newest), rows_written=written
            )
            self.memory.learn(node.unique_id, answer.adaptive_filters or (), answer.dynamic_filters or ())
            for sentence in advice(answer.aqe or {}):
                _logger.debug(f"{scope.query_tag}: {sentence}")
            return answer
        return None

    @contextmanager
    def observing(self, lacking: str) -> Generator[None, None, None]:
        """Around what the adapter asks and keeps for itself: whatever goes wrong there, a warning says once what is
        `lacking`, and the user's statement stays as it ended.
        """
        try:
            yield
        except ServerLostError as error:
            # the next connection may find a server, and then nobody else says why this part is missing
            self._warn_once(lacking, error)
        except SparkEndedError:  # which the next statement says
            return
        except Exception as error:  # noqa: BLE001  # Spark, each driver and each form of answer have their own
            self._warn_once(lacking, error)

    def _warn_once(self, what: str, error: Exception) -> None:
        with self.lock:
            if what in self._warned:
                return
            self._warned.add(what)
        reason = error.msg if isinstance(error, DbtRuntimeError) else str(error) or type(error).__name__
        _logger.warning(f"{what}: {reason}")

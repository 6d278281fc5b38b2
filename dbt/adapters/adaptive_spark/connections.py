"""dbt's connections: opens them, follows the node that runs on each, and adds to its responses what it learned."""

from __future__ import annotations

import threading
from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from multiprocessing.context import SpawnContext
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from dbt.adapters.contracts.connection import (
    AdapterRequiredConfig,
    AdapterResponse,
    Connection,
    ConnectionState,
)
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.connections import SparkConnectionManager, SparkConnectionMethod
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf_scope import Confs, ConfScope
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.extension import prove_extension
from dbt.adapters.adaptive_spark.memory_file import FilterMemory, memory_path
from dbt.adapters.adaptive_spark.metrics import (
    QueryScope,
    can_carry_work,
    newest_query,
    response,
    run_stats,
    stats_sql,
)
from dbt.adapters.adaptive_spark.plan_changes import advice
from dbt.adapters.adaptive_spark.quoting import reset_statement, set_statement
from dbt.adapters.adaptive_spark.session_conf import (
    COST_BASED,
    EXTENSION,
    EXTENSIONS_KEY,
    missing_cost_based,
)
from dbt.adapters.adaptive_spark.spark_end import SparkEndedError

if TYPE_CHECKING:
    import agate

    from dbt.adapters.adaptive_spark.session import CommandSessions

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
_REDACTED = "*********(redacted)"
# spark.jars alone is not enough: a Thrift server closes its class loader with the first session that ends
_SERVER_REMEDY = (
    f"Start the server with {EXTENSIONS_KEY}={EXTENSION} "
    "and this package's jar for its Spark in both spark.jars and spark.driver.extraClassPath."
)


class Statistics(Confs, Protocol):
    """What the manager asks of a connection besides dbt's statements."""

    def statistics(self, sql: str) -> Sequence[Sequence[Any]]: ...


class ServerError(Exception):
    """What a server says of a statement that failed, in one line: drivers hand on Java's whole stack."""

    def __init__(self, error: Exception) -> None:
        answer = error.args[0] if error.args else error
        status = getattr(answer, "status", None)  # PyHive's answer; pyodbc's is text
        text = str(error) if status is None else str(status.errorMessage)
        super().__init__(text.strip().partition("\n")[0])


class Remote:
    """The same over a DB-API connection, on a cursor of its own: it answers at once, where dbt-spark's polls."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def statistics(self, sql: str) -> Sequence[Sequence[Any]]:
        cursor = self._connection.cursor()
        try:
            cursor.execute(sql)
            rows: Sequence[Sequence[Any]] = cursor.fetchall() if cursor.description else []
            return rows
        except Exception as error:  # each driver has its own
            raise ServerError(error) from error
        finally:
            cursor.close()

    def explicit(self, keys: Iterable[str]) -> Mapping[str, str | None]:
        # a bare SET lists what is set; SET of one key would also answer with a default
        listed = {row[0]: row[1] for row in self.statistics("SET")}
        earlier = {key: listed.get(key) for key in keys}
        hidden = [key for key, value in earlier.items() if value == _REDACTED]
        if hidden:
            raise DbtRuntimeError(
                f"{', '.join(hidden)} has a value that the server hides, so it could not be put back after the model. "
                "Set it on the server only."
            )
        return earlier

    def set(self, entry: ConfEntry) -> None:
        self.statistics(set_statement(entry.key, entry.value))

    def unset(self, key: str) -> None:
        self.statistics(reset_statement(key))


def _asks_spark_here(config: AdapterRequiredConfig) -> bool:
    """Whether the command that dbt was started with needs a Spark in this process; it parses the project first."""
    arguments = getattr(config, "args", None)
    return (
        getattr(arguments, "which", None) in _ASKING
        and getattr(arguments, "introspect", True) is not False
        and cast(AdaptiveSparkCredentials, config.credentials).method == SparkConnectionMethod.SESSION
    )


def _start_spark(credentials: AdaptiveSparkCredentials) -> None:
    with suppress(ImportError):  # without pyspark, the first connection says how to install it
        from dbt.adapters.adaptive_spark.session import start_early

        start_early(credentials)


def use_statistics(server: Confs) -> None:
    """Turns on for a connection what uses statistics, save what the server's own confs decide."""
    for key, value in missing_cost_based(server.explicit(COST_BASED)).items():
        server.set(ConfEntry(key, value))


@dataclass(frozen=True)
class NodeRun:
    """A node while it runs: its confs on the connection, how far its queries have been reported, and the rows that they wrote, if Spark said so."""

    unique_id: str
    confs: ConfScope
    queries: QueryScope
    rows_written: int | None = None


class AdaptiveSparkConnectionManager(SparkConnectionManager):
    """dbt-spark's connections, with a session of our own in this process and the extension proven on all."""

    TYPE = "adaptive_spark"

    _proven: ClassVar[set[str]] = set()
    _proving: ClassVar = threading.Lock()

    def __init__(self, profile: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(profile, mp_context)
        self._nodes: dict[Hashable, NodeRun] = {}
        self._has_warned = False
        self._sessions: CommandSessions | None = None
        self.memory = FilterMemory(memory_path(profile))
        if _asks_spark_here(profile):
            with_dbts_logger = copy_context().run
            arguments = (_start_spark, profile.credentials)
            threading.Thread(target=with_dbts_logger, args=arguments, daemon=True).start()

    @contextmanager
    def exception_handler(self, sql: str) -> Generator[None, None, None]:
        """As dbt-spark's, save that an error which is a sentence for the user already does not become another's."""
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
            opened = super().open(connection)
            self._prove_server(opened, credentials)
            use_statistics(Remote(opened.handle.handle))
            return opened
        is_own = connection.name == _OF_THE_RUN
        connection.handle = self._command_sessions(credentials).connect(lambda: connection.name, is_own)
        connection.state = ConnectionState.OPEN
        return connection

    def _command_sessions(self, credentials: AdaptiveSparkCredentials) -> CommandSessions:
        # pyspark is an extra, absent where Spark is remote
        from dbt.adapters.adaptive_spark.session import CommandSessions

        with self.lock:
            if self._sessions is None:
                self._sessions = CommandSessions(credentials)
            return self._sessions

    @classmethod
    def _prove_server(cls, connection: Connection, credentials: AdaptiveSparkCredentials) -> None:
        server = f"{credentials.host}:{credentials.port}"
        with cls._proving:  # once a server: dbt opens a connection for every node
            if server in cls._proven:
                return
            prove_extension(
                Remote(connection.handle.handle).statistics, f"the Spark at {server}", _SERVER_REMEDY
            )
            cls._proven.add(server)

    def spark_confs(self) -> Statistics:
        """The confs and statistics of this thread's connection."""
        handle = self.get_thread_connection().handle
        return cast(Statistics, handle if hasattr(handle, "statistics") else Remote(handle.handle))

    def enter_node(
        self, unique_id: str, entries: Sequence[ConfEntry], queries: QueryScope, model: str
    ) -> NodeRun:
        """Sets a node's confs on this thread's connection; its statements' responses then say what they learned."""
        confs = ConfScope(self.spark_confs(), entries, also=_SET_BY_MACROS)
        node = NodeRun(unique_id, confs, queries)
        node.confs.enter(model)
        self._nodes[self.get_thread_identifier()] = node
        return node

    def leave_node(self, node: NodeRun) -> NodeRun:
        """Puts the confs back as they were before `enter_node`, keeps what was learned, and returns the node as it ended."""
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
        self._sessions = None

    def execute(
        self, sql: str, auto_begin: bool = False, fetch: bool = False, limit: int | None = None
    ) -> tuple[AdapterResponse, agate.Table]:
        plain, table = super().execute(sql, auto_begin=auto_begin, fetch=fetch, limit=limit)
        node = self._nodes.get(self.get_thread_identifier())
        if node is None or not can_carry_work(sql):
            return plain, table
        return self._learned(node) or plain, table

    def _learned(self, node: NodeRun) -> AdapterResponse | None:
        """What the node's statements since the last report did, or None where Spark does not say."""
        scope = node.queries
        try:
            stats = run_stats(self.spark_confs().statistics(stats_sql(scope))[0][0])
        except SparkEndedError:  # which the next statement says
            return None
        except Exception as error:  # noqa: BLE001  # whatever goes wrong here, the model has succeeded
            self._warn_once(error)
            return None
        newest = newest_query(stats, scope.after)
        answer = response(stats)
        written = (
            node.rows_written
            if answer.rows_affected is None
            else (node.rows_written or 0) + answer.rows_affected
        )
        self._nodes[self.get_thread_identifier()] = replace(
            node, queries=replace(scope, after=newest), rows_written=written
        )
        for sentence in advice(answer.aqe or {}):
            _logger.debug(f"{scope.query_tag}: {sentence}")
        self.memory.learn(node.unique_id, answer.adaptive_filters or (), answer.dynamic_filters or ())
        return answer

    def _warn_once(self, error: Exception) -> None:
        with self.lock:
            if self._has_warned:
                return
            self._has_warned = True
        _logger.warning(
            f"What the filters learned could not be read, so the artifacts of this run lack it: {error}"
        )

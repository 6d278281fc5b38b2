"""The macros' view of `table`: each method is called by a macro, with dbt's node for the configs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dbt.adapters.base.meta import AdapterMeta, available
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import CompilationError

from dbt.adapters.adaptive_spark.catalog.described_table import partitions
from dbt.adapters.adaptive_spark.conf.quoting import text_token
from dbt.adapters.adaptive_spark.model.node_name import model_name
from dbt.adapters.adaptive_spark.model.table_defaults import OVERWRITE_MODE
from dbt.adapters.adaptive_spark.table.column_types import kept_type
from dbt.adapters.adaptive_spark.table.comments import comment_statements
from dbt.adapters.adaptive_spark.table.constraints import (
    checked_select,
    constraint_properties,
    idle_constraints,
)
from dbt.adapters.adaptive_spark.table.formats import MERGE, STRATEGIES
from dbt.adapters.adaptive_spark.table.incremental import IncrementalRun, names_table, other_partitions
from dbt.adapters.adaptive_spark.table.layout import DELTA, FORMAT, TableLayout
from dbt.adapters.adaptive_spark.table.replacing import idle_exclusions

if TYPE_CHECKING:
    import agate

_logger = AdapterLogger("AdaptiveSpark")


def renders_nothing(*_: Any, **__: Any) -> str:
    """Macros render nothing while dbt parses: their arguments may come from Spark, which is not asked then."""
    return ""


class TableMacros(metaclass=AdapterMeta):
    """A part of the adapter that knows no connection."""

    @available.parse(renders_nothing)
    def partition_clause(self, label: str, node: Any) -> str:
        """The clause after `label`, empty without `partition_by`."""
        return _layout(node).partition_clause(label)

    @available.parse(renders_nothing)
    def cluster_clause(self, node: Any) -> str:
        """The clause of `liquid_clustered_by`, or of `clustered_by` and `buckets`."""
        return _layout(node).cluster_clause

    @available.parse(renders_nothing)
    def properties_clause(self, node: Any, model: Mapping[str, Any]) -> str:
        """The clause of `tblproperties`, and of a contract's constraints where Delta Lake has them as properties."""
        configs = _configs(node)
        is_checked = (configs.get("contract") or {}).get("enforced") and configs.get(FORMAT) == DELTA
        constraints = constraint_properties(model["columns"], model["constraints"]) if is_checked else {}
        return _layout(node).properties_clause(constraints)

    @available.parse(renders_nothing)
    def checked_select(self, sql: str, model: Mapping[str, Any], node: Any, is_new_table: bool) -> str:
        """The rows of a model with a contract."""
        format_ = _configs(node).get(FORMAT)
        return checked_select(sql, model["columns"], model["constraints"], format_, is_new_table)

    @available.parse(renders_nothing)
    def warn_of_constraints(self, model: Mapping[str, Any], node: Any) -> None:
        """One sentence for a contract whose constraints nothing enforces."""
        configs = _configs(node)
        sentence = idle_constraints(model["columns"], model["constraints"], configs, model_name(node))
        if sentence is not None:
            _logger.warning(sentence)

    @available.parse(renders_nothing)
    def kept_type(self, type_: str, format_: str | None) -> str:
        """The type that a table of the format has for a column of a query."""
        return kept_type(type_, format_)

    @available.parse(renders_nothing)
    def comment_statements(
        self,
        relation: Any,
        described: agate.Table,
        description: str | None,
        columns: Mapping[str, Mapping[str, Any]],
    ) -> list[str]:
        """The statements that bring a table's comments up to date."""
        return comment_statements(str(relation), described.rows, description, columns)

    @available
    def text_token(self, text: str) -> str:
        """A text in quotes."""
        return text_token(text)

    def valid_incremental_strategies(self) -> list[str]:
        """dbt adds to the list that it is given."""
        return list(STRATEGIES)

    @available.parse(renders_nothing)
    def check_partitions(self, target: Any, described: agate.Table, node: Any) -> None:
        """Raises CompilationError where other partitions of a table would be replaced than those of its model, unless
        the model says that all rows are to be replaced.
        """
        configs = _configs(node)
        mode = (configs.get("spark_conf") or {}).get(OVERWRITE_MODE, "dynamic")
        if str(mode).lower() != "dynamic":
            return
        fault = other_partitions(str(target), partitions(list(described.rows)), configs, model_name(node))
        if fault is not None:
            raise CompilationError(fault)

    @available.parse(renders_nothing)
    def incremental_statements(
        self,
        strategy: str,
        format_: str | None,
        target: Any,
        source: Any,
        columns: Sequence[str],
        found: Sequence[str],
        node: Any,
        sql: str,
    ) -> list[str]:
        """The statements of an incremental run, none where a macro of dbt-spark or of the project has them."""
        batch = getattr(node, "batch", None)
        times = None if batch is None else (batch.event_time_start, batch.event_time_end)
        configs, name = _configs(node), model_name(node)
        sentence = idle_exclusions(configs, columns, name) if strategy == MERGE else None
        if sentence is not None:
            _logger.warning(sentence)
        reads_itself = names_table(sql, str(target))
        run = IncrementalRun(format_, str(target), str(source), columns, found, times, reads_itself)
        return run.statements(strategy, configs, name)


def _configs(node: Any) -> Mapping[str, Any]:
    """None of them for an operation, in which dbt has a macro for a node."""
    config = getattr(node, "config", None)
    return {} if config is None else dict(config.to_dict())


def _layout(node: Any) -> TableLayout:
    return TableLayout.of(_configs(node), model_name(node))

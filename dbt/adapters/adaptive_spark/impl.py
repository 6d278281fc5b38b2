"""The adapter: dbt-spark's, with confs and statistics around each node that dbt runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from dbt.adapters.base.meta import available
from dbt.adapters.base.relation import AdapterTrackingRelationInfo
from dbt.adapters.contracts.relation import RelationConfig
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Formatting
from dbt_common.invocation import get_invocation_id

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf_specs import PRIOR, QUERY_TAG, RUN_ID
from dbt.adapters.adaptive_spark.connections import AdaptiveSparkConnectionManager, NodeRun
from dbt.adapters.adaptive_spark.hint import to_dynamic_filter_hint
from dbt.adapters.adaptive_spark.metrics import QueryScope
from dbt.adapters.adaptive_spark.model_config import AdaptiveSparkConfig, ModelConfig
from dbt.adapters.adaptive_spark.session_conf import JARS_KEY

_REPORTED_NONE = -1


class AdaptiveSparkAdapter(SparkAdapter):
    """dbt's entry point for `type: adaptive_spark`."""

    ConnectionManager: TypeAlias = AdaptiveSparkConnectionManager
    AdapterSpecificConfigs: TypeAlias = AdaptiveSparkConfig

    connections: AdaptiveSparkConnectionManager

    def pre_model_hook(self, config: Mapping[str, Any]) -> NodeRun:
        """Sets the node's confs; dbt hands what this returns to `post_model_hook`, whatever happens in between."""
        node = config.model  # type: ignore[attr-defined]  # dbt calls its RuntimeConfigObject a mapping
        name = model_name(node)
        queries = QueryScope(query_tag(node), get_invocation_id(), _REPORTED_NONE)
        model_config = ModelConfig.of(node.config.to_dict(), name)
        entries = [
            *model_config.entries,
            ConfEntry(QUERY_TAG, queries.query_tag),
            ConfEntry(RUN_ID, queries.run_id),
        ]
        # batches share what is known of their node: its id has no batch in it
        unique_id = str(node.unique_id)
        prior = self.connections.memory.prior(unique_id) if model_config.learns else None
        if prior is not None:
            entries.append(ConfEntry(PRIOR, prior))
        return self.connections.enter_node(unique_id, entries, queries, name)

    def post_model_hook(self, config: Mapping[str, Any], context: NodeRun) -> None:  # dbt passes it
        """Puts the confs back. In tests `config` is not the one of `pre_model_hook`, so only `context` counts."""
        self.connections.leave_node(context)

    @available
    def dynamic_filter_hint(self, on: Sequence[str] | str, off: Sequence[str] | str) -> str:
        """What the macro of this name renders."""
        return to_dynamic_filter_hint(on, off)

    def debug_query(self) -> None:
        """Connects, and lists below `dbt debug`'s connection keys what only a running Spark can say."""
        row = self.execute("select version(), adaptive_spark_version()", fetch=True)[1].rows[0]
        jars = self.connections.spark_confs().explicit([JARS_KEY])[JARS_KEY]
        for name, value in (("spark", str(row[0]).split(" ")[0]), ("extension", row[1]), ("jars", jars)):
            fire_event(Formatting(f"  {name}: {value}"))

    @classmethod
    def get_adapter_run_info(cls, config: RelationConfig) -> AdapterTrackingRelationInfo:
        """As dbt's own, which however takes the module's name from the class's and finds none such."""
        return AdapterTrackingRelationInfo(  # type: ignore[abstract]  # dbt's own base class, as dbt itself builds it
            adapter_name=cls.type(),
            base_adapter_version=import_module("dbt.adapters.__about__").version,
            adapter_version=version,
            model_adapter_details=cls._get_adapter_specific_run_info(config),
        )

    @classmethod
    def _get_adapter_specific_run_info(cls, config: RelationConfig) -> dict[str, Any]:
        return {**super()._get_adapter_specific_run_info(config), "adapter_type": cls.type()}


def query_tag(node: Any) -> str:
    """The label of a node's queries: its unique id, with the batch's after `@` as microbatches run side by side."""
    batch = getattr(node, "batch", None)
    return str(node.unique_id) if batch is None else f"{node.unique_id}@{batch.id}"


def model_name(node: Any) -> str:
    """How the user knows a node: its file, and in a file of many, its name."""
    path = str(node.original_file_path)
    return path if path.endswith((".sql", ".py", ".csv")) else f"{path}, {node.name}"

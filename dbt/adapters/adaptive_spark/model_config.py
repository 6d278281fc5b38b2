"""What a model says about itself: read from its dbt config, checked once, and turned into Spark confs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dbt.adapters.spark.impl import SparkConfig
from dbt_common.contracts.config.base import MergeBehavior
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.analyze import AnalyzeConfig
from dbt.adapters.adaptive_spark.conf_entry import ConfEntry, as_text, is_key, shown
from dbt.adapters.adaptive_spark.conf_specs import (
    DYNAMIC_ENABLED,
    ENABLED,
    PRIOR,
    QUERY_TAG,
    RUN_ID,
    ConfSpec,
    conf_fault,
    conf_specs,
    nearest,
)

_SPARK_CONF = "spark_conf"
_FILTER_ORDER = "filter_order"
_PREFIXES = ("adaptive_", "dynamic_")


@dataclass
class AdaptiveSparkConfig(SparkConfig):
    """The configs a model may carry. dbt does not check their types: `ModelConfig` does, when the model runs."""

    adaptive_filter: bool | None = None
    collect_rate: int | str | None = None
    calculate_rate: int | str | None = None
    momentum: float | None = None
    dynamic_filter: bool | None = None
    filter_order: list[str] | None = None
    analyze: str | list[str] | dict[str, Any] | None = None
    spark_conf: dict[str, Any] | None = field(default=None, metadata=MergeBehavior.Update.meta())


@dataclass(frozen=True)
class ModelConfig:
    """What a model says, checked: its Spark confs, first those of `spark_conf`, then its own configs, which win; and `analyze`, None where off."""

    entries: tuple[ConfEntry, ...]
    analyze: AnalyzeConfig | None = None

    @classmethod
    def of(cls, configs: Mapping[str, Any], model: str) -> ModelConfig:
        """From all configs of a node; `model` is how the user knows it, such as `models/orders.sql`.

        Raises DbtValidationError with a sentence that names the config, its value, its bounds and the model.
        """
        specs = {spec.model_config: spec for spec in conf_specs() if spec.model_config is not None}
        for name in configs:
            if name.startswith(_PREFIXES) and name not in specs:
                raise DbtValidationError(
                    f"{name} is not a config of adaptive_spark ({model}). {nearest(name, [*specs])}"
                )
        own = [
            _own(spec, name, configs[name], model)
            for name, spec in specs.items()
            if configs.get(name) is not None
        ]
        _check_order(configs.get(_FILTER_ORDER), model)
        entries = (*_spark_conf(configs.get(_SPARK_CONF), model), *own)
        return cls(entries, AnalyzeConfig.of(configs.get("analyze"), model))

    @property
    def learns(self) -> bool:
        """Whether the model leaves filters of either kind on, as far as it says."""
        said = {entry.key: entry.value for entry in self.entries}
        return any(said.get(key, "true").strip().lower() != "false" for key in (ENABLED, DYNAMIC_ENABLED))


def _own(spec: ConfSpec, name: str, value: Any, model: str) -> ConfEntry:
    fault = spec.fault(value)
    if fault is not None:
        raise DbtValidationError(
            f"{name}: {value!r} {fault} ({model}). Leave it out for the default, {as_text(spec.default)}."
        )
    return ConfEntry(spec.key, as_text(value))


def _check_order(order: Any, model: str) -> None:
    """The hint that is made of it names a column that is none; this, what is no list."""
    if order is not None and not (isinstance(order, list) and all(isinstance(each, str) for each in order)):
        raise DbtValidationError(
            f"{_FILTER_ORDER}: {order!r} is not a list of columns ({model}). "
            "Write it as ['status', 'amount']; leave it out for the order that is learned."
        )


def _spark_conf(conf: Any, model: str) -> list[ConfEntry]:
    if conf is None:
        return []
    if not isinstance(conf, Mapping):
        raise DbtValidationError(
            f"{_SPARK_CONF}: {conf!r} is not a dictionary ({model}). "
            "Write it as {'spark.sql.shuffle.partitions': 64}; in dbt_project.yml, as +spark_conf."
        )
    return [_entry(key, value, model) for key, value in conf.items()]


def _entry(key: Any, value: Any, model: str) -> ConfEntry:
    if not is_key(key):
        raise DbtValidationError(
            f"{_SPARK_CONF}: {key!r} is not a Spark conf key ({model}). Keys look like spark.sql.shuffle.partitions."
        )
    if key in (QUERY_TAG, RUN_ID, PRIOR):
        raise DbtValidationError(
            f"{_SPARK_CONF}: {key} is set by the adapter itself ({model}). Leave it out."
        )
    try:
        entry = ConfEntry(key, as_text(value))
    except TypeError:
        raise DbtValidationError(
            f"{_SPARK_CONF}: {key}: {shown(key, repr(value))} is not text, a number or a boolean ({model})."
        ) from None
    fault = conf_fault(key, entry.value)
    if fault is not None:
        raise DbtValidationError(f"{_SPARK_CONF}: {fault} ({model})")
    return entry

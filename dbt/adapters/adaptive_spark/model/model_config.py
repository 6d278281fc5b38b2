"""Configs of a model: read from its dbt config, checked once, and turned into Spark confs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dbt.adapters.spark.impl import SparkConfig
from dbt_common.contracts.config.base import MergeBehavior
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry, as_text, is_key, shown
from dbt.adapters.adaptive_spark.conf.conf_keys import (
    DYNAMIC_ENABLED,
    ENABLED,
    OF_ADAPTER,
    ConfSpec,
    conf_fault,
)
from dbt.adapters.adaptive_spark.conf.quoting import qualified
from dbt.adapters.adaptive_spark.model.config_names import (
    ANALYZE,
    FILTER_ORDER,
    SPARK_CONF,
    doubtful_names,
    specs_by_config,
)
from dbt.adapters.adaptive_spark.model.config_places import ConfigPlaces
from dbt.adapters.adaptive_spark.model.said_twice import SaidTwice
from dbt.adapters.adaptive_spark.statistics.analyze_config import AnalyzeConfig


@dataclass
class AdaptiveSparkConfig(SparkConfig):
    """The configs a model may carry. dbt does not check their types: `ModelConfig` does, when the model runs."""

    adaptive_filter: bool | None = None
    collect_rate: int | str | None = None
    calculate_rate: int | str | None = None
    momentum: float | None = None
    policy: str | None = None
    initial_order: str | None = None
    errors: str | None = None
    dynamic_filter: bool | None = None
    filter_order: list[str] | None = None
    analyze: str | list[str] | dict[str, Any] | None = None
    spark_conf: dict[str, Any] | None = field(default=None, metadata=MergeBehavior.Update.meta())


@dataclass(frozen=True)
class ModelConfig:
    """A model's configs, checked.

    `entries` are its Spark confs: first those of `spark_conf`, then its own configs, unless `spark_conf` beats them.
    `analyze` is None where off. `doubtful` has a sentence for each config that may be one of ours, misspelt, by the
    config's name.
    """

    entries: tuple[ConfEntry, ...]
    analyze: AnalyzeConfig | None = None
    doubtful: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, configs: Mapping[str, Any], model: str, places: ConfigPlaces | None = None) -> ModelConfig:
        """From all configs of a node; `model` is how the user knows it, such as `models/orders.sql`.

        Raises DbtValidationError with a sentence that names the config, its value, its bounds and the model.
        """
        doubtful = doubtful_names(configs, model)
        own = {
            name: _own(spec, name, configs[name], model)
            for name, spec in specs_by_config().items()
            if configs.get(name) is not None
        }
        _check_order(configs.get(FILTER_ORDER), model)
        analyze = AnalyzeConfig.of(configs.get(ANALYZE), model)
        spark_conf = _spark_conf(configs.get(SPARK_CONF), model)
        twice = SaidTwice(configs, spark_conf, places or ConfigPlaces(), model)
        entries = (*spark_conf, *twice.winning(own))
        return cls(entries, twice.winning_analyze(analyze), doubtful)

    @property
    def learns(self) -> bool:
        """True if the model leaves filters of either kind on, as far as it says."""
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
    """Only Spark knows which columns there are; it refuses the hint that is made of one that is none."""
    if order is None:
        return
    remedy = "Write it as ['status', 't.amount']; leave it out for the order that is learned."
    if not isinstance(order, (list, tuple)) or not all(isinstance(each, str) for each in order):
        raise DbtValidationError(f"{FILTER_ORDER}: {order!r} is not a list of columns ({model}). {remedy}")
    if not order:
        raise DbtValidationError(f"{FILTER_ORDER}: {order!r} names no column ({model}). {remedy}")
    for name in order:
        try:
            qualified(name)
        except ValueError as fault:
            raise DbtValidationError(
                f"{FILTER_ORDER}: {name!r} is not a column's name: {fault} ({model}). {remedy}"
            ) from None


def _spark_conf(conf: Any, model: str) -> list[ConfEntry]:
    if conf is None:
        return []
    if not isinstance(conf, Mapping):
        raise DbtValidationError(
            f"{SPARK_CONF}: {shown(SPARK_CONF, repr(conf))} is not a dictionary ({model}). "
            "Write it as {'spark.sql.shuffle.partitions': 64}; in dbt_project.yml, as +spark_conf."
        )
    return [_entry(key, value, model) for key, value in conf.items()]


def _entry(key: Any, value: Any, model: str) -> ConfEntry:
    if not is_key(key):
        raise DbtValidationError(
            f"{SPARK_CONF}: {shown('', repr(key))} is not a Spark conf key ({model}). Keys look like spark.sql.shuffle.partitions."
        )
    if key in OF_ADAPTER:
        raise DbtValidationError(f"{SPARK_CONF}: {key} is set by the adapter itself ({model}). Leave it out.")
    try:
        entry = ConfEntry(key, as_text(value))
    except TypeError:
        raise DbtValidationError(
            f"{SPARK_CONF}: {key}: {shown(key, repr(value))} is not text, a number or a boolean ({model})."
        ) from None
    fault = conf_fault(key, entry.value, model)
    if fault is not None:
        raise DbtValidationError(f"{SPARK_CONF}: {fault}")
    return entry

"""Confs that a node sets by a config of ours and by `spark_conf` as well. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry, shown
from dbt.adapters.adaptive_spark.conf.conf_keys import SAMPLE
from dbt.adapters.adaptive_spark.model.config_names import ANALYZE, SPARK_CONF
from dbt.adapters.adaptive_spark.model.config_places import ConfigPlaces
from dbt.adapters.adaptive_spark.statistics.analyze_config import HISTOGRAMS, AnalyzeConfig

_ANALYZE_OPTIONS = {SAMPLE: "sample", HISTOGRAMS: "histograms"}


class SaidTwice:
    """A node's `spark_conf`, checked, beside its other configs.

    If both set a key, the value that is said nearer to the node wins.
    """

    def __init__(
        self, configs: Mapping[str, Any], spark_conf: Sequence[ConfEntry], places: ConfigPlaces, model: str
    ) -> None:
        self._configs = configs
        self._entries = {entry.key: entry for entry in spark_conf}
        self._places = places
        self._model = model

    def winning(self, own: Mapping[str, ConfEntry]) -> tuple[ConfEntry, ...]:
        """The entries that `spark_conf` leaves in force, of those in `own`, which are by their configs' names.

        Raises DbtValidationError where both are said at one place.
        """
        return tuple(entry for name, entry in own.items() if self._wins(name, name, entry))

    def winning_analyze(self, analyze: AnalyzeConfig | None) -> AnalyzeConfig | None:
        """The options of `analyze` that `spark_conf` leaves in force. Raises as `winning` does."""
        if analyze is None:
            return None
        beaten = {
            entry.key
            for entry in analyze.confs
            if not self._wins(ANALYZE, f"{ANALYZE}: {_ANALYZE_OPTIONS[entry.key]}", entry)
        }
        return replace(
            analyze,
            sample=None if SAMPLE in beaten else analyze.sample,
            histograms=None if HISTOGRAMS in beaten else analyze.histograms,
        )

    def _wins(self, name: str, label: str, entry: ConfEntry) -> bool:
        other = self._entries.get(entry.key)
        if other is None or _same(entry.value, other.value):
            return True
        ours = self._places.depth(name, self._configs[name])
        theirs = self._places.depth(SPARK_CONF, self._configs[SPARK_CONF][entry.key], entry.key)
        if ours == theirs:
            raise DbtValidationError(
                f"{label}: {entry.value} and {SPARK_CONF}: {other.key}: {shown(other.key, other.value)} "
                f"contradict each other ({self._model}). Keep one."
            )
        return ours > theirs


def _same(a: str, b: str) -> bool:
    """True if Spark reads the texts as one value."""
    first, second = a.strip().lower(), b.strip().lower()
    try:
        return first == second or float(first) == float(second)
    except ValueError:
        return False

"""Names of configs: those of this adapter, and those that a user may have meant as one of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.conf_keys import ConfSpec, alike, conf_specs, nearest

SPARK_CONF = "spark_conf"
FILTER_ORDER = "filter_order"
ANALYZE = "analyze"
_ADAPTER = "adaptive_"
# Names beginning so are ours only if they are also like one of ours: others have dynamic tables and their own ANALYZE.
_SHARED = ("dynamic_", "analyze_")
# Above it, a name may be one of ours, misspelt: no config of dbt's own and of dbt-spark's is.
_ALIKE = 0.8


@lru_cache(maxsize=1)
def specs_by_config() -> dict[str, ConfSpec]:
    """The configs that set a conf of the extension."""
    return {spec.model_config: spec for spec in conf_specs() if spec.model_config is not None}


@lru_cache(maxsize=1)
def config_names() -> tuple[str, ...]:
    """Every config of this adapter, besides those of dbt-spark."""
    return (*specs_by_config(), FILTER_ORDER, ANALYZE, SPARK_CONF)


def doubtful_names(names: Iterable[str], model: str) -> dict[str, str]:
    """A sentence for each name that looks like one of ours, but may well be a user's own.

    Raises DbtValidationError for one that can only be meant as ours: it begins with a prefix of
    ours, or has the same letters.
    """
    known = config_names()
    letters = {_letters(name) for name in known}
    doubtful = {}
    for name in names:
        if name in known:
            continue
        like = alike(name, known, _ALIKE)
        lower = name.lower()
        if _letters(name) in letters or lower.startswith(_ADAPTER) or (like and lower.startswith(_SHARED)):
            raise DbtValidationError(
                f"{name} is not a config of adaptive_spark ({model}). {nearest(name, known)}"
            )
        if like:
            doubtful[name] = (
                f"{name} is not a config of adaptive_spark ({model}). Did you mean {like}? "
                "If it is a config of your own, put it under meta."
            )
    return doubtful


def _letters(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")

"""Configs that are right, yet have no effect where they are said. Pure.

A model that says such a config itself expects an effect. What dbt_project.yml says of all
models is meant for others of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbt.adapters.adaptive_spark.conf.conf_entry import from_text
from dbt.adapters.adaptive_spark.model.config_names import (
    ANALYZE,
    FILTER_ORDER,
    config_names,
    specs_by_config,
)
from dbt.adapters.adaptive_spark.model.config_places import ConfigPlaces
from dbt.adapters.adaptive_spark.statistics.analyze_config import OFF

SWITCH = "adaptive_filter"
_DYNAMIC = "dynamic_filter"
_HOOKS = ("pre-hook", "post-hook", "pre_hook", "post_hook")
_HINT_ON = re.compile(r"\bADAPTIVE_FILTER\b", re.IGNORECASE)
_WITH_FILTERS = ("model", "snapshot", "test")
# names that a user may have given to a config of another purpose
_ANYBODYS = frozenset({ANALYZE, "errors", "policy"})
_FOR_SQL = "it is for models in SQL"
_FOR_TABLES = "it is for models and seeds"


def kind_of(node: Any) -> str:
    """The resource type of dbt's node; of models, those that are ephemeral or in Python by these names."""
    kind = str(node.resource_type)
    if kind != "model":
        return kind
    if node.config.get("materialized") == "ephemeral":
        return "ephemeral model"
    return "model in Python" if str(getattr(node, "language", "sql")) == "python" else kind


def idle_configs(
    configs: Mapping[str, Any], kind: str, places: ConfigPlaces, model: str, sql: str = ""
) -> dict[str, str]:
    """A sentence for the configs of a node that have no effect, by a subject of which one sentence in a run is enough.

    `sql` is the node's, compiled, as far as it is known.
    """
    said = [name for name in config_names() if _says(name, configs.get(name))]
    own = [name for name in said if places.depth(name, configs[name]) == places.own]
    idle: list[tuple[list[str], str]] = []
    if kind == "ephemeral model":
        idle.append((own, "its SQL runs in the models that refer to it, with their configs"))
    elif kind == "model in Python":
        idle.append(([name for name in own if name == FILTER_ORDER], _FOR_SQL))
    elif kind != "model":
        idle.append(([name for name in said if name == FILTER_ORDER], _FOR_SQL))
        if kind != "seed":
            idle.append(([name for name in said if name == ANALYZE], _FOR_TABLES))
        elif not any(configs.get(hook) for hook in _HOOKS):
            idle.append(
                ([name for name in said if name in specs_by_config()], "its rows pass no filter and no join")
            )
    found: dict[str, str] = {}
    for names, reason in idle:
        # what dbt_project.yml says of all seeds needs to be told of one
        of = model if any(name in own for name in names) else ""
        found |= _sentence(names, kind, model, reason, of)
    return found | _beside_off(configs, own, model, sql) if kind in _WITH_FILTERS else found


def idle_where_nothing_runs(configs: Iterable[str], kind: str, name: str) -> dict[str, str]:
    """A sentence for configs of ours on what dbt never runs, such as a source or an exposure; by its subject.

    Nothing is said where all of them may be configs of somebody else.
    """
    said = [each for each in config_names() if each in configs]
    if _ANYBODYS.issuperset(said):
        return {}
    return _sentence(said, kind, name, "Spark runs nothing for it", name)


def _says(name: str, value: Any) -> bool:
    return value is not None and not (name == ANALYZE and (value == OFF or from_text(value) is False))


def _sentence(names: Sequence[str], kind: str, model: str, reason: str, of: str) -> dict[str, str]:
    if not names:
        return {}
    has, them = ("has", "it") if len(names) == 1 else ("have", "them")
    article = "an" if kind[0] in "aeio" else "a"
    place = f"{article} {kind.replace('_', ' ')} ({model})"
    sentence = f"{_and(names)} {has} no effect on {place}: {reason}. Leave {them} out."
    return {f"{kind} {of}: {_and(names)}": sentence}


def _beside_off(configs: Mapping[str, Any], own: Iterable[str], model: str, sql: str) -> dict[str, str]:
    """A sentence for configs of adaptive filters that the node itself turns off, if no hint turns some on."""
    if from_text(configs.get(SWITCH)) is not False or SWITCH not in own or _HINT_ON.search(sql):
        return {}
    idle = [name for name in own if name in _of_filters()]
    if not idle:
        return {}
    return {
        f"{model}: {SWITCH}": f"{SWITCH}: false leaves {_and(idle)} nothing to do ({model}). Keep one or the other."
    }


def _of_filters() -> list[str]:
    return [name for name in (*specs_by_config(), FILTER_ORDER) if name not in (SWITCH, _DYNAMIC)]


def _and(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last

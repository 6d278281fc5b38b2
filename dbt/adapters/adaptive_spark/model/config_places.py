"""Where a node's configs are said. dbt hands on what came of them, not which level of the project said it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# where dbt_project.yml has the configs of a resource type
_TREES = {"model": "models", "seed": "seeds", "snapshot": "snapshots", "test": "data_tests"}


@dataclass(frozen=True)
class ConfigPlaces:
    """`levels` are those of dbt_project.yml that reach a node, the project's first, then each folder's; `call` is what
    `config()` says in the node's file.
    """

    levels: Sequence[Mapping[str, Any]] = ()
    call: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_node(cls, node: Any, project: Any) -> ConfigPlaces:
        """From dbt's node and its `RuntimeConfig`.

        A package's word on its own nodes is farther from them than the project's word on them.
        """
        levels = _levels(_tree(node, project), node.fqn)
        package = _package(node, project)
        if package is not None:
            levels = [*_levels(_tree(node, package), node.fqn), *levels]
        return cls(levels, getattr(node, "config_call_dict", None) or {})

    @property
    def own(self) -> int:
        """The depth of what the node itself says, in `config()` or in its properties."""
        return len(self.levels)

    def depth(self, name: str, value: Any, key: str | None = None) -> int:
        """How near to the node the `value` that came of a config is said; of a dictionary, that of one `key`.

        A value that no level has is the node's own.
        """
        if _at(self.call, name, key) is not None:
            return self.own
        for depth in reversed(range(len(self.levels))):
            level = self.levels[depth]
            said = _at(level, f"+{name}", key)
            said = _at(level, name, key) if said is None else said
            if said is not None:
                return depth if said == value else self.own
        return self.own


def _tree(node: Any, project: Any) -> Mapping[str, Any]:
    return getattr(project, _TREES.get(str(node.resource_type), ""), None) or {}


def _package(node: Any, project: Any) -> Any:
    """The project of the package that a node is of, None where that is the project itself."""
    name = getattr(node, "package_name", None)
    if name is None or name == getattr(project, "project_name", name):
        return None
    return (getattr(project, "dependencies", None) or {}).get(name)


def _levels(tree: Mapping[str, Any], fqn: Sequence[str]) -> list[Mapping[str, Any]]:
    found = [tree]
    for name in fqn:
        below = found[-1].get(name)
        if not isinstance(below, Mapping):
            break
        found.append(below)
    return found


def _at(configs: Mapping[str, Any], name: str, key: str | None) -> Any:
    said = configs.get(name)
    if key is None:
        return said
    return said.get(key) if isinstance(said, Mapping) else None

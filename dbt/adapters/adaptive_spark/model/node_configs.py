"""Checks of the configs of each node that dbt runs, and of what it never runs; one warning about
each config that has no effect.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import CompilationError, DbtValidationError

from dbt.adapters.adaptive_spark.model.config_places import ConfigPlaces
from dbt.adapters.adaptive_spark.model.idle_configs import idle_configs, idle_where_nothing_runs, kind_of
from dbt.adapters.adaptive_spark.model.model_config import ModelConfig
from dbt.adapters.adaptive_spark.model.node_name import model_name
from dbt.adapters.adaptive_spark.model.table_defaults import selected, set_default_format
from dbt.adapters.adaptive_spark.table.formats import DISPATCHED, format_fault, idle_key, is_overridden
from dbt.adapters.adaptive_spark.table.incremental import check_changes
from dbt.adapters.adaptive_spark.table.layout import TableLayout
from dbt.adapters.adaptive_spark.table.location import Place, by_place, files_of_two, place_of

_logger = AdapterLogger("AdaptiveSpark")

# the package of dbt's own macros
_DBT = "dbt"
# dbt-spark's macros that say where a table's files are
_PLACING = ("location_clause", "create_table_as", "create_csv_table")
_EPHEMERAL, _PYTHON = "ephemeral model", "model in Python"
_TABLES = ("table", "incremental", "seed", "snapshot")
# what a manifest has besides nodes, and a query never has
_NEVER_RUN = ("sources", "exposures", "metrics", "semantic_models", "saved_queries", "unit_tests", "macros")


class NodeConfigs:
    """Checks for one adapter, from any thread.

    `project` is dbt's `RuntimeConfig`, `manifest` answers with the project's, or None. `format_of` a catalog is the
    one that all of its tables have, if it has one.
    """

    def __init__(
        self,
        project: Any,
        manifest: Callable[[], Any],
        format_of: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self._project = project
        self._manifest = manifest
        self._format_of = cache(format_of)
        self._lock = threading.Lock()
        self._seen: Any = None
        self._placed: tuple[Any, Mapping[Place, Sequence[Any]]] = (None, {})
        self._said: set[str] = set()

    def checked(self, node: Any) -> ModelConfig:
        """The configs of a node that is about to run.

        Raises DbtValidationError or CompilationError for a wrong one, also of an ephemeral model whose SQL is a part of
        the node's.
        """
        set_default_format([node], self._format, self._format_of)
        manifest = self._manifest()
        self._warn_of_what_never_runs(manifest)
        for ephemeral in _ephemerals(node, manifest):
            self._of(ephemeral)
        return self._of(node)

    def check_tables(self, nodes: Sequence[Any]) -> None:
        """Warns of nodes whose tables cannot be what they say, before the first of them runs: of those only that dbt's
        command is about.
        """
        set_default_format(nodes, self._format, self._format_of)
        for node in selected(nodes):
            if node.config.get("materialized") not in _TABLES:
                continue
            configs, name = node.config.to_dict(), model_name(node)
            try:
                self._check_table(node, configs, name)
            except (CompilationError, DbtValidationError) as fault:
                self._warn({f"{name}: table": str(fault.msg)})
            self._warn_of_key(node, configs, name)

    def _check_table(self, node: Any, configs: Mapping[str, Any], name: str) -> None:
        """Raises CompilationError, as dbt-spark does, for a format that cannot do what the node asks of it, and
        DbtValidationError for a wrong layout.
        """
        if self.has_own(node):
            return  # which may have strategies and formats of its own
        fault = format_fault(configs, kind_of(node), name, self.has_macro(node))
        if fault is not None:
            raise CompilationError(fault)
        self._check_place(node, name)
        TableLayout.of(configs, name)
        check_changes(configs, name)

    def _check_place(self, node: Any, name: str) -> None:
        """Raises CompilationError for another table in the place of this one: each run of either would replace the
        rows of both.
        """
        place = place_of(node)
        for other in () if place is None else self._nodes_by_place().get(place, ()):
            if other.unique_id != node.unique_id and self._is_placed(node) and self._is_placed(other):
                raise CompilationError(files_of_two(model_name(other), node.alias, name))

    def _nodes_by_place(self) -> Mapping[Place, Sequence[Any]]:
        manifest = self._manifest()
        of, found = self._placed
        if of is not manifest:
            found = by_place(getattr(manifest, "nodes", {}).values())
            self._placed = (manifest, found)
        return found

    def _is_placed(self, node: Any) -> bool:
        """True of a node whose table is where its config says: the project's own macros may put it elsewhere, and a
        model in Python leaves it to the catalog.
        """
        if node.config.get("materialized") not in _TABLES or kind_of(node) == _PYTHON or self.has_own(node):
            return False
        has = self.has_macro(node)
        return not any(is_overridden(each, has) for each in _PLACING)

    def has_macro(self, node: Any) -> Callable[[str], bool]:
        """A test of names: true of the macros of the project and of the package that the node is in, and of those that
        dispatch finds in packages of its `search_order`. Macros of other packages dbt finds by the package's name only.
        """
        packages = {getattr(self._project, "project_name", None), getattr(node, "package_name", None)}
        search = getattr(self._project, "get_macro_search_order", lambda _: None)(_DBT) or ()
        searched = {*packages, *search} - {_DBT}
        macros = getattr(self._manifest(), "macros", {}).values()

        def has(name: str) -> bool:
            places = searched if name.startswith(DISPATCHED) else packages
            return any(each.name == name and each.package_name in places for each in macros)

        return has

    def has_own(self, node: Any) -> bool:
        """True of a node whose materialization is the project's."""
        language = getattr(node, "language", None) or "sql"
        return bool(self.own_materialization(node.config.get("materialized"), language))

    def own_materialization(
        self, name: Any, language: str, adapters: Sequence[str] = ("adaptive_spark", "spark")
    ) -> str:
        """The macro of a materialization that the project itself has for one of the adapters; empty where it has none
        for the language. dbt uses no package's in place of an adapter's.
        """
        macros = getattr(self._manifest(), "macros", {})
        root = getattr(self._project, "project_name", None)
        for adapter in adapters:
            macro = f"materialization_{name}_{adapter}"
            found = macros.get(f"macro.{root}.{macro}")
            if found is not None:
                return macro if language in map(str, found.supported_languages or ("sql",)) else ""
        return ""

    def _warn_of_key(self, node: Any, configs: Mapping[str, Any], name: str) -> None:
        sentence = None if self.has_own(node) else idle_key(configs, kind_of(node), name)
        self._warn({} if sentence is None else {f"{name}: unique_key": sentence})

    @property
    def _format(self) -> str | None:
        """The profile's `file_format`."""
        return getattr(getattr(self._project, "credentials", None), "file_format", None)

    def _of(self, node: Any) -> ModelConfig:
        configs, name = node.config.to_dict(), model_name(node)
        places = ConfigPlaces.of_node(node, self._project)
        checked = ModelConfig.of(configs, name, places)
        if configs.get("materialized") in _TABLES:
            self._check_table(node, configs, name)
            self._warn_of_key(node, configs, name)
        self._warn(checked.doubtful)
        sql = getattr(node, "compiled_code", None) or ""
        self._warn(idle_configs(configs, kind_of(node), places, name, sql))
        return checked

    def _warn_of_what_never_runs(self, manifest: Any) -> None:
        with self._lock:
            if manifest is None or manifest is self._seen:
                return
            self._seen = manifest
        root = getattr(self._project, "project_name", None)
        for each in _never_run(manifest):
            # nobody can change what a package says
            if root not in (None, getattr(each, "package_name", root)):
                continue
            said = getattr(getattr(each, "config", None), "_extra", {})
            if said:
                self._warn(idle_where_nothing_runs(said, str(each.resource_type), model_name(each)))

    def _warn(self, sentences: Mapping[str, str]) -> None:
        for subject, sentence in sentences.items():
            with self._lock:
                is_new = subject not in self._said
                self._said.add(subject)
            if is_new:
                _logger.warning(sentence)


def _never_run(manifest: Any) -> Iterator[Any]:
    for kind in _NEVER_RUN:
        yield from getattr(manifest, kind, {}).values()
    yield from (
        node for node in getattr(manifest, "nodes", {}).values() if str(node.resource_type) == "analysis"
    )


def _ephemerals(node: Any, manifest: Any) -> Iterator[Any]:
    """The ephemeral models that a node refers to, and those that these refer to, each once."""
    waiting, seen = [node], set()
    while waiting and manifest is not None:
        for parent in getattr(getattr(waiting.pop(), "depends_on", None), "nodes", ()):
            found = getattr(manifest, "nodes", {}).get(parent)
            if parent not in seen and found is not None and kind_of(found) == _EPHEMERAL:
                seen.add(parent)
                waiting.append(found)
                yield found

"""The part of the adapter that makes room for a node's table: it asks what is there, and refuses what would be lost."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast

from dbt.adapters.base.meta import available
from dbt.adapters.spark.relation import SparkRelation
from dbt_common.exceptions import CompilationError

from dbt.adapters.adaptive_spark.catalog.catalog_adapter import CatalogAdapter
from dbt.adapters.adaptive_spark.catalog.catalog_tables import described
from dbt.adapters.adaptive_spark.catalog.clone_view import from_create, is_clone
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.model.node_name import model_name
from dbt.adapters.adaptive_spark.model.table_defaults import anew, changed
from dbt.adapters.adaptive_spark.model.table_macros import renders_nothing
from dbt.adapters.adaptive_spark.table.formats import files_left, is_unknown, not_described
from dbt.adapters.adaptive_spark.table.incremental import names_table
from dbt.adapters.adaptive_spark.table.layout import FORMAT, ICEBERG
from dbt.adapters.adaptive_spark.table.location import (
    OVERWRITES_FILES,
    ROOT,
    files_in_place,
    files_of_seed,
    lies_in_place,
    seed_is_blocked,
)

# dbt refuses to write those to a view
_NO_VIEWS = ("seed", "snapshot")


class ReplacedTables(CatalogAdapter):
    """The part of the adapter that knows what stands in a table's place."""

    def has_default_catalog(self) -> bool:
        """True if something else than Spark answers for the tables of the session catalog."""
        raise NotImplementedError

    def is_icebergs_session(self) -> bool:
        """True if the session catalog is Iceberg's."""
        raise NotImplementedError

    def conf(self, key: str) -> str | None:
        """The value that somebody has set a conf of the session to; None where nobody has."""
        raise NotImplementedError

    def replace_clone(self, node: Any) -> None:
        """Lets a seed or a snapshot take the place of its clone, which is a view where tables cannot be cloned.

        To clone one runs it, too.
        """
        if str(node.resource_type) not in _NO_VIEWS or self._is_clone:
            return
        existing = self._existing(node)
        if existing is not None and existing.is_view and is_clone(self._view_text(existing), node.alias):
            self.drop_relation(existing)  # type: ignore[no-untyped-call]  # dbt's own

    def check_place(self, node: Any) -> None:
        """A table in another format is not dropped for one that could not be made in its place; where dbt-spark drops
        it. The adapter's own macros ask before they do.
        """
        if node.config.get("materialized") == "table":
            existing = self._existing(node)
            self.check_dropped(existing, node)
            if is_unknown(existing, node.config):
                raise CompilationError(not_described(str(existing), model_name(node)))

    def table_confs(self, node: Any, said: Sequence[ConfEntry]) -> list[ConfEntry]:
        """A node's confs, `said` among them, with those by which its table is written."""
        if str(node.resource_type) == "seed":
            return anew(node.config, said, overwrites_files=True)
        if not self._makes_table(node):
            return changed(node.config, said)
        return anew(node.config, said, bool(node.config.get(ROOT)) and self._overwrites(said))

    def _makes_table(self, node: Any) -> bool:
        """True where the node's table is made anew, and not changed. A batch may be one of several of its table."""
        if getattr(node, "batch", None) is not None:
            return False
        if self._is_refreshed(node):
            return True
        if node.config.get("materialized") != "incremental":
            return False
        existing = self._existing(node)
        return existing is None or existing.is_view

    def _is_refreshed(self, node: Any) -> bool:
        """True of a table that is dropped where it is there."""
        if node.config.get("materialized") != "incremental":
            return bool(node.config.get("materialized") == "table")
        said = node.config.get("full_refresh")
        return bool(getattr(self.config.args, "full_refresh", False) if said is None else said)

    def check_location(self, node: Any, entries: Sequence[ConfEntry]) -> None:
        """Raises CompilationError where the files of the table that a node drops would be in the way of its next one;
        `entries` are the node's confs.
        """
        configs, is_seed = node.config.to_dict(), str(node.resource_type) == "seed"
        if not configs.get(ROOT) or not (is_seed or self._is_refreshed(node)) or self._is_clone:
            return
        existing = self._existing(node)
        if existing is None or not existing.is_table:
            return
        # a table of an earlier batch, and of this run, has none
        information = existing.information or ""
        if is_seed:
            if not existing.is_delta and seed_is_blocked(configs, node.alias, information):
                raise CompilationError(files_of_seed(str(existing), model_name(node)))
            return
        if not lies_in_place(configs, node.alias, information):
            return
        # the batches of a table overwrite its partitions: the first one would find old ones again
        is_batch = getattr(node, "batch", None) is not None
        if is_batch or not self._overwrites(entries):
            raise CompilationError(files_in_place(configs, str(existing), model_name(node), not is_batch))

    @property
    def _is_clone(self) -> bool:
        return getattr(self.config.args, "which", None) == "clone"

    def _overwrites(self, entries: Sequence[ConfEntry]) -> bool:
        """True where Spark is told to write a table over files."""
        said = [entry.value for entry in entries if entry.key == OVERWRITES_FILES]
        return (said[-1] if said else self.conf(OVERWRITES_FILES) or "").lower() == "true"

    @available.parse(renders_nothing)
    def check_dropped(self, existing: SparkRelation | None, node: Any) -> None:
        """Raises CompilationError where the table that a node replaces would leave files in its way.

        Catalogs besides the session's have one format, which no model need name.
        """
        if existing is None or existing.database or not (existing.is_table and existing.is_iceberg):
            return
        fault = files_left(node.config.get(FORMAT), str(existing), model_name(node))
        if fault is not None and not self.has_default_catalog():
            raise CompilationError(fault)

    @available.parse(renders_nothing)
    def check_view(self, table: SparkRelation, sql: str, node: Any) -> None:
        """Raises CompilationError for a view of the table that it would take the place of."""
        if names_table(sql, str(table)):
            raise CompilationError(
                f"{table} is a table, and the model is a view that reads it, for which it would be dropped "
                f"({model_name(node)}). Let the model read another table, or be a table itself."
            )

    @available.parse(renders_nothing)
    def leaves_files(self, relation: SparkRelation) -> bool:
        """True of a table that is not Iceberg's, in Iceberg's session catalog: to drop it there takes away its name and
        leaves its files, in which no table can be made again. PURGE takes both away.
        """
        if not relation.is_table or relation.database or not self.is_icebergs_session():
            return False
        if relation.information:
            return not relation.is_iceberg
        # made in this run, or named by a macro: no list has it
        found = described(self.logged_rows, relation)
        return bool(found.information) and not found.formats[f"is_{ICEBERG}"]

    def _existing(self, node: Any) -> SparkRelation | None:
        return cast(SparkRelation | None, self.get_relation(node.database, node.schema, node.alias))

    def _view_text(self, view: SparkRelation) -> str | None:
        if not view.database:
            return view.information
        with suppress(RuntimeError):  # dbt then refuses the view with a sentence of its own
            return from_create(str(self.own_rows(f"show create table {view}")[0][0]))
        return None

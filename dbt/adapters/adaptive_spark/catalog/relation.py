"""A relation whose `database` is a Spark catalog: `catalog.schema.table`, and `schema.table` in the session catalog."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dbt.adapters.contracts.relation import ComponentName, Policy
from dbt.adapters.spark.relation import SparkQuotePolicy, SparkRelation
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.conf.catalog_name import catalog_of
from dbt.adapters.adaptive_spark.conf.quoting import identifier as in_backquotes
from dbt.adapters.adaptive_spark.conf.quoting import path_text


@dataclass
class CatalogIncludePolicy(Policy):
    """All parts of a name that it has."""

    database: bool = True
    schema: bool = True
    identifier: bool = True


@dataclass(frozen=True, eq=False, repr=False)
class AdaptiveSparkRelation(SparkRelation):
    """dbt-spark's relation, which may be in a catalog other than the session's.

    `database` is None in the session catalog, whichever way it was named, so that a table has one key in dbt's cache.
    """

    quote_policy: Policy = field(default_factory=lambda: SparkQuotePolicy())
    include_policy: Policy = field(default_factory=lambda: CatalogIncludePolicy())

    def __post_init__(self) -> None:
        try:
            catalog = catalog_of(self.path.database, self.path.schema)
        except ValueError as fault:
            raise DbtRuntimeError(f"{fault}.") from None
        if catalog != self.path.database:
            object.__setattr__(self, "path", self.path.replace(database=catalog))

    def render(self) -> str:
        try:
            return ".".join(part for _, part in self._render_iterator() if part is not None)
        except ValueError as fault:
            parts = ", ".join(f"{key}: {self.path.get_part(key)}" for key in ComponentName)
            raise DbtRuntimeError(f"{parts} cannot be written as a name: {fault}. Rename it.") from None

    def _render_iterator(self) -> Iterator[tuple[ComponentName | None, str | None]]:
        """Backquotes where the project's quoting asks for them and, in another catalog, where a name needs them.

        In the session catalog a name stays as the project writes it, as in dbt-spark.
        """
        for key, part in super()._render_iterator():
            if part is None or key is None or self.database is None or self.quote_policy.get_part(key):
                yield key, part
            else:
                yield key, path_text(part)

    def quoted(self, identifier: Any) -> str:
        return in_backquotes(str(identifier))

"""dbt-spark's adapter where sources without `loaded_at_field` say when they last changed: by their files, or by their
commits in other catalogs than the session's.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime, timezone
from typing import Any

from dbt.adapters.base.impl import FreshnessResponse
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.capability import Capability, CapabilityDict, CapabilitySupport, Support
from dbt.adapters.contracts.connection import AdapterResponse, ConnectionState
from dbt.adapters.contracts.macros import MacroResolverProtocol
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.catalog.catalog_adapter import CatalogAdapter
from dbt.adapters.adaptive_spark.catalog.catalog_faults import first_line
from dbt.adapters.adaptive_spark.catalog.source_freshness import (
    freshness,
    history_sql,
    last_modified_sql,
    missing,
)

_logger = AdapterLogger("AdaptiveSpark")


class FreshnessAdapter(CatalogAdapter):
    """The part of the adapter that `dbt source freshness` asks."""

    _capabilities = CapabilityDict(
        {
            Capability.TableLastModifiedMetadata: CapabilitySupport(support=Support.Full),
            Capability.TableLastModifiedMetadataBatch: CapabilitySupport(support=Support.Full),
        }
    )

    def calculate_freshness_from_metadata_batch(
        self, sources: list[BaseRelation], macro_resolver: MacroResolverProtocol | None = None
    ) -> tuple[list[AdapterResponse | None], dict[BaseRelation, FreshnessResponse]]:
        """By the sources' files, in one query; without those that have none."""
        if not sources:
            return [], {}
        known = freshness(self._last_modified(sources), datetime.now(timezone.utc))
        return [], {source: known[place] for place, source in enumerate(sources) if place in known}

    def _last_modified(self, sources: Sequence[BaseRelation]) -> Sequence[Sequence[Any]]:
        elsewhere = {
            at: each for at, each in enumerate(sources) if getattr(each, "database", None) is not None
        }
        here = [at for at in range(len(sources)) if at not in elsewhere]
        names = [(str(sources[at].schema), str(sources[at].identifier)) for at in here]
        connection = self.connections.get_if_exists()
        is_usable = connection is not None and connection.state != ConnectionState.CLOSED
        with nullcontext() if is_usable else self.connection_named("freshness"):
            rows = self.own_rows(last_modified_sql(names)) if names else ()
            changed = [(at, *self._last_change(source)) for at, source in elsewhere.items()]
        return [*((here[row[0]], *row[1:]) for row in rows), *changed]

    def calculate_freshness_from_metadata(
        self, source: BaseRelation, macro_resolver: MacroResolverProtocol | None = None
    ) -> tuple[AdapterResponse | None, FreshnessResponse]:
        """Raises DbtRuntimeError for a source that does not exist, and for one whose last change nobody knows."""
        rows = self._last_modified([source])
        if missing(rows):
            raise DbtRuntimeError(
                f"{source} does not exist. Create it, or correct the source's schema and identifier."
            )
        known = freshness(rows, datetime.now(timezone.utc))
        if not known:
            raise DbtRuntimeError(
                f"{source} has no files whose times tell when it last changed. Give the source a loaded_at_field."
            )
        return None, known[0]

    def _last_change(self, source: BaseRelation) -> tuple[int | None, bool | None]:
        """Milliseconds since 1970 of a source's last commit, None where its catalog does not tell, and if it exists."""
        try:
            return self.logged_rows(history_sql(str(source)))[0][0], True
        except DbtRuntimeError as error:
            _logger.debug(f"{source} tells of no commits: {first_line(error)}")
        found = self.get_relation(source.database, str(source.schema), str(source.identifier))
        return None, found is not None

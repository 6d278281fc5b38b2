"""Keeps what filters learned in a file beside dbt's artifacts, where runs that end at the same time add up."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from dbt.adapters.events.logging import AdapterLogger

from dbt.adapters.adaptive_spark.learned.evidence import (
    FILE_NAME,
    Learned,
    Nodes,
    as_text,
    evidence,
    from_text,
    grown_older,
    kept_by_joins,
    merged,
    prior,
)
from dbt.adapters.adaptive_spark.learned.order_history import as_time, orders
from dbt.adapters.adaptive_spark.learned.path_lock import locked

_SAVE_EVERY_S = 10.0
_WAIT_FOR_LOCK_S = 10.0

_logger = AdapterLogger("AdaptiveSpark")


class FilterMemory:
    """The memory of one run: what earlier ones knew when it began, and what its own nodes have learned since.

    dbt tells an adapter that a run ends by closing its connections. That also happens when a run fails or is
    interrupted, but not when it is killed, which passes over `atexit` too. Writing after each node would parse and
    write the whole file as often as there are nodes. So a node's end writes what has been learned if the last time is
    ten seconds ago, on that node's thread, and the closing of the connections writes the rest: a killed run loses the
    last ten seconds, and a run of any number of nodes and threads writes six times a minute.

    Nothing here raises: a run is never worse for its memory. `path` is None where dbt has no project, as in `dbt
    debug`. `began` is when the run did, by which its orders are known later.
    """

    def __init__(self, path: Path | None, began: datetime | None = None) -> None:
        self._path = path
        self._began = as_time(began or datetime.now(timezone.utc))
        self._lock = threading.Lock()
        self._saving = threading.Lock()
        self._known: Nodes | None = None
        self._pending: dict[str, Learned] = {}
        self._halved: set[str] = set()
        self._counted: set[tuple[str, str]] = set()
        self._is_first = True
        self._saved_at = time.monotonic()
        self._warned: set[str] = set()

    def known(self) -> Nodes:
        """The memory of each node, as it was when the run began."""
        with self._lock:
            if self._known is None:
                self._known = self._read()
            return self._known

    def prior(self, unique_id: str) -> str | None:
        """A node's evidence from before the run, as Spark takes it; None where there is none or it cannot be told."""
        node = self.known().get(unique_id)
        try:
            return None if node is None else prior(node)
        except Exception as error:  # noqa: BLE001  # the node runs all the same
            self._warn_once(
                "tell", f"What filters learned in earlier runs is not used for {unique_id}: {error}."
            )
            return None

    def learn(
        self,
        unique_id: str,
        filters: Sequence[Mapping[str, Any]],
        dynamic: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Adds what the filters of one of the node's statements learned, and its joins', as its response has them."""
        if not filters and not dynamic:
            return
        try:
            fresh = Learned(evidence(filters), kept_by_joins(dynamic), orders(filters, self._began))
        except Exception as error:  # noqa: BLE001  # whichever number is wrong, the statement has succeeded
            self._warn_once(
                "learn",
                f"What the filters of {unique_id} learned is not kept for the next run, since what Spark measured is "
                f"unusable: {str(error) or type(error).__name__}.",
            )
            return
        self._add({unique_id: fresh})

    def save_when_due(self) -> None:
        """Saves if that was not done lately."""
        with self._lock:
            now = time.monotonic()
            if now - self._saved_at < _SAVE_EVERY_S:
                return
            self._saved_at = now  # before the writing, lest every thread did it
        self.save()

    def save(self) -> None:
        """Merges what is new into the file. What cannot be written stays for the next time."""
        with self._saving:
            with self._lock:
                pending, self._pending = self._pending, {}
            if self._path is None or not pending:
                return
            try:
                self._merge(self._path, pending)
            except Exception as error:  # noqa: BLE001  # mostly OSError; a run is never worse for its memory
                self._add(pending)
                self._warn_once(
                    "write",
                    f"What the filters learned is not kept for the next run, since {self._path} cannot be written: "
                    f"{error}. Give dbt a target-path that it can write to.",
                )

    def _merge(self, path: Path, pending: Mapping[str, Learned]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path.with_name(f"{path.name}.lock"), _WAIT_FOR_LOCK_S):
            # a file that cannot be read now is not replaced: what it has may be read again
            known = self._contents()
            nodes = merged(
                grown_older(known) if self._is_first else known, pending, self._halved, self._counted
            )
            temporary = path.with_name(f"{path.name}.tmp")
            temporary.write_text(as_text(nodes), encoding="ascii")
            temporary.replace(path)
        self._is_first = False
        self._halved.update(unique_id for unique_id, fresh in pending.items() if fresh.predicates)
        self._counted.update(
            (unique_id, signature) for unique_id, fresh in pending.items() for signature in fresh.kept
        )

    def _add(self, learned: Mapping[str, Learned]) -> None:
        with self._lock:
            for unique_id, fresh in learned.items():
                self._pending[unique_id] = self._pending.get(unique_id, Learned()) + fresh

    def _read(self) -> Nodes:
        try:
            return self._contents()
        except OSError as error:
            self._warn_once(
                "read",
                f"What filters learned in earlier runs is not used: {self._path} cannot be read: {error}. "
                "Let dbt's user read and write it, or give dbt a target-path of its own.",
            )
        return {}

    def _contents(self) -> Nodes:
        """The file's nodes; none where it is not what this release writes. Raises OSError where it cannot be read."""
        if self._path is None:
            return {}
        try:
            return from_text(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except ValueError as error:
            self._warn_once(
                "read",
                f"What filters learned in earlier runs is not used: {self._path} {error}. "
                "This run replaces it by what it learns itself; delete it if the warning comes again.",
            )
        return {}

    def _warn_once(self, about: str, sentence: str) -> None:
        if about not in self._warned:
            self._warned.add(about)
            _logger.warning(sentence)


def memory_path(config: object) -> Path | None:
    """Where the memory of dbt's configuration is: in the target path, or nowhere where it is only a profile's."""
    target = getattr(config, "project_target_path", None)
    return None if target is None else Path(target) / FILE_NAME

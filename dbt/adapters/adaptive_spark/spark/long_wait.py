"""Says that something takes long, to whoever waits for it, and nothing where it is done in a moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass

_MOMENT_S = 1.5


@dataclass(frozen=True)
class Wait:
    """A wait that goes on, or is over."""

    began: float
    was_told: threading.Event

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


@contextmanager
def long_wait(sentence: str, say: Callable[[str], None]) -> Iterator[Wait]:
    """Around a wait: says `sentence` once it has lasted longer than a moment, from a thread of its own, in the caller's
    context, which dbt's logger needs.
    """
    wait = Wait(time.monotonic(), threading.Event())

    def tell() -> None:
        say(sentence)
        wait.was_told.set()

    timer = threading.Timer(_MOMENT_S, copy_context().run, (tell,))
    timer.daemon = True
    timer.start()
    try:
        yield wait
    finally:
        timer.cancel()

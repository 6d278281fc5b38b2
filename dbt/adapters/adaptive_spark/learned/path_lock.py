"""A lock among processes and threads, by a file that is there only as long as somebody holds it."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_LOOK_AGAIN_S = 0.02


@contextmanager
def locked(path: Path, timeout_s: float) -> Generator[None, None, None]:
    """Holds `path`.

    Raises TimeoutError where another holds it for longer than that, and OSError where it cannot be made.

    The file is removed before it is let go. Who has waited for it then holds a file to which
    no path leads, and starts over.
    """
    descriptor = _acquire(path, timeout_s)
    try:
        yield
    finally:
        if _is_at(path, descriptor):
            path.unlink()
        os.close(descriptor)


def _acquire(path: Path, timeout_s: float) -> int:
    until = time.monotonic() + timeout_s
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, descriptor):
                return descriptor
        except BlockingIOError:
            if time.monotonic() >= until:
                os.close(descriptor)
                raise TimeoutError(
                    f"{path} is held by another run for more than {timeout_s:g} seconds"
                ) from None
            time.sleep(_LOOK_AGAIN_S)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False

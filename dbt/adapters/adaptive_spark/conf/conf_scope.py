"""Sets a node's confs on its connection and puts back exactly what was there, however the node ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError, DbtValidationError

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry, is_secret, shown

_FIXED = ("CANNOT_MODIFY_STATIC_CONFIG", "CANNOT_MODIFY_CONFIG", "Cannot modify the value of")

# what a server shows in place of a secret
_REDACTED = "*********(redacted)"
# read when Spark starts only; some of them SET takes without a word
_OF_START = re.compile(r"spark\.(?:master|app\.name|(?:driver|executor|hadoop|kubernetes|submit|yarn)\..+)")


class FixedAtStart(Exception):
    """A conf that Spark reads only when it starts, so that setting it would do nothing."""


class SecretExposed(Exception):
    """A secret that a connection does not set, because others could read it; the text is a remedy."""


class SparkEndedError(DbtDatabaseError):
    """Spark is gone, and with it every session: nothing is left to be asked, put back or closed."""


class Confs(Protocol):
    """The confs of one connection's session. A key that is not set has the value None."""

    @property
    def place_of_fixed(self) -> str:
        """Where a conf that is fixed once Spark runs is to be put, as `under x`."""

    def set(self, entry: ConfEntry) -> None:
        """Raises SecretExposed for a secret that others could read, and the driver's own error where Spark refuses."""

    def explicit(self, keys: Iterable[str]) -> Mapping[str, str | None]: ...

    def unset(self, key: str) -> None: ...


class ConfScope:
    """Confs that hold from `enter` to `leave`. Keys in `also` are set by others meanwhile, and put back too."""

    def __init__(self, confs: Confs, entries: Sequence[ConfEntry], also: Iterable[str] = ()) -> None:
        self._confs = confs
        self._entries = entries
        self._keys = tuple(dict.fromkeys([*also, *(entry.key for entry in entries)]))
        self._earlier: dict[str, str | None] = {}

    def enter(self, model: str) -> None:
        """Sets every entry. Where Spark refuses one, nothing stays set and DbtValidationError says which and why."""
        earlier = dict(self._confs.explicit(self._keys))
        hidden = [key for key, value in earlier.items() if value == _REDACTED]
        if hidden:
            raise DbtRuntimeError(
                f"{', '.join(hidden)} has a value that the server hides, so it could not be put back after the model. "
                "Set it on the server only."
            )
        self._earlier = earlier
        for entry in self._entries:
            try:
                refuse_of_start(entry.key)
                self._confs.set(entry)
            except SparkEndedError:
                raise
            except Exception as error:  # noqa: BLE001  # each driver has its own, and all mean the same here
                self.leave()
                # a secret's value may be in Spark's own message, so that one does not go on as the cause
                sentence = refusal(entry, model, error, self._confs.place_of_fixed)
                raise sentence from (None if is_secret(entry.key, entry.value) else error)

    def leave(self) -> list[str]:
        """Puts back what each key had before `enter`. Returns the keys that could not be, as of a lost connection;
        none where Spark has ended and took the session with it."""
        earlier, self._earlier = self._earlier, {}
        return put_back(self._confs, earlier)


def put_back(confs: Confs, earlier: Mapping[str, str | None]) -> list[str]:
    """Gives keys the values that they had, None where they were not set. Returns the keys that could not be; none where
    Spark has ended and took the session with it.
    """
    lost = []
    for key, value in earlier.items():
        try:
            if value is None:
                confs.unset(key)
            else:
                confs.set(ConfEntry(key, value))
        except SparkEndedError:
            break
        except Exception:  # noqa: BLE001  # the rest must be put back whatever this one says
            lost.append(key)
    return lost


@contextmanager
def confs_in_force(confs: Confs, entries: Sequence[ConfEntry], model: str) -> Iterator[None]:
    """The connection with `entries`, for a while. Raises DbtValidationError where Spark refuses one."""
    scope = ConfScope(confs, entries)
    scope.enter(model)
    try:
        yield
    finally:
        scope.leave()


def is_of_start(key: str) -> bool:
    """True of a conf that Spark reads only when it starts."""
    return _OF_START.fullmatch(key) is not None


def refuse_of_start(key: str) -> None:
    """Raises FixedAtStart for a conf that Spark reads only when it starts."""
    if is_of_start(key):
        raise FixedAtStart(key)


def is_fixed(error: Exception) -> bool:
    """True if a conf was refused because it is fixed once Spark runs."""
    return isinstance(error, FixedAtStart) or any(mark in str(error) for mark in _FIXED)


def refusal(entry: ConfEntry, model: str, error: Exception, place_of_fixed: str) -> DbtValidationError:
    """The sentence for a conf that is not accepted for one model."""
    reason = str(error).strip()
    if isinstance(error, SecretExposed):
        what = "looks like a secret" if is_secret(entry.key, "") else "holds a secret in its value"
        return DbtValidationError(f"spark_conf: {entry.key} {what} ({model}). {reason}")
    if is_fixed(error):
        return DbtValidationError(
            f"spark_conf: {entry.key} is fixed once Spark runs and cannot be set for one model ({model}). "
            f"Put it {place_of_fixed}."
        )
    what = f"spark_conf: {entry.key}: {shown(entry.key, entry.value)} is refused by Spark ({model})"
    return DbtValidationError(f"{what}." if is_secret(entry.key, entry.value) else f"{what}: {reason}")

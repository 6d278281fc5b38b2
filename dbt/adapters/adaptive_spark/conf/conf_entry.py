"""One Spark conf as a user writes it: a key that is one, a value as Spark's text, and what of it may be shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_-]+)+")
_SECRET = re.compile(r"token|password|passwd|secret|credential|key", re.IGNORECASE)
# narrower: a secret stands at the end of its key, or in a word of its own before an account's name
_HOLDS_SECRET = re.compile(
    r"(?:^|\.)(?:key|secret|password)\.|(?:key|keyid|[^.]*(?:token|password|passwd|secret|credential)[^.]*)$",
    re.IGNORECASE,
)
_HIDDEN = "(hidden)"
SECRET_REMEDY = (
    "It would reach the server as the text of a statement, which the server's UI and logs show. "
    "Set it where the server is started."
)


@dataclass(frozen=True)
class ConfEntry:
    """A key and its value as Spark's text; its repr never shows a secret."""

    key: str
    value: str

    def __repr__(self) -> str:
        return f"{self.key}={shown(self.key, self.value)}"


def is_key(key: object) -> bool:
    """Whether `key` is a conf key: dotted words of letters, digits, `_` and `-`, so that no SQL hides in it."""
    return isinstance(key, str) and _KEY.fullmatch(key) is not None


def is_secret(key: str) -> bool:
    """Whether the key looks like a secret's, whose value belongs in no log and no message."""
    return _SECRET.search(key) is not None


def holds_secret(key: str) -> bool:
    """Whether a value of this key is refused where it would be readable. Narrower than `is_secret`, since
    `spark.sql.mapKeyDedupPolicy` and others like it have to pass."""
    return _HOLDS_SECRET.search(key) is not None


def shown(key: str, value: object) -> str:
    """`value` as a log or a message may show it."""
    return _HIDDEN if is_secret(key) else str(value)


def as_text(value: Any) -> str:
    """A boolean, number or text as Spark reads it. Raises TypeError for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, str)):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not text, a number or a boolean")

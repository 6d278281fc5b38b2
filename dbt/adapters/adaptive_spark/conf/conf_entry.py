"""One Spark conf as a user writes it: a key that is one, a value as Spark's text, and what of it may be shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_/-]+)+")
_SECRET = re.compile(
    r"token|password|passwd|passphrase|pwd|secret|credential|authorization|key|(?:^|\.)(?:pass|sas|auth)(?:\.|$)",
    re.IGNORECASE,
)
# narrower: a secret stands at the end of its key, or in a word of its own before an account's name
_HOLDS_SECRET = re.compile(
    r"(?:^|\.)(?:key|secret|password|sas)\.|(?:^|\.)(?:pass|auth)$"
    r"|(?:key|keyid|[^.]*(?:token|password|passwd|passphrase|pwd|secret|credential|authorization)[^.]*)$",
    re.IGNORECASE,
)
# a secret within a value: named before it, between a user and a host, or in a form that only tokens have
_SECRET_VALUE = re.compile(
    r"(?:password|passwd|\bpass|pwd|passphrase|secret|token|credential|(?:api|access|account)[_.-]?key|\bsig)s?[\"']?\s*[=:]\s*[\"']?[^\s\"'&;,)}]"
    r"|://[^\s/@:]*:[^\s/@]+@"  # scheme://user:password@host
    r"|jdbc:oracle:\w+:[^\s/@]+/[^\s@]+@"  # jdbc:oracle:thin:user/password@host
    r"|\b(?:bearer|basic)\s+[\w.~+/=-]{8}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\beyJ[\w-]+\.eyJ|\bgh[opsu]_\w{20}|\bdapi[0-9a-f]{32}|-----BEGIN [A-Z ]*PRIVATE KEY",
    re.IGNORECASE,
)
_REDACTION = re.compile(r"(?:^|\.)redaction\.", re.IGNORECASE)
_HIDDEN = "(hidden)"
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")
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
    """True if `key` is a conf key: dotted words of letters, digits, `_`, `-` and `/`, so that no SQL hides in it."""
    return isinstance(key, str) and _KEY.fullmatch(key) is not None


def is_secret(key: str, value: object) -> bool:
    """True if the value belongs in no log and no message.

    The key looks like a secret's, or a secret is a part of the value, as in a JDBC URL. A pattern of what Spark is to
    hide is none.
    """
    return _REDACTION.search(key) is None and (
        _SECRET.search(key) is not None or _SECRET_VALUE.search(str(value)) is not None
    )


def holds_secret(key: str, value: object) -> bool:
    """True if the value is refused where others could read it.

    Narrower than `is_secret`: `spark.sql.mapKeyDedupPolicy` and others like it have to pass.
    """
    return is_secret(key, value) and (
        _HOLDS_SECRET.search(key) is not None or _SECRET_VALUE.search(str(value)) is not None
    )


def shown(key: str, value: object) -> str:
    """`value` as a log or a message may show it."""
    return _HIDDEN if is_secret(key, value) else str(value)


def from_text(value: Any) -> Any:
    """A text that is exactly true, false or a whole number as that, since Jinja's `env_var` gives
    texts; anything else as it is.
    """
    if not isinstance(value, str):
        return value
    text = value.strip().lower()
    if text in ("true", "false"):
        return text == "true"
    return int(text) if _WHOLE.fullmatch(text) else value


def as_text(value: Any) -> str:
    """A boolean, number or text as Spark reads it. Raises TypeError for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, str)):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not text, a number or a boolean")

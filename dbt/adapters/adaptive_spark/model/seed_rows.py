"""A seed's rows as JSON texts, each one binding of one statement: Spark parses a text of megabytes
faster than a literal a value. Pure.
"""

from __future__ import annotations

import datetime
import decimal
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dbt.adapters.adaptive_spark.conf.quoting import unsubstituted_json

_CHARACTERS = 4_000_000


def seed_chunks(rows: Iterable[Sequence[Any]], characters: int = _CHARACTERS) -> Iterator[str]:
    """The rows as arrays of texts and nulls, in arrays of about so many characters; one without rows where there are
    none.
    """
    chunk: list[str] = []
    size = 0
    is_first = True
    for row in rows:
        text = json.dumps([_text(value) for value in row], ensure_ascii=False)
        chunk.append(unsubstituted_json(text))
        size += len(text)
        if size >= characters:
            yield f"[{','.join(chunk)}]"
            chunk, size, is_first = [], 0, False
    if chunk or is_first:
        yield f"[{','.join(chunk)}]"


def _text(value: Any) -> str | None:
    """A seed's value as text that a cast reads; None for a null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, decimal.Decimal):
        text = f"{value:f}"  # agate takes 10.0 for an integer, and a cast to one does not
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return str(value)

"""Reads values of a parsed JSON file by name and kind, so that a file of another shape is a
sentence and not a traceback. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard


class ShapeError(Exception):
    """A value that is missing or of another kind; the message names it, such as
    `results[3].status is 7, not a text`.
    """


@dataclass(frozen=True)
class Entry:
    """An object of the file; `place` is the way to it."""

    value: dict[str, Any]
    place: str = ""

    @classmethod
    def of(cls, value: Any, place: str = "") -> Entry:
        if not isinstance(value, dict):
            raise ShapeError(f"{place or 'it'} is {_shown(value)}, not an object")
        return cls(value, place)

    def at(self, name: str) -> Entry:
        """An object in it; an empty one where it is missing or null."""
        return Entry.of({} if self.value.get(name) is None else self.value[name], self._place(name))

    def each(self, name: str) -> Iterator[Entry]:
        """The objects of a list in it; none where it is missing or null."""
        for at, value in enumerate(self._list(name)):
            yield Entry.of(value, f"{self._place(name)}[{at}]")

    def members(self) -> Iterator[tuple[str, Entry]]:
        """The objects in it, by their names."""
        for key in self.value:
            yield key, self.at(key)

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts of a list in it; none where it is missing or null."""
        values = self._list(name)
        if not all(isinstance(value, str) for value in values):
            raise ShapeError(f"{self._place(name)} is not a list of texts")
        return tuple(values)

    def text(self, name: str) -> str:
        """A text that must be there."""
        value = self.text_or_none(name)
        if value is None:
            raise ShapeError(f"{self._place(name)} is missing")
        return value

    def text_or_none(self, name: str) -> str | None:
        value = self.value.get(name)
        if value is None or isinstance(value, str):
            return value
        raise ShapeError(f"{self._place(name)} is {_shown(value)}, not a text")

    def number(self, name: str) -> float:
        """A number that must be there."""
        value = self.number_or_none(name)
        if value is None:
            raise ShapeError(f"{self._place(name)} is missing")
        return value

    def number_or_none(self, name: str) -> float | None:
        value = self.value.get(name)
        if value is None:
            return None
        if not _is_number(value):
            raise ShapeError(f"{self._place(name)} is {_shown(value)}, not a number")
        return value

    def count(self, name: str) -> int:
        """A whole number from 0 that must be there."""
        value = self.count_or_none(name)
        if value is None:
            raise ShapeError(f"{self._place(name)} is missing")
        return value

    def count_or_none(self, name: str) -> int | None:
        value = self.value.get(name)
        if value is None:
            return None
        if type(value) is not int or value < 0:
            raise ShapeError(f"{self._place(name)} is {_shown(value)}, not a count")
        return value

    def _list(self, name: str) -> list[Any]:
        value = self.value.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise ShapeError(f"{self._place(name)} is {_shown(value)}, not a list")
        return value

    def _place(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: Any) -> str:
    return f"{value!r:.60}"

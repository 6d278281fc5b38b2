"""Numbers as a person reads them. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

_UNITS = ("kB", "MB", "GB", "TB", "PB")


def plural(number: int, one: str, many: str | None = None) -> str:
    """`row` of 1, `rows` of any other number."""
    return one if number == 1 else many or f"{one}s"


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 row`, `27,004 rows`."""
    return f"{number:,} {plural(number, one, many)}"


def about(number: int) -> str:
    """An estimate, with three digits of it: `285`, `118,000`, `12.4 million`."""
    if number < 1000:
        return f"{number:,}"
    rounded = int(float(f"{number:.3g}"))
    for million, word in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million")):
        if rounded >= million:
            return f"{rounded / million:.3g} {word}"
    return f"{rounded:,}"


def listed(names: Sequence[str], most: int) -> str:
    """`a`, `a and b`, `a, b and c`, `a, b and 7 more`: the first `most` names."""
    more = len(names) - most
    parts = [*names[:most], *([f"{more:,} more"] if more > 0 else [])]
    return " and ".join([*([", ".join(parts[:-1])] if parts[1:] else []), *parts[-1:]])


def size(number: int) -> str:
    """`812 bytes`, `5.3 MB`."""
    if number < 1000:
        return counted(number, "byte")
    power = min(int(math.log10(number)) // 3, len(_UNITS))
    if round(number / 1000**power, 1) >= 1000 and power < len(_UNITS):
        power += 1
    return f"{number / 1000**power:.1f} {_UNITS[power - 1]}"


def duration(seconds: float) -> str:
    """`0.42 s`, `35.5 s`, `2 min 5 s`, `1 h 2 min`."""
    if seconds < 59.95:
        return f"{seconds:.2f} s" if seconds < 9.995 else f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def share(part: float) -> str:
    """`12.5%`; what is not all and not nothing does not look so."""
    text = f"{part:.1%}"
    if text == "100.0%" and part < 1:
        return ">99.9%"
    return "<0.1%" if text == "0.0%" and part > 0 else text.replace(".0%", "%")


def cost(nanos: float) -> str:
    """Nanoseconds: `13`, `8.7`, `4,251`."""
    return f"{nanos:,.0f}" if nanos >= 9.95 else f"{nanos:.1f}"


def when(moment: datetime) -> str:
    """`2026-11-22 07:16 UTC`, of a moment in UTC."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"

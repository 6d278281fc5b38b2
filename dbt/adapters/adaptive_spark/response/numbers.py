"""Numbers as a person reads them. Pure."""

from __future__ import annotations

import math
from datetime import datetime

_UNITS = ("kB", "MB", "GB", "TB", "PB")


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 row`, `27,004 rows`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


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

"""Limits of a page, so that one of any number of models stays one that a browser opens."""

MOST_PARTS = 20
MOST_CONJUNCTS = 60
MOST_LINES = 40
DEEPEST = 8
_LONGEST_TEXT = 400


def cut(text: str) -> str:
    """The text, up to 400 characters of it."""
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"


def percent(part: float) -> float:
    """The percentage of a bar for a share of 1, within 0 and 100."""
    return round(100 * min(max(part, 0.0), 1.0), 1)

"""Conjuncts of equal cost whose outcomes a benchmark chooses: flags written into a string,
each found by a LIKE of its own.

The string ends in random digits, so that it has no dictionary; the pattern has two parts, so that Spark
matches it as a regular expression.
"""

from __future__ import annotations

from collections.abc import Mapping


def tags(flags: Mapping[str, str]) -> str:
    """A SQL expression: for each letter whether its condition holds, as 1 or 0, then a dash and a random number."""
    written = ", ".join(f"'{letter}', cast(cast({flag} as int) as string)" for letter, flag in flags.items())
    return f"concat({written}, '-', cast(cast(rand(99) * 1e9 as int) as string))"


def conjuncts(letters: str) -> dict[str, str]:
    """By letter, the conjunct on the column `tags` that holds where its flag was set."""
    return {letter: f"tags LIKE '%{letter}1%-%'" for letter in letters}

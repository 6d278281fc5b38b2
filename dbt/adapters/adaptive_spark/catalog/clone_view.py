"""Views that `dbt clone` makes of tables that cannot be cloned. Pure."""

from __future__ import annotations

import re

_LABEL = "View Text: "
# what Spark's SHOW TABLE EXTENDED says of a view, and dbt's text of such a clone
_TEXT = re.compile(
    rf"^{_LABEL}select \* from (?:`[^`]+`\.|[\w$]+\.)*(?:`(?P<quoted>[^`]+)`|(?P<plain>[\w$]+))[ \t]*(?=\n[\w ]+: |\s*\Z)",
    re.I | re.M,
)


def is_clone(information: str | None, identifier: str) -> bool:
    """True for the view of a table of the same name and nothing else, from Spark's `information` about it."""
    found = _TEXT.search(information or "")
    return found is not None and (found["quoted"] or found["plain"]).lower() == identifier.lower()


def from_create(statement: str) -> str:
    """A view's text as `is_clone` reads it, from SHOW CREATE TABLE: other catalogs list their views by name alone."""
    return _LABEL + " ".join(statement.partition("\nAS\n")[2].split())

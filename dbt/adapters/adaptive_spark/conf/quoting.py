"""The one place where a Python value becomes Spark SQL text.

What a backslash and a doubled quote mean within a text depends on the session
(`spark.sql.parser.escapedStringLiterals`), and Spark replaces `${name}` in the whole statement before it parses it
(`spark.sql.variable.substitute`). So a text with any of them is written as the bytes of its UTF-8, which means one
thing in every session and can't end early.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
from collections.abc import Sequence
from typing import Any

_VARIABLE = "${"
_PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NOT_PLAIN = re.compile(r"['\\\\]|\$\{")
_FILE_OPTIONS = re.compile(r"(?<=`) with \(header = 'true'\)")


def literal(value: Any) -> str:
    """`value` as a constant of Spark SQL, whatever the session's confs: text, numbers, booleans, dates, times and None.

    Raises ValueError for a text with half a character (a lone surrogate), which has no UTF-8.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return f"double('{value}')"
    if isinstance(value, (int, float, decimal.Decimal)):
        return str(value)
    if isinstance(value, datetime.datetime):
        return f"timestamp'{value.isoformat(sep=' ')}'"
    if isinstance(value, datetime.date):
        return f"date'{value.isoformat()}'"
    text = str(value)
    encoded = text.encode("utf-8")
    return f"cast(X'{encoded.hex()}' as string)" if _NOT_PLAIN.search(text) else f"'{text}'"


def text_token(text: str) -> str:
    """`text` where Spark's grammar wants a quoted text and no expression: comments, properties, locations.

    Quotes, backslashes and `${` are escaped by backslashes. Where `spark.sql.parser.escapedStringLiterals` is on, Spark
    keeps these backslashes; the text ends where it should there, too.
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace(_VARIABLE, "\\u0024{")
    return f"'{escaped}'"


def unsubstituted_json(text: str) -> str:
    """JSON text that means the same and in which Spark finds nothing to replace: `$`
    before `{` as JSON's own escape.
    """
    return text.replace(_VARIABLE, "\\u0024{")


def holds_variable(text: str) -> bool:
    """True if Spark would replace a part of the text. Backquotes cannot keep it from that."""
    return _VARIABLE in text


def bound(sql: str, parameters: Sequence[Any]) -> str:
    """`sql` with each `%s` replaced by the literal of its parameter."""
    return sql % tuple(literal(parameter) for parameter in parameters)


def set_statement(key: str, value: str) -> str:
    """The SET of one conf; inside backquotes a semicolon, a newline, a quote or a comment mark is plain text.

    Raises ValueError where the value holds `${`, which Spark would replace and which backquotes cannot escape.
    """
    return f"SET {identifier(key)}={identifier(value)}"


def identifier(text: str) -> str:
    """One name or value in backquotes. Raises ValueError where it holds `${`, which Spark would replace."""
    if holds_variable(text):
        raise ValueError("Spark would replace ${...} in it")
    return "`" + text.replace("`", "``") + "`"


def dotted(*names: str) -> str:
    """Names with what they belong to before them. Raises ValueError where one holds `${`, which Spark would replace."""
    return ".".join(map(identifier, names))


def qualified(name: str) -> str:
    """A name, `a` or with what it belongs to `t.a`, as Spark SQL text in which nothing but a name can stand.

    Raises ValueError where a part of it is empty, or where it holds `${`, which Spark would replace.
    """
    if not all(name.split(".")):
        raise ValueError("a part of it is empty")
    return dotted(*name.split("."))


def path_text(path: str) -> str:
    """A name, or a path of names such as `a.b`, as SQL text: a part that is no plain word is put in backquotes.

    A path that has backquotes stays as it is. Raises ValueError where one of them is not closed, and for `${`.
    """
    if holds_variable(path):
        raise ValueError("Spark would replace ${...} in it")
    if "`" in path:
        if path.count("`") % 2:
            raise ValueError("it has a backquote that is not closed")
        return path
    return ".".join(part if _PLAIN_WORD.fullmatch(part) else identifier(part) for part in path.split("."))


def unquoted(name: str) -> str:
    """A name without the backquotes that Spark puts around one that is no plain word."""
    return name[1:-1].replace("``", "`") if len(name) > 1 and name[0] == name[-1] == "`" else name


def file_relation(format_: str, path: str, header: bool) -> str:
    """A file as a relation; of CSV, `header` says whether its first line has the names, else they are `_c0` and so on.

    Raises ValueError where the path holds `${`, which Spark would replace.
    """
    options = " with (header = 'true')" if format_ == "csv" and header else ""
    return f"{format_}.{identifier(path)}{options}"


def without_options(sql: str) -> str:
    """The text without what `file_relation` says of a file's header, which not every parser of SQL knows."""
    return _FILE_OPTIONS.sub("", sql)


def reset_statement(key: str) -> str:
    """The statement that puts one conf back to what the session started with."""
    return f"RESET {identifier(key)}"

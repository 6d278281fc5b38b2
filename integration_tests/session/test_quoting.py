"""Spark reads a quoted value as that value, for any session settings of escapes, quotes and variables."""

import datetime
import decimal
import random

import pytest

from dbt.adapters.adaptive_spark.conf.quoting import bound, literal

ESCAPES = "spark.sql.parser.escapedStringLiterals"
TEXTS = [
    "",
    "plain",
    'O\'Brien said "no"',
    "''",
    "\\",
    "\\\\",
    "\\'",
    "'\\",
    "C:\\new\\temp\\u0041\\x",
    r"^\d+\.\w{2,}\s*'[^\\]\"$",
    r"100\% of a\_b",
    "${spark.app.name} $${x} ${env:HOME} ${hiveconf:a} \\${y}",
    "$ {a} ${",
    "a; drop table t; -- /* b */",
    "two\nlines\r\tand \u2028 a \0 and \x1a",
    "ü 😀 %s {{ x }} `c`",
    "r'x' X'00' N'",
]


def random_texts(count):
    """Texts of what Spark's lexer looks at, and of what it does not."""
    chance = random.Random(7)
    alphabet = "'\\\"`${}%;-/*\n\t\0xuNrX0a é😀"
    return ["".join(chance.choices(alphabet, k=chance.randrange(12))) for _ in range(count)]


@pytest.fixture(params=["false", "true"], ids=["escapes", "no escapes"])
def session(request, handle):
    handle.session.conf.set(ESCAPES, request.param)
    return handle.session


def test_texts_are_read_as_they_are(session):
    texts = TEXTS + random_texts(500)
    rows = ", ".join(f"({at}, {literal(text)})" for at, text in enumerate(texts))
    found = session.sql(f"select at, text from values {rows} as t(at, text) order by at").collect()
    assert [row.text for row in found] == texts


@pytest.mark.parametrize("ansi", ["false", "true"])
def test_a_text_is_none_but_a_constant_where_double_quotes_are_identifiers(session, ansi):
    session.conf.set("spark.sql.ansi.enabled", ansi)
    session.conf.set("spark.sql.ansi.doubleQuotedIdentifiers", ansi)
    (row,) = session.sql(
        f"select {', '.join(f'{literal(text)} = {literal(text)}' for text in TEXTS)}"
    ).collect()
    assert all(row)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_compares_and_binds_as_itself(session, text):
    frame = session.createDataFrame([(text,)], "a string")
    frame.createOrReplaceTempView("texts")
    assert session.sql(bound("select a from texts where a = %s and a in (%s)", [text, text])).count() == 1


def test_other_values_are_read_as_they_are(session):
    values = [None, True, 7, 1.5, decimal.Decimal("1.50"), datetime.date(1970, 1, 2)]
    values.append(datetime.datetime(2020, 1, 2, 3, 4, 5, 600))
    (row,) = session.sql(f"select {', '.join(map(literal, values))}").collect()
    assert list(row) == [None, True, 7, decimal.Decimal("1.5"), *values[4:]]

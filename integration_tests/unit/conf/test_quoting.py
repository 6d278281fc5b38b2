"""A value can never become anything but a value: neither in a literal nor in a SET."""

import datetime
import decimal
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbt.adapters.adaptive_spark.conf.quoting import (
    bound,
    literal,
    path_text,
    qualified,
    reset_statement,
    set_statement,
    text_token,
    unquoted,
    unsubstituted_json,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (9007199254740993, "9007199254740993"),
        (1.5, "1.5"),
        (float("nan"), "double('nan')"),
        (float("-inf"), "double('-inf')"),
        (decimal.Decimal("1.50"), "1.50"),
        (datetime.date(1970, 1, 2), "date'1970-01-02'"),
        (datetime.datetime(1970, 1, 2, 3, 4, 5, 600), "timestamp'1970-01-02 03:04:05.000600'"),
        ("plain", "'plain'"),
        ("O'Brien", "cast(X'4f27427269656e' as string)"),
        ("ends in \\", "cast(X'656e647320696e205c' as string)"),
        (r"\' or 1=1 --", "cast(X'5c27206f7220313d31202d2d' as string)"),
        ("it's 5 €", "cast(X'69742773203520e282ac' as string)"),
        ("a; drop table t", "'a; drop table t'"),
        ("two\nlines", "'two\nlines'"),
        ("${env:HOME}", "cast(X'247b656e763a484f4d457d' as string)"),
        ("$5 {a}", "'$5 {a}'"),
    ],
)
def test_literal_of_each_kind(value, text):
    assert literal(value) == text


# What a text may hold: what Spark's lexer, its variables and its escapes look at comes often
TEXTS = st.text(
    st.one_of(st.sampled_from("'\"\\`${};%-/*\n\r\t\0xuN0"), st.characters(exclude_categories=["Cs"]))
)


@given(TEXTS)
def test_a_text_is_one_token_that_holds_nothing_else(text):
    """Nothing in it ends it, escapes, or is replaced: what stands between the quotes is the text, or
    hexadecimal digits that are its bytes.
    """
    plain, encoded = (
        re.fullmatch(pattern, literal(text), re.DOTALL)
        for pattern in (r"'([^'\\]*)'", r"cast\(X'([0-9a-f]*)' as string\)")
    )
    assert (plain is None) != (encoded is None)
    if plain is not None:
        assert plain[1] == text
        assert "${" not in text
    else:
        assert bytes.fromhex(encoded[1]).decode("utf-8") == text


@given(st.lists(TEXTS, min_size=1))
def test_bindings_are_the_literals_whatever_they_hold(texts):
    assert bound(", ".join(["%s"] * len(texts)), texts) == ", ".join(map(literal, texts))


def test_half_a_character_is_refused():
    with pytest.raises(ValueError, match="surrogates not allowed"):
        literal("a\ud800")


def test_bindings_fill_the_markers_in_order():
    sql = "insert into t values (cast(%s as bigint), cast(%s as string))"
    assert bound(sql, [1, "x'); drop table t; --"]) == (
        "insert into t values (cast(1 as bigint), "
        "cast(cast(X'7827293b2064726f70207461626c6520743b202d2d' as string) as string))"
    )


def test_bindings_that_hold_markers_stay_values():
    assert bound("select %s, %s", ["%s", "%d"]) == "select '%s', '%d'"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("64", "SET `spark.a`=`64`"),
        ("", "SET `spark.a`=``"),
        ("1; drop table t", "SET `spark.a`=`1; drop table t`"),
        ('it\'s "quoted"', 'SET `spark.a`=`it\'s "quoted"`'),
        ("two\nlines", "SET `spark.a`=`two\nlines`"),
        ("1 -- comment", "SET `spark.a`=`1 -- comment`"),
        ("1`; drop table t; --", "SET `spark.a`=`1``; drop table t; --`"),
    ],
)
def test_set_statement_keeps_the_value_between_its_backquotes(value, text):
    assert set_statement("spark.a", value) == text


def test_set_statement_refuses_what_spark_would_replace():
    with pytest.raises(ValueError, match=r"^Spark would replace \$\{\.\.\.\} in it$"):
        set_statement("spark.a", "${env:HOME}")


def test_reset_statement_quotes_its_key():
    assert reset_statement("spark.a`; drop table t") == "RESET `spark.a``; drop table t`"


@pytest.mark.parametrize(
    ("name", "text"), [("a", "`a`"), ("t.a", "`t`.`a`"), ("a`, b", "`a``, b`"), ("a */", "`a */`")]
)
def test_column_keeps_the_name_between_its_backquotes(name, text):
    assert qualified(name) == text


@pytest.mark.parametrize("name", ["", ".", "t.", "${a}"])
def test_column_refuses_what_is_no_name(name):
    with pytest.raises(ValueError):
        qualified(name)


def test_json_says_what_it_said_and_has_nothing_that_spark_would_replace():
    value = {"${env:HOME}": ["$${x}", "$", "{"]}
    text = unsubstituted_json(json.dumps(value))
    assert "${" not in text
    assert json.loads(text) == value


@given(TEXTS)
def test_a_text_token_ends_where_it_should_and_reads_as_the_text(text):
    token = text_token(text)
    assert re.fullmatch(r"'(?:[^'\\]|\\.)*'", token, re.DOTALL)
    assert "${" not in token
    read = re.sub(
        r"\\(u0024|.)", lambda escape: {"u0024": "$"}.get(escape[1], escape[1]), token[1:-1], flags=re.DOTALL
    )
    assert read == text


@pytest.mark.parametrize(
    ("path", "text"), [("shop", "shop"), ("a.b-c", "a.`b-c`"), ("`a.b`.c", "`a.b`.c"), ("1st", "`1st`")]
)
def test_a_path_of_names_is_quoted_where_a_part_is_no_plain_word(path, text):
    assert path_text(path) == text


@pytest.mark.parametrize("path", ["a`b", "${a}"])
def test_a_path_that_sql_cannot_have_is_refused(path):
    with pytest.raises(ValueError, match=r"backquote|replace"):
        path_text(path)


def test_backquotes_that_spark_puts_around_a_name_are_taken_off():
    assert [unquoted(name) for name in ("`a-b`", "`a``b`", "a", "`")] == ["a-b", "a`b", "a", "`"]

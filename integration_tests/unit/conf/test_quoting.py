"""A value can never become anything but a value: neither in a literal nor in a SET."""

import datetime
import decimal
import json

import pytest

from dbt.adapters.adaptive_spark.conf.quoting import (
    bound,
    literal,
    qualified,
    reset_statement,
    set_statement,
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
        ("O'Brien", r"'O\'Brien'"),
        ("ends in \\", r"'ends in \\'"),
        (r"\' or 1=1 --", r"'\\\' or 1=1 --'"),
        ("a; drop table t", "'a; drop table t'"),
        ("two\nlines", "'two\nlines'"),
        ("${env:HOME}", r"'$\{env:HOME}'"),
    ],
)
def test_literal_of_each_kind(value, text):
    assert literal(value) == text


def test_bindings_fill_the_markers_in_order():
    sql = "insert into t values (cast(%s as bigint), cast(%s as string))"
    assert bound(sql, [1, "x'); drop table t; --"]) == (
        r"insert into t values (cast(1 as bigint), cast('x\'); drop table t; --' as string))"
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

"""The cursor does what the DB-API says, on a real Spark."""

import datetime
import decimal

import pytest
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError


def test_fetchone_moves_on_and_ends_with_none(cursor):
    cursor.execute("select id from range(2) order by id")
    assert [cursor.fetchone(), cursor.fetchone(), cursor.fetchone()] == [(0,), (1,), None]


def test_fetchmany_and_fetchall_share_what_is_left(cursor):
    cursor.execute("select id from range(5) order by id")
    assert cursor.fetchmany(2) == [(0,), (1,)]
    assert cursor.fetchall() == [(2,), (3,), (4,)]
    assert cursor.fetchall() == []
    assert cursor.fetchmany(1) == []


def test_description_names_and_types_the_columns(cursor):
    cursor.execute("select 1 as a, 'x' as b, cast(null as decimal(5, 2)) as a;")
    assert [(column[0], column[1], column[6]) for column in cursor.description] == [
        ("a", "int", False),
        ("b", "string", False),
        ("a", "decimal(5,2)", True),
    ]


def test_a_statement_without_columns_has_neither_description_nor_rows(cursor):
    cursor.execute("create schema if not exists nothing_to_fetch")
    assert (cursor.description, cursor.fetchall()) == ([], [])


def test_a_command_is_one_execution_for_spark(handle, cursor):
    def executions():
        return handle.session._jsparkSession.sharedState().statusStore().executionsCount()

    before = executions()
    cursor.execute("create schema if not exists one_execution")
    handle.session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    assert executions() == before + 1


def test_a_query_fails_when_it_is_executed_though_nobody_fetches(cursor):
    with pytest.raises(DbtDatabaseError, match="boom"):
        cursor.execute("select raise_error('boom') from range(3)")


def test_an_error_of_the_analyser_is_dbts_and_says_what_spark_says(cursor):
    with pytest.raises(DbtDatabaseError, match="UNRESOLVED_COLUMN"):
        cursor.execute("select no_such_column from range(1)")


def test_a_failed_statement_leaves_nothing_to_fetch(cursor):
    cursor.execute("select 1")
    with pytest.raises(DbtDatabaseError):
        cursor.execute("select no_such_column")
    with pytest.raises(DbtRuntimeError, match="nothing to fetch"):
        cursor.fetchall()


def test_cursors_of_one_connection_do_not_share_rows(handle):
    first, second = handle.cursor(), handle.cursor()
    first.execute("select 1")
    second.execute("select 2")
    assert (first.fetchall(), second.fetchall()) == ([(1,)], [(2,)])


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        9007199254740993,
        decimal.Decimal("12345678901234567890.12"),
        datetime.date(1970, 1, 2),
        datetime.datetime(2020, 2, 29, 1, 2, 3, 456000),
        "",
        "O'Brien",
        'say "hi"',
        "back\\slash and \\' quote",
        "ends in \\",
        "a; drop table t; --",
        "/* comment */ -- more",
        "two\nlines\tand a tab",
        "${env:HOME} ${spark.app.name} ${nope}",
        "%s %d %%",
        "`backquoted`",
        "ümlaut 😀 \u0000",
    ],
)
def test_a_bound_value_arrives_as_it_was(cursor, value):
    cursor.execute("select %s as v, 'fixed' as f", [value])
    assert cursor.fetchall() == [(value, "fixed")]


def test_a_closed_connection_says_so(handle):
    handle.close()
    with pytest.raises(DbtRuntimeError, match=r"The connection is closed\."):
        handle.cursor()

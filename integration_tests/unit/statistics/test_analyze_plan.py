"""The columns that are collected on a table, those that are left alone and why, and a config's values."""

import pytest
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.catalog.table_facts import ColumnFacts, TableFacts
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.statistics.analyzable import MIN_ROWS, has_histograms, is_usable
from dbt.adapters.adaptive_spark.statistics.analyze_config import (
    ALL,
    AUTO,
    AnalyzeConfig,
    ColumnError,
    check_columns,
)
from dbt.adapters.adaptive_spark.statistics.analyze_plan import Analysis, Skip, analysis, refused, statement

MODEL = "models/orders.sql"


def column(index, name, type_="int", distinct=None, histogram=False):
    return ColumnFacts(
        index, name, type_, None, distinct, None if distinct is None else 0, None, None, histogram
    )


def table(*columns, kind="table", provider="parquet", rows=None):
    return TableFacts("shop", "orders", kind, provider, "me", None, 1000, rows, columns)


PLAIN = table(column(0, "Id"), column(1, "day", "date"), column(2, "tags", "array<string>"))
ANALYZED = table(column(0, "id", distinct=5), rows=100)


@pytest.mark.parametrize("value", [None, "off", False, {"columns": "off"}, {"columns": False, "min_rows": 5}])
def test_off(value):
    assert AnalyzeConfig.of(value, MODEL) is None


@pytest.mark.parametrize(
    ("value", "config"),
    [
        ("auto", AnalyzeConfig(AUTO, MIN_ROWS, None)),
        ("all", AnalyzeConfig(ALL, MIN_ROWS, None)),
        (["id", "day"], AnalyzeConfig(("id", "day"), MIN_ROWS, None)),
        ({"min_rows": 0}, AnalyzeConfig(AUTO, 0, None)),
        ({"columns": "all", "histograms": False}, AnalyzeConfig(ALL, MIN_ROWS, False)),
        ({"sample": 0.1}, AnalyzeConfig(AUTO, MIN_ROWS, None, 0.1)),
        ({"sample": 1}, AnalyzeConfig(AUTO, MIN_ROWS, None, 1.0)),
    ],
)
def test_what_is_wanted(value, config):
    assert AnalyzeConfig.of(value, MODEL) == config


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("some", "analyze: 'some' is neither off, auto, all nor a list of columns (models/orders.sql)"),
        (True, "analyze: True is neither off, auto, all nor a list of columns (models/orders.sql)"),
        ([], "analyze: [] is neither"),
        (["id", 3], "analyze: ['id', 3] is neither"),
        ({"min_row": 3}, "analyze: 'min_row' is not an option (models/orders.sql). Did you mean min_rows?"),
        ({"min_rows": -1}, "analyze: min_rows: -1 is not a number of rows from 0 (models/orders.sql)"),
        ({"min_rows": True}, "analyze: min_rows: True is not a number of rows"),
        ({"min_rows": "many"}, "analyze: min_rows: 'many' is not a number of rows"),
        (
            {"sample": 0},
            "analyze: sample: 0 is not a number in [0.001, 1] (models/orders.sql). Leave it out for the session's",
        ),
        ({"sample": 1.5}, "analyze: sample: 1.5 is not a number in [0.001, 1]"),
        ({"sample": "10%"}, "analyze: sample: '10%' is not a number in [0.001, 1] (models/orders.sql)"),
        ({"sample": True}, "analyze: sample: True is not a number in [0.001, 1]"),
        ({"histograms": "yes"}, "analyze: histograms: 'yes' is neither true nor false (models/orders.sql)"),
    ],
)
def test_what_is_wrong_is_named(value, sentence):
    with pytest.raises(DbtValidationError) as error:
        AnalyzeConfig.of(value, MODEL)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("config", "used", "columns"),
    [
        (AnalyzeConfig(AUTO), ["day", "tags"], ("day",)),
        (AnalyzeConfig(ALL), [], ("Id", "day")),
        (AnalyzeConfig(("ID",)), ["day"], ("Id",)),
    ],
)
def test_columns_of_each_mode(config, used, columns):
    assert analysis(config, PLAIN, used) == Analysis(PLAIN, columns)


# each type, with whether statistics of it, and histograms, are any use
TYPES = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint", "float", "double"), (True, True)),
    **dict.fromkeys(("decimal(9,2)", "decimal(38, 18)", "date", "timestamp", "TIMESTAMP"), (True, True)),
    **dict.fromkeys(("boolean", "string", "char(4)", "varchar(8)", "binary"), (True, False)),
    **dict.fromkeys(
        ("timestamp_ntz", "timestamp_ntz(9)", "timestamp_ltz(9)", "time(6)", "interval day to second"),
        (False, False),
    ),
    **dict.fromkeys(("string collate UNICODE_CI", "varchar(8) collate UTF8_LCASE"), (False, False)),
    **dict.fromkeys(("struct<x:int>", "array<int>", "map<int,int>", "variant", "void"), (False, False)),
    **dict.fromkeys(("geometry(4326)", "a type of tomorrow"), (False, False)),
}


@pytest.mark.parametrize(("type_", "expected"), TYPES.items())
def test_only_types_that_the_planner_estimates_with_are_analyzed(type_, expected):
    assert (is_usable(type_), has_histograms(type_)) == expected
    of = table(column(0, "id"), column(1, "c", type_))
    for config in (AnalyzeConfig(AUTO), AnalyzeConfig(ALL)):
        assert analysis(config, of, ["id", "c"]).columns == (("id", "c") if expected[0] else ("id",))


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        (
            ("id", "nope"),
            "analyze: 'nope' is not a column of shop.t (models/orders.sql). Known: Id, day, tags, at, local.",
        ),
        (("dya",), "analyze: 'dya' is not a column of shop.t (models/orders.sql). Did you mean day?"),
        (
            ("DAY", "tags"),
            "analyze: 'tags' is of the type array<string>, of which Spark's planner uses no statistics (models/orders.sql). "
            "Leave it out.",
        ),
        (
            ("at",),
            "analyze: 'at' is of the type time(6), of which Spark's planner uses no statistics (models/orders.sql). "
            "Leave it out.",
        ),
        (
            ("local",),
            "analyze: 'local' is of the type timestamp_ntz, of which Spark's planner uses no statistics (models/orders.sql). "
            "Leave it out.",
        ),
    ],
)
def test_columns_that_are_named_and_cannot_be_analyzed_are_refused(named, sentence):
    types = {"Id": "int", "day": "date", "tags": "array<string>", "at": "time(6)", "local": "timestamp_ntz"}
    with pytest.raises(ColumnError) as error:
        check_columns(AnalyzeConfig(named), types, "shop.t", MODEL)
    assert error.value.msg == sentence


def test_columns_that_can_be_analyzed_are_not_refused():
    check_columns(AnalyzeConfig(("ID", "on")), {"Id": "int", "on": "timestamp"}, "shop.t", MODEL)
    for columns in (AUTO, ALL):
        check_columns(AnalyzeConfig(columns), {"tags": "array<string>"}, "shop.t", MODEL)


@pytest.mark.parametrize(
    ("facts", "reason", "is_refusal"),
    [
        (table(column(0, "id"), kind="view"), "is a view", False),
        (table(column(0, "id"), provider="delta"), "Delta Lake", True),
        (table(column(0, "id"), provider="iceberg"), "rows and bytes", True),
        (table(column(0, "id"), provider="lance"), "only for its own formats", True),
    ],
)
def test_tables_of_which_spark_keeps_no_statistics(facts, reason, is_refusal):
    skip = refused(facts)
    assert reason in skip.reason
    assert skip.is_refusal == is_refusal


def test_spark_keeps_statistics_of_its_own_formats():
    assert refused(PLAIN) is None


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (table(column(0, "x")), "no column"),
        (table(column(0, "id", distinct=5), rows=100), "did not change"),
    ],
)
def test_what_is_left_alone_and_why(facts, reason):
    skip = analysis(AnalyzeConfig(), facts, ["id"])
    assert isinstance(skip, Skip)
    assert reason in skip.reason
    assert not skip.is_refusal


def test_only_what_is_missing_is_read_again():
    facts = table(column(0, "id", distinct=5), column(1, "day"), rows=100)
    assert analysis(AnalyzeConfig(), facts, ["id", "day"]) == Analysis(facts, ("day",))


def test_a_histogram_that_is_missing_is_a_statistic_that_is_missing():
    facts = table(column(0, "id", distinct=5), rows=100)
    assert analysis(AnalyzeConfig(histograms=True), facts, ["id"]) == Analysis(facts, ("id",))
    assert isinstance(analysis(AnalyzeConfig(histograms=False), facts, ["id"]), Skip)


@pytest.mark.parametrize("found", [column(0, "id", "string", distinct=5), column(0, "id", distinct=0)])
def test_texts_and_columns_of_nulls_have_no_histograms(found):
    facts = table(found, rows=100)
    assert isinstance(analysis(AnalyzeConfig(histograms=True), facts, ["id"]), Skip)


@pytest.mark.parametrize(
    ("filtered", "histograms"),
    [
        (["id", "day", "name"], []),
        (["id", "day"], []),  # a text has no histogram anyway
        (["id"], ['["Id"]']),
        (["name"], ["[]"]),
        ([], ["[]"]),
    ],
)
def test_columns_that_are_only_keys_need_no_histogram(filtered, histograms):
    facts = table(column(0, "Id"), column(1, "day", "date"), column(2, "name", "string"), column(3, "other"))
    found = Analysis(facts, ("Id", "day", "name")).confs(filtered)
    assert found == [ConfEntry("spark.sql.adaptiveStatistics.histogramColumns", each) for each in histograms]


def test_columns_whose_table_has_changed_are_read_again():
    facts = table(
        column(0, "id", distinct=5), column(1, "day")
    )  # written to by what keeps column statistics, but not the count
    assert analysis(AnalyzeConfig(), facts, ["id", "day"]) == Analysis(facts, ("id", "day"))


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("shop", "orders", []), "ANALYZE TABLE `shop`.`orders` COMPUTE STATISTICS FOR ALL COLUMNS"),
        (
            ("shop", "orders", ["a", "b c"]),
            "ANALYZE TABLE `shop`.`orders` COMPUTE STATISTICS FOR COLUMNS `a`, `b c`",
        ),
        (
            ("s`; drop table x", "o", ["a`)"]),
            "ANALYZE TABLE `s``; drop table x`.`o` COMPUTE STATISTICS FOR COLUMNS `a``)`",
        ),
    ],
)
def test_the_statement(names, text):
    assert statement(*names) == text


def test_a_name_that_spark_would_replace_is_refused():
    with pytest.raises(ValueError, match="replace"):
        statement("shop", "orders", ["${x}"])


@pytest.mark.parametrize(
    ("config", "rows", "session", "sample"),
    [
        (AnalyzeConfig(), 1_999_999, None, None),
        (AnalyzeConfig(), 2_000_000, None, 0.5),
        (AnalyzeConfig(), 133_110_000, None, 0.0075),
        (AnalyzeConfig(), 10**12, None, 0.001),
        (AnalyzeConfig(), None, None, None),
        (AnalyzeConfig(), 133_110_000, "1", None),
        (AnalyzeConfig(sample=1.0), 133_110_000, None, 1.0),
    ],
)
def test_a_large_table_is_sampled_unless_someone_says_otherwise(config, rows, session, sample):
    assert config.sampled(rows, session).sample == sample


def test_confs_are_set_only_where_the_session_is_to_do_otherwise():
    assert AnalyzeConfig().confs == []
    assert AnalyzeConfig(histograms=False, sample=0.25).confs == [
        ConfEntry("spark.sql.statistics.histogram.enabled", "false"),
        ConfEntry("spark.sql.adaptiveStatistics.sample", "0.25"),
    ]
    assert [each.value for each in AnalyzeConfig(sample=1.0).confs] == ["1.0"]

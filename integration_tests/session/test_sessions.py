"""Who sees what: the program that calls dbt, the start and end of a run, its models, and other runs."""

import pytest
from projects import SINCE_4, run_program, write_project
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.local_session import CommandSessions

# A statement, a question, and the answer of a session in which the statement has run.
KINDS = {
    "conf": ("set spark.sql.session.timeZone=Asia/Tokyo", "select current_timezone()", "Asia/Tokyo"),
    "time zone": ("set time zone 'Asia/Seoul'", "select current_timezone()", "Asia/Seoul"),
    "temporary view": ("create temporary view one as select 1 as n", "select n from one", 1),
    "temporary function": (
        "create temporary function twice(x int) returns int return 2 * x",
        "select twice(4)",
        8,
    ),
    "variable": ("declare variable threshold int default 5", "select threshold", 5),
    "schema": ("use staging", "select current_schema()", "staging"),
    "catalog": ("use other.SYS", "select current_catalog() || '.' || current_schema()", "other.SYS"),
    "file": ("add file '{file}'", "list files", "file:{file}"),
    "cached table": ("cache table two as select 2 as n", "select n from two", 2),
}
OTHER_CATALOG = {
    "spark.sql.catalog.other": "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
    "spark.sql.catalog.other.url": "jdbc:derby:memory:other;create=true",
    "spark.sql.catalog.other.driver": "org.apache.derby.jdbc.EmbeddedDriver",
}


def answer(handle, sql):
    cursor = handle.cursor()
    cursor.execute(sql)
    return cursor.fetchall()[0][0]


def temporary_views(handle):
    cursor = handle.cursor()
    cursor.execute("show views")
    return {row[1] for row in cursor.fetchall() if row[2]}


@pytest.fixture
def sessions(credentials):
    confs = {**credentials.server_side_parameters, **OTHER_CATALOG}
    return CommandSessions(
        AdaptiveSparkCredentials(database=None, schema="default", server_side_parameters=confs)
    )


@pytest.fixture
def own(sessions):
    return sessions.connect(lambda: "master", is_own=True)


@pytest.fixture
def program(own):
    """The session of a program that dbt runs in."""
    return SparkSession.builder.getOrCreate()


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if SINCE_4 or kind not in ("temporary function", "variable")]
)
def test_what_the_start_of_a_run_sets_up_is_there_in_every_connection(sessions, own, kind, tmp_path):
    file = tmp_path / "lookup.txt"
    file.write_text("x")
    statement, question, expected = (
        text.format(file=file) if isinstance(text, str) else text for text in KINDS[kind]
    )
    own.cursor().execute("create schema if not exists staging")
    own.cursor().execute(statement)
    assert [answer(sessions.connect(lambda: "model"), question) for _ in range(2)] == [expected] * 2


def test_what_one_connection_sets_up_no_other_sees(sessions, own):
    first = sessions.connect(lambda: "model.first")
    first.set(ConfEntry("spark.mine", "x"))
    first.cursor().execute("create temporary view of_first as select 1 as n")
    if SINCE_4:
        first.cursor().execute("declare variable of_first int default 5")
    for other in (sessions.connect(lambda: "model.second"), own):
        assert other.explicit(["spark.mine"]) == {"spark.mine": None}
        assert "of_first" not in temporary_views(other)
        with pytest.raises(Exception, match="UNRESOLVED_COLUMN"):
            other.cursor().execute("select of_first")


def test_the_next_run_starts_from_the_programs_session_again(sessions, own, credentials):
    own.set(ConfEntry("spark.mine", "x"))
    own.cursor().execute("create temporary view of_this_run as select 1 as n")
    later = CommandSessions(credentials).connect(lambda: "model")
    assert later.explicit(["spark.mine"]) == {"spark.mine": None}
    assert "of_this_run" not in temporary_views(later)


def test_what_a_program_sets_up_is_there_in_its_next_run(program, credentials):
    program.udf.register("shout", lambda text: text + "!")
    program.range(3).createOrReplaceTempView("of_the_program")
    program.conf.set("spark.mine", "of the program")
    try:
        handle = CommandSessions(credentials).connect(lambda: "model")
        assert answer(handle, "select shout('x')") == "x!"
        assert answer(handle, "select count(*) from of_the_program") == 3
        assert handle.explicit(["spark.mine"]) == {"spark.mine": "of the program"}
    finally:
        program.conf.unset("spark.mine")


def test_a_run_changes_nothing_in_the_programs_session(program, own):
    own.set(ConfEntry("spark.mine", "x"))
    own.cursor().execute("create temporary view of_the_run as select 1 as n")
    assert program.conf.get("spark.mine", None) is None
    assert not program.catalog.tableExists("of_the_run")


def test_the_profile_comes_before_the_program(program, credentials):
    key = "spark.sql.shuffle.partitions"
    program.conf.set(key, "99")
    try:
        assert CommandSessions(credentials).connect(lambda: "model").explicit([key]) == {key: "2"}
    finally:
        program.conf.set(key, "2")


OF_SQL = "twice(21) as twice, threshold, " if SINCE_4 else ""
SEEN = f"""
{{{{ config(materialized='table') }}}}
select current_timezone() as zone, (select n from set_up) as set_up, {OF_SQL}absolute(-3) as absolute,
  shout('x') as shout, (select count(*) from of_the_program) as of_the_program,
  '${{spark.mine}}' as mine
"""
PROJECT = {
    **{f"models/seen_{number}.sql": SEEN for number in range(1, 5)},
    "models/alone.sql": """
        {{ config(materialized='table', pre_hook=[
          "set spark.sql.session.timeZone=America/New_York", "create temporary view of_alone as select 1 as n"
        ]) }}
        select current_timezone() as zone, (select n from of_alone) as n
    """,
    "models/after_alone.sql": """
        -- depends_on: {{ ref('alone') }}
        {{ config(materialized='table') }}
        select current_timezone() as zone, '{{ temporary_views() }}' as views
    """,
    "models/bare.sql": """
        {{ config(materialized='table') }}
        select current_timezone() as zone, '{{ temporary_views() }}' as views
    """,
    "macros/temporary_views.sql": """
        {% macro temporary_views() -%}
          {%- if execute -%}
            {%- for row in run_query("show views").rows if row[2] %}{{ row[1] }} {% endfor -%}
          {%- endif -%}
        {%- endmacro %}
    """,
}
START = [
    "set spark.sql.session.timeZone=Asia/Tokyo",
    "create temporary view set_up as select 7 as n",
    "create temporary function absolute as 'org.apache.hadoop.hive.ql.udf.generic.GenericUDFAbs'",
]
if SINCE_4:
    START += [
        "create temporary function twice(x int) returns int return 2 * x",
        "declare variable threshold int default 5",
    ]
END = (
    "create table {{ target.schema }}.at_the_end as "
    "select current_timezone() as zone, '{{ temporary_views() }}' as views"
)
PROGRAM = """
import json, os, yaml
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.installation import find_jar, installed_line, spark_home

with open("profiles.yml") as file:
    confs = yaml.safe_load(file)["shop"]["outputs"]["dev"]["server_side_parameters"]
builder = SparkSession.builder.enableHiveSupport()
for key, value in confs.items():
    builder = builder.config(key, value)
mine = AdaptiveSparkCredentials(database=None, schema="default")
builder = builder.config("spark.jars", find_jar(mine, installed_line(spark_home())))
spark = builder.config("spark.sql.extensions", "io.adaptivespark.AdaptiveSparkExtensions").getOrCreate()
spark.udf.register("shout", lambda text: text + "!")
spark.range(3).createOrReplaceTempView("of_the_program")
spark.conf.set("spark.mine", "of the program")
spark.conf.set("spark.sql.session.timeZone", "Europe/Paris")

def rows(table):
    return [row.asDict() for row in spark.table("shop." + table).collect()]

first = dbtRunner().invoke(["run"])
seen = {"succeeded": first.success}
for number in range(1, 5):
    seen[f"seen_{number}"] = rows(f"seen_{number}")
for table in ("alone", "after_alone", "at_the_end"):
    seen[table] = rows(table)
os.rename("dbt_project.yml", "first.yml")
os.rename("second.yml", "dbt_project.yml")
seen["second succeeded"] = dbtRunner().invoke(["run", "--select", "bare"]).success
seen["bare"] = rows("bare")
seen["program"] = spark.conf.get("spark.sql.session.timeZone")
with open("seen.json", "w") as file:
    json.dump(seen, file)
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Settings and rows that each part of two runs saw, both within a program that set up its own.

    The first run has a start and an end.
    """
    project = tmp_path_factory.mktemp("project")
    write_project(project, {}, threads=4)
    (project / "dbt_project.yml").rename(project / "second.yml")
    write_project(project, PROJECT, threads=4, **{"on-run-start": START, "on-run-end": END})
    found, printed = run_program(project, PROGRAM, "seen.json")
    return {**found, "console": printed}


def test_models_of_all_threads_have_what_the_program_and_the_runs_start_set_up(seen):
    assert seen["succeeded"], seen["console"]
    for number in range(1, 5):
        assert seen[f"seen_{number}"] == [
            {
                "zone": "Asia/Tokyo",
                "set_up": 7,
                **({"twice": 42, "threshold": 5} if SINCE_4 else {}),
                "absolute": 3,
                "shout": "x!",
                "of_the_program": 3,
                "mine": "of the program",
            }
        ]


def test_a_pre_hook_holds_in_its_own_model_only(seen):
    assert seen["alone"] == [{"zone": "America/New_York", "n": 1}]
    (after,) = seen["after_alone"]
    assert (after["zone"], after["views"].split()) == ("Asia/Tokyo", ["of_the_program", "set_up"])


def test_the_end_of_a_run_sees_its_start_and_no_models(seen):
    (end,) = seen["at_the_end"]
    assert (end["zone"], end["views"].split()) == ("Asia/Tokyo", ["of_the_program", "set_up"])


def test_a_second_run_sees_the_program_and_not_the_first_run(seen):
    assert seen["second succeeded"], seen["console"]
    (bare,) = seen["bare"]
    assert (bare["zone"], bare["views"].split()) == ("Europe/Paris", ["of_the_program"])
    assert seen["program"] == "Europe/Paris"


def test_the_adapters_own_queries_see_what_the_connections_session_has(connect):
    handle = connect()
    handle.cursor().execute("create or replace temporary view masked as select 7 as id")
    assert [tuple(row)[:2] for row in handle.statistics("describe query select id from masked")] == [
        ("id", "int")
    ]

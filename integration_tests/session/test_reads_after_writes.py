"""Reads of a session that was open while another one wrote: hooks, the program, temporary views, other connections."""

import pytest
from projects import run_program, write_project
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.spark.local_session import CommandSessions


def answer(handle, sql):
    cursor = handle.cursor()
    cursor.execute(sql)
    return cursor.fetchall()[0][0]


def test_connections_and_the_program_see_what_another_connection_wrote(credentials):
    sessions = CommandSessions(credentials)
    own = sessions.connect(lambda: "master", is_own=True)
    program = SparkSession.builder.getOrCreate()
    earlier = sessions.connect(lambda: "model.earlier")
    model = sessions.connect(lambda: "model.writer")
    model.cursor().execute("create table written using parquet as select id from range(100)")
    own.cursor().execute("create temporary view of_start as select * from written")
    held = program.table("written")
    held.createOrReplaceTempView("of_program")

    def seen():
        return [
            *(answer(each, "select count(*) from written") for each in (own, earlier)),
            answer(own, "select count(*) from of_start"),
            program.table("written").count(),
            program.table("of_program").count(),
            held.count(),
            answer(sessions.connect(lambda: "model.later"), "select count(*) from written"),
        ]

    try:
        assert seen() == [100] * 7
        model.cursor().execute("insert into written select id from range(100)")
        assert seen() == [200] * 7
        model.cursor().execute("insert overwrite written select id from range(50)")
        assert seen() == [50] * 7
        model.cursor().execute("drop table written")
        model.cursor().execute("create table written using parquet as select id from range(7)")
        assert seen() == [7] * 7
        program.range(5).write.insertInto("written")
        assert seen() == [12] * 7
    finally:
        program.catalog.dropTempView("of_program")
        model.cursor().execute("drop table written")


COUNT = "(select count(*) from {{ target.schema }}.%s)"
WRITTEN = ("appended", "overwritten", "made", "parts", "seeded", "by_hook", "by_python")
# The start reads what is there; the end writes down what it reads.
START = "{{ read_all() }}"
END = "insert into audit select " + ", ".join(COUNT % name for name in WRITTEN)
ROWS = "select id, id % 2 as p from range({{ var('rows') }})"
PROJECT = {
    "models/appended.sql": "{{ config(materialized='incremental') }} " + ROWS,
    "models/overwritten.sql": "{{ config(materialized='incremental', incremental_strategy='insert_overwrite') }} "
    + ROWS,
    "models/made.sql": "{{ config(materialized='table', post_hook='insert into {{ target.schema }}.by_hook "
    'select 1 from range({{ var("rows") }})\') }} ' + ROWS,
    "models/parts.sql": "{{ config(materialized='incremental', incremental_strategy='insert_overwrite', "
    "partition_by='p') }} " + ROWS,
    "models/later.sql": "{{ config(materialized='table') }} select count(*) as n from {{ ref('appended') }}",
    "seeds/seeded.csv": "id\n1\n2\n",
    "models/schema.yml": """
        models:
          - name: appended
            data_tests:
              - counted
    """,
    "macros/counted.sql": """
        {% test counted(model) %}
          select * from (select count(*) as n from {{ model }}) where n <> {{ var('expected') }}
        {% endtest %}
    """,
    "macros/read_all.sql": """
        {% macro read_all() %}
          {% if execute %}
            {% for name in ['appended', 'overwritten', 'made', 'parts', 'seeded', 'by_hook', 'by_python'] %}
              {% if adapter.get_relation(none, target.schema, name) %}
                {% do run_query('select count(*) from ' ~ target.schema ~ '.' ~ name) %}
              {% endif %}
            {% endfor %}
          {% endif %}
        {% endmacro %}
    """,
}
PROGRAM = """
import json
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

def run(*arguments):
    result = dbtRunner().invoke(list(arguments))
    assert result.success, (arguments, result.exception, [str(each.message) for each in result.result or []])
    return result

# starts Spark, whose session is the program's from then on
run("debug")
spark = SparkSession.builder.getOrCreate()
spark.sql("create schema if not exists shop")
spark.sql("create table shop.by_hook (id int) using parquet")
spark.sql("create table shop.by_python (id bigint, p bigint) using parquet")
names = ["appended", "overwritten", "made", "parts", "seeded", "by_hook", "by_python"]
program, shown = [], []
for number, rows in enumerate((3, 4, 5), 1):
    spark.range(rows).selectExpr("id", "id as p").write.mode("append").saveAsTable("shop.by_python")
    expected = {1: 3, 2: 7, 3: 12}[number]
    run("build", "--vars", json.dumps({"rows": rows, "expected": expected}))
    program.append([spark.table("shop." + name).count() for name in names])
    counts = ", ".join(f"(select count(*) from shop.{name})" for name in names)
    shown.append(list(run("show", "--inline", f"select {counts}").result.results[0].agate_table.rows[0]))
with open("seen.json", "w") as file:
    json.dump(
        {
            "program": program,
            "shown": [list(map(int, row)) for row in shown],
            "audit": sorted(map(list, spark.table("shop.audit").collect())),
        },
        file,
    )
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """The rows that the end of three runs read, and the program after each of them."""
    project = tmp_path_factory.mktemp("project")
    start = [
        "create table if not exists {{ target.schema }}.audit "
        f"({', '.join(f'{name} bigint' for name in WRITTEN)}) using parquet",
        START,
    ]
    end = END.replace("into audit", "into {{ target.schema }}.audit")
    write_project(project, PROJECT, threads=2, **{"on-run-start": start, "on-run-end": [end]})
    return run_program(project, PROGRAM, "seen.json")[0]


# by hand: what each way of writing leaves after runs of 3, 4 and 5 rows, in the order of WRITTEN
EXPECTED = [[3, 3, 3, 3, 2, 3, 3], [7, 4, 4, 4, 2, 7, 7], [12, 5, 5, 5, 2, 12, 12]]


def test_the_end_of_a_run_reads_what_its_models_wrote(seen):
    assert seen["audit"] == EXPECTED


def test_a_program_reads_between_runs_what_they_wrote(seen):
    assert seen["program"] == EXPECTED


def test_dbt_show_reads_what_earlier_commands_of_its_process_wrote(seen):
    assert seen["shown"] == EXPECTED

"""Bulk filters through dbt: the rows that a plain reading of the tree keeps, nulls and duplicates
included, from every kind of list.
"""

import itertools
import json

import pytest
from projects import SINCE_4, OneProcess, write_project

# every combination of values, a null among them, some rows twice
EVENTS = [
    (a, b, c) for a, b, c in itertools.product([None, 1, 2, 3], [None, "x", "y z", "o'k"], [None, 10, 20])
] + [(1, "x", 10)] * 2
LISTS = {"a": {1, 2}, "b": {"x", "o'k"}, "c": {20}, "file": {1, 3}, "text": {"y z"}, "written": {2}}


def among(column, name):
    at = "abc".index(column)
    return lambda row: row[at] in LISTS[name]


A, B, C = among("a", "a"), among("b", "b"), among("c", "c")
FILE, TEXT, WRITTEN = among("a", "file"), among("b", "text"), among("a", "written")

LEAVES = {
    "a": "{'column': 'a', 'include': ref('list_a')}",
    "not_a": "{'column': 'a', 'exclude': ref('list_a')}",
    "b": "{'column': 'b', 'include': {'relation': ref('list_b'), 'column': 'name'}}",
    "c": "{'column': 'c', 'include': ref('list_c')}",
    "file": "{'column': 'a', 'include': {'file': var('files') ~ '/bare.csv', 'column': '_c1', 'header': false}}",
    "named": "{'column': 'a', 'include': {'file': var('files') ~ '/list.csv', 'column': 'id'}}",
    "parquet": "{'column': 'a', 'include': {'file': var('files') ~ '/list.parquet', 'column': 'id'}}",
    "text": "{'column': 'b', 'exclude': {'file': var('files') ~ '/list.txt', 'format': 'text'}}",
    "written": "{'column': 'a', 'exclude': [2]}",
}
TREES = {
    "one": ("%(a)s", A),
    "excluded": ("%(not_a)s", lambda row: not A(row)),
    "all_of": ("{'and': [%(a)s, %(b)s, %(c)s]}", lambda row: A(row) and B(row) and C(row)),
    "any_of": ("{'or': [%(a)s, %(b)s, %(c)s]}", lambda row: A(row) or B(row) or C(row)),
    "nested": (
        "{'and': [{'or': [%(a)s, {'and': [%(b)s, {'not': %(c)s}]}]}, {'or': [%(not_a)s, %(b)s]}]}",
        lambda row: (A(row) or (B(row) and not C(row))) and (not A(row) or B(row)),
    ),
    "from_files": (
        "{'or': [{'and': [%(file)s, %(text)s]}, %(written)s]}",
        lambda row: (FILE(row) and not TEXT(row)) or not WRITTEN(row),
    ),
    "of_parquet": ("{'not': %(parquet)s}", lambda row: not FILE(row)),
}
# Spark 3.5 takes no names from a CSV file in a query.
OF_CSV = {"of_csv": ("%(named)s", FILE)}
TREES.update(OF_CSV if SINCE_4 else {})


def sql(value):
    return (
        "null"
        if value is None
        else repr(value)
        if isinstance(value, int)
        else "'" + value.replace("'", "\\'") + "'"
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The results by node, of models that note the rows of each tree."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "bare.csv").write_text("first,1\nnone,\nthird,3\n")
    (folder / "list.csv").write_text("note,id\nfirst,1\nnone,\nthird,3\n")
    (folder / "list.txt").write_text("y z\n\n")
    rows = ", ".join(f"({', '.join(map(sql, row))})" for row in EVENTS)
    files = {
        "models/events.sql": f"{{{{ config(materialized='table') }}}} select * from values {rows} as t(a, b, c)",
        "models/list_b.sql": "select * from values ('x', 1), ('o\\'k', 2), (null, 3), ('x', 4) as t(name, n)",
        "seeds/list_a.csv": "a\n1\n2\n2\n",
        "models/list_c.sql": "{{ config(materialized='table') }} select * from values (20), (null) as t(c)",
        "models/wrong.sql": "{{ bulk_filter(ref('events'), {'and': [{'column': 'a', 'includes': 3}]}) }}",
        "models/parquet_list.sql": (
            "{{ config(materialized='table', file_format='parquet', location_root=var('files') ~ '/of_dbt') }} "
            "select * from values (1), (3), (null) as t(id)"
        ),
    }
    for name, (tree, _) in {**TREES, **OF_CSV}.items():
        expression = tree % {
            key: leaf.replace("list.parquet", "of_dbt/parquet_list") for key, leaf in LEAVES.items()
        }
        if "of_dbt" in expression:
            expression = expression.replace("'column': 'id'}", "'column': 'id', 'format': 'parquet'}")
        files[f"models/{name}.sql"] = (
            "-- depends_on: {{ ref('parquet_list') }}\n{{ config(materialized='table') }} "
            f"select to_json(struct(*), map('ignoreNullFields', 'false')) as row from ({{{{ bulk_filter(ref('events'), {expression}) }}}})"
        )
    files["macros/rows.sql"] = (
        "{% macro rows() %}{% for name in "
        + json.dumps(list(TREES))
        + " %}{% for row in run_query('select row from shop.' ~ name).rows %}{{ log('ROW ' ~ name ~ ' ' ~ row[0], info=true) }}{% endfor %}{% endfor %}{% endmacro %}"
    )
    write_project(folder, files, threads=2, vars={"files": str(folder)})
    with OneProcess(folder) as process:
        ended = process.dbt("build")
        results = json.loads((folder / "target" / "run_results.json").read_text())["results"]
        printed = process.dbt("run-operation", "rows").stdout
    found = {name: [] for name in TREES}
    for line in printed.splitlines():
        if " ROW " in line:
            name, _, row = line.split(" ROW ", 1)[1].partition(" ")
            found[name].append(tuple(json.loads(row).values()))
    return ended.stdout, {each["unique_id"].split(".")[2]: each for each in results}, found


def test_all_but_the_wrong_one_are_built(built):
    console, results, _ = built
    failed = {name for name, each in results.items() if each["status"] != "success"}
    assert failed == {"wrong", *(OF_CSV.keys() - TREES.keys())}, console
    assert (
        "bulk_filter.and[0]: 'includes' is not a part of a leaf. Did you mean include?"
        in results["wrong"]["message"]
    )


@pytest.mark.skipif(SINCE_4, reason="Spark takes the names from a CSV file.")
def test_a_spark_that_takes_no_names_from_a_csv_file_is_told_of(built):
    assert "takes no column names from the first line of a CSV file" in built[1]["of_csv"]["message"]


@pytest.mark.parametrize("name", TREES)
def test_rows_are_those_of_the_tree(built, name):
    key = repr
    expected = sorted(filter(TREES[name][1], EVENTS), key=key)
    assert sorted(built[2][name], key=key) == expected

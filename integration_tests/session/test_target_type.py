"""The branches that a project takes by `target.type`, at each place where dbt renders one."""

import json

import pytest
import yaml
from projects import OneProcess, write_project

ASKS = {
    "equals": "{{ 'yes' if target.type == 'spark' else 'no' }}",
    "equals_reversed": "{{ 'yes' if 'spark' == target.type else 'no' }}",
    "differs": "{{ 'no' if target.type != 'spark' else 'yes' }}",
    "is_in_list": "{{ 'yes' if target.type in ['bigquery', 'spark'] else 'no' }}",
    "is_in_text": "{{ 'yes' if target.type in 'spark, bigquery' else 'no' }}",
    "is_looked_up": "{{ {'spark': 'yes'}.get(target.type, 'no') }}",
    "is_looked_up_by_key": "{{ {'spark': 'yes'}.get(target['type'], 'no') }}",
    "is_printed": "{{ target.type }}",
}
AS_SPARK = {**dict.fromkeys(ASKS, "yes"), "is_printed": "spark"}
AS_OURS = {**dict.fromkeys(ASKS, "no"), "is_printed": "adaptive_spark"}

# `table` and `view` are what the model's config and the project file's say
FILES = {
    "models/asked.sql": (
        "{{ config(materialized={'spark': 'table'}.get(target.type, 'view')) }}\n"
        "select " + ", ".join(f"'{ask}' as {name}" for name, ask in ASKS.items()) + ",\n"
        "  '{{ ask() }}' as in_macro, '{{ dispatched() }}' as dispatched, '{{ adapter.type() }}' as adapter_type,\n"
        "  '{{ tojson({" + ", ".join(f"'{name}': var('{name}')" for name in ASKS) + "}) }}' as vars"
    ),
    "models/configured.sql": "select 1 as id",
    "macros/ask.sql": (
        f"{{% macro ask() %}}{ASKS['is_in_list']}{{% endmacro %}}"
        "{% macro dispatched() %}{{ return(adapter.dispatch('told')()) }}{% endmacro %}"
        "{% macro default__told() %}nobody{% endmacro %}"
        "{% macro spark__told() %}spark{% endmacro %}"
        "{% macro adaptive_spark__told() %}ours{% endmacro %}"
    ),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = tmp_path_factory.mktemp("asking")
    settings = {
        "vars": ASKS,
        "models": {
            "shop": {"configured": {"+materialized": "{{ 'table' if target.type == 'spark' else 'view' }}"}}
        },
    }
    write_project(project, FILES, threads=1, **settings)
    with OneProcess(project) as process:
        yield process


def compiled(process, **fields):
    """The manifest's nodes by name, compiled without Spark by a profile with these fields besides."""
    project = process.folder
    path = project / "profiles.yml"
    profiles = yaml.safe_load(path.read_text())
    output = {key: value for key, value in profiles["shop"]["outputs"]["dev"].items() if key != "target_type"}
    profiles["shop"]["outputs"]["dev"] = {**output, **fields}
    path.write_text(yaml.safe_dump(profiles))
    ended = process.dbt("compile", "--no-introspect")
    assert ended.returncode == 0, ended.stdout
    nodes = json.loads((project / "target" / "manifest.json").read_text(encoding="utf-8"))["nodes"]
    return {node["name"]: node for node in nodes.values()}


def answers(sql):
    """The compiled SELECT's literals by alias."""
    items = sql.partition("select ")[2].replace(",\n", ", ").replace("  '", "'").split(", '")
    pairs = (item.strip().lstrip("'").rpartition("' as ") for item in items)
    return {name: text for text, _, name in pairs}


@pytest.mark.parametrize(
    ("fields", "expected", "materialized"),
    [
        ({}, AS_SPARK, "table"),
        ({"target_type": "adaptive_spark"}, AS_OURS, "view"),  # by the partial parse of the one before
        ({"target_type": "spark"}, AS_SPARK, "table"),
    ],
    ids=["by default", "ours", "spark"],
)
def test_a_project_takes_the_branches_of_the_target_type(project, fields, expected, materialized):
    nodes = compiled(project, **fields)
    found = answers(nodes["asked"]["compiled_code"])
    assert {name: found[name] for name in ASKS} == expected
    assert json.loads(found["vars"]) == expected
    assert found["in_macro"] == expected["is_in_list"]
    assert {nodes[name]["config"]["materialized"] for name in ("asked", "configured")} == {materialized}
    assert (found["dispatched"], found["adapter_type"]) == ("ours", "adaptive_spark")


def test_the_manifest_names_the_adapter_whatever_the_target_type(project):
    compiled(project)
    manifest = json.loads((project.folder / "target" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["metadata"]["adapter_type"] == "adaptive_spark"

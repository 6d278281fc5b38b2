"""Which table formats a project names, before dbt has parsed it."""

from types import SimpleNamespace

import pytest

from dbt.adapters.adaptive_spark.conf.named_formats import formats_of, named_formats


def project(folder, **files):
    (folder / "dbt_project.yml").write_text(files.pop("project", "name: shop\n"))
    for name, text in files.items():
        (folder / "models").mkdir(exist_ok=True)
        (folder / "models" / name.replace("_", ".")).write_text(text)
    return folder


@pytest.mark.parametrize(
    "text",
    [
        "{{ config(materialized='table', file_format='delta') }} select 1",
        '{{ config(file_format = "delta") }} select 1',
        "{{ config(file_format=var('format', 'Delta')) }} select 1",
        '{{ config({"file_format": "delta"}) }} select 1',
    ],
)
def test_a_model_names_it_however_it_is_written(tmp_path, text):
    assert named_formats(project(tmp_path, orders_sql=text), ["models"]).names == {"delta"}


def test_the_project_and_a_property_file_name_it(tmp_path):
    configs = "models:\n  shop:\n    +file_format: delta\n"
    assert named_formats(project(tmp_path, project=configs), []).names == {"delta"}
    properties = "models:\n  - name: a\n    config:\n      file_format: delta\n"
    assert named_formats(project(tmp_path, a_yml=properties), ["models", "missing"]).names == {"delta"}


@pytest.mark.parametrize(
    "text", ["select 1 as file_format", "file_format: parquet", "select 'delta'", "file_format: deltas"]
)
def test_nothing_is_named_by_the_words_alone(tmp_path, text):
    assert named_formats(project(tmp_path, a_sql=text), ["models"]).names == frozenset()


def test_each_format_of_a_line_is_named(tmp_path):
    text = "{{ config(file_format='iceberg' if target.name == 'dev' else 'delta') }} select 1"
    assert named_formats(project(tmp_path, a_sql=text), ["models"]).names == {"delta", "iceberg"}


def test_a_file_of_another_encoding_is_read_all_the_same(tmp_path):
    folder = project(tmp_path, a_sql="")
    (folder / "models" / "a.sql").write_bytes(b"-- caf\xe9\n{{ config(file_format='delta') }}")
    assert named_formats(folder, ["models"]).names == {"delta"}


@pytest.mark.parametrize(
    "text",
    [
        "{{ config(file_format='parquet', materialized='table') }} select 1",
        '{{ config({"file_format": "orc"}) }} select 1',
        "{{ config(file_format=none) }} select 1",
        "models:\n  - name: a\n    config: {file_format: parquet}  # as ever\n",
        "{{ config(file_format=var('format', 'delta')) }} select 1",
        "{% if config.get('file_format') == 'parquet' %} select 1 {% endif %}",
        "-- file_format is that of the project\nselect 1",
    ],
)
def test_the_text_says_it_all(tmp_path, text):
    assert named_formats(project(tmp_path, a_sql=text), ["models"]).is_all


@pytest.mark.parametrize(
    "text",
    [
        "{{ config(file_format=var('format')) }} select 1",
        "{% set format = 'del' ~ 'ta' %}{{ config(file_format=format) }} select 1",
        "{{ config(file_format=\n  'delta') }} select 1",
        "{{ config(file_format='parquet' if target.name == 'dev' else format_of(this)) }} select 1",
        "models:\n  +file_format: \"{{ env_var('FORMAT') }}\"\n",
        "models:\n  +file_format: *format\n",
    ],
)
def test_what_jinja_or_another_line_says_is_left_open(tmp_path, text):
    assert not named_formats(project(tmp_path, a_sql=text), ["models"]).is_all


@pytest.mark.parametrize(
    ("value", "is_all"), [("'delta'", False), ("var('format')", False), ("'parquet'", True)]
)
def test_what_packages_name_is_not_asked_for_and_left_open(tmp_path, value, is_all):
    folder = project(tmp_path)
    (folder / "dbt_packages" / "audit" / "models").mkdir(parents=True)
    (folder / "dbt_packages" / "audit" / "models" / "log.sql").write_text(
        f"{{{{ config(file_format={value}) }}}}"
    )
    found = named_formats(folder, ["models"], folder / "dbt_packages")
    assert (found.names, found.is_all) == (frozenset(), is_all)
    assert named_formats(folder, ["models"], folder / "missing").is_all


def test_the_formats_of_nodes_are_those_of_their_configs():
    nodes = [SimpleNamespace(config={"file_format": each}) for each in ("Delta", "parquet", None)]
    assert formats_of([*nodes, SimpleNamespace(config=None), SimpleNamespace()]) == {"delta"}

"""Which table formats a project names, before dbt has parsed it."""

import pytest

from dbt.adapters.adaptive_spark.conf.named_formats import named_formats


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
    assert named_formats(project(tmp_path, orders_sql=text), ["models"]) == {"delta"}


def test_the_project_and_a_property_file_name_it(tmp_path):
    configs = "models:\n  shop:\n    +file_format: delta\n"
    assert named_formats(project(tmp_path, project=configs), []) == {"delta"}
    properties = "models:\n  - name: a\n    config:\n      file_format: delta\n"
    assert named_formats(project(tmp_path, a_yml=properties), ["models", "missing"]) == {"delta"}


@pytest.mark.parametrize(
    "text", ["select 1 as file_format", "file_format: parquet", "select 'delta'", "file_format: deltas"]
)
def test_nothing_is_named_by_the_words_alone(tmp_path, text):
    assert named_formats(project(tmp_path, a_sql=text), ["models"]) == frozenset()


def test_each_format_of_a_line_is_named(tmp_path):
    text = "{{ config(file_format='iceberg' if target.name == 'dev' else 'delta') }} select 1"
    assert named_formats(project(tmp_path, a_sql=text), ["models"]) == {"delta", "iceberg"}


def test_a_file_of_another_encoding_is_read_all_the_same(tmp_path):
    folder = project(tmp_path, a_sql="")
    (folder / "models" / "a.sql").write_bytes(b"-- caf\xe9\n{{ config(file_format='delta') }}")
    assert named_formats(folder, ["models"]) == {"delta"}

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
        '{{ config({"file_format": "Delta"}) }} select 1',
        "{{ config(\n  file_format=\n    'delta',\n) }} select 1",
        "dbt.config(file_format = 'delta')",
        "configs['file_format'] = 'delta'",
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


def test_each_format_that_jinja_chooses_from_is_one_perhaps(tmp_path):
    text = "{{ config(file_format='iceberg' if target.name == 'dev' else 'delta') }} select 1"
    found = named_formats(project(tmp_path, a_sql=text), ["models"])
    assert (found.names, found.perhaps) == (frozenset(), {"delta", "iceberg"})


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
        "{{ config(file_format='orc'\n  if target.name == 'prod'\n  else 'parquet', alias='a') }} select 1",
        "{% set file_format = 'parquet' %} select 1",
        "{% if config.get('file_format') == 'parquet' %} select 1 {% endif %}",
        "select file_format::string from files where file_format == 'csv'",
        "-- file_format is that of the project\nselect 1",
    ],
)
def test_the_text_of_a_model_says_it_all(tmp_path, text):
    assert named_formats(project(tmp_path, a_sql=text), ["models"]).is_all


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("parquet", set()),
        ("Delta  # in the lake", {"delta"}),
        ('"delta"', {"delta"}),
        ("delta, materialized: table}", {"delta"}),
        ("delta\r", {"delta"}),
        ("\"{{ 'orc' if target.name == 'prod' else 'parquet' }}\"", set()),
    ],
)
def test_the_text_of_a_property_file_says_it_all(tmp_path, value, names):
    found = named_formats(project(tmp_path, a_yml=f"models:\n  +file_format: {value}\n"), ["models"])
    assert (found.names, found.is_all) == (names, True)


@pytest.mark.parametrize(
    "text",
    [
        "{{ config(file_format=var('format')) }} select 1",
        "{{ config(file_format=var('format', 'delta')) }} select 1",
        "{{ config(file_format=var('format'), location_root='/mnt/delta') }} select 1",
        "{% set format = 'del' ~ 'ta' %}{{ config(file_format=format) }} select 1",
        "{{ config(file_format='parquet' if target.name == 'dev' else format_of(this)) }} select 1",
        "{{ config(file_format='orc') }}{{ config(file_format=var('format')) }} select 1",
        "{{ config(file_format='parquet' if target.name == 'dev' else 'delta') }} select 1",
        "{{ config(file_format='parquet'\n  if target.name == 'dev'\n  else 'delta', alias='a') }} select 1",
        "{{ config(file_format='orc' if a else fmt if b else 'parquet') }} select 1",
    ],
)
def test_what_jinja_says_is_left_open(tmp_path, text):
    assert not named_formats(project(tmp_path, a_sql=text), ["models"]).is_all


@pytest.mark.parametrize(
    "value", ["\"{{ env_var('FORMAT') }}\"", "*format", "", "\"{{ var('f', 'delta') }}\""]
)
def test_what_jinja_or_another_line_of_a_property_file_says_is_left_open(tmp_path, value):
    found = named_formats(project(tmp_path, a_yml=f"models:\n  +file_format: {value}\n"), ["models"])
    assert (found.names, found.is_all) == (frozenset(), False)


def test_of_two_formats_only_the_profile_tells_the_first(tmp_path):
    folder = project(
        tmp_path, a_sql="{{ config(file_format='delta') }}", b_sql="{{ config(file_format='iceberg') }}"
    )
    for default, is_all in ((None, False), ("parquet", False), ("iceberg", True)):
        assert named_formats(folder, ["models"], default=default).is_all is is_all


@pytest.mark.parametrize(
    ("value", "is_all"), [("'delta'", False), ("var('format')", False), ("'parquet'", True)]
)
def test_what_packages_name_is_left_open(tmp_path, value, is_all):
    folder = project(tmp_path)
    (tmp_path / "elsewhere" / "models").mkdir(parents=True)
    (tmp_path / "elsewhere" / "models" / "log.sql").write_text(f"{{{{ config(file_format={value}) }}}}")
    (tmp_path / "elsewhere" / "integration_tests").mkdir()
    (tmp_path / "elsewhere" / "integration_tests" / "a.sql").write_text("{{ config(file_format=var('f')) }}")
    (folder / "dbt_packages").mkdir()
    # as `dbt deps` puts a local package there
    (folder / "dbt_packages" / "audit").symlink_to(tmp_path / "elsewhere")
    found = named_formats(folder, ["models"], packages=folder / "dbt_packages")
    assert (found.names, found.is_all) == (frozenset(), is_all)
    assert named_formats(folder, ["models"], packages=folder / "missing").is_all
    if value == "'delta'":
        assert named_formats(folder, ["models"], packages=folder / "dbt_packages", default="delta").is_all


@pytest.mark.parametrize(
    ("text", "is_all"),
    [
        ("{{ config(file_format='delta') }}", False),
        ("{% set file_format = config.get('file_format') %}", True),
        ("{{ config(file_format='orc') }}", True),
    ],
)
def test_a_format_that_a_macro_names_is_left_open(tmp_path, text, is_all):
    folder = project(tmp_path, a_sql=text)
    found = named_formats(folder, [], macros=["models"])
    assert (found.names, found.is_all) == (frozenset(), is_all)


def test_a_file_that_cannot_be_read_is_left_open(tmp_path, monkeypatch):
    folder = project(tmp_path, a_sql="")

    def refuse(path, **_):
        if path.name == "a.sql":
            raise PermissionError(path)
        raise FileNotFoundError(path)

    monkeypatch.setattr(type(folder), "read_text", refuse)
    found = named_formats(folder, ["models"])
    assert (found.names, found.is_all) == (frozenset(), False)


def test_the_formats_of_the_projects_own_nodes_come_first():
    def node(format_, package):
        return SimpleNamespace(config={"file_format": format_}, package_name=package)

    nodes = [node("delta", "audit"), node("Iceberg", "shop"), node("parquet", "shop"), node(None, "shop")]
    nodes += [SimpleNamespace(config=None), SimpleNamespace()]
    assert formats_of(nodes, "shop") == ["iceberg", "delta"]
    assert formats_of(nodes, None) == ["delta", "iceberg"]

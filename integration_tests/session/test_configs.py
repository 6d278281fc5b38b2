"""Wrong values of configs and hints as a user meets them: in a project that dbt runs,
with all commands in one process.
"""

import pytest
import yaml
from projects import OneProcess, write_project

FROM = "from range(100) where id > 1 and id < 50"
SCHEMA = {
    "sources": [{"name": "crm", "tables": [{"name": "customers", "config": {"momentum": 0.5}}]}],
    "models": [
        {"name": "nearer", "config": {"spark_conf": {"spark.sql.adaptiveFilter.momentum": 0.9}}},
        {"name": "reader", "columns": [{"name": "id", "data_tests": [{"unique": {"config": {"filter_order": ["id"]}}}]}]},
    ],
}  # fmt: skip
FILES = {
    "models/schema.yml": yaml.safe_dump(SCHEMA),
    "models/part.sql": "{{ config(materialized='ephemeral', momentum=var('momentum', 0.5)) }} select id "
    + FROM,
    "models/reader.sql": "select * from {{ ref('part') }}",
    "models/alone.sql": f"{{{{ config(error='mine') }}}} select id {FROM}",
    "models/text.sql": f"{{{{ config(collect_rate=env_var('RATE', '7'), adaptive_filter='True') }}}} select id {FROM}",
    "models/nearer.sql": "select '${spark.sql.adaptiveFilter.momentum}' as momentum",
    "models/twice.sql": f"{{{{ config(momentum=0.5, spark_conf={{'spark.sql.adaptiveFilter.momentum': 0.9}}) }}}} select id {FROM}",
    "models/misspelt.sql": f"select /*+ filter_oder(id) */ id {FROM}",
    "models/empty.sql": f"select /*+ FILTER_ORDER() */ id {FROM}",
    "models/unquoted.sql": f"select /*+ ADAPTIVE_FILTER(momentum=0.5) */ id {FROM}",
    "seeds/codes.csv": "id\n1\n",
}
SETTINGS = {
    "models": {"shop": {"+materialized": "table", "nearer": {"+momentum": 0.1}}},
    "seeds": {"shop": {"+filter_order": ["id"]}},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """dbt on the project."""
    folder = tmp_path_factory.mktemp("shop")
    write_project(folder, FILES, threads=1, **SETTINGS)
    with OneProcess(folder) as process:
        yield process.dbt


def test_configs_without_effect_are_told_of_where_dbt_runs_something(shop):
    ended = shop("build", "--select", "reader", "alone", "codes")
    assert ended.returncode == 0, ended.stdout
    for sentence in (
        "momentum has no effect on an ephemeral model (models/part.sql): its SQL runs in the models that refer to it, with their configs.",
        "filter_order has no effect on a seed (seeds/codes.csv): it is for models in SQL.",
        "filter_order has no effect on a test (models/schema.yml, unique_reader_id): it is for models in SQL.",
        "momentum has no effect on a source (models/schema.yml, customers): Spark runs nothing for it.",
        "error is not a config of adaptive_spark (models/alone.sql). Did you mean errors?",
    ):
        assert ended.stdout.count(sentence) == 1, ended.stdout


def test_a_wrong_value_of_an_ephemeral_model_stops_the_model_that_reads_it(shop):
    ended = shop("run", "--select", "reader", "alone", "--vars", "{momentum: 3}")
    assert ended.returncode == 1
    assert "momentum: 3 is not a number in [0, 1] (models/part.sql)." in ended.stdout
    assert "PASS=1 WARN=0 ERROR=1" in ended.stdout


def test_a_text_of_env_var_is_a_value(shop):
    ended = shop("run", "--select", "text")
    assert ended.returncode == 0, ended.stdout


def test_the_nearer_of_two_values_for_a_conf_wins(shop):
    assert shop("run", "--select", "nearer").returncode == 0
    ended = shop("show", "--inline", "select * from {{ ref('nearer') }}")
    assert "0.9" in ended.stdout, ended.stdout


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("twice", "momentum: 0.5 and spark_conf: spark.sql.adaptiveFilter.momentum: 0.9 contradict each other (models/twice.sql). Keep one."),
        ("misspelt", "FILTER_ODER is not a hint. Did you mean FILTER_ORDER?"),
        ("empty", "FILTER_ORDER names no column. Write it as FILTER_ORDER(column, …)."),
        ("unquoted", "ADAPTIVE_FILTER: \"momentum=0.5\" is not a quoted option. Write it as 'momentum=0.5'."),
    ],
)  # fmt: skip
def test_a_wrong_model_stops_with_its_sentence(shop, model, sentence):
    ended = shop("run", "--select", model)
    assert ended.returncode == 1
    assert sentence in ended.stdout, ended.stdout

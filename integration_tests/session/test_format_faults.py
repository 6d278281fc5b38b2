"""Configs that a table format cannot keep: said before the first model runs, and the error of the model itself. The
default format of a profile.
"""

import pytest
from format_projects import Processes, failed, passed

INCREMENTAL = "{{{{ config(materialized='incremental', {}) }}}} select 1 as id"
FILES = {
    "models/a_first.sql": "{{ config(materialized='table') }} select 1 as id",
    "models/no_merge.sql": INCREMENTAL.format(
        "file_format='parquet', incremental_strategy='merge', unique_key='id'"
    ),
    "models/no_delete.sql": INCREMENTAL.format(
        "file_format='parquet', incremental_strategy='delete+insert', unique_key='id'"
    ),
    "models/idle_key.sql": INCREMENTAL.format("file_format='parquet', unique_key='id'"),
    "models/no_key.sql": INCREMENTAL.format("incremental_strategy='delete+insert'"),
    "models/bad_key.sql": INCREMENTAL.format("incremental_strategy='merge', unique_key='id; drop'"),
    "models/no_transform.sql": "{{ config(materialized='table', partition_by='days(ts)') }} select current_timestamp() as ts",
    "models/two_layouts.sql": "{{ config(materialized='table', partition_by='id', liquid_clustered_by='id') }} select 1 as id",
    "snapshots/no_rows.sql": "{% snapshot no_rows %}{{ config(target_schema='shop', unique_key='id', strategy='check', "
    "check_cols='all', file_format='parquet') }} select 1 as id{% endsnapshot %}",
    "seeds/people.csv": "id,name\n1,ann\n",
}
SENTENCES = {
    "no_merge": "incremental_strategy merge changes rows, and file_format parquet cannot (models/no_merge.sql). "
    "Give it file_format delta or iceberg, or use insert_overwrite with partition_by.",
    "no_delete": "incremental_strategy delete+insert changes rows, and file_format parquet cannot (models/no_delete.sql). ",
    "no_key": "incremental_strategy delete+insert needs a unique_key (models/no_key.sql). Add it, or use append.",
    "bad_key": "unique_key: 'id; drop' is not a column or a list of columns: it has one of .,;()` where no name has it "
    "(models/bad_key.sql). ",
    "no_transform": "partition_by: 'days(ts)' is a transform, which only Iceberg has, and the model's is delta "
    "(models/no_transform.sql). ",
    "two_layouts": "liquid_clustered_by and partition_by exclude each other in Delta Lake (models/two_layouts.sql). Keep one.",
    "no_rows": "A snapshot changes rows, and file_format parquet cannot (snapshots/no_rows.sql). "
    "Give it file_format delta or iceberg.",
}
IDLE = (
    "unique_key has no effect with incremental_strategy append, the default: rows are added, and none is replaced "
    "(models/idle_key.sql). Give it file_format delta or iceberg and incremental_strategy merge, or leave unique_key out."
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A project whose profile says the format, and no model of the default one, in a Spark that it starts."""
    with (
        Processes(tmp_path_factory.mktemp) as own,
        own.project("delta", FILES, file_format="delta") as process,
    ):
        yield process


def test_wrong_configs_are_said_before_the_first_model_and_stop_their_own(shop):
    said = failed(shop, "build")
    before, _, after = said.partition(" START ")
    for name, sentence in SENTENCES.items():
        assert sentence in before, name
        assert sentence in after, name
    assert IDLE in before
    assert "PASS=3" in said  # a_first, idle_key and the seed


def test_nothing_is_said_of_what_does_not_run(shop):
    assert not any(sentence in passed(shop, "run", "-s", "a_first") for sentence in SENTENCES.values())


def test_the_profiles_format_is_that_of_tables_which_name_none(shop):
    passed(shop, "build", "-s", "a_first", "people", "idle_key")
    for table, provider in {"a_first": "delta", "people": "delta", "idle_key": "parquet"}.items():
        assert shop.rows(f"select distinct provider from adaptive_catalog('shop', '{table}')") == [
            (provider,)
        ]

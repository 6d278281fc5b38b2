"""Statistics through dbt: collected where later models need them, seen by Spark's planner and in dbt's docs, and
left alone where nothing changed.
"""

import json
from types import SimpleNamespace

import pytest
from projects import SINCE_4, OneProcess, write_project

STATISTICS = (
    "{% macro known(table, where='distinct_count is not null') %}{% set rows = run_query(\"select column_name, cast(row_count as int) from adaptive_catalog('shop', '\" ~ table ~ \"') "
    'where " ~ where ~ " order by column_index").rows %}'
    "{% do log('known ' ~ table ~ ': ' ~ rows | map('join', ' ') | join(', '), info=true) %}{% endmacro %}"
)

MODELS = {
    "orders": (
        "{{ config(materialized='table', analyze={'columns': 'auto', 'min_rows': 1000}) }} "
        "select id, id % 100 as customer, id % 7 as status, cast(id as string) as note, array(id) as tags, id * 2 as amount from range(5000)"
    ),
    "staged": "{{ config(materialized='view') }} select id as order_id, customer, status as state from {{ ref('orders') }}",
    "between": "{{ config(materialized='ephemeral') }} select * from {{ ref('staged') }} where state > 1",
    "late": "{{ config(materialized='table') }} select * from {{ ref('between') }}",
    "customers": "{{ config(materialized='table', analyze={'columns': ['id'], 'min_rows': 100}) }} select id from range(100)",
    "joined": (
        "{{ config(materialized='table', analyze='all') }} "
        "select o.note from {{ ref('orders') }} o join {{ ref('customers') }} c on o.customer = c.id"
    ),
    "by_amount": "{{ config(materialized='view') }} select amount, count(*) as n from {{ ref('orders') }} group by amount",
    "small": "{{ config(materialized='table', analyze='auto') }} select 1 as id",
    "reads_small": "{{ config(materialized='view') }} select * from {{ ref('small') }} where id = 1",
    "events": (
        "{{ config(materialized='incremental', incremental_strategy='append', analyze={'columns': 'all', 'min_rows': 0}) }} "
        "select id from range(10) {% if is_incremental() %} where {{ var('more', false) }} {% endif %}"
    ),
    "dynamic": (
        "{% if execute %}{% set least = run_query('select 1').columns[0][0] %}{% endif %}"
        "{{ config(materialized='view') }} select * from {{ ref('orders') }} where id > {{ least }}"
    ),
    "asking": (
        "{{ config(materialized='view') }} select * from {{ ref('orders') }} where status > 1 "
        "{% if execute %} and customer = {{ run_query('select 1').columns[0][0] }} {% endif %}"
    ),
    "ordered": (
        "{{ config(materialized='table', filter_order=['status']) }} "
        "with o as (select * from {{ ref('orders') }}) select * from o where note rlike '^.*(1|2).*(3|4).*$' and status = 3"
    ),
    "sampled": (
        "{{ config(materialized='table', analyze={'columns': ['id', 'k'], 'sample': 0.2}) }} "
        "select id, id % 10 as k from range(200000)"
    ),
    "visits": (
        "{{ config(materialized='table', analyze={'columns': 'auto', 'min_rows': 100}) }} "
        "select cast(id as int) as id, timestamp_ntz'2024-01-01' + make_dt_interval(0, cast(id as int)) as at, "
        f"cast(id as string) {'collate unicode_ci ' if SINCE_4 else ''}as name from range(6000)"
    ),
    "early": (
        "{{ config(materialized='table') }} select v.id from {{ ref('visits') }} v join {{ ref('customers') }} c on v.id = c.id "
        "where v.at < timestamp_ntz'2024-01-02' and v.name = '7'"
    ),
    # small, so that nothing would be collected
    "misnamed": "{{ config(materialized='table', analyze=[var('column', 'id')]) }} select id from range(7)",
    "unplaced": (
        "{{ config(materialized='table', filter_order=['id'] if var('ordered', false) else none) }} "
        "(select id from range(7) where id > 1 and id < 5)"
    ),
    "misordered": "{{ config(materialized='table', filter_order=['nope']) }} select * from {{ ref('orders') }} where id > 1 and status = 3",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    files = {
        **{f"models/{name}.sql": text for name, text in MODELS.items()},
        "macros/known.sql": STATISTICS,
        "macros/sources.sql": "{% macro make() %}{% do run_query('create table if not exists shop.raw using parquet as select id, id % 3 as k from range(2000)') %}{% endmacro %}",
        "models/sources.yml": json.dumps(
            {
                "version": 2,
                "sources": [
                    {
                        "name": "ext",
                        "schema": "shop",
                        "config": {"freshness": {"warn_after": {"count": 1, "period": "day"}}},
                        "tables": [{"name": "raw"}, {"name": "staged"}, {"name": "gone"}],
                    }
                ],
            }
        ),
        "models/of_source.sql": "select * from {{ source('ext', 'raw') }} where k = 1",
        "seeds/colours.csv": "id,name\n" + "".join(f"{i},c{i % 5}\n" for i in range(50)),
        "models/of_seed.sql": "{{ config(materialized='table') }} select name, count(*) as n from {{ ref('colours') }} group by name",
    }
    write_project(
        folder, files, threads=2, **{"on-run-start": "{{ make() }}", "seeds": {"+analyze": {"min_rows": 10}}}
    )
    with OneProcess(folder) as process:
        yield process


@pytest.fixture(scope="module")
def built(project):
    """One build: its output, and its results by node."""
    ended = project.dbt("--debug", "build")
    results = json.loads((project.folder / "target" / "run_results.json").read_text())["results"]
    return SimpleNamespace(
        stdout=ended.stdout, results={each["unique_id"].split(".")[2]: each for each in results}
    )


def known(project, table, **where):
    """The columns with statistics, each with the table's rows, as `id 5000, customer 5000`."""
    printed = project.dbt("run-operation", "known", "--args", json.dumps({"table": table, **where})).stdout
    return next(
        line.split(f"known {table}: ")[1] for line in printed.splitlines() if f"known {table}: " in line
    ).strip()


def test_exactly_the_columns_that_later_models_use(project, built):
    # note is only in an RLIKE, of which the planner makes nothing
    assert "on 4 of its 6 columns: id, customer, status, amount" in built.stdout
    assert known(project, "orders") == "id 5000, customer 5000, status 5000, amount 5000"


def test_histograms_are_of_columns_that_later_models_filter(project, built):
    assert known(project, "orders", where="has_histogram") == "id 5000, status 5000"


def test_auto_leaves_out_columns_whose_statistics_the_planner_cannot_take(project, built):
    assert f"on {'1 of its 3 columns: id' if SINCE_4 else '2 of its 3 columns: id, name'}" in built.stdout
    assert known(project, "visits") == ("id 6000" if SINCE_4 else "id 6000, name 6000")
    assert built.results["early"]["status"] == "success"


def test_a_seeds_statistics(project, built):
    assert known(project, "colours") == "name 50"


def test_all_and_listed_columns(project, built):
    assert "Collected statistics of shop.customers" in built.stdout
    assert "shop.small has 1 row, fewer than min_rows" in built.stdout
    assert "shop.joined has 5,000 rows, fewer than min_rows" in built.stdout


def test_a_model_that_can_not_be_read_is_named(built):
    assert (
        "analyze: models/dynamic.sql reads shop.orders too. Which columns it filters, joins or groups by is not known, because its SQL is not understood"
        in built.stdout
    )


def test_a_model_that_asks_whether_it_runs_is_named_too(built):
    assert (
        "analyze: models/asking.sql reads shop.orders too. Which columns it filters, joins or groups by is not known, because its Jinja needs to run"
        in (built.stdout)
    )


def test_a_sample_stands_for_the_table(project, built):
    assert "(sample: 0.2), on 2 of its 2 columns: id, k" in built.stdout
    rows = [int(each.split(" ")[1]) for each in known(project, "sampled").split(", ")]
    assert len(rows) == 2
    assert rows == [200_000] * 2, "the model wrote as many"


@pytest.mark.parametrize(
    ("model", "wrong", "sentence"),
    [
        ("misnamed", {"column": "idd"}, "analyze: 'idd' is not a column of shop.misnamed (models/misnamed.sql). Did you mean id?"),
        ("unplaced", {"ordered": True}, "filter_order: models/unplaced.sql has no SELECT outside of parentheses."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_model_is_said_before_its_table_is_replaced(
    project, built, model, wrong, sentence
):
    assert built.results[model]["status"] == "success"
    ended = project.dbt("run", "-s", model, "--vars", json.dumps(wrong))
    assert sentence in ended.stdout
    shown = project.dbt("show", "--inline", f"select count(*) > 0 as remains from {{{{ ref('{model}') }}}}")
    assert "True" in shown.stdout, shown.stdout


def test_an_order_becomes_a_hint(project, built):
    compiled = (project.folder / "target" / "run" / "shop" / "models" / "ordered.sql").read_text()
    assert "select /*+ FILTER_ORDER(`status`) */ * from o" in compiled
    first = built.results["ordered"]["adapter_response"]["adaptive_filters"][0]["conjuncts"][0]["predicate"]
    assert "status" in first
    assert built.results["misordered"]["status"] == "error"
    assert 'FILTER_ORDER: "nope" is not a column' in built.results["misordered"]["message"]


def test_what_did_not_change_is_not_read_again(project, built):
    first = known(project, "events")
    again = project.dbt("--debug", "run", "-s", "events").stdout
    assert first == "id 10"
    assert "shop.events did not change since its last statistics" in again
    assert "ANALYZE TABLE `shop`.`events`" not in again
    more = project.dbt("--debug", "run", "-s", "events", "--vars", "{more: true}").stdout
    assert "ANALYZE TABLE `shop`.`events` COMPUTE STATISTICS FOR COLUMNS `id`" in more
    assert known(project, "events") == "id 20"


def test_sources_are_analyzed_when_asked(project, built):
    arguments = json.dumps({"analyze": {"min_rows": 1}})
    first = project.dbt("--debug", "run-operation", "analyze_sources", "--args", arguments).stdout
    assert "Collected statistics of shop.raw" in first
    assert known(project, "raw") == "k 2000"
    again = project.dbt("--debug", "run-operation", "analyze_sources", "--args", arguments).stdout
    assert "shop.raw did not change since its last statistics" in again
    wrong = project.dbt(
        "run-operation", "analyze_sources", "--args", json.dumps({"sources": ["nope"]})
    ).stdout
    assert "analyze_sources: 'nope' is not a source" in wrong


def test_one_relation_when_asked(project, built):
    arguments = json.dumps({"relation": "shop.joined", "columns": ["note"]})
    project.dbt("run-operation", "analyze_relation", "--args", arguments)
    assert known(project, "joined") == "note 5000"
    wrong = project.dbt(
        "run-operation", "analyze_relation", "--args", '{"relation": "lake.shop.joined"}'
    ).stdout
    assert "lake.shop.joined has more than a schema and a table" in wrong


def test_docs_show_statistics(project, built):
    ended = project.dbt("docs", "generate")
    assert ended.returncode == 0, ended.stdout
    nodes = json.loads((project.folder / "target" / "catalog.json").read_text())["nodes"]
    statistics = nodes["model.shop.orders"]["stats"]
    assert statistics["rows"]["value"] == 5000
    assert statistics["column_1"]["label"] == "customer"
    assert statistics["column_1"]["value"] == "about 103 distinct, 0 nulls, from 0 to 99"
    sampled = nodes["model.shop.sampled"]["stats"]
    assert (sampled["rows"]["label"], sampled["rows"]["value"]) == ("rows", 200_000)
    assert sampled["column_1"]["value"].endswith("≈ 0 nulls, from 0 to 9 (estimated from 20 % of rows)")
    assert nodes["model.shop.staged"]["columns"]["state"]["type"] == "bigint"


def test_sources_are_as_fresh_as_their_files(project, built):
    ended = project.dbt("source", "freshness")
    results = json.loads((project.folder / "target" / "sources.json").read_text())["results"]
    (raw,) = results
    assert raw["status"] == "pass", ended.stdout
    assert 0 < raw["max_loaded_at_time_ago_in_s"] < 3600
    assert (
        "shop.gone does not exist. Create it, or correct the source's schema and identifier." in ended.stdout
    )
    assert "shop.staged has no files whose times tell when it last changed" in ended.stdout

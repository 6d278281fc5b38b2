"""A dbt project from end to end, in a process of its own: what a user reads on the console and in the artifacts."""

import json
import re

import pytest
from projects import dbt, write_project

RATE = (
    "'${spark.sql.adaptiveFilter.collectRate}'"  # Spark puts the value that the statement's session has there
)

MODELS = {
    # each model writes down the rate that its own session has
    **{
        f"rate_{rate}": f"{{{{ config(materialized='table', collect_rate={rate}) }}}} select {RATE} as rate"
        for rate in (11, 12, 13, 14)
    },
    "numbers": "{{ config(materialized='table') }} select id, id % 100 as k from range(200000)",
    "filtered": (
        "{{ config(materialized='table', collect_rate=10, spark_conf={'spark.sql.shuffle.partitions': 3}) }} "
        "select * from {{ ref('numbers') }} where id % 1000 >= 0 and sqrt(id) >= 0 and k % 50 = 7"
    ),
    "early": "{{ config(materialized='table') }} select * from {{ ref('numbers') }} where id < 5000",
    "too_eager": "{{ config(materialized='table', momentum=1.5) }} select 1 as id",
    "never": "{{ config(materialized='table', collect_rate=0) }} select 1 as id",
    "misspelt": "{{ config(materialized='table', adaptive_filtre=false) }} select 1 as id",
    "imprudent": "{{ config(materialized='table', policy='best') }} select 1 as id",
    "unordered": "select {{ filter_order_hint() }} id from range(5) where id > 1 and id < 3",
    "unsaid": "select {{ adaptive_filter_hint() }} id from range(5) where id > 1 and id < 3",
    "unjoined": "select {{ dynamic_filter_hint() }} id from range(5) where id > 1",
    "prudent": (
        "{{ config(materialized='table', policy='conditional', initial_order='written', errors='exact') }} "
        "select '${spark.sql.adaptiveFilter.policy}' as a, '${spark.sql.adaptiveFilter.initialOrder}' as b, "
        "'${spark.sql.adaptiveFilter.errors}' as c"
    ),
    "static": (
        "{{ config(materialized='table', "
        "spark_conf={'spark.mine': 1, 'spark.sql.warehouse.dir': '/x'}) }} select 1 as id"
    ),
    "core": ("{{ config(materialized='table', spark_conf={'spark.executor.memory': '4g'}) }} select 1 as id"),
    **{
        name: (
            f"{{{{ config(materialized='table', spark_conf={{'spark.sql.dynamicFilter.minProbeSize': 0}}{config}) }}}} "
            f"select {hint} n.id from {{{{ ref('numbers') }}}} n join {{{{ ref('{build}') }}}} f on n.id = f.id where f.k = 57"
        )
        for name, config, hint, build in (
            ("joined", "", "", "filtered"),
            ("joined_early", "", "", "early"),
            ("joined_unfiltered", ", dynamic_filter=false", "", "filtered"),
            ("joined_hinted", "", "{{ dynamic_filter_hint(off='n') }}", "filtered"),
        )
    },
    "hostile": (
        "{{ config(materialized='table', spark_conf={'spark.mine': \"1; drop table numbers -- `'\"}) }} "
        "select count(*) as n from {{ ref('numbers') }}"
    ),
}
TESTS = {
    **{
        f"saw_{rate}": f"select * from {{{{ ref('rate_{rate}') }}}} where rate <> '{rate}'"
        for rate in (11, 12, 13, 14)
    },
    "saw_prudent": "select * from {{ ref('prudent') }} where a <> 'conditional' or b <> 'written' or c <> 'exact'",
    "own_rate": f"{{{{ config(collect_rate=20) }}}} select 1 as wrong where {RATE} <> '20'",
    "joined_rows": "select count(*) from {{ ref('joined') }} having count(*) <> 2000",
    "filtered_rows": "select * from {{ ref('filtered') }} where k not in (7, 57)",
}
SEED = 'id,name,note\n1,O\'Brien,\n2,"a \\ b","${spark.app.name}; --"\n'
SEEN = """
select * from {{ ref('people') }}
where not (id = 1 and name = 'O\\'Brien' and note is null)
  and not (id = 2 and name = 'a \\\\ b' and note = concat('$', '{spark.app.name}; --'))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The console's lines and the results by node of one `dbt build` of the project."""
    project = tmp_path_factory.mktemp("project")
    files = {
        **{f"models/{name}.sql": text for name, text in MODELS.items()},
        **{f"tests/{name}.sql": text for name, text in TESTS.items()},
        "tests/seed_arrived.sql": SEEN,
        "seeds/people.csv": SEED,
    }
    write_project(project, files, threads=4, seeds={"+calculate_rate": 5})
    ended = dbt(project, "build", "--threads", "4")
    results = json.loads((project / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
    return ended.stdout, {result["unique_id"].split(".")[2]: result for result in results}


def test_only_the_bad_models_fail(built):
    _, results = built
    failed = {name for name, result in results.items() if result["status"] not in ("success", "pass")}
    assert failed == {
        "too_eager",
        "never",
        "misspelt",
        "imprudent",
        "unordered",
        "unsaid",
        "unjoined",
        "static",
        "core",
    }


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "too_eager",
            "momentum: 1.5 is not a number in [0, 1] (models/too_eager.sql). Leave it out for the default, 0.3.",
        ),
        (
            "never",
            "collect_rate: 0 is not auto or a whole number in [1, 2147483647] (models/never.sql). Leave it out for the default, 1000.",
        ),
        (
            "misspelt",
            "adaptive_filtre is not a config of adaptive_spark (models/misspelt.sql). "
            "Did you mean adaptive_filter?",
        ),
        (
            "static",
            "spark_conf: spark.sql.warehouse.dir is fixed once Spark runs and cannot be set for one model "
            "(models/static.sql). Put it under server_side_parameters in your profile.",
        ),
        (
            "core",
            "spark_conf: spark.executor.memory is fixed once Spark runs and cannot be set for one model "
            "(models/core.sql). Put it under server_side_parameters in your profile.",
        ),
    ],
)
def test_a_bad_model_says_why_on_the_console_and_in_the_results(built, name, sentence):
    console, results = built
    assert results[name]["message"] == f"Runtime Error in model {name} (models/{name}.sql)\n  {sentence}"
    assert sentence in console


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("imprudent", "policy: 'best' is not one of rank, conditional (models/imprudent.sql)."),
        ("unordered", "FILTER_ORDER names no column. Write it as filter_order_hint('a', 't.b')."),
        ("unsaid", "ADAPTIVE_FILTER: adaptive_filter_hint() says nothing. Write adaptive_filter_hint(true),"),
        ("unjoined", "DYNAMIC_FILTER names no relation. Write it as dynamic_filter_hint(on='a');"),
    ],
)
def test_a_hint_that_says_nothing_and_a_wrong_name_stop_their_model_alone(built, name, sentence):
    console, results = built
    assert f"model {name} (models/{name}.sql)" in results[name]["message"]
    assert sentence in results[name]["message"]
    assert sentence in console


def test_what_a_filter_learned_is_in_the_results(built):
    console, results = built
    response = results["filtered"]["adapter_response"]
    assert response["rows_affected"] == 4000
    (learned,) = response["adaptive_filters"]
    assert (learned["rows_in"], learned["rows_out"]) == (200000, 4000)
    conjuncts = learned["conjuncts"]
    assert [each["final_position"] for each in conjuncts] == list(range(len(conjuncts)))
    (rare,) = (each for each in conjuncts if "% 50" in each["predicate"])
    assert rare["selectivity"] == pytest.approx(0.02, abs=0.01)
    assert re.search(
        r"model shop\.filtered \.* \[OK, 4,000 rows(, 1 filter reordered (for speed|from the start))? in ",
        console,
    )


def test_a_model_without_filters_has_an_empty_list(built):
    _, results = built
    response = results["numbers"]["adapter_response"]
    assert response == {
        "_message": "OK, 200,000 rows",
        "code": "OK",
        "rows_affected": 200000,
        "adaptive_filters": [],
        "dynamic_filters": [],
        "aqe": {},
    }


def test_what_a_join_pruned_is_in_the_results(built):
    console, results = built
    (pruned,) = results["joined"]["adapter_response"]["dynamic_filters"]
    assert (pruned["verdict_code"], pruned["build_keys"], pruned["kind"]) == ("filtered", 2000, "values")
    assert pruned["scan"].endswith("numbers")
    assert pruned["kept"] > 0.9  # each page of the file holds keys
    assert re.search(
        r"model shop\.joined \.* \[OK, 2,000 rows, 1 scan filtered by a join in vain in ", console
    )
    assert re.search(r"model shop\.joined_early \.* \[OK, 50 rows, 1 scan filtered by a join in ", console)


def test_a_model_and_a_select_can_do_without(built):
    console, results = built
    assert results["joined_unfiltered"]["adapter_response"]["dynamic_filters"] == []
    (refused,) = results["joined_hinted"]["adapter_response"]["dynamic_filters"]
    assert (refused["verdict_code"], refused["verdict_figures"]) == ("hint_off", None)
    assert "/*+ NO_DYNAMIC_FILTER(`n`) */" in results["joined_hinted"]["compiled_code"]
    assert not re.search(r"model shop\.joined_(hinted|unfiltered) .*filtered by", console)

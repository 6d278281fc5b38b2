import json
import re

import pytest

FILTERED = [
    "ageing_fleet",
    "daily_operations",
    "holiday_delays",
    "late_narrowbodies",
    "padded_schedules",
    "punctual_routes",
    "transcontinental",
    "weather_disruptions",
]
TABLES = [*FILTERED, "fct_flights"]
FLIGHTS = 336_776


def filters(build, model):
    return build.models[model]["adapter_response"].get("adaptive_filters") or []


def main_filter(build, model):
    """The one over the flights themselves."""
    return max(filters(build, model), key=lambda each: each["rows_in"])


def test_every_table_is_compared(demo_run):
    assert sorted(demo_run.models) == sorted(TABLES)


@pytest.mark.parametrize("model", TABLES)
def test_rows_are_the_same_without_adaptive_filters(demo_run, plain_run, model):
    assert demo_run.rows[model] == plain_run.rows[model]
    assert demo_run.rows[model]


@pytest.mark.parametrize("model", TABLES)
def test_rows_are_the_same_after_a_second_run(demo_run, second_demo_run, model):
    assert second_demo_run.rows[model] == demo_run.rows[model]


@pytest.mark.parametrize("model", TABLES)
def test_rows_affected_are_the_rows_of_the_table(demo_run, plain_run, model):
    for build in (demo_run, plain_run):
        assert build.models[model]["adapter_response"]["rows_affected"] == build.rows[model].total()


@pytest.mark.parametrize("model", FILTERED)
def test_results_say_what_the_filters_learned(demo_run, model):
    learned = main_filter(demo_run, model)
    assert 0 < learned["rows_out"] < learned["rows_in"] <= FLIGHTS
    conjuncts = learned["conjuncts"]
    places = list(range(len(conjuncts)))
    assert len(conjuncts) > 1
    assert [each["final_position"] for each in conjuncts] == places
    assert sorted(each["written_position"] for each in conjuncts) == places
    for each in conjuncts:
        assert each["predicate"]
        assert each["rows_monitored"] > 0
        assert 0 <= each["selectivity"] <= 1
        assert each["cost_ns"] > 0


def test_results_have_no_filters_where_they_are_off(plain_run):
    assert {model: filters(plain_run, model) for model in TABLES} == {model: [] for model in TABLES}


def test_model_config_wins_over_the_project(demo_run):
    # late_narrowbodies samples one row in 50 in its config block, the others one in 100 from dbt_project.yml
    sampled = {
        model: max(each["rows_monitored"] for each in main_filter(demo_run, model)["conjuncts"])
        for model in ("late_narrowbodies", "daily_operations")
    }
    # the distances between samples are random, and a sample is a slice of many rows
    assert sampled["late_narrowbodies"] == pytest.approx(FLIGHTS / 50, rel=0.3)
    assert sampled["daily_operations"] == pytest.approx(FLIGHTS / 100, rel=0.3)


def test_selective_cheap_predicate_written_last_moves_forward(demo_run):
    # dep_delay >= 60 stands behind a regular expression, a LIKE and two date ranges
    conjuncts = main_filter(demo_run, "holiday_delays")["conjuncts"]
    (late,) = [each for each in conjuncts if "dep_delay >= ?" in each["shape"]]
    assert late["written_position"] == len(conjuncts) - 1
    assert late["final_position"] < late["written_position"]


def test_rerun_replaces_only_the_newest_month(demo_run, second_demo_run):
    rows = [
        run.models["daily_operations"]["adapter_response"]["rows_affected"]
        for run in (demo_run, second_demo_run)
    ]
    assert rows == [365 * 3, 31 * 3]


@pytest.mark.parametrize("model", FILTERED)
def test_demo_prints_each_model(demo_run, model):
    assert re.search(rf"^{model} \([\d,]+ rows\)$", demo_run.output, re.MULTILINE)


def test_second_demo_run_loads_nothing(demo_run, second_demo_run):
    assert "Wrote 336,776 rows of flights as Parquet" in demo_run.output
    assert "Wrote" not in second_demo_run.output


def test_the_report_tells_what_every_filter_is_known_to_do(reports):
    told = json.loads(reports["json"])
    known = {name.rpartition(".")[2]: node["predicates"] for name, node in told.items()}
    assert set(FILTERED) <= set(known)
    (late,) = [each for each in known["holiday_delays"] if "dep_delay >= ?" in each["shape"]]
    assert 0 < late["selectivity"] < 0.2
    assert late["cost_ns"] > 0
    assert late["rows_monitored"] > 100


def test_the_report_for_a_terminal_lists_the_same(reports):
    lines = reports["table"].splitlines()
    for name, node in json.loads(reports["json"]).items():
        following = lines[lines.index(name) + 2 :]
        for line, known in zip(following, node["predicates"], strict=False):
            assert known["shape"][:60] in line

import json
import re

import pytest

import demo
import load

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
JOINED = ["rebooking_options", "storm_departures"]
TABLES = [*FILTERED, *JOINED, "fct_flights"]
LARGE = "flight_history"
FLIGHTS = 336_776


def filters(results, model):
    return results[model]["adapter_response"].get("adaptive_filters") or []


def main_filter(results, model):
    """The one over the flights themselves."""
    return max(filters(results, model), key=lambda each: each["rows_in"])


def placed(results, model):
    """A model's dynamic filters that a scan was given."""
    every = results[model]["adapter_response"].get("dynamic_filters") or []
    return [each for each in every if each["verdict_code"] == "filtered"]


def joins_switched(results, model):
    return [each["planned"] for each in results[model]["adapter_response"]["aqe"].get("join", [])]


def printed(output, shown):
    """The figures before and after in the closing table, and the model that is named for them."""
    (line,) = [line for line in output.splitlines() if line.startswith(shown)]
    return re.split(r"\s{2,}", line)[1:]


def number(text):
    return int(re.search(r"\d[\d,]*", text)[0].replace(",", ""))


def test_every_table_is_compared(demo_run):
    assert sorted(demo_run.second.models) == sorted([*TABLES, LARGE])


@pytest.mark.parametrize("model", TABLES)
def test_rows_are_the_same_without_filters_and_statistics(demo_run, plain_run, model):
    assert demo_run.second.rows[model] == plain_run.rows[model]
    assert demo_run.second.rows[model]


@pytest.mark.parametrize("model", [*TABLES, LARGE])
def test_rows_affected_are_the_rows_of_the_table(demo_run, plain_run, model):
    for results, counts in (
        (demo_run.first, demo_run.second.counts),
        (plain_run.models, plain_run.counts),
    ):
        assert results[model]["adapter_response"]["rows_affected"] == counts[model]


def test_the_history_is_eight_years_long(demo_run):
    assert demo_run.second.counts[LARGE] == 8 * FLIGHTS


@pytest.mark.parametrize("model", FILTERED)
def test_results_say_what_the_filters_learned(demo_run, model):
    learned = main_filter(demo_run.first, model)
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
    assert {model: filters(plain_run.models, model) for model in TABLES} == {model: [] for model in TABLES}
    assert {model: placed(plain_run.models, model) for model in TABLES} == {model: [] for model in TABLES}


def test_model_config_wins_over_the_project(demo_run):
    # late_narrowbodies samples one row in 50 in its config block, the others one in 100 from dbt_project.yml
    sampled = {
        model: max(each["rows_monitored"] for each in main_filter(demo_run.first, model)["conjuncts"])
        for model in ("late_narrowbodies", "daily_operations")
    }
    # the distances between samples are random, and a sample is a slice of many rows
    assert sampled["late_narrowbodies"] == pytest.approx(FLIGHTS / 50, rel=0.3)
    assert sampled["daily_operations"] == pytest.approx(FLIGHTS / 100, rel=0.3)


def test_selective_cheap_predicate_written_last_moves_forward(demo_run):
    # dep_delay >= 60 stands behind a regular expression, a LIKE and two date ranges
    conjuncts = main_filter(demo_run.first, "holiday_delays")["conjuncts"]
    (late,) = [each for each in conjuncts if "dep_delay >= ?" in each["shape"]]
    assert late["written_position"] == len(conjuncts) - 1
    assert late["final_position"] < late["written_position"]


def test_rerun_replaces_only_the_newest_month(demo_run):
    rows = [
        results["daily_operations"]["adapter_response"]["rows_affected"]
        for results in (demo_run.first, demo_run.second.models)
    ]
    assert rows == [365 * 3, 31 * 3]


@pytest.mark.parametrize("model", FILTERED)
def test_demo_prints_each_model(demo_run, model):
    assert re.search(rf"^{model} \([\d,]+ rows\)$", demo_run.output, re.MULTILINE)


def test_demo_counts_the_filters_that_reordered_themselves(demo_run):
    before, after, model = printed(demo_run.output, "filters reorder themselves")
    assert 0 < number(after) <= number(before)
    assert main_filter(demo_run.first, model)["reorderings"] > 0


def test_demo_counts_the_rows_that_a_join_skipped(demo_run):
    before, after, model = printed(demo_run.output, "a join skips data")
    scan = placed(demo_run.second.models, model)[0]
    assert scan["scan"].endswith(LARGE)
    assert scan["rows_total"] == pytest.approx(8 * FLIGHTS, rel=0.1)
    # sixteen days and airports of eight years, in pages of 20,000 rows
    assert 0 < scan["rows_read"] < scan["rows_total"] / 4
    assert (number(before), number(after)) == (scan["rows_total"], scan["rows_read"])


def test_statistics_are_known_in_the_second_run_alone(demo_run):
    assert "Collected statistics" not in demo_run.output.split("Second run")[0]
    first, second = (
        {stat["label"] for stat in catalog["nodes"][f"model.flights.{LARGE}"]["stats"].values()}
        for catalog in demo_run.catalogs
    )
    assert not {"rows", "dep_delay"} & first
    assert {"rows", "dep_delay"} <= second


def test_statistics_change_the_plan_of_the_rebookings(demo_run):
    before, after, model = printed(demo_run.output, "statistics change a plan")
    assert before.startswith("sort-merge join")
    assert after.startswith("broadcast join")
    # the first run found out while it ran, the second knew
    assert joins_switched(demo_run.first, model) == ["SortMergeJoin"]
    assert joins_switched(demo_run.second.models, model) == []
    # the keys come from the side that is small: the flights that were cancelled
    assert number(after) == placed(demo_run.second.models, model)[0]["build_rows"]
    assert number(after) < number(before) / 10


def test_the_second_run_starts_in_the_order_that_the_first_learned(demo_run):
    before, after, model = printed(demo_run.output, "a run starts from the last")
    assert number(before) > 0
    assert number(after.split(";")[1]) > 0
    assert main_filter(demo_run.first, model)["reorderings"] > 0
    learned = main_filter(demo_run.second.models, model)
    assert learned["reorderings"] == 0
    (late,) = [each for each in learned["conjuncts"] if each["branch"] is None and " OR " in each["shape"]]
    assert late["final_position"] < late["written_position"]


def test_demo_writes_a_page_for_each_run(demo_run, project):
    for folder in ("first_run", "target"):
        page = project / ".local" / folder / "adaptive_spark_report.html"
        assert page.as_uri() in demo_run.output
        assert "storm_departures" in page.read_text()


def test_the_sources_are_written_once(demo_run, project):
    assert "Wrote 336,776 rows of flights as Parquet" in demo_run.output
    assert load.load(project / ".local" / "raw") == {}


def test_each_demo_starts_from_nothing_but_the_sources(tmp_path):
    for folder in ("raw", "target", "first_run", "warehouse", "metastore"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "some_file").touch()
    demo.forget(tmp_path)
    assert [folder.name for folder in tmp_path.iterdir()] == ["raw"]


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

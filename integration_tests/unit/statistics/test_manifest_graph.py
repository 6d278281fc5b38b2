"""The columns that the models of examples/flights use of each table, as read off their SQL by hand."""

import shutil
from pathlib import Path

import pytest
from dbt.adapters.factory import get_adapter_by_type, reset_adapters
from dbt.cli.main import dbtRunner

from dbt.adapters.adaptive_spark.statistics.manifest_graph import manifest_graph

FLIGHTS = Path(__file__).parents[3] / "examples" / "flights"
USED = {
    "model.flights.fct_flights": (
        "air_time arr_delay dep_delay dest dest_name dest_time_zone distance flight_date "
        "flight_month origin scheduled_hour scheduled_hour_utc seats tailnum"
    ),
    "seed.flights.airlines": "carrier",
    # through views: joined in fct_flights, filtered in ageing_fleet
    "source.flights.nycflights.planes": "tailnum year",
    "source.flights.nycflights.flights": "carrier dest tailnum",
    # through the view of weather: its date, by which storm_departures joins, is made of year and month
    "source.flights.nycflights.weather": "month origin precip temp time_hour visib wind_gust year",
    "source.flights.nycflights.airports": "faa",
}
UNUSED = {
    # `carrier` is only counted in a HAVING; four stand only in LIKE and RLIKE, or alone as a boolean
    "model.flights.fct_flights": "carrier flight_number built_year aircraft_model carrier_name is_cancelled manufacturer",
    "seed.flights.airlines": "carrier_name",
    "source.flights.nycflights.planes": "manufacturer model seats engines speed engine type",
    "source.flights.nycflights.flights": "year month day hour time_hour flight origin dep_time dep_delay arr_delay air_time distance",
    "source.flights.nycflights.weather": "wind_speed",
    "source.flights.nycflights.airports": "name tzone lat lon",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flights") / "project"
    shutil.copytree(FLIGHTS, folder, ignore=shutil.ignore_patterns(".local", "target", "logs"))
    arguments = ["--quiet", "parse", "--project-dir", str(folder), "--profiles-dir", str(folder)]
    parsed = dbtRunner().invoke(arguments)
    assert parsed.success, parsed.exception
    adapter = get_adapter_by_type("adaptive_spark")
    yield manifest_graph(
        adapter.config, parsed.result, lambda node: adapter.Relation.create_from(adapter.config, node)
    )
    reset_adapters()


@pytest.mark.parametrize("table", USED)
def test_exactly_the_columns_that_its_readers_use(graph, table):
    found = graph.needed(table, [*USED[table].split(), *UNUSED[table].split()])
    assert " ".join(sorted(found.columns)) == USED[table]
    assert found.unread == {}


def test_all_tables_at_once(graph):
    columns = {table: [*USED[table].split(), *UNUSED[table].split()] for table in USED}
    found = graph.needed_of_all(columns)
    assert {table: " ".join(sorted(each.columns)) for table, each in found.items()} == USED

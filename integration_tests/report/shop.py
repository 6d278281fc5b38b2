"""A shop's run as dbt and the adapter leave it: filters that moved, joins of every verdict, plans of
every change, ten runs of history.

The numbers are made up, the shapes are those of dbt's schemas and of `statement_response.response`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from shop_queries import CHANGES, FILTERS, FRAUD, JOINS, LATE, Json

BEGAN = datetime(2026, 11, 22, 5, 0, 2, tzinfo=timezone.utc)
DBT = "1.11.16"


def iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def metadata(schema: str, generated: datetime = BEGAN, **more: Any) -> Json:
    return {
        "dbt_schema_version": f"https://schemas.getdbt.com/dbt/{schema}.json",
        "dbt_version": DBT,
        "generated_at": iso(generated),
        "invocation_id": "0f1a2b3c",
        **more,
    }


# name, materialized, parents, seconds, rows, status, SQL
MODELS: Sequence[tuple[str, str, Sequence[str], float, int | None, str, str]] = [
    ("stg_orders", "view", ["source.shop.raw.orders"], 0.41, None, "success", "select *, order_date as day from raw.orders"),
    ("stg_customers", "view", ["source.shop.raw.customers"], 0.38, None, "success", "select * from raw.customers where deleted <> 'yes' and email like '%@%'"),
    ("orders", "table", ["model.shop.stg_orders"], 48.2, 12_418_233, "success", "select * from shop.stg_orders where valid_from <= day"),
    ("order_items", "incremental", ["source.shop.raw.order_items"], 21.7, 118_204, "success", "select * from raw.order_items where loaded_at > timestamp'2026-11-21'"),
    ("customers", "table", ["model.shop.stg_customers"], 9.84, 845_102, "success", "select * from shop.stg_customers"),
    ("late_orders", "table", ["model.shop.orders", "model.shop.customers", "model.shop.order_items"], 33.1, 41_207, "success",
     "select o.* from shop.orders as o join shop.customers c on o.customer_id = c.customer_id join shop.order_items i on i.order_id = o.order_id "
     "where o.status = 'delivered' and o.note rlike 'late' and o.country in ('DE') and o.delay_days > 14 and c.tier = 'gold'"),
    ("daily_revenue", "incremental", ["model.shop.orders", "model.shop.order_items", "seed.shop.countries"], 62.9, 365, "success",
     "select o.day, c.name, sum(i.price) from shop.orders o join shop.order_items i on o.order_id = i.order_id join shop.countries c on c.code = o.country group by 1, 2"),
    ("refunds", "table", ["model.shop.orders"], 4.02, 0, "success", "select * from shop.orders where status = 'refunded'"),
    ("product_margins", "table", ["model.shop.order_items"], 18.4, 60_004, "success", "select product_id, sum(price) from shop.order_items group by product_id"),
    ("weekly_cohorts", "table", ["model.shop.customers", "model.shop.orders"], 27.5, 1_204, "success",
     "select c.cohort, o.day from shop.customers c join shop.orders o on o.customer_id = c.customer_id where c.is_test = 'no' group by all"),
    ("fraud_signals", "table", ["model.shop.orders", "model.shop.customers"], 14.6, None, "error",
     "select o.order_id from shop.orders o join shop.customers c on o.customer_id = c.customer_id where (o.ip_country <> c.country or o.attempts >= 3) and o.amount > 900"),
    ("fraud_cases", "table", ["model.shop.fraud_signals"], 0.0, None, "skipped", ""),
    ("forecast", "table", ["model.shop.orders"], 52.3, 3_650, "success", "def model(dbt, session): ..."),
]  # fmt: skip
COLUMNS = {
    "model.shop.orders": "order_id customer_id day status country region note amount items delay_days ip_country attempts created_at tags",
    "model.shop.order_items": "order_id product_id price loaded_at",
    "model.shop.customers": "customer_id tier cohort country is_test",
    "seed.shop.countries": "code name is_eu",
    "source.shop.raw.orders": "order_id customer_id order_date status country valid_from",
    "source.shop.raw.customers": "customer_id deleted email tier cohort country is_test",
    "source.shop.raw.order_items": "order_id product_id price loaded_at",
}
ANALYZED = {"model.shop.order_items": ["order_id"]}
ERROR = 'Runtime Error in model fraud_signals (models/marts/fraud_signals.sql)\n  [CAST_INVALID_INPUT] The value \'n/a\' of the type "STRING" cannot be cast to "INT".'


def run_results() -> Json:
    clocks = {"Thread-1 (worker)": BEGAN, "Thread-2 (worker)": BEGAN}
    nodes = [("seed.shop.countries", 1.1, 249, "success", "")]
    nodes += [
        (f"model.shop.{name}", seconds, rows, status, sql)
        for name, _, _, seconds, rows, status, sql in MODELS
    ]
    nodes += [
        ("snapshot.shop.customers_history", 12.2, None, "success", "select * from shop.customers"),
        ("test.shop.unique_orders_order_id", 7.3, None, "pass", "select order_id from shop.orders group by order_id having count(*) > 1"),
        ("test.shop.not_null_customers_tier", 0.9, None, "warn", "select tier from shop.customers where tier is null"),
    ]  # fmt: skip
    results = []
    for unique_id, seconds, rows, status, sql in nodes:
        thread = min(clocks, key=lambda each: clocks[each])
        clocks[thread] += timedelta(seconds=seconds)
        results.append(_result(unique_id, seconds, rows, status, sql, thread, clocks[thread]))
    return {
        "metadata": metadata("run-results/v6", max(clocks.values()), invocation_started_at=iso(BEGAN)),
        "results": results,
        "elapsed_time": (max(clocks.values()) - BEGAN).total_seconds(),
        "args": {"which": "build", "invocation_command": "dbt build --target prod"},
    }


def _result(
    unique_id: str,
    seconds: float,
    rows: int | None,
    status: str,
    sql: str,
    thread: str,
    ended: datetime,
) -> Json:
    began = ended - timedelta(seconds=seconds)
    filters, joins, changes = (copy.deepcopy(each.get(unique_id, [])) for each in (FILTERS, JOINS, CHANGES))
    response: Json = {"_message": "OK"}
    if not unique_id.startswith("seed.") and status != "skipped":
        response |= {
            "adaptive_filters": filters,
            "dynamic_filters": joins,
            "aqe": changes or {},
        }
    if rows is not None:
        response["rows_affected"] = rows
    times = {"started_at": iso(began), "completed_at": iso(ended)}
    return {
        "unique_id": unique_id,
        "status": status,
        "execution_time": seconds,
        "thread_id": thread,
        "timing": [] if status == "skipped" else [{"name": "execute", **times}],
        "adapter_response": response,
        "message": ERROR if status == "error" else "OK",
        "compiled_code": sql or None,
    }


def node(unique_id: str, kind: str, materialized: str, parents: Sequence[str] = (), **more: Any) -> Json:
    name = unique_id.split(".")[-1]
    schema = "raw" if kind == "source" else "shop"
    suffix = {"seed": "csv", "source": "yml"}.get(kind, "sql")
    return {
        "unique_id": unique_id,
        "resource_type": kind,
        "name": name,
        "alias": name,
        "schema": schema,
        "original_file_path": f"{kind}s/{name}.{suffix}",
        "package_name": "shop",
        "fqn": ["shop", *(["codes"] if kind == "seed" else []), name],
        "language": "sql",
        "depends_on": {"nodes": list(parents)},
        "config": {"materialized": materialized},
        **more,
    }


def manifest() -> Json:
    nodes = {
        f"model.shop.{name}": node(f"model.shop.{name}", "model", materialized, parents, language="python" if name == "forecast" else "sql")
        for name, materialized, parents, *_ in MODELS
    }  # fmt: skip
    nodes["seed.shop.countries"] = node("seed.shop.countries", "seed", "seed")
    nodes["snapshot.shop.customers_history"] = node(
        "snapshot.shop.customers_history",
        "snapshot",
        "snapshot",
        ["model.shop.customers"],
        config={"materialized": "snapshot", "unique_key": "customer_id"},
    )
    for name in ("unique_orders_order_id", "not_null_customers_tier"):
        nodes[f"test.shop.{name}"] = node(f"test.shop.{name}", "test", "test")
    sources = {
        f"source.shop.raw.{name}": node(f"source.shop.raw.{name}", "source", "", source_name="raw")
        for name in ("orders", "customers", "order_items")
    }
    return {
        "metadata": metadata("manifest/v12", project_name="shop", adapter_type="adaptive_spark"),
        "nodes": nodes,
        "sources": sources,
    }


def catalog(generated: datetime = BEGAN + timedelta(hours=1)) -> Json:
    parts: dict[str, Json] = {"nodes": {}, "sources": {}}
    for unique_id, columns in COLUMNS.items():
        names = columns.split()
        stats = {
            f"column_{names.index(name)}": {"label": name, "value": "about 9 distinct", "description": "x"}
            for name in ANALYZED.get(unique_id, [])
        }
        parts["sources" if unique_id.startswith("source") else "nodes"][unique_id] = {
            "metadata": {"type": "table", "schema": "raw" if unique_id.startswith("source") else "shop"},
            "columns": {
                name: {"name": name, "type": "array<string>" if name == "tags" else "string"}
                for name in names
            },
            "stats": stats,
        }
    return {"metadata": metadata("catalog/v1", generated), **parts}


def memory() -> Json:
    """Ten nights of two filters: one settles, one has a conjunct that loses its use."""
    late = [
        "01234",
        "03124",
        "30214",
        "30214",
        "32014",
        "30214",
        "30241",
        "30214",
        "30214",
        "30214",
    ]
    fraud = ["021", "021", "201", "210", "210", "120", "120", "120", "120", "120"]
    nights = [iso(BEGAN - timedelta(days=9 - night)) for night in range(10)]
    return {
        "version": 2,
        "nodes": {
            unique_id: {
                "age": 0,
                "predicates": {},
                "orders": [
                    {
                        "conjuncts": _written(filter_["conjuncts"]),
                        "runs": {
                            night: [int(place) for place in order]
                            for night, order in zip(nights, orders, strict=True)
                        },
                    }
                ],
            }
            for unique_id, filter_, orders in (
                ("model.shop.late_orders", LATE, late),
                ("model.shop.fraud_signals", FRAUD, fraud),
            )
        },
    }


def _written(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [row["shape"] for row in sorted(rows, key=lambda row: row["written_position"])]


def artifacts() -> dict[str, Json]:
    """By file name."""
    return {
        "run_results.json": run_results(),
        "manifest.json": manifest(),
        "catalog.json": catalog(),
        "adaptive_filters.json": memory(),
    }


def many(models: int) -> dict[str, Json]:
    """A project of so many models, each with what `late_orders` has: a filter with ten runs of
    history, two joins, changed plans.
    """
    found = artifacts()
    results, nodes = found["run_results.json"]["results"], found["manifest.json"]["nodes"]
    orders = found["adaptive_filters.json"]["nodes"]
    clock = BEGAN
    for at in range(models - len(results)):
        name = f"{('stg', 'int', 'fct', 'dim')[at % 4]}_{('orders', 'baskets', 'visits', 'payments', 'parcels')[at % 5]}_{at:04}"
        unique_id = f"model.shop.{name}"
        seconds = 1 + 3_600 / (at + 20)
        clock += timedelta(seconds=seconds / 4)
        sql = f"select o.day, count(*) from shop.orders o where o.status = 'x{at}' and o.country = 'DE' group by o.day"
        result = _result(
            "model.shop.late_orders", seconds, 1_000 * at, "success", sql, f"Thread-{at % 4 + 1}", clock
        )
        results.append({**result, "unique_id": unique_id})
        nodes[unique_id] = node(unique_id, "model", "table", ["model.shop.orders"])
        orders[unique_id] = orders["model.shop.late_orders"]
        columns = {each: {"name": each, "type": "string"} for each in ("day", "n")}
        found["catalog.json"]["nodes"][unique_id] = {
            "metadata": {"type": "table", "schema": "shop"},
            "columns": columns,
            "stats": {},
        }
    return found


# What some would write where they can, in the hope that it runs.
HOSTILE = [
    "</script><script>window.hurt = 1</script>",
    "<img src=x onerror=\"window.hurt = 1\">",
    "\" onmouseover=\"window.hurt = 1\" x='",
    "--></style></title><svg onload=window.hurt=1>",
    "{{ 7 * 7 }}{% raw %}",
    "<b><a href='javascript:window.hurt=1'>x</a></b>",
    "&lt;b&gt; \u2028 ü 😀 \ud800",
]  # fmt: skip


def hostile(text: str) -> dict[str, Json]:
    """The artifacts with a text in every place that others write."""
    files = artifacts()
    run, manifest, memory = (
        files[f"{name}.json"] for name in ("run_results", "manifest", "adaptive_filters")
    )
    run["args"]["invocation_command"] = run["metadata"]["dbt_version"] = text
    manifest["metadata"] |= {"project_name": text, "adapter_type": text}
    for result in run["results"]:
        result |= {"message": text, "thread_id": text}
        response = result["adapter_response"]
        for each in response.get("dynamic_filters", ()):
            each |= {"scan": text, "probe_key": text, "build_key": text, "kind": text}
            if each["verdict_code"] != "filtered":
                # a code of another release, so that its text is shown
                each |= {"verdict": each["verdict"] + text, "verdict_code": text}
        for changes in response.get("aqe", {}).values():
            for each in changes:
                each |= {"node": text, "tables": text}
        for learned in response.get("adaptive_filters", ()):
            for conjunct in learned["conjuncts"]:
                conjunct["predicate"] += text
                conjunct["shape"] += text
    for node in [*manifest["nodes"].values(), *manifest["sources"].values()]:
        node |= {"name": f"{node['name']}{text}", "original_file_path": text}
    for known in memory["nodes"].values():
        known["orders"][0]["conjuncts"] = [each + text for each in known["orders"][0]["conjuncts"]]
    files["catalog.json"]["nodes"]["model.shop.orders"]["columns"]["status"]["type"] = text
    return files


def write(folder: Path, files: Mapping[str, Json]) -> Path:
    """Writes the artifacts as files into the folder, which it makes and returns."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    return folder

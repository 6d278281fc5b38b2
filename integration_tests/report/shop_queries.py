"""Queries of the made-up shop: filters that moved, joins of every verdict, plans of every change."""

from __future__ import annotations

import re
from typing import Any

Json = dict[str, Any]
# Of the texts below, what their shapes lack
_DROPPED = re.compile(r"spark_catalog\.shop\.\w+\.")
_CONSTANT = re.compile(r"'[^']*'|\b\d[\d.]*(?:BD)?\b")


def conjuncts(*rows: Any) -> list[Json]:
    """Predicate, written place, selectivity, cost and perhaps whether it may throw and the ANDs and ORs
    above it, in their final order.
    """
    return [
        {
            "predicate": row[0],
            "shape": f"orders: {_DROPPED.sub('', _CONSTANT.sub('?', row[0]))}",
            "written_position": row[1],
            "final_position": place,
            "rows_monitored": 0 if row[2] is None else 12_400,
            "selectivity": row[2],
            "cost_ns": row[3],
            "may_throw": len(row) > 4 and row[4],
            "branch": row[5] if len(row) > 5 else None,
        }
        for place, row in enumerate(rows)
    ]


def filter_(rows_in: int, rows_out: int, reorderings: int, *rows: Any) -> Json:
    return {
        "filter_id": 1,
        "rows_in": rows_in,
        "rows_out": rows_out,
        "reorderings": reorderings,
        "conjuncts": conjuncts(*rows),
    }


def join(
    scan: str,
    probe: str,
    build: str,
    code: str = "filtered",
    verdict_figures: dict[str, float] | None = None,
    **figures: Any,
) -> Json:
    """A dynamic filter; a refusal knows no figures but those of its verdict."""
    unknown = dict.fromkeys(
        (
            "build_rows",
            "build_keys",
            "kind",
            "ranges",
            "row_test",
            "rows_total",
            "rows_read",
            "kept",
            "bytes_total",
            "bytes_read",
            "files",
            "files_read",
            "row_groups",
            "row_groups_read",
            "wait_ms",
            "signature",
        )
    )
    verdict = "filtered" if code == "filtered" else f"the extension's own text for {code}"
    told = {"verdict": verdict, "verdict_code": code, "verdict_figures": verdict_figures}
    return {"scan": scan, "probe_key": probe, "build_key": build, **told, **unknown, **figures}


def change(planned: Any, actual: Any, tables: str, node: str = "Exchange", stage: int | None = 0) -> Json:
    of = {"stage": stage, "node": node, "tables": tables, "planned": planned, "actual": actual}
    return {key: value for key, value in of.items() if value is not None}


ORDERS = "spark_catalog.shop.orders"
LATE = filter_(
    12_418_233,
    41_207,
    9,
    (f"({ORDERS}.delay_days > 14)", 3, 0.031, 21.4),
    (f"({ORDERS}.status = 'delivered')", 0, 0.62, 18.9),
    (f"({ORDERS}.country IN ('DE', 'FR', 'NL', 'PL'))", 2, 0.41, 33.0),
    (f"RLIKE({ORDERS}.note, '(?i)(late|verspätet|en retard)')", 1, 0.22, 912.0),
    (f"((CAST({ORDERS}.amount AS INT) / {ORDERS}.items) > 10)", 4, 0.83, 64.2, True),
)
FRAUD = filter_(
    12_418_233,
    1_904,
    4,
    ("(o.amount > 900.00BD)", 1, 0.018, 24.1),
    ("(o.created_at >= TIMESTAMP '2026-11-15 00:00:00')", 2, 0.09, 19.8),
    ("((o.ip_country <> c.country) OR (o.attempts >= 3))", 0, 0.12, 88.0),
)
# (status = 'refunded' OR (note LIKE … AND (amount < 0 OR region IN …))) AND day >= …: ordered at every AND and OR
REFUNDS = filter_(
    12_418_233,
    3_120,
    6,
    (f"({ORDERS}.day >= DATE '2026-11-01')", 4, 0.06, 4.2),
    (f"({ORDERS}.region IN ('north', 'west'))", 3, 0.24, 11.0, False, "OR 1 / AND 2 / OR 3"),
    (f"({ORDERS}.amount < 0.00BD)", 2, 0.02, 9.5, False, "OR 1 / AND 2 / OR 3"),
    (f"{ORDERS}.note LIKE '%refund%'", 1, 0.05, 140.0, False, "OR 1 / AND 2"),
    (f"({ORDERS}.status = 'refunded')", 0, 0.01, 15.0, False, "OR 1"),
)
COHORTS = filter_(
    845_102,
    845_102,
    0,
    ("(spark_catalog.shop.customers.is_test = false)", 0, 0.998, 3.1),
    ("(spark_catalog.shop.customers.country IS NOT NULL)", 1, 1.0, 2.2),
)
FEW = filter_(
    12,
    3,
    0,
    ("(spark_catalog.shop.countries.is_eu)", 0, None, None),
    ("(length(spark_catalog.shop.countries.code) = 2)", 1, None, None),
)

JOINS = {
    "model.shop.late_orders": [
        join(
            ORDERS,
            "orders.customer_id",
            "customers.customer_id",
            build_rows=10_412,
            build_keys=10_412,
            kind="values",
            ranges=812,
            rows_total=12_418_233,
            rows_read=1_204_551,
            kept=0.061,
            bytes_total=1_812_400_128,
            bytes_read=74_220_118,
            files=28,
            files_read=4,
            row_groups=96,
            row_groups_read=11,
            wait_ms=412,
            signature="a",
        ),
        join(
            "spark_catalog.shop.order_items",
            "i.order_id",
            "o.order_id",
            build_rows=2_011_007,
            build_keys=None,
            kind="ranges",
            ranges=1024,
            row_test="bloom",
            rows_total=48_120_004,
            rows_read=20_118_002,
            kept=0.31,
            bytes_total=2_912_000_000,
            wait_ms=1_805,
            signature="b",
        ),
    ],
    "model.shop.refunds": [
        join(
            ORDERS,
            "o.order_id",
            "r.order_id",
            build_rows=0,
            build_keys=0,
            kind="empty",
            ranges=0,
            rows_total=12_418_233,
            rows_read=0,
            kept=0.0,
            bytes_total=1_812_400_128,
            wait_ms=38,
            signature="c",
        )
    ],
    "model.shop.product_margins": [
        join(
            "spark_catalog.shop.order_items",
            "i.product_id",
            "p.product_id",
            build_rows=60_004,
            build_keys=60_004,
            kind="values",
            ranges=1,
            rows_total=48_120_004,
            rows_read=48_120_004,
            kept=0.974,
            bytes_total=2_912_000_000,
            wait_ms=2_204,
            signature="d",
        ),
        join(
            ORDERS,
            "o.promotion",
            "p.promotion",
            "kept_too_many",
            {"kept": 0.97},
            signature="e",
        ),
    ],
    "model.shop.weekly_cohorts": [
        join(
            ORDERS,
            "o.session_id",
            "s.session_id",
            "build_too_large",
            {"build_bytes": 412118004.0, "limit_bytes": 268435456.0},
        ),
        join(
            "spark_catalog.shop.visits",
            "v.visitor_id",
            "s.visitor_id",
            "build_reads_more",
            {"build_bytes": 2912000000.0, "scan_bytes": 180400128.0},
        ),
    ],
    "model.shop.fraud_signals": [
        join(
            "",
            "o.score",
            "m.score",
            "key_type_unsupported",
        ),
        join(
            "spark_catalog.shop.countries",
            "c.code",
            "o.country",
            "scan_too_small",
            {"scan_bytes": 4118.0, "limit_bytes": 4194304.0},
        ),
        join("", "upper(o.country)", "c.code", "no_scan_of_key"),
    ],
    "model.shop.daily_revenue": [
        join(
            ORDERS,
            "o.day",
            "d.day",
            "build_not_reduced",
        ),
        join(
            ORDERS,
            "o.region",
            "r.region",
            "exchange_reuse_off",
        ),
    ],
}
CHANGES: dict[str, Json] = {
    "model.shop.daily_revenue": {
        "coalesced": [change(400, 4, ORDERS), change(400, 12, "spark_catalog.shop.order_items", stage=1)],
        "split": [change(2, 17, "spark_catalog.shop.order_items", stage=3)],
        "join": [
            change(
                "SortMergeJoin",
                "BroadcastHashJoin",
                f"{ORDERS}, spark_catalog.shop.countries",
                "BroadcastHashJoin",
                None,
            )
        ],
        "rows": [change(1_204_000, 9_110, ORDERS, "Filter", 2)],
    },
    "model.shop.late_orders": {
        "rows": [change(310, 10_412, "spark_catalog.shop.customers", "Filter", 0)],
        "coalesced": [change(200, 3, ORDERS, stage=1)],
    },
    "model.shop.weekly_cohorts": {"coalesced": [change(200, 1, "spark_catalog.shop.customers")]},
    "test.shop.unique_orders_order_id": {"coalesced": [change(200, 24, ORDERS)]},
}
FILTERS = {
    "model.shop.late_orders": [LATE],
    "model.shop.fraud_signals": [FRAUD],
    "model.shop.refunds": [REFUNDS],
    "model.shop.weekly_cohorts": [COHORTS, FEW],
}

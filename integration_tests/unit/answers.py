"""An answer of `adaptive_run_stats` with a row of each kind."""

QUERY = {"query_id": 18, "query_tag": "t", "run_id": "r", "rows_written": 10, "bytes_written": 99}
FILTER = {
    "query_id": 18,
    "filter_id": 7,
    "predicate": "(a > 5)",
    "shape": "t: (a > ?)",
    "written_position": 0,
    "final_position": 0,
    "rows_monitored": 5,
    "selectivity": 0.5,
    "cost_ns": 12,
    "reorderings": 2,
    "rows_in": 100,
    "rows_out": 10,
    "may_throw": False,
    "branch": None,
}
DYNAMIC = {
    **dict.fromkeys(("scan", "probe_key", "build_key", "kind", "row_test", "signature"), "t"),
    **dict.fromkeys(("build_rows", "build_keys", "ranges", "rows_total", "rows_read", "wait_ms"), 1),
    **dict.fromkeys(
        ("bytes_total", "bytes_read", "files", "files_read", "row_groups", "row_groups_read"), None
    ),
    "query_id": 18,
    "kept": 0.5,
    "verdict": "filtered",
    "verdict_code": "a code of a later release",
    "verdict_figures": {"kept": 0.5, "build_bytes": 5},
}
PLAN = {
    "query_id": 18,
    "kind": "rows",
    "stage": 1,
    "node": "Filter",
    "tables": "t",
    "planned": "1",
    "actual": "99",
    "statistics": "",
}
WHOLE = {"queries": [QUERY], "filters": [FILTER], "dynamic": [DYNAMIC], "plans": [PLAN]}

"""Tables in Delta Lake and in Iceberg: how they are replaced, laid out, constrained, described, cloned and dated."""

import json
import shutil

import pytest
from format_projects import failed, of_each_format, passed, versions

TEXT = 'it\'s "quoted" \\ back ${x} é;\n-- no comment'
DOCS = {"relation": True, "columns": True}
LAYOUTS = {
    "delta": {
        "parts": "partition_by=['p', 'a-b']",
        "clusters": "liquid_clustered_by=['id', 'ts'], tblproperties={'delta.appendOnly': false, 'a\\'b': 'c\\'d'}",
    },
    "iceberg": {
        "parts": "partition_by=['days(ts)', 'bucket(16, id)', 'truncate(4, `a-b`)', 'p']",
        "clusters": "tblproperties={'write.format.default': 'orc', 'a\\'b': 'c\\'d', 'n': 1}",
    },
}
ROW = (
    "select id, id % 2 as p, cast(id as string) as `a-b`, timestamp'2026-01-01 00:00:00' as ts from range(4)"
)


def table(sql, configs=""):
    return f"{{{{ config(materialized='table'{configs and ', ' + configs}) }}}} {sql}"


def files(name):
    broken = "if({{ var('broken', 0) }} = 1, cast(raise_error('broken') as int), 1)"
    amount = "cast({{ var('amount', 5) }} as int)"
    ids = "cast({{ var('id', 1) }} as int)"
    contract = "contract={'enforced': true}"
    described = (
        "columns: [{name: a, description: *text}, {name: 'a-b', description: *text, quote: true}, {name: b}]"
    )
    return {
        "snapshots/past.sql": "{% snapshot past %}{{ config(unique_key='id', strategy='check', check_cols='all') }} "
        "select id from range(3){% endsnapshot %}",
        "models/replaced.sql": table(f"select id, {broken} as c from range(10)"),
        "models/refreshed.sql": "{{ config(materialized='incremental') }} "
        + f"select id, {broken} as c from range(10)",
        "models/never_anew.sql": table(f"select {amount} as amount", "full_refresh=false"),
        "models/parts.sql": table(ROW, LAYOUTS[name]["parts"].replace("'a-b'", "'`a-b`'")),
        "models/clusters.sql": table(ROW, LAYOUTS[name]["clusters"]),
        "models/kept_rules.sql": table(f"select {ids} as id, {amount} as amount", contract),
        "models/kept_later.sql": "{{ config(materialized='incremental', on_schema_change='fail', "
        + contract
        + ") }} "
        f"select {amount} as amount, {ids} as id {{{{ var('more', '') }}}}",
        "models/described.sql": table("select 1 as a, 2 as b, 3 as `a-b`", f"persist_docs={DOCS}"),
        "models/described_later.sql": "{{ config(materialized='incremental', persist_docs="
        + str(DOCS)
        + ") }} "
        "select 1 as a, 2 as b, 3 as `a-b`",
        "models/described_view.sql": "{{ config(materialized='view', persist_docs=" + str(DOCS) + ") }} "
        "select 1 as a, 2 as b, 3 as `a-b`",
        # in another case than its column
        "models/described_case.sql": "{{ config(materialized='view', persist_docs=" + str(DOCS) + ") }} "
        "select 1 as A",
        "models/schema.yml": f"""
models:
  - {{name: described, description: *text, {described}}}
  - {{name: described_later, description: "{{{{ var('text', 'first') }}}}", {described}}}
  - {{name: described_view, description: *text, {described}}}
  - {{name: described_case, columns: [{{name: a, description: first}}]}}
  - name: kept_rules
    constraints: &rules [{{type: check, expression: "{{{{ var('rule', 'amount > 0') }}}}", name: positive}}, {{type: check, expression: "id < amount or amount < 100"}}]
    columns: &columns
      - {{name: id, data_type: int, constraints: [{{type: not_null}}]}}
      - {{name: amount, data_type: int, constraints: [{{type: check, expression: "amount <> 7"}}]}}
  - {{name: kept_later, constraints: *rules, columns: *columns}}
sources:
  - name: lake
    schema: shop
    tables:
      - name: replaced
        config: {{freshness: {{error_after: {{count: 1, period: day}}}}}}
""".replace("*text", json.dumps(TEXT)),
    }


@pytest.fixture(scope="module", params=of_each_format())
def shop(formats, request):
    with formats.project(request.param, files(request.param)) as process:
        passed(process, "run")
        shutil.copytree(process.folder / "target", process.folder / "state")
        yield process


def described(process, table):
    """The rows of DESCRIBE TABLE EXTENDED by their first cell, the first of each."""
    found = {}
    for name, value, comment in process.rows(f"describe table extended shop.{table}"):
        found.setdefault(name, (value, comment))
    return found


@pytest.mark.parametrize("name", ["replaced", "refreshed"])
def test_a_model_that_fails_leaves_its_old_table(shop, name):
    failed(shop, "run", "-s", name, "--full-refresh", broken=1)
    assert shop.rows(f"select count(*), sum(c) from shop.{name}") == [(10, 10)]


def test_a_table_is_replaced_and_not_dropped(shop):
    for _ in range(2):
        passed(shop, "run", "-s", "replaced", "refreshed", "--full-refresh")
    for name in ("replaced", "refreshed"):
        assert versions(shop, f"shop.{name}") >= 3, name


def test_a_table_is_made_anew_whatever_it_says_of_a_full_refresh(shop):
    passed(shop, "run", "-s", "never_anew", amount=6)
    assert shop.rows("select amount from shop.never_anew") == [(6,)]


def test_a_table_is_partitioned_and_has_its_properties(shop):
    parts = str(shop.rows("describe table extended shop.parts"))
    assert "# Partition" in parts
    if shop.format == "iceberg":
        for transform in ("days(ts)", "bucket(16, id)", "truncate"):
            assert transform in parts
    properties = described(shop, "clusters")["Table Properties"][0]
    assert "a'b=c'd" in properties
    if shop.format == "delta":
        assert 'clusteringColumns=[["id"],["ts"]]' in properties
    assert shop.rows("select count(*) from shop.clusters c join shop.parts p on c.id = p.id") == [(4,)]


@pytest.mark.parametrize(
    "broken",
    [
        {"amount": -1},
        {"amount": 7},
        {"amount": 200, "id": 300},
        {"id": "null"},
        # a rule that the table was not made with
        {"amount": 5, "rule": "amount > 9"},
    ],
    ids=str,
)
def test_a_row_that_breaks_a_constraint_fails_the_model_and_leaves_its_table(shop, broken):
    said = failed(shop, "run", "-s", "kept_rules", "kept_later", **broken)
    assert "PASS=0 WARN=0 ERROR=2" in said and said.count("onstraint") >= 2
    rows = "select id, amount from shop.kept_rules union all select id, amount from shop.kept_later"
    assert shop.rows(rows) == [(1, 5), (1, 5)]


def test_rows_that_keep_constraints_are_written(shop):
    passed(shop, "run", "-s", "kept_rules", "kept_later", amount=9)
    assert sorted(shop.rows("select amount, id from shop.kept_later")) == [(5, 1), (9, 1)]
    assert shop.rows("select * from shop.kept_rules") == [(1, 9)]


def test_a_column_that_the_contract_lacks_is_refused_in_each_run(shop):
    said = failed(shop, "run", "-s", "kept_later", more=", 1 as discount")
    assert "discount" in said and "contract" in said


@pytest.mark.parametrize("name", ["described", "described_view"])
def test_comments_have_their_signs(shop, name):
    found = described(shop, name)
    assert found["a"][1] == found["a-b"][1] == TEXT
    assert found["Comment"][0] == TEXT


def test_a_column_of_a_view_has_its_comment_in_any_case(shop):
    columns = shop.rows("describe shop.described_case")
    assert [(name.lower(), comment) for name, _, comment in columns] == [("a", "first")]


def test_comments_change_with_the_model_and_only_then(shop):
    assert described(shop, "described_later")["Comment"][0] == "first"
    said = passed(shop, "--log-level", "debug", "run", "-s", "described_later", text=TEXT)
    assert described(shop, "described_later")["Comment"][0] == TEXT
    assert "alter column" not in said and "comment on table" in said
    again = passed(shop, "--log-level", "debug", "run", "-s", "described_later", text=TEXT)
    assert "comment on table" not in again


def test_a_clone_is_a_table_in_delta_lake_and_a_view_elsewhere(shop):
    passed(shop, "clone", "-s", "parts", "described_view", "--state", "state", "--target", "other")
    kinds = dict(shop.rows("select distinct table_name, table_type from adaptive_catalog('other')"))
    assert kinds == {"parts": "table" if shop.format == "delta" else "view", "described_view": "view"}
    assert shop.rows("select count(*) from other.parts") == [(4,)]
    # a shallow clone has no files of its own
    assert shop.rows("select distinct input_file_name() like '%/shop.db/%' from other.parts") == [(True,)]


def test_a_snapshot_takes_the_place_of_its_clone(shop):
    passed(shop, "snapshot")
    passed(shop, "clone", "-s", "past", "--state", "state", "--target", "other")
    passed(shop, "snapshot", "--target", "other")
    kinds = dict(shop.rows("select distinct table_name, table_type from adaptive_catalog('other')"))
    assert kinds["past"] == "table"
    assert shop.rows("select count(*), count(dbt_valid_to) from other.past") == [(3, 0)]


def test_sources_are_as_fresh_as_their_last_version(shop):
    assert "PASS freshness of lake.replaced" in passed(shop, "source", "freshness")

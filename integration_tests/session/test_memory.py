"""The next run tells Spark the evidence of the run before it, character by character."""

import json

import pytest
import yaml
from projects import dbt, write_project

from dbt.adapters.adaptive_spark.learned.evidence import Evidence, NodeMemory, prior, remember_sql
from dbt.adapters.adaptive_spark.spark.remote import Remote

ORDERS, PLAIN = "model.shop.orders", "model.shop.plain"
# Spark sees the text ${spark.app.name} in it, since it would replace that in the statement itself
HOSTILE = """concat('a`; drop table t; -- "\\\\', '\\n$', '{spark.app.name}')"""
ROWS = (
    f"select id from range(200000) where sqrt(id) >= 0 and cast(id as string) <> {HOSTILE} and id % 100 = 7"
)
MODELS = {
    "orders": f"{{{{ config(materialized='table', collect_rate=10) }}}} {ROWS}",
    "plain": f"{{{{ config(materialized='table', adaptive_filter=var('adapts'), dynamic_filter=var('adapts')) }}}} {ROWS}",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    models = {f"models/{name}.sql": text for name, text in MODELS.items()}
    write_project(folder, models, threads=2, vars={"adapts": True})
    return folder


def run(project, *options):
    """Runs dbt. Returns the nodes of the file afterwards."""
    ended = dbt(project, "run", *options)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return json.loads((project / "target" / "adaptive_filters.json").read_text(encoding="utf-8"))["nodes"]


@pytest.fixture(scope="module")
def runs(project):
    """Two runs, in the second of which the model `plain` is without adaptive filters."""
    return run(project), run(project, "--vars", "{adapts: false}")


def test_the_first_run_keeps_what_it_learned(runs):
    kept, _ = runs
    assert set(kept) == {ORDERS, PLAIN}
    predicates = kept[ORDERS]["predicates"]
    assert set(predicates) == {
        "(SQRT(CAST(id AS DOUBLE)) >= ?)",
        "(NOT (CAST(id AS STRING) = ?))",
        "((id % ?) = ?)",
    }
    rare = predicates["((id % ?) = ?)"]
    assert rare["passed"] / rare["monitored"] == pytest.approx(0.01, abs=0.01)


def test_the_second_run_adds_to_half_of_what_the_first_kept(runs):
    first, second = runs
    for shape, seen in first[ORDERS]["predicates"].items():
        assert second[ORDERS]["predicates"][shape]["monitored"] > seen["monitored"] // 2
    assert second[ORDERS]["age"] == 0


def test_a_model_without_adaptive_filters_grows_older(runs):
    first, second = runs
    assert second[PLAIN] == {**first[PLAIN], "age": 1}


TARGETS = {"dev": "dev", "ci": "pr_123", "prod": "prod"}
ITEMS = """{{ config(materialized='table') }}
select id, id * 37 % 1000 as h, concat('name-', id) as s, date_add(date'2026-01-01', cast(id % 300 as int)) as day
from range(0, {{ var('rows') }}, 1, 1)"""
LATE = """{{ config(materialized='table', collect_rate=var('collect_rate')) }}
select * from {{ ref('items') }}
where s like '%a%e%' and s like '%m%-%' and day >= '{{ var("day") }}' and h < 20"""


@pytest.fixture(scope="module")
def targets(tmp_path_factory):
    """A project with a target for each of three schemas, all of which write into one folder."""
    folder = tmp_path_factory.mktemp("targets")
    models = {"models/items.sql": ITEMS, "models/late.sql": LATE}
    write_project(folder, models, threads=1)
    path = folder / "profiles.yml"
    profile = yaml.safe_load(path.read_text())
    outputs = profile["shop"]["outputs"]
    profile["shop"]["outputs"] = {
        name: {**outputs["dev"], "schema": schema} for name, schema in TARGETS.items()
    }
    path.write_text(yaml.safe_dump(profile))
    return folder


def ended(project, target, **variables):
    """The filter of the model `late`: by its shapes in their final order, the rows monitored."""
    built = dbt(project, "run", "--target", target, "--vars", json.dumps(variables))
    assert built.returncode == 0, built.stdout + built.stderr
    results = json.loads((project / "target" / "run_results.json").read_text())["results"]
    (late,) = (each for each in results if each["unique_id"] == "model.shop.late")
    assert late["relation_name"] == f"{TARGETS[target]}.late"
    (learned,) = late["adapter_response"]["adaptive_filters"]
    return {each["shape"]: each["rows_monitored"] for each in learned["conjuncts"]}


def test_what_one_schema_learned_is_the_first_order_in_another(targets):
    file = targets / "target" / "adaptive_filters.json"
    written = ["items: s LIKE ?", "items: s LIKE ? #2", "items: (day >= ?)", "items: (h < ?)"]
    # Of 1,000 rows the last rejects 980, the third 30 and the first two none, so that no busy machine's times decide
    # who comes first. Who comes second, they may: so few rows are left that another order saves less than the margin.
    first = "items: (h < ?)"
    # fewer than come before a task samples any
    few = {"rows": 100, "collect_rate": 1_000_000, "day": "2026-01-03"}
    learned = ended(targets, "dev", rows=200_000, collect_rate=10, day="2026-01-10")
    assert all(learned.values())
    assert set(learned) == set(written)
    assert next(iter(learned)) == first
    carried = ended(targets, "ci", **few)
    assert not any(carried.values())
    assert next(iter(carried)) == first
    assert set(json.loads(file.read_text())["nodes"]["model.shop.late"]["predicates"]) == set(written)
    file.unlink()
    anew = ended(targets, "prod", **few)
    assert not any(anew.values())
    assert list(anew) == written


class Connection:
    """A DB-API connection whose statements go through the parser of this Spark, as a Thrift server's do."""

    def __init__(self, session):
        self.session = session
        self.rows = []
        self.description = [("key",), ("value",)]

    def cursor(self):
        return self

    def execute(self, sql):
        self.rows = [tuple(row) for row in self.session.sql(sql).collect()]

    def fetchall(self):
        return self.rows

    def close(self):
        pass


@pytest.mark.parametrize("kind", ["session", "remote"])
@pytest.mark.parametrize(
    "predicate",
    [
        "name = 'O\\'Brien' AND \"b\" = `c`",
        "a = '`; DROP TABLE t; --' /* b */",
        "a = '${env:HOME} ${spark.app.name} ${system:user.name} $${x}'",
        "a = '\\\\${x} \\${y}'",
        "a = 'two\nlines\r\tand \u2028 a \u0000'",
        "a = 'ü 😀 %s {{ x }} =1'",
        " RESET ",
    ],
)
def test_any_predicate_arrives_over_any_connection(handle, kind, predicate):
    confs = handle if kind == "session" else Remote(Connection(handle.session))
    text = prior(NodeMemory({predicate: Evidence(3, 2, 1)}))
    assert json.loads(text)["predicates"] == {predicate: [3, 2, 1]}
    tag, run = f"model.{predicate}", f"it's {kind}'s run ${{spark.app.name}}"
    for escaped in ("true", "false"):
        handle.session.conf.set("spark.sql.parser.escapedStringLiterals", escaped)
        assert shapes(handle.session, tag, escaped + run) == []
        assert [tuple(row) for row in confs.statistics(remember_sql(tag, escaped + run, text))] == [(True,)]
        assert shapes(handle.session, tag, escaped + run) == [predicate]


def shapes(session, tag, run):
    """The shapes of which the driver was told something for the queries with these labels."""
    history, nothing = session._jvm.io.adaptivespark.history, session._jvm.scala.Option.empty()
    labels = history.label.QueryLabels(nothing, history.label.SessionUser.current(), tag, run)
    forms = history.DriverMemory.of(session.sparkContext._jsc.sc()).priors().of(labels).forms()
    return [forms.apply(at).shape() for at in range(forms.size())]

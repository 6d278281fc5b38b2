"""What one run learned is what Spark has in the next one, character by character."""

import json

import pytest
from projects import dbt, write_project

from dbt.adapters.adaptive_spark.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf_scope import ConfScope
from dbt.adapters.adaptive_spark.conf_specs import PRIOR
from dbt.adapters.adaptive_spark.connections import Remote
from dbt.adapters.adaptive_spark.memory import Evidence, NodeMemory, prior

ORDERS, PLAIN = "model.shop.orders", "model.shop.plain"
# Spark sees the text ${spark.app.name} in it, since it would replace that in the statement itself
HOSTILE = """concat('a`; drop table t; -- "\\\\', '\\n$', '{spark.app.name}')"""
ROWS = (
    f"select id from range(200000) where sqrt(id) >= 0 and cast(id as string) <> {HOSTILE} and id % 100 = 7"
)
NOTHING = "<undefined>"  # what Spark says of a key that nobody has set
# a hook runs in the session of its node, within the scope of its confs
TELL = """
{% macro tell() %}{% if execute %}
  {% set given = run_query('set spark.sql.adaptiveFilter.prior').rows[0][1] %}
  {{ log(model.name ~ ' is given ' ~ given, info=true) }}
{% endif %}{% endmacro %}
"""
HOOK = 'pre_hook="{{ tell() }}"'
MODELS = {
    "orders": f"{{{{ config(materialized='table', collect_rate=10, {HOOK}) }}}} {ROWS}",
    "plain": f"{{{{ config(materialized='table', adaptive_filter=var('adapts'), dynamic_filter=var('adapts'), {HOOK}) }}}} {ROWS}",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    models = {f"models/{name}.sql": text for name, text in MODELS.items()}
    write_project(folder, {**models, "macros/tell.sql": TELL}, threads=2, vars={"adapts": True})
    return folder


def run(project, *options):
    """What each model's session was given, and what the file holds afterwards."""
    ended = dbt(project, "run", *options)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = (line.partition(" is given ") for line in ended.stdout.splitlines() if " is given " in line)
    given = {before.split()[-1]: after for before, _, after in told}
    kept = json.loads((project / "target" / "adaptive_filters.json").read_text(encoding="utf-8"))
    return given, kept["nodes"]


@pytest.fixture(scope="module")
def runs(project):
    """Two runs, in the second of which the model `plain` is without adaptive filters."""
    return run(project), run(project, "--vars", "{adapts: false}")


def test_the_first_run_is_given_nothing_and_keeps_what_it_learned(runs):
    (given, kept), _ = runs
    assert given == {"orders": NOTHING, "plain": NOTHING}
    assert set(kept) == {ORDERS, PLAIN}
    predicates = kept[ORDERS]["predicates"]
    (rare,) = (predicates[sql] for sql in predicates if "% 100" in sql)
    assert rare["passed"] / rare["monitored"] == pytest.approx(0.01, abs=0.01)
    assert any("${spark.app.name}" in sql and "`; drop table t; --" in sql for sql in predicates)


def test_the_second_run_is_given_what_the_first_kept(runs):
    (_, kept), (given, _) = runs
    assert json.loads(given["orders"]) == {
        "version": 1,
        "predicates": {
            sql: [seen["monitored"], seen["passed"], seen["nanos"]]
            for sql, seen in kept[ORDERS]["predicates"].items()
        },
    }


def test_the_second_run_adds_to_half_of_what_the_first_kept(runs):
    (_, first), (_, second) = runs
    for sql, seen in first[ORDERS]["predicates"].items():
        assert second[ORDERS]["predicates"][sql]["monitored"] > seen["monitored"] // 2
    assert second[ORDERS]["age"] == 0


def test_a_model_without_adaptive_filters_is_given_nothing_and_grows_older(runs):
    (_, first), (given, second) = runs
    assert given["plain"] == NOTHING
    assert second[PLAIN] == {**first[PLAIN], "age": 1}


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
def test_any_predicate_arrives_over_any_connection_and_is_gone_afterwards(handle, kind, predicate):
    confs = handle if kind == "session" else Remote(Connection(handle.session))
    text = prior(NodeMemory({predicate: Evidence(3, 2, 1), "b": Evidence(2, 1, 0)}))
    scope = ConfScope(confs, [ConfEntry(PRIOR, text)])
    scope.enter("models/orders.sql")
    assert handle.explicit([PRIOR]) == {PRIOR: text}
    assert json.loads(text)["predicates"] == {predicate: [3, 2, 1], "b": [2, 1, 0]}
    handle.cursor().execute("select count(*) from range(1000) where id % 3 = 0 and id % 7 = 0")
    assert scope.leave() == []
    assert handle.explicit([PRIOR]) == {PRIOR: None}

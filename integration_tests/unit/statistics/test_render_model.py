"""Which of its parents a model's `ref` means, and whether its SQL may be another when it runs."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from dbt.adapters.adaptive_spark.statistics import render_model
from dbt.adapters.adaptive_spark.statistics.column_usage import UnreadSqlError
from dbt.adapters.adaptive_spark.statistics.render_model import _referred, doubt, ways


def model(name, version=None, latest=None, package="shop"):
    return SimpleNamespace(
        name=name,
        package_name=package,
        version=version,
        is_latest_version=bool(version) and version == latest,
    )


def test_a_reference_without_a_version_is_to_the_latest():
    old, new = model("m", 1, 2), model("m", 2, 2)
    for parents in ([old, new], [new, old]):
        assert _referred(parents, ["m"], {}, "shop") is new
        assert _referred(parents, ["shop", "m"], {"v": 1}, "shop") is old
    assert _referred([old], ["m"], {}, "shop") is old


def test_a_reference_without_a_package_is_to_its_own():
    ours, theirs = model("m"), model("m", package="lib")
    for parents in ([ours, theirs], [theirs, ours]):
        assert _referred(parents, ["m"], {}, "shop") is ours
        assert _referred(parents, ["m"], {}, "lib") is theirs
        assert _referred(parents, ["lib", "m"], {}, "shop") is theirs
    assert _referred([theirs], ["m"], {}, "shop") is theirs


def test_a_reference_to_none_of_the_parents():
    with pytest.raises(UnreadSqlError, match="it refers to 'n' only when it runs"):
        _referred([model("m"), None], ["n"], {}, "shop")


def code(text, macros=(), package="shop", attribute="raw_code"):
    return SimpleNamespace(
        package_name=package, depends_on=SimpleNamespace(macros=list(macros)), **{attribute: text}
    )


@pytest.mark.parametrize(
    ("text", "macros", "reason"),
    [
        ("select 1 {% if execute %} where x {% endif %}", [], "its Jinja needs to run"),
        ("select 1 {% set executed = 1 %} -- execute", [], ""),
        ("{{ other() }}", ["macro.shop.outer"], "its Jinja needs to run"),
        ("{% set r = run_query('select 1') %}{% if r %} where x {% endif %}", [], "its Jinja needs to run"),
        ("{% call statement('a') %}select 1{% endcall %}", [], "its Jinja needs to run"),
        ("{% for c in adapter.get_columns_in_relation(x) %}{% endfor %}", [], "its Jinja needs to run"),
        ("{% do adapter.dispatch('x')() %}{{ log('x') }}", ["macro.shop.logged"], ""),
        ("{{ star() }}", ["macro.utils.star", "macro.shop.gone", "macro.shop.loop"], ""),
        ("{% if", [], "its Jinja needs to run"),
    ],
)
def test_a_model_whose_jinja_asks_whether_it_runs(text, macros, reason):
    macro = "macro_sql"
    manifest = SimpleNamespace(
        macros={
            "macro.shop.outer": code(
                "{% macro outer() %}{{ inner() }}{% endmacro %}", ["macro.shop.inner"], attribute=macro
            ),
            "macro.shop.inner": code(
                "{% macro inner() %}{% do run_query('x') %}{% endmacro %}", attribute=macro
            ),
            "macro.shop.logged": code(
                "{% macro logged() %}{% if execute %}{% do log('x') %}{% endif %}{% endmacro %}",
                attribute=macro,
            ),
            "macro.shop.loop": code(
                "{% macro loop() %}{{ loop() }}{% endmacro %}", ["macro.shop.loop"], attribute=macro
            ),
            "macro.utils.star": code(
                "{% macro star() %}{% do run_query('x') %}{% endmacro %}",
                package="utils",
                attribute=macro,
            ),
        }
    )
    assert doubt(code(text, macros), manifest) == reason


def renamed(monkeypatch):
    monkeypatch.delattr("dbt.context.providers.ModelContext")


def gone(monkeypatch):
    monkeypatch.setitem(sys.modules, "dbt.clients.jinja", None)


def of_another_signature(monkeypatch):
    monkeypatch.setattr("dbt.context.providers.ModelContext", lambda node, *, config: None)


@pytest.mark.parametrize("internals", [renamed, gone, of_another_signature])
def test_another_dbt_core_leaves_the_columns_unknown(monkeypatch, internals):
    said = []
    monkeypatch.setattr(render_model, "_logger", SimpleNamespace(debug=said.append))
    internals(monkeypatch)
    node = SimpleNamespace(
        original_file_path="models/orders.sql",
        raw_code="select 1",
        depends_on=SimpleNamespace(nodes=[]),
        config=SimpleNamespace(materialized="table"),
    )
    with pytest.raises(
        UnreadSqlError, match=r"^this release of dbt-core does not show its SQL before it runs$"
    ):
        ways(node, None, None, lambda node: "shop.orders")
    (sentence,) = said
    assert sentence.startswith("analyze: models/orders.sql is not rendered, since this release of dbt-core ")


def test_the_adapter_loads_without_dbt_cores_internals():
    program = """
import sys
sys.modules["dbt.clients"] = sys.modules["dbt.context"] = None
from dbt.adapters.adaptive_spark import Plugin
print(Plugin.adapter.type())
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stdout == "adaptive_spark\n", ended.stderr

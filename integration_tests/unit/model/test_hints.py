"""A hint says what it was asked to say and nothing else; what it cannot say gets a sentence."""

import re

import pytest
from dbt.adapters.base.relation import BaseRelation
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.conf_keys import conf_specs
from dbt.adapters.adaptive_spark.model.hints import to_dynamic_filter_hint, to_hint, with_hint


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, ""),
        ({"options": {}, "order": []}, ""),
        ({"adaptive": True}, "/*+ ADAPTIVE_FILTER */"),
        ({"adaptive": False}, "/*+ NO_ADAPTIVE_FILTER */"),
        (
            {"options": {"momentum": 0.5, "collect_rate": 100}},
            "/*+ ADAPTIVE_FILTER('momentum=0.5', 'collect_rate=100') */",
        ),
        ({"adaptive": True, "options": {"errors": "exact"}}, "/*+ ADAPTIVE_FILTER('errors=exact') */"),
        ({"order": ["a", "t.b"]}, "/*+ FILTER_ORDER(`a`, `t`.`b`) */"),
        (
            {"options": {"momentum": 0}, "order": ("a",)},
            "/*+ ADAPTIVE_FILTER('momentum=0'), FILTER_ORDER(`a`) */",
        ),
    ],
)
def test_the_hint_says_what_was_asked(arguments, text):
    assert to_hint(**arguments) == text


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("a) */ FROM t; DROP TABLE t; --", "`a) */ FROM t; DROP TABLE t; --`"),
        ("a`) */ FROM t --", "`a``) */ FROM t --`"),
        ("two\nlines", "`two\nlines`"),
        ("it's", "`it's`"),
        ("select", "`select`"),
    ],
)
def test_a_column_is_never_anything_but_a_name(column, text):
    assert to_hint(order=[column]) == f"/*+ FILTER_ORDER({text}) */"


def refused(**arguments):
    with pytest.raises(DbtValidationError) as error:
        to_hint(**arguments)
    return error.value.msg


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"momentum": 1.5},
            "ADAPTIVE_FILTER: momentum: 1.5 is not a number in [0, 1]. Leave it out for the session's value; the default is 0.3.",
        ),
        ({"momentum": "0.5') */ SELECT 1 --"}, "is not a number"),
        ({"collect_rate": True}, "collect_rate: True is not auto or a whole number in [1, 2147483647]"),
        ({"errors": "exact'), BROADCAST(t"}, "is not one of guarded, exact"),
        ({"momentun": 0.5}, "ADAPTIVE_FILTER: 'momentun' is not an option. Did you mean momentum?"),
        ({"query_tag": "x"}, "'query_tag' is not an option. Known: "),
        ({"x') */ DROP TABLE t": 1}, "is not an option"),
    ],
)
def test_an_option_that_is_not_one_is_refused(options, sentence):
    assert sentence in refused(options=options)


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        ("a", "FILTER_ORDER: 'a' is not a list of columns. Write it as ['a']."),
        ([1], "FILTER_ORDER: 1 is not a column's name. Write it as 'a' or 't.a'."),
        ([""], "a part of it is empty"),
        (["t..a"], "a part of it is empty"),
        (["${env:HOME}"], "Spark would replace ${...} in it"),
    ],
)
def test_an_order_that_names_no_columns_is_refused(order, sentence):
    assert sentence in refused(order=order)


@pytest.mark.parametrize("more", [{"options": {"momentum": 0.5}}, {"order": ["a"]}])
def test_filters_left_to_spark_have_no_options(more):
    assert "Keep one." in refused(adaptive=False, **more)


def test_every_option_takes_its_default():
    defaults = {spec.hint_option: spec.default for spec in conf_specs() if spec.hint_option}
    assert {"momentum", "collect_rate", "calculate_rate", "errors"} <= set(defaults)
    assert to_hint(options=defaults).count("=") == len(defaults)


@pytest.mark.parametrize(("adaptive", "hint"), [("true", "ADAPTIVE_FILTER"), ("False", "NO_ADAPTIVE_FILTER")])
def test_adaptive_may_be_a_text_as_env_var_gives_it(adaptive, hint):
    assert to_hint(adaptive) == f"/*+ {hint} */"


@pytest.mark.parametrize("adaptive", ["no", "1", "off", 1.0, []])
def test_adaptive_is_true_or_false(adaptive):
    with pytest.raises(DbtValidationError, match="is neither true, false nor none"):
        to_hint(adaptive)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"on": "orders"}, "/*+ DYNAMIC_FILTER(`orders`) */"),
        ({"on": ["orders", "db.items"]}, "/*+ DYNAMIC_FILTER(`orders`, `db`.`items`) */"),
        ({"on": "o", "off": ("i",)}, "/*+ DYNAMIC_FILTER(`o`), NO_DYNAMIC_FILTER(`i`) */"),
        (
            {"off": "o) */ FROM t; DROP TABLE t; --"},
            "/*+ NO_DYNAMIC_FILTER(`o) */ FROM t; DROP TABLE t; --`) */",
        ),
    ],
)
def test_the_dynamic_filter_hint_names_relations(arguments, text):
    assert to_dynamic_filter_hint(**arguments) == text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"on": None}, "DYNAMIC_FILTER: None is not a relation's name. Write it as 'a' or 't.a'."),
        ({"off": 5}, "NO_DYNAMIC_FILTER: 5 is not a relation's name. Write it as 'a' or 't.a'."),
        (
            {"on": BaseRelation.create(schema="shop", identifier="orders")},
            "DYNAMIC_FILTER: <BaseRelation \"shop\".\"orders\"> is not a relation's name. Write it as 'a' or 't.a'.",
        ),
        ({"on": [1]}, "DYNAMIC_FILTER: 1 is not a relation's name. Write it as 'a' or 't.a'."),
        ({"off": ["a."]}, "NO_DYNAMIC_FILTER: 'a.' is not a relation's name: a part of it is empty."),
        (
            {"on": ["a", "b"], "off": ["b"]},
            "DYNAMIC_FILTER and NO_DYNAMIC_FILTER contradict each other over 'b'.",
        ),
    ],
)
def test_a_wrong_dynamic_filter_hint_gets_a_sentence(arguments, sentence):
    with pytest.raises(DbtValidationError, match=re.escape(sentence)):
        to_dynamic_filter_hint(**arguments)


PLACED = "/*+ FILTER_ORDER(`a`) */"


@pytest.mark.parametrize(
    ("sql", "hinted"),
    [
        ("select a from t", f"select {PLACED} a from t"),
        ("\n-- select\nSELECT\n  a", f"\n-- select\nSELECT {PLACED}\n  a"),
        ("with w as (select 1 as a) select * from w", f"with w as (select 1 as a) select {PLACED} * from w"),
        ("select a from (select b from t)", f"select {PLACED} a from (select b from t)"),
        ("select 'select' as `select` from t", f"select {PLACED} 'select' as `select` from t"),
        ("select /*+ BROADCAST(t) */ a from t", f"select {PLACED} /*+ BROADCAST(t) */ a from t"),
        (
            "select a from t union all select a from s",
            f"select {PLACED} a from t union all select {PLACED} a from s",
        ),
        ("select distinct 'ü' as a", f"select {PLACED} distinct 'ü' as a"),
    ],
)
def test_after_the_outermost_select(sql, hinted):
    assert with_hint(sql, PLACED, "models/x.sql") == hinted


@pytest.mark.parametrize("sql", ["(select a from t)", "values (1)", "", "table t"])
def test_without_one_the_user_reads_what_to_do(sql):
    with pytest.raises(DbtValidationError, match=r"models/x\.sql has no SELECT outside of parentheses"):
        with_hint(sql, PLACED, "models/x.sql")


def test_sql_that_can_not_be_cut_into_tokens():
    with pytest.raises(DbtValidationError, match=r"models/x\.sql is not understood"):
        with_hint("select 'a", PLACED, "models/x.sql")


@pytest.mark.parametrize(
    "hint",
    [
        "BROADCAST(t)",
        "FILTER_ORDER(a, t.b)",
        "filter_order( `a`,t.`b` ), COALESCE(1)",
        "ADAPTIVE_FILTER('momentum=0.5')",
    ],
)
def test_a_config_goes_with_a_hint_that_does_not_contradict_it(hint):
    order = to_hint(order=["a", "t.b"])
    sql = f"select /*+ {hint} */ a from t"
    assert with_hint(sql, order, "models/m.sql") == f"select {order} /*+ {hint} */ a from t"


@pytest.mark.parametrize(
    "hint", ["FILTER_ORDER(b)", "filter_order(a)", "FILTER_ORDER(t.b, a)", "FILTER_ORDER"]
)
def test_a_config_and_a_hint_that_give_different_orders_are_named(hint):
    with pytest.raises(DbtValidationError) as error:
        with_hint(
            f"select 1 union all select /*+ BROADCAST(t), {hint} */ a from t",
            to_hint(order=["a", "t.b"]),
            "models/m.sql",
        )
    assert error.value.msg == (
        f"filter_order and the hint {hint} in models/m.sql contradict each other. Keep one."
    )


def test_an_order_beside_a_hint_that_leaves_filters_to_spark_is_named():
    with pytest.raises(DbtValidationError) as error:
        with_hint("select /*+ no_adaptive_filter */ a from t", to_hint(order=["a"]), "models/m.sql")
    assert error.value.msg == (
        "filter_order: the hint NO_ADAPTIVE_FILTER in models/m.sql leaves the filters to Spark, and the order has no effect. Keep one."
    )


def test_hints_of_inner_selects_are_theirs():
    order = to_hint(order=["a"])
    inner = "(select /*+ FILTER_ORDER(q), NO_ADAPTIVE_FILTER */ * from t)"
    assert with_hint(f"select a from {inner}", order, "models/m.sql") == f"select {order} a from {inner}"

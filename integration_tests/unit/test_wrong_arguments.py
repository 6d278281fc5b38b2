"""Each argument of a macro or an operation that is wrong stops with its name, its value and what is allowed."""

import math
from types import SimpleNamespace

import pytest
from dbt.adapters.base.relation import BaseRelation
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.impl import AdaptiveSparkAdapter
from dbt.adapters.adaptive_spark.model.bulk_filter import filtered_relation, parsed
from dbt.adapters.adaptive_spark.model.hints import (
    to_adaptive_filter_hint,
    to_dynamic_filter_hint,
    to_order_hint,
)
from dbt.adapters.adaptive_spark.statistics.node_statistics import NodeStatistics

NAN, INFINITE = math.nan, math.inf
RATE = "is not auto or a whole number in [1, 2147483647]"
RELATION = BaseRelation.create(schema="shop", identifier="orders")
NAMES = "Write it as 'a' or 't.a'."
SESSION = "Leave it out for the session's value; the default is"


@pytest.mark.parametrize(
    ("macro", "arguments", "sentence"),
    [
        (to_adaptive_filter_hint, ([], {}), "ADAPTIVE_FILTER: adaptive_filter_hint() says nothing. Write adaptive_filter_hint(true), adaptive_filter_hint(false) or an option, as adaptive_filter_hint(momentum=0.5)."),
        (to_adaptive_filter_hint, ([True, 0.5], {}), "ADAPTIVE_FILTER: 0.5 is one argument too many. Write options by name, as momentum=0.5."),
        (to_adaptive_filter_hint, ([True], {"adaptive": False}), "ADAPTIVE_FILTER: False is one argument too many. Write options by name, as momentum=0.5."),
        *[(to_adaptive_filter_hint, ([each], {}), f"ADAPTIVE_FILTER: adaptive: {each!r} is neither true, false nor none. Leave it out for the session's.") for each in ("", "off", 1, 0, [], NAN)],
        (to_adaptive_filter_hint, ([False], {"momentum": 0.5}), "NO_ADAPTIVE_FILTER leaves the filters to Spark: options and an order have no effect beside it. Keep one."),
        (to_adaptive_filter_hint, ([], {"momentun": 0.5}), "ADAPTIVE_FILTER: 'momentun' is not an option. Did you mean momentum?"),
        (to_adaptive_filter_hint, ([], {"Errors": "exact"}), "ADAPTIVE_FILTER: 'Errors' is not an option. Did you mean errors?"),
        *[(to_adaptive_filter_hint, ([], {"momentum": each}), f"ADAPTIVE_FILTER: momentum: {each!r} is not a number in [0, 1]. {SESSION} 0.3.") for each in ("", "1.5", None, True)],
        *[(to_adaptive_filter_hint, ([], {"momentum": each}), f"ADAPTIVE_FILTER: momentum: {each!r} is not a number in [0, 1]. {SESSION} 0.3.") for each in (1.5, -1, NAN, INFINITE)],
        *[(to_adaptive_filter_hint, ([], {"collect_rate": each}), f"ADAPTIVE_FILTER: collect_rate: {each!r} {RATE}. {SESSION} 1000.") for each in ("", "0", None, True, 1.5)],
        (to_adaptive_filter_hint, ([], {"calculate_rate": -1}), f"ADAPTIVE_FILTER: calculate_rate: -1 {RATE}. {SESSION} 1000000."),
        (to_adaptive_filter_hint, ([], {"policy": "best"}), f"ADAPTIVE_FILTER: policy: 'best' is not one of rank, conditional. {SESSION} rank."),
        (to_adaptive_filter_hint, ([], {"initial_order": None}), f"ADAPTIVE_FILTER: initial_order: None is not one of learned, written. {SESSION} learned."),
        (to_adaptive_filter_hint, ([], {"errors": True}), f"ADAPTIVE_FILTER: errors: True is not one of guarded, exact. {SESSION} guarded."),
        *[(to_order_hint, (each,), "FILTER_ORDER names no column. Write it as filter_order_hint('a', 't.b').") for each in ((), [])],
        *[(to_order_hint, ([each],), f"FILTER_ORDER: {each!r} is not a column's name. {NAMES}") for each in (None, 1, True, ["a"], {"a": 1})],
        (to_order_hint, (["t."],), f"FILTER_ORDER: 't.' is not a column's name: a part of it is empty. {NAMES}"),
        *[(to_dynamic_filter_hint, each, "DYNAMIC_FILTER names no relation. Write it as dynamic_filter_hint(on='a'); for all relations of the FROM, write /*+ DYNAMIC_FILTER */ after SELECT.") for each in ((), ([], []), ((),))],
        *[(to_dynamic_filter_hint, (each,), f"DYNAMIC_FILTER: {each!r} is not a relation's name. {NAMES}") for each in (None, 1, True, RELATION, {"a": 1})],
        (to_dynamic_filter_hint, ([], [""]), f"NO_DYNAMIC_FILTER: '' is not a relation's name: a part of it is empty. {NAMES}"),
        *[(filtered_relation, (each,), f"bulk_filter: {each!r} is not a relation. Write ref('…') or source('…', '…').") for each in (None, "", "shop.orders", 1, {"relation": 1})],
        (parsed, ({"column": "a", "includes": [1]},), "bulk_filter: 'includes' is not a part of a leaf. Did you mean include?"),
        (parsed, ({"column": "a", "include": {"path": "/x"}},), "bulk_filter.include: 'path' is not a part of a list. Known: relation, file, format, column, header."),
        (parsed, (None,), "bulk_filter: None is not a node. Write {'and': […]}, {'or': […]}, {'not': …} or {'column': …}."),
        (parsed, ({"and": []},), "bulk_filter.and: [] is not a list of nodes."),
    ],
)  # fmt: skip
def test_a_wrong_macro_argument_stops_the_model(macro, arguments, sentence):
    with pytest.raises(DbtValidationError) as error:
        macro(*arguments)
    assert error.value.msg == sentence


@pytest.fixture
def adapter():
    sources = {
        "source.shop.crm.customers": SimpleNamespace(source_name="crm", name="customers"),
    }
    found = AdaptiveSparkAdapter.__new__(AdaptiveSparkAdapter)
    found.config = SimpleNamespace(credentials=SimpleNamespace(schema="shop"))
    found.get_macro_resolver = lambda: SimpleNamespace(sources=sources)
    found.statistics = NodeStatistics(found)
    return found


SOURCES = "is not a list of sources. Write it as [shop, crm.customers]; leave it out for all."
TABLES = "is not a table. Write it as shop.orders, or ref('orders')."


@pytest.mark.parametrize(
    ("operation", "arguments", "sentence"),
    [
        *[("adaptive_report", (each,), f"adaptive_report: format: {each!r} is not one of table, json.") for each in ("", "JSON", None, True, ["json"], {})],
        *[("analyze_sources", (each, "auto"), f"analyze_sources: sources: {each!r} {SOURCES}") for each in ("", [], 5, True, {"crm": 1})],
        *[("analyze_sources", ([each], "auto"), f"analyze_sources: {each!r} is not a source. Known: crm.customers.") for each in (5, None, "nope")],
        ("analyze_sources", ("crm.customer", "auto"), "analyze_sources: 'crm.customer' is not a source. Did you mean crm.customers?"),
        *[("analyze_sources", (None, each), f"analyze_sources: analyze: {each!r} leaves nothing to do. Leave it out for the default, auto.") for each in ("off", False, None, {"columns": "off"})],
        ("analyze_sources", (None, "some"), "analyze: 'some' is neither off, auto, all nor a list of columns (analyze_sources). Write it as auto, or as [id, day]."),
        ("analyze_sources", (None, {"min_rows": -1}), "analyze: min_rows: -1 is not a number of rows from 0 (analyze_sources). Leave it out for the default, 100000."),
        *[("analyze_sql", (each, []), f"analyze_relation: relation: {each!r} {TABLES}") for each in (None, "", "shop.", ".orders", 5, ["orders"], {})],
        ("analyze_sql", ("lake.shop.orders", []), "analyze_relation: lake.shop.orders has more than a schema and a table. Spark keeps statistics only in its session catalog, so leave the catalog out."),
        *[("analyze_sql", ("orders", each), f"analyze_relation: columns: {each!r} is not a list of columns. Write it as [id, day]; leave it out for all.") for each in ("", None, 5, True, [5], [""], {"id": 1})],
        ("analyze_sql", ("orders", ["${x}"]), "analyze_relation: orders, ['${x}']: Spark would replace ${...} in it. Rename it."),
    ],
)  # fmt: skip
def test_a_wrong_argument_stops_the_operation(adapter, operation, arguments, sentence):
    with pytest.raises(DbtValidationError) as error:
        getattr(adapter, operation)(*arguments)
    assert error.value.msg == sentence


def test_a_relation_to_analyze_is_a_name_or_a_relation(adapter):
    statement = "ANALYZE TABLE `shop`.`orders` COMPUTE STATISTICS FOR COLUMNS `id`"
    assert {adapter.analyze_sql(each, "id") for each in ("orders", "shop.orders", RELATION)} == {statement}

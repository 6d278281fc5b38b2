"""The evidence about a node's filters, from run to run, and the part of it that Spark is given."""

import json

import pytest

from dbt.adapters.adaptive_spark.conf.quoting import literal
from dbt.adapters.adaptive_spark.learned.evidence import (
    Evidence,
    JoinMemory,
    Learned,
    NodeMemory,
    as_text,
    evidence,
    from_text,
    grown_older,
    kept_by_joins,
    merged,
    prior,
    remember_sql,
)
from dbt.adapters.adaptive_spark.learned.order_history import FilterOrders

ORDERS = "model.shop.orders"
MOVED = FilterOrders(("a", "b"), {"2026-11-02T05:00:00Z": (1, 0)})


def conjunct(shape, monitored=100, selectivity=0.25, cost_ns=12.5):
    return {
        "shape": shape,
        "rows_monitored": monitored,
        "selectivity": selectivity,
        "cost_ns": cost_ns,
    }


def test_counts_are_those_of_the_table_function():
    filters = [{"conjuncts": [conjunct("a", 3, 1 / 3, 100 / 3), conjunct("b")]}]
    assert evidence(filters) == {"a": Evidence(3, 1, 100), "b": Evidence(100, 25, 1250)}


def test_a_shape_in_two_filters_is_one():
    filters = [{"conjuncts": [conjunct("a")]}, {"conjuncts": [conjunct("a", 10, 1.0, 1.0)]}]
    assert evidence(filters) == {"a": Evidence(110, 35, 1260)}


def joined(signature, kept, rows_read=100, code="filtered"):
    return {"signature": signature, "kept": kept, "rows_read": rows_read, "verdict_code": code}


def test_a_join_is_known_by_the_share_that_it_kept():
    dynamic = [joined("a", 0.25), joined("b", None, None), joined("a", None, None), joined(None, None, None)]
    assert kept_by_joins([*dynamic, joined("not counted", None)]) == {"a": 250, "b": None}
    assert kept_by_joins([joined("waited in vain", 0.3, code="build_too_large")]) == {"waited in vain": 1000}


def left_out(nodes, **kept):
    return merged(nodes, {ORDERS: Learned(kept=kept)})


def test_a_join_that_was_left_out_is_tried_again_after_four_runs():
    nodes = left_out(left_out({}, a=995), a=990)
    for _ in range(4):
        assert prior(nodes[ORDERS]) == '{"version":2,"predicates":{},"joins":{"a":990}}'
        nodes = left_out(nodes, a=None)
    assert prior(nodes[ORDERS]) is None
    assert left_out(nodes, a=1000)[ORDERS].joins == {"a": JoinMemory(1000, before=990)}


def test_one_run_alone_says_nothing_of_a_join():
    once = left_out({}, a=990)
    assert prior(once[ORDERS]) is None
    again = merged(once, {ORDERS: Learned(kept={"a": 1000})}, counted={(ORDERS, "a")})
    assert again[ORDERS].joins == {"a": JoinMemory(990)}
    backfilled = left_out(left_out({}, a=10), a=1000)
    assert prior(backfilled[ORDERS]) == '{"version":2,"predicates":{},"joins":{"a":10}}'


def test_a_join_that_was_left_out_of_many_batches_counts_as_one_run_and_ages_nothing_else():
    known = {ORDERS: NodeMemory({"p": Evidence(100, 50, 1)}, joins={"a": JoinMemory(990)})}
    once = left_out(known, a=None)
    again = merged(once, {ORDERS: Learned(kept={"a": None})}, counted={(ORDERS, "a")})
    assert again == once == {ORDERS: NodeMemory({"p": Evidence(100, 50, 1)}, joins={"a": JoinMemory(990, 1)})}
    assert left_out({}, a=None) == {}


def test_what_several_statements_say_of_a_join_is_the_least_that_it_kept():
    first, second = Learned({"p": Evidence(1, 1, 1)}, {"a": 10, "b": None}), Learned(kept={"a": None, "b": 5})
    assert first + second == Learned({"p": Evidence(1, 1, 1)}, {"a": 10, "b": 5})
    for rows, least in ((20, 10), (5, 5)):
        assert (first + Learned(kept={"a": rows})).kept == {"a": least, "b": None}


def test_scans_that_share_a_signature_are_known_by_the_least_that_one_of_them_kept():
    scans = [joined("a", 0.03), joined("a", 0.99), joined("a", 0.3, code="build_too_large")]
    assert kept_by_joins(scans) == kept_by_joins(scans[::-1]) == {"a": 30}


def test_a_filter_of_a_later_statement_counts_by_itself():
    known = {ORDERS: NodeMemory(joins={"a": JoinMemory(10), "b": JoinMemory(20), "c": JoinMemory(30)})}
    fresh = {ORDERS: Learned(kept={"b": None, "c": 5})}
    joins = merged(known, fresh, counted={(ORDERS, "a")})[ORDERS].joins
    assert joins == {"a": JoinMemory(10), "b": JoinMemory(20, 1), "c": JoinMemory(5, before=30)}


def test_a_node_keeps_the_joins_that_ran_last():
    nodes = left_out({}, **{f"j{at:03}": at for at in range(100)})
    assert list(left_out(nodes, j000=7, new=8)[ORDERS].joins) == [f"j{at:03}" for at in range(2, 100)] + [
        "j000",
        "new",
    ]


def test_predicates_that_no_row_met_are_left_out():
    assert evidence([{"conjuncts": [conjunct("a", 0, None, None)]}]) == {}


def test_the_days_of_many_batches_are_one_entry_whose_evidence_adds_up():
    total = Learned()
    for day in range(1, 31):
        batch = {
            **conjunct("orders: (day >= ?)"),
            "predicate": f"(dev.orders.day >= DATE '2026-11-{day:02}')",
        }
        total += Learned(evidence([{"conjuncts": [batch]}]))
    assert total.predicates == {"orders: (day >= ?)": Evidence(30 * 100, 30 * 25, 30 * 1250)}


def test_old_counts_are_halved_before_new_ones_join():
    known = {ORDERS: NodeMemory({"a": Evidence(100, 51, 999), "b": Evidence(1, 1, 9)}, age=3)}
    learned = {ORDERS: Learned({"a": Evidence(10, 1, 1), "c": Evidence(7, 7, 7)})}
    assert merged(known, learned) == {
        ORDERS: NodeMemory({"a": Evidence(60, 26, 500), "c": Evidence(7, 7, 7)}, age=0)
    }


def test_a_node_is_halved_once_a_run():
    known = {ORDERS: NodeMemory({"a": Evidence(100, 50, 1000)})}
    learned = {ORDERS: Learned({"a": Evidence(10, 1, 1)})}
    assert merged(known, learned, halved={ORDERS})[ORDERS].predicates == {"a": Evidence(110, 51, 1001)}


def test_a_node_that_met_no_row_keeps_what_it_has_and_is_young_again():
    known = {ORDERS: NodeMemory({"a": Evidence(100, 50, 1000)}, age=29)}
    assert merged(known, {ORDERS: Learned()}) == {ORDERS: NodeMemory({"a": Evidence(100, 50, 1000)}, age=0)}
    assert merged({}, {ORDERS: Learned()}) == {}


def test_other_nodes_stay_as_they_are():
    known = {"model.shop.other": NodeMemory({"a": Evidence(100, 50, 1000)}, age=4)}
    assert (
        merged(known, {ORDERS: Learned({"b": Evidence(1, 1, 1)})})["model.shop.other"]
        == known["model.shop.other"]
    )


def test_nodes_that_are_not_seen_for_a_thousand_runs_are_dropped():
    nodes = {ORDERS: NodeMemory({"a": Evidence(1, 1, 1)})}
    for _ in range(1000):
        nodes = grown_older(nodes)
    assert nodes[ORDERS].age == 1000
    assert grown_older(nodes) == {}


def test_a_node_keeps_the_predicates_with_most_evidence():
    fresh = {f"p{at}": Evidence(at, 0, 0) for at in range(1, 301)}
    kept = merged({}, {ORDERS: Learned(fresh)})[ORDERS].predicates
    assert set(kept) == {f"p{at}" for at in range(101, 301)}


def test_the_nodes_seen_last_are_kept():
    known = {f"model.shop.m{at}": NodeMemory({"a": Evidence(1, 1, 1)}, age=at % 2) for at in range(5000)}
    kept = merged(known, {ORDERS: Learned({"a": Evidence(1, 1, 1)})})
    assert len(kept) == 5000
    assert ORDERS in kept
    assert "model.shop.m4999" not in kept


def test_orders_are_kept_beside_the_counts_and_spark_is_not_told():
    fresh = {ORDERS: Learned({"a": Evidence(3, 2, 1)}, orders=(MOVED,))}
    node = merged({}, fresh)[ORDERS]
    assert node.orders == (MOVED,)
    assert merged({ORDERS: node}, {ORDERS: Learned({"a": Evidence(3, 2, 1)})})[ORDERS].orders == (MOVED,)
    assert prior(node) == '{"version":2,"predicates":{"a":[3,2,1]}}'


def test_a_node_without_orders_is_read_and_written_without():
    text = '{"nodes":{"m":{"predicates":{"a":{"monitored":3,"passed":2,"nanos":1}},"age":0}},"version":2}'
    assert from_text(text) == {"m": NodeMemory({"a": Evidence(3, 2, 1)})}
    assert as_text(from_text(text)) == text


def test_counts_never_outgrow_sparks():
    most = Evidence(2**62, 2**62, 2**62)
    assert most + Evidence(1, 1, 1) == most


def test_the_text_is_read_as_it_was_written():
    seen = {"name = 'ü\"\\\n;${x}😀'": Evidence(3, 2, 1)}
    nodes = {ORDERS: NodeMemory(seen, 7, {"j": JoinMemory(1, 2, 3)}, (MOVED,))}
    assert from_text(as_text(nodes)) == nodes
    assert as_text(nodes).isascii()


def test_the_text_keeps_the_order_in_which_joins_ran():
    nodes = {ORDERS: NodeMemory(joins={"z": JoinMemory(1), "a": JoinMemory(2)})}
    assert list(from_text(as_text(nodes))[ORDERS].joins) == ["z", "a"]


COUNTS = {"monitored": 2, "passed": 1, "nanos": 5}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        b"\xff\xfe\x00",
        "[" * 100_000,
        "null",
        "[]",
        "{}",
        {"version": 2},
        {"version": 2, "nodes": []},
        {"version": 2, "nodes": {"m": {}}},
        {"version": 2, "nodes": {"m": {"predicates": {}}}},
        *(
            {"version": 2, "nodes": {"m": {"predicates": {"a": counts}, "age": age}}}
            for counts, age in [
                (COUNTS, -1),
                (COUNTS, None),
                (COUNTS, True),
                ({}, 0),
                ([2, 1, 5], 0),
                ({**COUNTS, "more": 1}, 0),
                ({**COUNTS, "nanos": 1.5}, 0),
                ({**COUNTS, "nanos": -1}, 0),
                ({**COUNTS, "nanos": 2**63}, 0),
                ({**COUNTS, "passed": 3}, 0),
                ({**COUNTS, "passed": True}, 0),
            ]
        ),
        *(
            {"version": 2, "nodes": {"m": {"predicates": {}, "age": 0, "joins": joins}}}
            for joins in (
                {"a": 1},
                {"a": {"kept": 1001}},
                {"a": {"kept": True}},
                {"a": {"kept": 1, "left_out": -1}},
                {"a": {"kept": 1, "before": 1001}},
                {"a": {"kept": 1, "before": True}},
            )
        ),
        *(
            {"version": 2, "nodes": {"m": {"predicates": {}, "age": 0, "orders": orders}}}
            for orders in (
                1,
                {"a": 1},
                [{"conjuncts": ["a", "b"]}],
                [{"conjuncts": ["a", "b"], "runs": []}],
                [{"conjuncts": ["a", "b"], "runs": {"2026-11-02T05:00:00Z": [0, 2]}}],
            )
        ),
    ],
)
def test_what_the_adapter_did_not_write_is_refused(content):
    text = json.dumps(content) if isinstance(content, dict) else content
    with pytest.raises(ValueError, match=r"^is not what this adapter writes$"):
        from_text(text)


@pytest.mark.parametrize("version", [1, 3, "2", None, [2]])
def test_another_version_is_named(version):
    with pytest.raises(ValueError) as error:
        from_text(json.dumps({"version": version, "nodes": "of another shape"}))
    assert str(error.value) == f"is of version {version}, and this release reads version 2"


def test_the_prior_holds_counts_by_predicate():
    known = {"a": Evidence(3, 2, 1), "b": Evidence(9, 8, 7)}
    assert prior(NodeMemory(known)) == '{"version":2,"predicates":{"b":[9,8,7],"a":[3,2,1]}}'
    assert prior(NodeMemory()) is None


def test_a_prior_is_bounded_and_keeps_the_predicates_with_most_evidence():
    known = {f"{at:03}" + "é" * 500: Evidence(at, 0, 0) for at in range(1, 100)}
    text = prior(NodeMemory(known))
    assert 32_768 - 3_100 < len(text) < 32_768 + 100
    kept = [int(predicate[:3]) for predicate in json.loads(text)["predicates"]]
    assert kept == list(range(99, 99 - len(kept), -1))


@pytest.mark.parametrize(
    "predicate",
    [
        "name = 'O\\'Brien' AND \"b\" = `c`",
        "a = '`; DROP TABLE t; --'",
        "a = '${env:HOME} ${spark.app.name} $${x}'",
        "a = '\\\\${x}'",
        "a = 'two\nlines\r\tand \u2028 a \u0000'",
        "a = 'ü 😀 \ud800'",
    ],
)
def test_a_predicate_stays_text_in_the_prior_and_in_its_statement(predicate):
    text = prior(NodeMemory({predicate: Evidence(3, 2, 1)}))
    assert json.loads(text) == {"version": 2, "predicates": {predicate: [3, 2, 1]}}
    assert text.isascii()
    assert text.isprintable()
    statement = remember_sql("model.o'hara", "run", text)
    tag = "cast(X'6d6f64656c2e6f2768617261' as string)"
    assert statement == f"select done from adaptive_remember({tag}, 'run', {literal(text)})"

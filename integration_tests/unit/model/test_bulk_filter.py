"""Trees of lists: what they compile to, in which order, and where one is wrong."""

import pytest
from dbt.adapters.spark.relation import SparkRelation
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.catalog.table_facts import ColumnFacts, TableFacts
from dbt.adapters.adaptive_spark.model.bulk_filter import (
    Leaf,
    Node,
    bulk_filter_sql,
    check_files,
    leaves,
    ordered,
    parsed,
    selectivity_of,
    without_facts,
)
from dbt.adapters.adaptive_spark.statistics import column_usage
from dbt.adapters.adaptive_spark.statistics.column_usage import UNKNOWN, Columns, use


def relation(name):
    return SparkRelation.create(schema="shop", identifier=name)


A, B = relation("a"), relation("b")


def keep(column, source="x"):
    return {"column": column, "include": relation(source)}


def written(tree):
    """Columns in their order, nested: `a & (b | !c)`."""
    if isinstance(tree, Leaf):
        return tree.column if tree.keeps else f"!{tree.column}"
    sign = {"and": " & ", "or": " | "}[tree.operator]
    return "(" + sign.join(map(written, tree.children)) + ")"


@pytest.mark.parametrize(
    ("leaf", "condition"),
    [
        (
            {"column": "a", "include": A},
            "exists (select 1 from shop.a as bulk_values where bulk_values.`a` = bulk_input.`a`)",
        ),
        (
            {"column": "a", "exclude": {"relation": B, "column": "v"}},
            "not exists (select 1 from shop.b as bulk_values where bulk_values.`v` = bulk_input.`a`)",
        ),
        ({"column": "a", "include": [1, 2]}, "bulk_input.`a` in (1, 2)"),
        (
            {"not": {"column": "a", "include": ["x'y"]}},
            "not coalesce(bulk_input.`a` in (cast(X'782779' as string)), false)",
        ),
        (
            {"column": "a`b", "include": {"file": "/x/y`z.csv", "column": "v"}},
            "exists (select 1 from csv.`/x/y``z.csv` with (header = 'true') as bulk_values"
            " where bulk_values.`v` = bulk_input.`a``b`)",
        ),
        (
            {"column": "a", "include": {"file": "/x", "format": "csv", "header": False}},
            "exists (select 1 from csv.`/x` as bulk_values where bulk_values.`_c0` = bulk_input.`a`)",
        ),
        (
            {"column": "a", "include": {"file": "/x.text"}},
            "exists (select 1 from text.`/x.text` as bulk_values where bulk_values.`value` = bulk_input.`a`)",
        ),
    ],
)
def test_a_leaf(leaf, condition):
    sql = bulk_filter_sql("shop.t", parsed(leaf))
    assert sql == f"select * from shop.t as bulk_input where {condition}"
    table = Columns({name: frozenset([name]) for name in ("a", "a`b")}, whole=True)
    found = use(column_usage.parsed(sql), lambda name: table if name == ("shop", "t") else UNKNOWN)
    # of a coalesce the planner estimates nothing, so that no statistics help
    assert found.filtered | found.keyed == ({leaf["column"]} if "column" in leaf else frozenset())


@pytest.mark.parametrize(
    ("expression", "tree"),
    [
        ({"and": [keep("a"), {"or": [keep("b"), keep("c")]}]}, "(a & (b | c))"),
        ({"not": {"and": [keep("a"), {"or": [keep("b"), {"not": keep("c")}]}]}}, "(!a | (!b & c))"),
        ({"or": [keep("a"), {"or": [keep("b"), keep("c")]}]}, "(a | b | c)"),
        ({"or": [keep("a"), {"not": {"and": [keep("b"), keep("c")]}}]}, "(a | !b | !c)"),
        ({"and": [keep("a"), {"and": [keep("b"), keep("c")]}]}, "(a & (b & c))"),
        ({"not": {"not": keep("a")}}, "a"),
        ({"and": [{"or": [keep("a")]}]}, "a"),
    ],
)
def test_a_tree(expression, tree):
    assert written(parsed(expression)) == tree


@pytest.mark.parametrize(
    ("expression", "order"),
    [
        # the illustrations of nested filters ordered by cost
        (
            {"and": [{"or": [keep("a"), keep("b")]}, keep("c"), {"or": [keep("d"), keep("f")]}]},
            "(c & (a | b) & (d | f))",
        ),
        (
            {"and": [keep("a"), {"or": [keep("b"), keep("c")]}, {"and": [keep("d"), keep("e")]}]},
            "((d & e) & a & (b | c))",
        ),
        ({"or": [{"and": [keep("a"), {"or": [keep("b"), keep("c")]}]}, keep("d")]}, "(d | (a & (b | c)))"),
    ],
)
def test_without_statistics_the_structure_decides(expression, order):
    assert written(ordered(parsed(expression))) == order


def test_statistics_decide_where_every_leaf_has_them():
    shares = {"a": 0.5, "b": 0.1, "c": 0.9, "d": 0.3}
    tree = parsed({"and": [keep("a"), {"or": [keep("b"), keep("c")]}, keep("d"), keep("b")]})
    assert written(ordered(tree, lambda leaf: shares[leaf.column])) == "(b & d & a & (c | b))"
    assert written(ordered(tree, lambda leaf: shares[leaf.column] if leaf.column != "d" else None)) == (
        "(a & d & b & (b | c))"
    )


def test_shares_come_from_distinct_values():
    def table(name, rows, **distinct):
        columns = (ColumnFacts(0, each, "int", None, n, 0, None, None, False) for each, n in distinct.items())
        return TableFacts("shop", name, "table", "parquet", None, None, None, rows, tuple(columns))

    lists = {"shop.x": table("x", 30, v=9), "shop.y": table("y", None), "shop.z": table("z", 30)}
    share = selectivity_of(table("t", 5000, A=100, b=None), lists)
    (some, others, listed, many, unknown, not_counted, unasked) = leaves(
        parsed(
            {
                "and": [
                    keep("a"),
                    {"not": keep("a")},
                    {"column": "a", "include": [1, 2]},
                    {"column": "a", "include": list(range(500))},
                    keep("a", "y"),
                    keep("a", "z"),
                    keep("b"),
                ]
            }
        )
    )
    assert [share(leaf) for leaf in (some, others, listed, many)] == [0.3, 0.7, 0.02, 1.0]
    assert share(unknown) is share(not_counted) is share(unasked) is selectivity_of(None, {})(some) is None


def test_before_anything_runs_a_tree_is_compiled_where_it_can_be():
    assert "from shop.a" in without_facts(A, keep("a"))
    assert without_facts(A, {"column": "a", "include": None}) == ""
    assert without_facts("shop.a", keep("a")) == ""


def test_names_in_a_csv_file_need_a_spark_that_takes_them():
    named = parsed({"or": [keep("a"), {"column": "b", "include": {"file": "/x.csv"}}]})
    check_files(named, lambda: "4.0.5")
    with pytest.raises(DbtValidationError) as refused:
        check_files(named, lambda: "3.5.9")
    assert str(refused.value.msg) == (
        "bulk_filter: csv.`/x.csv`: Spark 3.5.9 takes no column names from the first line of a CSV file in a query, "
        "as Spark 4 does. Write the list as Parquet, make it a seed, or take the line out and set 'header': false."
    )


@pytest.mark.parametrize("file", [{"file": "/x.csv", "header": False}, {"file": "/x.parquet"}])
def test_other_files_are_read_by_every_spark(file):
    check_files(parsed({"column": "a", "exclude": file}), lambda: pytest.fail("the release was asked for"))


def test_leaves_from_left_to_right():
    tree = Node("and", (Leaf("a", True), Node("or", (Leaf("b", True), Leaf("c", False)))))
    assert [leaf.column for leaf in leaves(tree)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        (3, "bulk_filter: 3 is not a node"),
        ({}, "bulk_filter: a node has one of and, or, not, column; this has none"),
        ({"and": []}, "bulk_filter.and: [] is not a list of nodes"),
        ({"and": [keep("a"), {"or": [keep("b"), 7]}]}, "bulk_filter.and[1].or[1]: 7 is not a node"),
        (
            {"and": [keep("a")], "or": [keep("b")]},
            "bulk_filter: a node has one of and, or, not, column; this has and and or",
        ),
        ({"not": keep("a"), "column_": 1}, "bulk_filter: 'not' stands alone, beside 'column_'"),
        ({"not": {"column": "a"}}, "bulk_filter.not: a leaf includes or excludes; this does neither"),
        (
            {"column": "a", "include": A, "exclude": B},
            "bulk_filter: a leaf includes or excludes; this does both",
        ),
        (
            {"column": "a", "includes": A},
            "bulk_filter: 'includes' is not a part of a leaf. Did you mean include?",
        ),
        ({"column": 3, "include": A}, "bulk_filter.column: 3 is not a column's name"),
        ({"column": "${x}", "include": A}, "bulk_filter.column: '${x}' is not a column's name"),
        ({"column": "a", "include": "shop.a"}, "bulk_filter.include: 'shop.a' is not a relation"),
        ({"column": "a", "include": []}, "bulk_filter.include: the list is empty"),
        ({"column": "a", "include": [1, None]}, "bulk_filter.include[1]: a null is in no list"),
        ({"column": "a", "exclude": [A]}, "bulk_filter.exclude[0]: <SparkRelation shop.a> is not a value"),
        (
            {"column": "a", "include": [{"file": "/x.csv"}]},
            "bulk_filter.include[0]: {'file': '/x.csv'} is not a value",
        ),
        ({"column": "a", "include": [1, [2, 3]]}, "bulk_filter.include[1]: [2, 3] is not a value"),
        ({"column": "a", "include": range(3)}, "bulk_filter.include: range(0, 3) is not a relation"),
        (
            {"column": "a", "include": {"relation": [1, 2]}},
            "bulk_filter.include.relation: [1, 2] is not a relation",
        ),
        ({"column": "a", "include": {"column": "v"}}, "bulk_filter.include: a list has a relation or a file"),
        (
            {"column": "a", "include": {"relation": A, "file": "/x.csv"}},
            "bulk_filter.include: a list has a relation or a file",
        ),
        ({"column": "a", "include": {"relation": A, "colum": "v"}}, "Did you mean column?"),
        ({"column": "a", "include": {"file": 3}}, "bulk_filter.include.file: 3 is not a path"),
        (
            {"column": "a", "include": {"file": "/x.lance"}},
            "bulk_filter.include.format: 'lance' is not one of csv",
        ),
        (
            {"column": "a", "include": {"file": "/x.csv", "header": 1}},
            "bulk_filter.include.header: 1 is neither",
        ),
        (
            {"column": "a", "include": {"file": "/${x}.csv"}},
            "bulk_filter.include.file: '/${x}.csv': Spark would replace",
        ),
    ],
)
def test_what_is_wrong_is_named_with_the_way_to_it(expression, sentence):
    with pytest.raises(DbtValidationError) as error:
        parsed(expression)
    assert sentence in str(error.value)

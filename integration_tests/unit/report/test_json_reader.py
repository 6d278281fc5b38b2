"""Values of a JSON file by name and kind, and what is said where they are of another."""

import pytest

from dbt.adapters.adaptive_spark.report.json_reader import Entry, ShapeError

ENTRY = Entry.of(
    {
        "name": "x",
        "none": None,
        "count": 3,
        "share": 0.5,
        "names": ["a", "b"],
        "inner": {"list": [{"k": "v"}]},
    }
)


def test_values_by_kind():
    assert (ENTRY.text("name"), ENTRY.text_or_none("none"), ENTRY.text_or_none("missing")) == (
        "x",
        None,
        None,
    )
    assert (ENTRY.count("count"), ENTRY.count_or_none("none")) == (3, None)
    assert (ENTRY.number("share"), ENTRY.number("count"), ENTRY.number_or_none("none")) == (0.5, 3, None)
    assert (ENTRY.texts("names"), ENTRY.texts("none")) == (("a", "b"), ())
    assert [each.text("k") for each in ENTRY.at("inner").each("list")] == ["v"]
    assert [name for name, _ in ENTRY.at("missing").members()] == []
    assert [(name, each.text("k")) for name, each in Entry.of({"a": {"k": "v"}}).members()] == [("a", "v")]


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: Entry.of([]), "it is [], not an object"),
        (lambda: ENTRY.text("missing"), "missing is missing"),
        (lambda: ENTRY.text("count"), "count is 3, not a text"),
        (lambda: ENTRY.count("share"), "share is 0.5, not a count"),
        (lambda: Entry.of({"n": True}).count("n"), "n is True, not a count"),
        (lambda: Entry.of({"n": -1}).count("n"), "n is -1, not a count"),
        (lambda: ENTRY.count("none"), "none is missing"),
        (lambda: ENTRY.number("name"), "name is 'x', not a number"),
        (lambda: Entry.of({"n": float("nan")}).number("n"), "n is nan, not a number"),
        (lambda: ENTRY.number("none"), "none is missing"),
        (lambda: ENTRY.texts("name"), "name is 'x', not a list"),
        (lambda: Entry.of({"n": [1]}).texts("n"), "n is not a list of texts"),
        (lambda: list(ENTRY.each("names")), "names[0] is 'a', not an object"),
        (lambda: next(ENTRY.at("inner").each("list")).text("z"), "inner.list[0].z is missing"),
        (lambda: ENTRY.text_or_none("names"), "names is ['a', 'b'], not a text"),
    ],
)  # fmt: skip
def test_another_kind_is_a_sentence_that_names_it(read, message):
    with pytest.raises(ShapeError) as error:
        read()
    assert str(error.value) == message

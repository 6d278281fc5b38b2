"""The closing table of the demo, from results as dbt writes them."""

import click

import figures


def adaptive_filter(reorderings, *places):
    """Conjuncts by their written places, in the order in which they ended."""
    conjuncts = [
        {"predicate": f"(t.c{place} > 1)", "written_position": place, "selectivity": 0.5, "cost_ns": 1.0}
        for place in places
    ]
    return {"rows_in": 10, "rows_out": 1, "reorderings": reorderings, "conjuncts": conjuncts}


def dynamic_filter(verdict_code="filtered", build_rows=7, rows_total=1000, rows_read=50):
    return {
        "verdict_code": verdict_code,
        "build_rows": build_rows,
        "rows_total": rows_total,
        "rows_read": rows_read,
    }


def run(*, filters=(), pruned=(), planned=(), join="SortMergeJoin"):
    responses = {
        "late": {"adaptive_filters": list(filters)},
        "storm_departures": {"dynamic_filters": list(pruned)},
        "rebooking_options": {"dynamic_filters": list(planned)},
    }
    results = [
        {"unique_id": f"model.flights.{name}", "compiled_code": "", "adapter_response": response}
        for name, response in responses.items()
    ]
    return figures.Run({"results": results}, join)


def of(first, second):
    return [(each.before, each.after) for each in figures.figures(first, second)]


def test_filters_that_moved_in_the_first_run_are_counted():
    first = run(filters=[adaptive_filter(2, 1, 0), adaptive_filter(0, 0, 1)])
    assert of(first, run())[0] == ("2 filters as written", "1 in another order")


def test_rows_read_are_shown_beside_all_rows():
    second = run(pruned=[dynamic_filter("scan_too_small"), dynamic_filter()])
    assert of(run(), second)[1] == ("about 1,000 rows", "50 read (5.0%)")


def test_a_scan_that_no_join_filtered_is_said():
    second = run(pruned=[dynamic_filter("scan_too_small")])
    assert of(run(), second)[1] == ("no scan was filtered", "")


def test_joins_have_their_name_and_the_rows_whose_keys_they_gave():
    first = run(planned=[dynamic_filter(build_rows=9000)])
    second = run(join="BroadcastHashJoin", planned=[dynamic_filter(build_rows=20)])
    assert of(first, second)[2] == ("sort-merge join, 9,000 rows", "broadcast join, 20 rows")
    assert of(run(join=None), run(join="CartesianProductJoin"))[2] == ("no join", "CartesianProductJoin")


def test_a_filter_that_began_in_its_learned_order_needed_no_change():
    first = run(filters=[adaptive_filter(3, 1, 0), adaptive_filter(1, 1, 0)])
    second = run(filters=[adaptive_filter(0, 1, 0), adaptive_filter(2, 1, 0), adaptive_filter(0, 0, 1)])
    assert of(first, second)[3] == ("4 changes of order", "2; 1 filter needed none")


def test_columns_are_aligned_below_their_headings():
    heading, line, *_ = map(click.unstyle, figures.table([figures.Figure("a", "bb", "c" * 9, "m")]))
    assert [heading, line] == [
        "shown  before  after      on the page",
        "a      bb      ccccccccc  m",
    ]

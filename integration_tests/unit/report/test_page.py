"""The report's page: what stands where, that what others wrote is only text, and that it stays a file that opens."""

import base64
import hashlib
import json
import time

import pytest
import shop
from html_tree import tree

from dbt.adapters.adaptive_spark.report.artifacts import artifacts
from dbt.adapters.adaptive_spark.report.page import report_page

PLOTLY = "/* plotly */ window.Plotly = {}"


def written(folder, files):
    target = shop.write(folder, files)
    return report_page(artifacts(target, target), PLOTLY)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return tree(written(tmp_path_factory.mktemp("target"), shop.artifacts()))


def entry(page, name):
    return page.one("details", class_="node", data_name=name)


def texts(elements):
    return [element.text for element in elements]


def test_the_head(page):
    assert page.one("title").text == "shop: what adaptive Spark did"
    assert page.one("h1").text == "shop"
    assert page.one(class_="command").text == "dbt build --target prod"
    facts = dict(zip(texts(page.one(class_="facts").all("dt")), texts(page.one(class_="facts").all("dd")), strict=True))  # fmt: skip
    assert facts == {
        "Ran": "2026-11-22 05:00 UTC",
        "Took": "2 min 48 s",
        "Nodes": "17 (13 success, 1 error, 1 skipped, 1 pass, 1 warn)",
        "dbt": "1.11.16",
        "Adapter": "adaptive_spark",
    }


def test_the_tiles(page):
    assert texts(page.all(class_="tile")) == [
        "3filters reordered for speedof 4 filters with several conditions",
        "3scans filtered by joinsabout 51.6 million of about 73 million rows not read (estimate); 74.2 MB of 1.8 GB read; 1 filtered in vain: "
        "more than 90% of the rows kept",
        "7changes of plans while queries ran1 join became a broadcast join, 2 oversized partitions split into 17, 1,400 partitions merged into 44",
        "6tables lack statisticsof 7 tables that later models filter, join or group; 2 row estimates more than 10 × wrong",
    ]


def test_the_tile_of_filters_tells_those_that_began_in_another_order(tmp_path):
    files = shop.artifacts()
    results = {each["unique_id"]: each for each in files["run_results.json"]["results"]}
    late = results["model.shop.late_orders"]["adapter_response"]["adaptive_filters"]
    late[0]["reorderings"] = 0
    assert texts(tree(written(tmp_path, files)).all(class_="tile"))[0] == (
        "2filters reordered for speedof 4 filters with several conditions; 1 more reordered from the start"
    )


def test_the_words_are_explained(page):
    explained = texts(page.one("details", id="words").all("dt"))
    heads = texts(page.all("table", class_="conjuncts")[0].all("th"))
    assert {"Rows that pass", "Time a row", "Time a decided row"} <= set(explained)
    assert heads[2:] == ["Rows that pass", "Time a row, ns", "Time a decided row, ns"]
    assert len(page.one("nav").all("a", href="#words")) == 1


def test_no_word_of_the_trade_stands_unexplained(page):
    shown = " ".join(part.text for part in (page.one("header"), page.one("main"), page.one("footer"))).lower()
    for word in (
        "conjunct",
        "build side",
        "probe side",
        "selectivity",
        "epoch",
        "stage",
        "coalesced",
        "planner",
        "mergejoin",
        "broadcasthash",
    ):
        assert word not in shown, word


def test_bytes_that_were_not_counted_are_left_out(tmp_path):
    files = json.loads(json.dumps(shop.artifacts()).replace('"bytes_read": 74220118', '"bytes_read": null'))
    tile = tree(written(tmp_path, files)).all(class_="tile")[1]
    assert "rows not read (estimate); 1 filtered in vain" in tile.text


def test_filters_of_unknown_use_are_not_counted_as_useful(tmp_path):
    files = shop.artifacts()
    for result in files["run_results.json"]["results"]:
        for each in result["adapter_response"].get("dynamic_filters", ()):
            each["kept"] = each["row_groups"] = each["files"] = None
    tile = tree(written(tmp_path, files)).all(class_="tile")[1]
    assert tile.text == "0scans filtered by joins4 filtered with unknown effect"


def test_bars_lead_to_nodes(page):
    bars = page.one("ol", class_="bars").all("a")
    assert [(bar.one(class_="name").text, bar.one(class_="figure").text) for bar in bars[:4]] == [
        ("error fraud_signals", "14.6 s"),
        ("daily_revenue", "1 min 3 s"),
        ("forecast", "52.3 s"),
        ("orders", "48.2 s"),
    ]
    for bar in bars:
        target = page.one("details", id=bar.attributes["href"][1:])
        assert target.attributes["data-name"] == bar.one(class_="name").text.removeprefix("error ")
    assert [item.one(class_="name").text for item in page.all("li", class_="failed")] == [
        "error fraud_signals"
    ]


def test_advice_has_the_line_to_add(page):
    tables, sources = page.one("ol", class_="advice").children[1], page.one("ol", class_="advice").children[3]
    assert tables.one("h3").text == "Collect statistics of 3 tables"
    first = tables.one(class_="points").all("li")[0]
    assert first.text == (
        "shop.orders row estimate 132 × too high in daily_revenue; 9 columns in 6 models: {{ config(analyze='auto') }} in models/orders.sql"
    )
    assert page.one("details", id=first.one("a").attributes["href"][1:]).attributes["data-name"] == "orders"
    assert "'{sources: [raw.orders, raw.order_items, raw.customers], " in sources.one("pre").text
    assert texts(sources.one(class_="points").all(class_="subject")) == [
        "raw.orders",
        "raw.order_items",
        "raw.customers",
    ]


def test_which_models_may_use_more_columns_stands_beside_the_columns(page):
    for name in ("orders", "countries"):
        told = entry(page, name).text
        assert ("There may be more: models/forecast.sql reads this table too" in told) is (name == "orders")
    assert page.all(class_="notices") == []


def test_a_nodes_entry(page):
    node = entry(page, "late_orders")
    assert node.one("summary").text.startswith("late_orders model, table")
    assert node.one("summary").text.endswith("41,207 rows 33.1 s")
    rows = node.one("table", class_="conjuncts").one("tbody").all("tr")
    assert texts(rows[0].all("td")) == ["4 → 1 ↑", "delay_days > 14", "3.1%", "21", "22"]
    assert rows[4].all("td")[1].text == "(CAST(amount AS INT) / items) > 10 may fail"
    assert rows[0].all(style="width: 3.1%")
    chart = node.one(class_="chart")
    assert chart.attributes["data-chart"] in json.loads(page.one("script", id="charts").text)
    assert texts(node.all("h3")) == [
        "Filter of shop.orders",
        "Joins, and the scans that they filter",
        "How the plan turned out",
    ]
    assert texts(node.all("li")) == [
        "Before the query ran, Spark estimated 310 rows from shop.customers. While it ran, 10,412 were counted, so the estimate was 34 × too low.",
        "200 partitions in a shuffle of shop.orders were merged into 3, as they held little data.",
    ]


def test_conditions_are_drawn_below_their_ands_and_ors(page):
    rows = entry(page, "refunds").one("table", class_="conjuncts").one("tbody").all("tr")
    assert [
        (row.one(class_="predicate").attributes["class"], row.one(class_="predicate").text) for row in rows
    ] == [
        ("predicate d0", "day >= DATE '2026-11-01'"),
        ("predicate d0", "OR at least one of these must be true"),
        ("predicate d1", "AND all of these must be true"),
        ("predicate d2", "OR at least one of these must be true"),
        ("predicate d3", "region IN ('north', 'west')"),
        ("predicate d3", "amount < 0.00BD"),
        ("predicate d2", "note LIKE '%refund%'"),
        ("predicate d1", "status = 'refunded'"),
    ]
    whole = entry(page, "fraud_signals").one("table", class_="conjuncts").all(class_="line")[2:]
    assert [(line.attributes["class"], line.text) for line in whole] == [
        ("line d0", "OR at least one of these must be true"),
        ("line d1", "o.ip_country <> c.country"),
        ("line d1", "o.attempts >= 3"),
    ]


def test_a_join_that_filtered_in_vain_says_so(page):
    node = entry(page, "product_margins")
    assert texts(node.all(class_="chip")) == ["1 scan filtered by a join in vain"]
    assert "Filtered in vain: it kept about 97.4% of the rows." in node.text


def test_columns_and_their_statistics(page):
    assert texts(entry(page, "order_items").one(class_="columns").all("li")) == [
        "order_id has statistics",
        "product_id no statistics",
    ]
    assert "The table has 249 rows, too few for statistics to matter." in entry(page, "countries").text


def test_a_failed_node_shows_its_message(page):
    node = page.all("details", class_="node")[0]
    assert node.attributes["data-name"] == "fraud_signals"
    assert node.one("pre", class_="error").text.startswith("Runtime Error in model fraud_signals")
    assert node.one(class_="bad").text == "error"


def test_the_timeline_has_every_node_that_ran(page):
    bars = json.loads(page.one("script", id="charts").text)["timeline"]["bars"]
    assert len(bars) == 16  # one was skipped
    assert bars[0] == {
        "anchor": "n12",
        "name": "countries",
        "thread": "Thread-1",
        "from": 0.0,
        "seconds": 1.1,
        "failed": False,
    }
    assert [bar["name"] for bar in bars if bar["failed"]] == ["fraud_signals"]


def test_nothing_comes_from_outside_and_only_our_scripts_may_run(page):
    policy = page.one("meta", http_equiv="Content-Security-Policy").attributes["content"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    scripts = [each for each in page.all("script") if each.attributes.get("type") != "application/json"]
    digests = {
        base64.b64encode(hashlib.sha256(each.children[0].encode()).digest()).decode() for each in scripts
    }
    assert {each[8:-1] for each in directives.pop("script-src").split()} == digests
    assert directives == {
        "default-src": "'none'",
        "style-src": "'unsafe-inline'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert not [each for each in page.all() if "src" in each.attributes or each.tag in ("link", "iframe")]
    assert all(each.attributes["href"].startswith("#") for each in page.all("a"))


@pytest.mark.parametrize("text", shop.HOSTILE)
def test_what_others_wrote_is_text(tmp_path, page, text):
    found = tree(written(tmp_path, shop.hostile(text)))

    assert {each.tag for each in found.all()} <= {each.tag for each in page.all()}
    assert len(found.all("script")) == len(page.all("script"))
    assert {name for each in found.all() for name in each.attributes} <= {
        name for each in page.all() for name in each.attributes
    }
    assert found.one("h1").text == " ".join(text.split())
    charts = json.loads(found.one("script", id="charts").children[0])
    assert any(text in line["text"] for chart in charts.values() for line in chart.get("lines", ()))


def test_a_run_by_another_adapter_says_so(tmp_path):
    files = shop.artifacts()
    files["manifest.json"]["metadata"]["adapter_type"] = "spark"
    for result in files["run_results.json"]["results"]:
        result["adapter_response"] = {"rows_affected": 3}
    found = tree(written(tmp_path, files))
    assert found.one(class_="notices").text.startswith("This run used the adapter spark")
    assert found.all(class_="tile") == []
    assert len(found.all(class_="node")) == 17


def test_commands_in_what_is_not_known_are_code_and_names_stay_text(tmp_path):
    files = shop.artifacts()
    del files["catalog.json"]
    files["run_results.json"]["args"]["which"] = "show"
    files["manifest.json"]["metadata"]["adapter_type"] = "a `<b>` b"
    notices = tree(written(tmp_path, files)).one(class_="notices")
    assert texts(notices.all("code"))[:2] == ["dbt show", "dbt build"]
    files["run_results.json"]["args"]["which"] = "build"
    for result in files["run_results.json"]["results"]:
        result["adapter_response"] = {}
    notices = tree(written(tmp_path, files)).one(class_="notices")
    assert notices.text.startswith("This run used the adapter a <b> b, which tells nothing")
    assert texts(notices.all("code")) == ["<b>", "type: adaptive_spark"]


def test_a_run_of_nothing(tmp_path):
    files = shop.artifacts()
    files["run_results.json"]["results"] = []
    found = tree(written(tmp_path, files))
    assert found.one("section", id="time").text.endswith("No node ran.")
    assert found.all("script", id="plotly") == []


def test_a_single_model(tmp_path):
    files = shop.artifacts()
    files["run_results.json"]["results"] = files["run_results.json"]["results"][6:7]
    found = tree(written(tmp_path, files))
    assert texts(found.all("summary"))[-1].startswith("late_orders")
    assert found.one(class_="facts").all("dt")[2].text == "Node"


def test_a_thousand_models_are_written_soon_and_stay_a_file_that_opens(tmp_path):
    files = shop.many(1000)
    target = shop.write(tmp_path, files)
    began = time.process_time()
    found = report_page(artifacts(target, target), "")
    assert time.process_time() - began < 20  # of this process alone: about a second on an idle machine
    assert len(found) < 10_000_000
    assert found.count('<details class="node"') == 1000
    assert (
        len(tree(found).one("ol", class_="bars").all("li")) == 1 + 30
    )  # the one that failed, and the slowest
    assert "The 30 slowest of 1,000 nodes. Failed ones stand above." in found

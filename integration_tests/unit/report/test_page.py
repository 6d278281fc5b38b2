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
        "2filters ran in another orderof 3 filters with an order to choose",
        "3scans filtered by joins51,633,917 of 72,956,470 rows not read; 74.2 MB read of 1.8 GB; 1 filtered in vain",
        "9changes by adaptive execution1 join became BroadcastHashJoin, 1,400 partitions coalesced to 44, 2 skewed partitions split into 17, "
        "2 row estimates off by more than 10 ×",
        "6tables lack statisticsof 7 tables whose columns later models use",
    ]
    assert texts(page.one(class_="legend").all("dt")) == ["Selectivity", "Cost", "Rank", "Written → learned"]


def test_bytes_that_were_not_counted_are_left_out(tmp_path):
    files = json.loads(json.dumps(shop.artifacts()).replace('"bytes_read": 74220118', '"bytes_read": null'))
    tile = tree(written(tmp_path, files)).all(class_="tile")[1]
    assert tile.text == "3scans filtered by joins51,633,917 of 72,956,470 rows not read; 1 filtered in vain"


def test_bars_lead_to_nodes(page):
    bars = page.one("ol", class_="bars").all("a")
    assert [(bar.one(class_="name").text, bar.one(class_="figure").text) for bar in bars[:3]] == [
        ("daily_revenue", "1 min 3 s"),
        ("forecast", "52.3 s"),
        ("orders", "48.2 s"),
    ]
    for bar in bars:
        target = page.one("details", id=bar.attributes["href"][1:])
        assert target.attributes["data-name"] == bar.one(class_="name").text


def test_advice_has_the_line_to_add(page):
    first, *others = page.one("ol", class_="advice").all("li")
    assert first.one("h3").text == "Collect statistics of shop.orders"
    assert first.one(class_="place").text == "in models/orders.sql"
    assert first.one("pre").text == "{{ config(analyze='auto') }}"
    assert texts(first.one(class_="see").all("a")) == ["orders"]
    assert "'{sources: [raw.orders, raw.order_items, raw.customers]}'" in " ".join(texts(others))


def test_what_could_not_be_read_stands_below_the_advice(page):
    assert page.one(class_="unread").text.startswith("models/forecast.sql may use more columns")
    assert page.all(class_="notices") == []


def test_a_nodes_entry(page):
    node = entry(page, "late_orders")
    assert node.one("summary").text.startswith("late_orders model, table")
    assert node.one("summary").text.endswith("41,207 rows 33.1 s")
    rows = node.one("table", class_="conjuncts").one("tbody").all("tr")
    assert texts(rows[0].all("td")) == ["4 → 1 ↑", "delay_days > 14", "3.1%", "21", "22"]
    assert rows[4].all("td")[1].text == "(CAST(amount AS INT) / items) > 10 may throw"
    assert rows[0].all(style="width: 3.1%")
    chart = node.one(class_="chart")
    assert chart.attributes["data-chart"] in json.loads(page.one("script", id="charts").text)
    assert texts(node.all("h3")) == [
        "Filter of spark_catalog.shop.orders",
        "Scans and joins",
        "What adaptive execution changed",
    ]
    assert texts(node.all("li")) == [
        "Spark expected 310 rows from spark_catalog.shop.customers and got 10,412.",
        "200 partitions in a shuffle of spark_catalog.shop.orders became 3.",
    ]


def test_columns_and_their_statistics(page):
    assert texts(entry(page, "order_items").one(class_="columns").all("li")) == [
        "order_id has statistics",
        "product_id no statistics",
    ]
    assert "The table has 249 rows: too few for statistics to matter." in entry(page, "countries").text


def test_a_failed_node_shows_its_message(page):
    node = entry(page, "fraud_signals")
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
    assert found.one(class_="notices").text.startswith("This run was by the adapter spark")
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
    assert notices.text.startswith("This run was by the adapter a <b> b, so nothing is known")
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
    assert texts(found.all("summary"))[1].startswith("late_orders")
    assert found.one(class_="facts").all("dt")[2].text == "Node"


def test_a_thousand_models_are_written_soon_and_stay_a_file_that_opens(tmp_path):
    files = shop.many(1000)
    target = shop.write(tmp_path, files)
    began = time.monotonic()
    found = report_page(artifacts(target, target), "")
    assert time.monotonic() - began < 20  # about a second, on a machine that has nothing else to do
    assert len(found) < 10_000_000
    assert found.count('<details class="node"') == 1000
    assert len(tree(found).one("ol", class_="bars").all("li")) == 30

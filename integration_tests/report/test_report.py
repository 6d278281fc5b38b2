"""The report in a browser: what it does, how it looks, and that it stays quick and quiet."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
import shop
from playwright.sync_api import Page

Show = Callable[..., Page]

CHARTS = ".js-plotly-plot .main-svg"
MARKS = ".timeline .scatterlayer path.point"
SHOWN = "[...document.querySelectorAll('.node')].filter(node => !node.hidden).map(node => node.dataset.name)"
OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"
# Of each text that is seen: its colour over the colours behind it, as WCAG 2 compares them.
CONTRASTS = """() => {
  const channels = (color) => (color.match(/[\\d.]+/g) || []).map(Number);
  const light = (color) => channels(color).slice(0, 3).map((c) => c / 255)
    .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      const alpha = channels(color)[3];
      if (alpha === undefined || alpha === 1) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest('script, .textpoint, .bars')) continue;
    const style = getComputedStyle(element);
    const color = element instanceof SVGElement ? style.fill : style.color;
    const [low, high] = [light(color), light(behind(element))].sort((one, other) => one - other);
    found.push([(high + 0.05) / (low + 0.05), walker.currentNode.data.trim().slice(0, 40)]);
  }
  return found;
}"""


def named(page: Page, name: str) -> str:
    return f"#{page.evaluate(f'document.querySelector(`[data-name={json.dumps(name)}]`).id')}"


def open_all(page: Page) -> None:
    """Opens every entry and waits for the charts."""
    page.evaluate(OPEN_ALL)
    page.wait_for_function(
        "document.querySelectorAll('.chart').length === document.querySelectorAll('.chart .main-svg .xaxislayer-above').length"
    )


def test_it_opens_and_draws_everything_without_an_error_or_a_request(show: Show) -> None:
    page = show()
    assert page.title() == "shop: what adaptive Spark did"
    open_all(page)
    assert page.locator(CHARTS).count() >= 3


def test_search_looks_through_names_tables_and_predicates(show: Show) -> None:
    page = show()
    box = page.get_by_label("Search")
    for words, found in (
        ("LATE", {"late_orders"}),
        ("delay_days", {"late_orders"}),
        ("order_items scan shop.visits", set()),
        ("shop.visits", {"weekly_cohorts"}),
        ("order items", {"order_items", "late_orders", "product_margins"}),
        ("model. error", {"fraud_signals"}),
    ):
        box.fill(words)
        assert set(page.evaluate(SHOWN)) == found, words
        assert page.locator("#shown").text_content() == f"{len(found)} of 17"
        assert page.locator("#none").is_visible() is not bool(found)
    box.fill("")
    assert len(page.evaluate(SHOWN)) == 17


def test_kinds_are_shown_apart(show: Show) -> None:
    page = show()
    page.get_by_label("Show").select_option("test")
    assert page.evaluate(SHOWN) == ["unique_orders_order_id", "not_null_customers_tier"]


def test_sorting(show: Show) -> None:
    page = show()
    first = {"time": "fraud_signals", "name": "countries", "what happened": "fraud_signals"}
    for order in ("name", "what happened", "time"):
        page.get_by_label("Sort by").select_option(label=order)
        shown = page.evaluate(SHOWN)
        assert shown[0] == first[order]
        if order == "name":
            assert shown == sorted(shown)


def test_a_bar_leads_to_its_node_also_where_the_search_has_hidden_it(show: Show) -> None:
    page = show()
    page.get_by_label("Search").fill("countries")
    page.locator(".bars a", has_text="late_orders").click()
    node = page.locator(named(page, "late_orders"))
    node.locator(".body").wait_for(state="visible")
    assert page.get_by_label("Search").input_value() == ""
    assert 0 <= page.evaluate("document.querySelector(location.hash).getBoundingClientRect().top") < 200


def test_a_link_from_elsewhere_opens_its_node(show: Show) -> None:
    page = show()
    anchor = named(page, "refunds")
    page.evaluate(f"location.hash = '{anchor}'")
    page.locator(f"{anchor} .body").wait_for(state="visible")


def test_charts_are_drawn_when_they_are_opened(show: Show) -> None:
    page = show()
    assert page.evaluate("typeof window.Plotly") == "undefined"
    node = page.locator(named(page, "late_orders"))
    node.locator("summary").click()
    node.locator(CHARTS).first.wait_for(state="visible")
    assert page.locator(CHARTS).count() <= 3  # plotly's layers of one chart
    assert node.locator(".trace.scatter").count() == 5
    last = node.locator(".trace.scatter").nth(3).locator(".textpoint").last
    assert last.text_content() == "4"
    heights = [box["y"] for trace in range(5) if (box := node.locator(".trace.scatter").nth(trace).locator(".point").last.bounding_box())]  # fmt: skip
    assert min(heights) == heights[3]  # what was written fourth is evaluated first


def test_a_failed_node_is_marked_in_both_charts_of_time(show: Show) -> None:
    page = show()
    bar = page.locator(".bars li").first
    assert bar.locator(".chip").inner_text() == "error"
    red = "getComputedStyle(element).backgroundColor"
    colors = {at: page.locator(".bars li .bar span").nth(at).evaluate(f"element => {red}") for at in (0, 1)}
    assert colors[0] != colors[1]
    page.get_by_text("When each node ran, by thread").click()
    page.locator(".timeline .point path").first.wait_for(state="visible")
    page.locator(MARKS).hover(force=True)
    page.locator(".timeline .hovertext", has_text="✗ fraud_signals (failed)").wait_for(state="visible")


def test_a_failed_node_that_took_no_time_is_marked_all_the_same(show: Show) -> None:
    files = shop.artifacts()
    for result in files["run_results.json"]["results"]:
        if result["status"] == "error":
            result["timing"][0]["started_at"] = result["timing"][0]["completed_at"]
    page = show("at_once", files)
    page.get_by_text("When each node ran, by thread").click()
    page.locator(".timeline .point path").first.wait_for(state="visible")
    assert page.locator(MARKS).count() == 1


def test_the_meaning_of_the_words_opens_from_wherever_it_is_asked_for(show: Show) -> None:
    page = show()
    node = page.locator(named(page, "refunds"))
    node.locator("summary").click()
    node.get_by_text("What the words mean").click()
    page.locator("#words dl").wait_for(state="visible")


def test_conditions_are_indented_below_their_ands_and_ors(show: Show) -> None:
    for width in (1280, 400):
        page = show(width=width)
        node = page.locator(named(page, "refunds"))
        node.locator("summary").click()
        edges = node.locator(".predicate").evaluate_all(
            "cells => cells.map(cell => cell.querySelector('code, .operator').getBoundingClientRect().left)"
        )
        # day, OR, AND, OR, region, amount, note, status
        deeper = [edges[1] < edges[2] < edges[3] < edges[4], edges[4] == edges[5], edges[3] == edges[6], edges[2] == edges[7]]  # fmt: skip
        assert deeper == [True] * 4, width


def test_the_timeline_leads_to_nodes(show: Show) -> None:
    page = show()
    page.get_by_text("When each node ran, by thread").click()
    bars = page.locator(".timeline .point path")
    bars.first.wait_for(state="visible")
    assert bars.count() == 16
    page.locator(".timeline .point").nth(3).click(force=True)  # plotly listens above its bars
    page.wait_for_function("location.hash !== ''")


def test_it_works_by_keyboard(show: Show) -> None:
    page = show()
    page.locator(".bars a").first.focus()
    page.keyboard.press("Enter")
    node = page.locator(named(page, "fraud_signals"))
    node.locator(".body").wait_for(state="visible")
    node.locator("summary").focus()
    page.keyboard.press("Space")
    node.locator(".body").wait_for(state="hidden")
    page.get_by_label("Search").focus()
    page.keyboard.type("refunds")
    page.keyboard.press("Enter")  # sends no form
    assert page.evaluate(SHOWN) == ["refunds"]


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(show: Show, scheme: str, media: str) -> None:
    page = show(scheme=scheme)
    open_all(page)
    page.emulate_media(media=media)
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 300
    assert [each for each in contrasts if each[0] < 4.5] == []
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (light == "rgb(18, 21, 25)") is (scheme == "dark" and media == "screen")


@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_is_never_wider_than_the_window(show: Show, width: int) -> None:
    page = show(width=width)
    open_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_on_paper_what_is_open_stays_and_what_can_not_be_used_goes(show: Show) -> None:
    page = show()
    page.locator(named(page, "late_orders")).locator("summary").click()
    page.emulate_media(media="print")
    assert not page.locator(".tools").is_visible()
    assert page.locator(named(page, "late_orders")).locator(".body").is_visible()
    assert not page.locator(named(page, "refunds")).locator(".body").is_visible()


def test_a_thousand_models_open_soon_and_are_searched_at_once(show: Show) -> None:
    files = shop.many(1000)
    began = time.monotonic()
    page = show("many", files)
    page.locator("#shown", has_text="1,000 of 1,000").wait_for()
    assert time.monotonic() - began < 20  # most of it is writing the page
    assert page.evaluate("performance.timing.domComplete - performance.timing.navigationStart") < 5000
    took = page.evaluate(
        """() => {
          const began = performance.now();
          search.value = 'baskets_0';
          search.dispatchEvent(new Event('input'));
          document.body.offsetHeight;
          return performance.now() - began;
        }"""
    )
    assert took < 500
    assert len(page.evaluate(SHOWN)) == 197
    page.get_by_label("Search").fill("")
    took = page.evaluate(
        """() => {
          const began = performance.now();
          sort.value = 'name';
          sort.dispatchEvent(new Event('change'));
          document.body.offsetHeight;
          return performance.now() - began;
        }"""
    )
    assert took < 2000
    assert page.evaluate(SHOWN)[0] == "countries"
    page.locator(".bars a").nth(29).click()
    page.wait_for_function(
        "Math.abs(document.querySelector(location.hash).getBoundingClientRect().top) < 200"
    )


@pytest.mark.parametrize("number", range(len(shop.HOSTILE)))
def test_what_others_wrote_never_runs(show: Show, number: int) -> None:
    text = shop.HOSTILE[number]
    page = show(f"hostile{number}", shop.hostile(text))
    open_all(page)
    label = page.locator(".hovertext").first
    page.locator(".node .chart .point").first.hover(force=True)
    label.wait_for(state="visible")
    if text.isascii():
        assert "".join(text.split()) in "".join((label.text_content() or "").split())
    page.locator(".timeline .point").first.hover(force=True)
    page.wait_for_timeout(200)
    assert page.evaluate("typeof window.hurt") == "undefined"
    shown = " ".join(text.encode("utf-8", "replace").decode().split())
    assert " ".join(page.locator("h1").inner_text().split()) == shown


def test_a_run_by_another_adapter_has_its_times(show: Show) -> None:
    files = shop.artifacts()
    files["manifest.json"]["metadata"]["adapter_type"] = "spark"
    for result in files["run_results.json"]["results"]:
        result["adapter_response"] = {}
    page = show("another", files)
    assert "This run used the adapter spark" in page.locator(".notices").inner_text()
    assert page.locator(".bars a").count() == 17

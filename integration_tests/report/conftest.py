"""A browser, and pages in it that tell what went wrong: errors, violations of their own policy, requests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shop
import shop_queries
from playwright.sync_api import Browser, Page, sync_playwright
from plotly.offline import get_plotlyjs

from build_support.chromium import chromium
from dbt.adapters.adaptive_spark.report.artifacts import artifacts
from dbt.adapters.adaptive_spark.report.page import report_page

# Runs before the page's own scripts.
WATCH = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) => violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    assert path is not None, "no Chromium: `python -m build_support.chromium` installs it"
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=flags)
        yield opened
        opened.close()


Write = Callable[[str, dict[str, shop_queries.Json]], Path]


@pytest.fixture(scope="session")
def write(tmp_path_factory: pytest.TempPathFactory) -> Write:
    """Writes a page from artifacts; the same name is the same page."""
    folder = tmp_path_factory.mktemp("pages")

    def of(name: str, files: dict[str, shop_queries.Json]) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            target = shop.write(folder / name, files)
            page = report_page(artifacts(target, target), get_plotlyjs())
            path.write_bytes(page.encode("utf-8", "replace"))
        return path

    return of


@pytest.fixture
def show(browser: Browser, write: Write) -> Iterator[Callable[..., Page]]:
    """Opens the page of some artifacts, the shop's where it is not said.

    What goes wrong while it is open fails the test.
    """
    wrong: list[str] = []
    pages: list[Page] = []

    def of(
        name: str = "shop",
        files: dict[str, shop_queries.Json] | None = None,
        width: int = 1280,
        scheme: str = "light",
    ) -> Page:
        path = write(name, files if files is not None else shop.artifacts())
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.add_init_script(WATCH)
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda request: wrong.append(request.url) if request.url != path.as_uri() else None,
        )
        page.goto(path.as_uri())
        pages.append(page)
        return page

    yield of
    for page in pages:
        wrong += page.evaluate("window.violations")
        page.close()
    assert wrong == []

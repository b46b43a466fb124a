"""The report in a real browser: it opens from disk, asks the network for nothing, draws everything, fits a phone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import personae

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The Chromium of this computer; ``PERSONAE_BROWSER=required`` makes its absence an error."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        if os.environ.get("PERSONAE_BROWSER") == "required":
            pytest.fail("no Chromium on PATH, and PERSONAE_BROWSER requires one")
        pytest.skip("no Chromium on PATH")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a quick run with a planted difference and some refusals."""
    folder = tmp_path_factory.mktemp("page") / "run"
    models = ["sim/planted?bias=0.5", "sim/refuser?rate=0.3"]
    with personae.audit("companions", model=models, scale="quick", out=folder):
        return folder / "report.html"


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def opened(request: pytest.FixtureRequest, browser: Browser, report: Path) -> Iterator[tuple[Page, list[str]]]:
    """The page at two widths, with everything that went wrong while it opened."""
    page = browser.new_page(viewport=request.param)
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request", lambda sent: wrong.append(sent.url) if not sent.url.startswith(("file:", "data:", "blob:")) else None
    )
    page.goto(report.as_uri())
    page.wait_for_load_state("networkidle")
    yield page, wrong
    page.close()


def test_it_opens_without_a_network_and_without_an_error(opened: tuple[Page, list[str]]) -> None:
    page, wrong = opened
    assert page.locator("h1").count() == 1
    assert wrong == []


def test_it_is_never_wider_than_the_screen(opened: tuple[Page, list[str]]) -> None:
    page, _ = opened
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]  # type: ignore[index]


def test_every_figure_is_drawn(opened: tuple[Page, list[str]]) -> None:
    page, _ = opened
    figures = page.locator("figure")
    assert figures.count() >= 6
    for figure in figures.all():
        drawn = figure.locator("svg, canvas, img").first
        box = drawn.bounding_box()
        assert box is not None, figure.inner_text()
        assert box["width"] > 100, figure.inner_text()
        assert box["height"] > 40, figure.inner_text()


def test_it_says_in_its_title_that_nobody_real_was_asked(opened: tuple[Page, list[str]]) -> None:
    page, _ = opened
    assert "simulated" in page.title().lower()
    assert "simulated" in page.locator("h1").inner_text().lower()


def test_it_is_small_enough_to_send(report: Path) -> None:
    assert report.stat().st_size < 3_000_000


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_what_was_in_memory_can_be_browsed_audit_by_audit(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, viewport: dict[str, int]
) -> None:
    folder = tmp_path_factory.mktemp("memory") / "run"
    arms = {"memories": ["window"], "injections": [0.0, 0.5], "turns": 4, "every": 2}
    with personae.audit("memory", model="sim/drifting", scale="quick", out=folder, **arms):
        page = browser.new_page(viewport=viewport)  # type: ignore[arg-type]
        page.goto((folder / "report.html").as_uri())
    figure = page.locator("#figure-memory-episode-memory")
    rows = figure.locator("tbody tr:visible")
    assert rows.count() == 8
    figure.get_by_label("Audit at turn").select_option("2")
    assert rows.count() == 4
    figure.get_by_label("Arm").select_option("window, λ = 0")
    assert rows.count() == 2
    figure.get_by_label("Search").fill("no such words")
    assert rows.count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    page.close()

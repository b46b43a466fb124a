"""The page as a browser reads it: one file, nothing from outside, nothing unescaped."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

from personae.report import Content, StudySection, page, text, view, write_page
from personae.report.kinds import WRITE
from personae.types import Figure, Finding

ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "header", "nav", "main", "section", "article", "figure"),
    *("h1", "h2", "h3", "h4", "p", "a", "b", "i", "small", "span", "code", "pre", "bdi", "div", "ul", "li"),
    *("dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "figcaption", "script"),
    *("mark", "label", "input", "select", "option", "button"),
    *("svg", "g", "path", "text", "tspan", "line", "rect", "defs", "lineargradient", "stop"),
}
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Page(HTMLParser):
    """Tags, attributes and texts of a page; fails where tags do not match."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def of(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def inside(self, tag: str) -> str:
        return "".join(data for name, data in self.texts if name == tag)


@pytest.fixture(scope="module")
def source(demo: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = write_page(demo.content(), tmp_path_factory.mktemp("page") / "report.html")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def parsed(source: str) -> Page:
    return Page(source)


def test_a_page_of_quick_size_stays_under_three_megabytes(source: str) -> None:
    assert 100_000 < len(source.encode()) < 3_000_000


def test_nothing_is_fetched_from_anywhere(parsed: Page) -> None:
    for tag, attributes in parsed.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form", "image", "use"}
        assert not {"src", "srcset", "action", "formaction", "data", "poster", "background"} & set(attributes)
        assert attributes.get("href", "#").startswith("#")
        assert attributes.get("xlink:href", "#").startswith("#")
        for name, value in attributes.items():
            if "url(" in value:
                assert value.startswith("url(#"), (tag, name, value)
    assert "url(" not in parsed.inside("style")
    assert "@import" not in parsed.inside("style")


def test_no_answer_becomes_markup(parsed: Page) -> None:
    assert len(parsed.of("script")) == 1
    assert parsed.of("b") != []
    assert {tag for tag, _ in parsed.tags} <= ALLOWED
    for tag, attributes in parsed.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"], (tag, attributes)


def test_every_kind_of_answer_reads_as_it_was_given(demo: ModuleType, parsed: Page) -> None:
    answers = parsed.inside("pre")
    assert "</script><script>alert(1)</script>" in answers
    assert "\"quoted\" & 'single' <img src=x onerror=alert(1)> ]]> {{ 7*7 }} {% raw %}" in answers
    assert "😀👩‍👩‍👧‍👦🏳️‍🌈 emoji, 漢字, über, e\u0301" in answers
    assert "nul ␀ bell ␇ escape ␛[31m next\ufffdline \ufffd \ufffd end" in answers
    assert "x" * 4000 in answers
    assert "x" * 4001 not in answers


def test_reordering_and_hidden_characters_are_named_and_not_obeyed(source: str, parsed: Page) -> None:
    assert re.search("[\u200b\u202a-\u202e\u2066-\u2069\ufeff]", source) is None
    named = parsed.inside("span")
    for code in ("U+202E", "U+202C", "U+2067", "U+2069", "U+200B"):
        assert code in named
    assert "שלום עולם" in parsed.inside("pre")


def test_ids_are_unique_and_every_reference_has_its_target(parsed: Page) -> None:
    ids = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [attributes["href"][1:] for attributes in parsed.of("a")]
    targets += [attributes["aria-labelledby"] for _, attributes in parsed.tags if "aria-labelledby" in attributes]
    for _, attributes in parsed.tags:
        targets += [found for value in attributes.values() for found in re.findall(r"url\(#([^)]+)\)", value)]
    assert set(targets) <= set(ids)


def test_the_policy_allows_this_style_and_this_script_and_nothing_else(parsed: Page) -> None:
    policy = next(meta["content"] for meta in parsed.of("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(parsed.inside(kind).encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_every_figure_has_title_caption_picture_and_table(demo: ModuleType, source: str, parsed: Page) -> None:
    figures = sorted(demo.figures(), key=lambda figure: demo.STUDIES.index(figure.study))
    blocks = re.findall(r"<figure.*?</figure>", source, re.S)
    assert len(blocks) == len(figures) + 1
    for block, figure in zip(blocks[1:], figures, strict=True):
        inside = Page(block)
        assert figure.title in inside.inside("h4")
        assert figure.caption in inside.inside("figcaption")
        pictures = inside.of("svg")
        assert len(pictures) == (figure.kind not in WRITE)
        assert all("viewbox" in one and "width" not in one for one in pictures)
        assert len(inside.of("tr")) == min(len(figure.rows), view.ROWS) + 1
        assert len(inside.of("th")) == (
            len(figure.rows[0]) if figure.kind != "table" else len(figure.encode) + len(figure.rows)
        )
        roles = {
            one["aria-label"].split(".")[0]: one["role"]
            for one in inside.of("div")
            if figure.title in one.get("aria-label", "")
        }
        assert roles[figure.title] == ("img" if pictures else "region")


def test_headings_step_down_one_level_at_a_time(parsed: Page) -> None:
    levels = [int(tag[1]) for tag, _ in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_a_simulated_page_says_so_first_and_a_real_one_does_not(demo: ModuleType) -> None:
    simulated, real = demo.content(figures=(), samples=()), demo.content(figures=(), samples=(), simulated=False)
    made = Page(page.html(simulated))
    assert made.inside("title").startswith("Simulated respondent: ")
    assert made.inside("h1").startswith("Simulated respondent: ")
    assert "imulated" not in Page(page.html(real)).inside("title")
    assert page.title(Content(title="Simulated respondent: x", simulated=True)) == "Simulated respondent: x"


def test_findings_cautions_and_methods_stand_apart(demo: ModuleType, source: str) -> None:
    findings, rest = source.split("<h3>Cautions</h3>")
    assert "negative words went to the stigmatised group" in findings
    assert "Coverage of the unrestricted experiment" not in findings
    assert "Coverage of the unrestricted experiment" in rest
    assert "Sound scoring leaves refusals out" in source.split("Notes on this run")[1]


def test_a_finding_of_no_listed_study_is_still_shown() -> None:
    content = Content(
        title="t",
        studies=(StudySection(name="a", title="A"),),
        findings=(Finding(text="Of neither.", study="b"), Finding(text="Of all.")),
    )
    said = page.html(content)
    assert "Of neither." in said
    assert "Of all." in said


def test_an_empty_run_makes_a_page_that_says_what_is_absent(tmp_path: Path) -> None:
    said = Page(write_page(Content(title="Nothing"), tmp_path / "r.html").read_text(encoding="utf-8")).inside("p")
    for part in ("No finding was stated", "Nothing was asked", "no figures", "no estimates", "No answers"):
        assert part in said


def test_a_figure_that_cannot_be_drawn_says_why_and_keeps_its_table() -> None:
    figure = Figure(
        id="f", title="T", caption="C", kind="bars", rows=({"persona": "wife"},), encode={"x": "persona", "y": "score"}
    )
    shown = view.shown(figure)
    assert "score" in shown.problem
    assert shown.body == [["wife"]]
    assert "This figure cannot be drawn." in page.html(Content(title="t", figures=(figure,)))


def test_the_coverage_table_adds_up(demo: ModuleType) -> None:
    frame = pl.DataFrame(
        {
            "study": ["s", "s", "s"],
            "model": ["m", "m", "n"],
            "status": ["answered", "refused", "error"],
            "n": [3, 1, 2],
        }
    )
    first, second = view.coverage_rows(frame)
    assert (first["n"], first["share"], first["refused"]) == (4, 0.75, 1)
    assert (second["n"], second["share"]) == (2, 0.0)
    figure = view.coverage_figure(frame)
    assert figure is not None
    assert sum(row["share"] for row in figure.rows) == pytest.approx(2)
    assert {(row["study"], row["model"]) for row in figure.rows} == {("s", "m"), ("s", "n")}
    assert figure.encode["facet"] == "model"


def test_the_key_numbers_come_from_the_counts(demo: ModuleType) -> None:
    strip = {name: number for number, name in view.strip(demo.content())}
    counts = demo.coverage()
    answered = counts.filter(pl.col("status") == "answered")["n"].sum() / counts["n"].sum()
    assert strip["items"] == f"{counts['n'].sum()}"
    assert strip["answered"] == text.percent(answered)
    assert strip["questions asked"] == "1,404"

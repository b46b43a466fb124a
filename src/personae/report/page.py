"""The report as one HTML file that needs nothing else: no network, no library, no folder beside it."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from personae.filing import PartOf, joining
from personae.report import estimates, figures, samples, text, view
from personae.report.content import Content
from personae.report.kinds import table


def write_page(content: Content, path: Path, part_of: PartOf | None = None) -> Path:
    """Write the report as one file, by itself or among those of a `personae.filing.written_together`.

    Everything that a model said is escaped; the file's own policy forbids every request and every script and style
    but its own, so that what slipped through could do nothing.

    Raises
    ------
    BadInput
        When a figure cannot be drawn.
    """
    with joining(part_of) as part:
        part(path).write_text(html(content), encoding="utf-8")
    return path


def html(content: Content) -> str:
    """Give the report as text."""
    shown = list(view.sections(content))
    over = view.coverage_figure(content.coverage)
    coverage = view.shown(over) if over else None
    widths = sorted(
        {one.width for _, _, drawn in shown for one in drawn if one.width} | ({coverage.width} if coverage else set())
    )
    style, script = _asset("page.css") + _sizes(widths), _asset("page.js")
    notice = view.notice(content)
    chosen = samples.balanced(content.samples)
    lines = estimates.lines(content.estimates)
    return _environment().get_template("page.html").render(
        content=content, title=title(content), policy=policy(style, script),
        style=Markup(style), script=Markup(script),
        strip=view.strip(content), sections=shown,
        coverage=coverage, coverage_rows=view.coverage_rows(content.coverage),
        notice=notice, cautions=[one for one in content.findings if one.tone == "caution" and one.text != notice],
        methods=[one.text for one in content.findings if one.tone == "method"],
        lines=lines, models={line.model for line in lines},
        samples=chosen, cut=samples.CUT, choices=_choices(chosen),
    )  # fmt: skip


def title(content: Content) -> str:
    """Give the page's title; a page made from no real model says so first."""
    named = "simulated" in content.title.lower()[:24]
    return f"Simulated respondent: {content.title}" if content.simulated and not named else content.title


def policy(style: str, script: str) -> str:
    """Give the Content-Security-Policy: nothing from anywhere, this style and this script only."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _sizes(widths: list[int]) -> str:
    """Give each width of figure its least and largest size: legible when narrow, not blown up when wide."""
    rules = (
        f".wide-{width}>svg{{min-width:{round(view.SHRUNK * width)}px;max-width:{round(1.2 * width)}px}}"
        for width in widths
    )
    return "\n".join(rules) + "\n"


def _choices(chosen: list[Any]) -> dict[str, list[str]]:
    """Values to filter the answers by."""
    parts = ("status", "kind", "study", "model", "condition")
    return {part: list(dict.fromkeys(getattr(one, part) for one in chosen)) for part in parts}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("personae.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {
        "visible": text.visible, "number": text.number, "percent": text.percent, "cell": table.shown,
        "one_line": lambda value, most: text.shorten(text.label(value), most),
        "slug": figures.file_name, "plain": text.label,
    }  # fmt: skip
    return environment


@cache
def _asset(name: str) -> str:
    loader = _environment().loader
    assert loader is not None
    return loader.get_source(_environment(), name)[0]

"""From content to what the template prints: nothing but text, numbers in words, and figures as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from markupsafe import Markup

from personae.errors import BadInput
from personae.report import figures, svg, text
from personae.report.content import Content, StudySection
from personae.report.kinds import table
from personae.types import STATUSES, Figure, Finding

ROWS = 400
"""Rows of the table under a figure."""

WIDE = 420
"""Pixels beyond which a table takes the width of two figures."""

_SIMULATED = (
    "A simulated respondent answered, from stated parameters and a seed. These numbers check the method; they say "
    "nothing about any language model."
)
SHRUNK = 0.82
"""How small a picture may become, as a share of the size it was drawn at: below, its letters cannot be read."""
COLUMN = 500
"""Pixels that a picture has in one of two columns; one that cannot be shrunk to it spans both."""
OTHER = StudySection(name="", title="Across studies")


@dataclass(frozen=True)
class Shown:
    """A figure on the page: a picture or words, with the table of its rows (none under a table)."""

    id: str
    title: str
    caption: str
    picture: Markup
    width: int
    wide: bool
    words: Markup
    header: list[str]
    body: list[list[str]]
    left_out: int
    problem: str = ""


def cut(value: str, most: int) -> tuple[str, int]:
    """Give the beginning of a text and how many characters were left out."""
    return value[:most], max(0, len(value) - most)


def sections(content: Content) -> Iterator[tuple[StudySection, list[Finding], list[Shown]]]:
    """Give each study with its findings and figures, in order; last what belongs to none of them."""
    named = {study.name for study in content.studies}
    for study in [*content.studies, OTHER]:
        mine = [one for one in content.findings if _of(one.study, named) == study.name]
        drawn = [shown(one) for one in content.figures if _of(one.study, named) == study.name]
        if mine or drawn:
            yield study, mine, drawn


def _of(study: str, named: set[str]) -> str:
    return study if study in named else ""


def shown(figure: Figure) -> Shown:
    """Draw a figure for the page; one that cannot be drawn says why, above its table."""
    identity = f"figure-{figures.file_name(figure.id)}"
    picture, width, problem, words = "", 0.0, "", None
    try:
        words = figures.written(figure)
        if words is None:
            picture, width = svg.embedded(figures.render(figure), identity)
    except BadInput as error:
        problem = str(error)
    told = figure.kind == "table" and not problem
    header = [] if told else figures.columns(figure)
    body = [[table.shown(row.get(column)) for column in header] for row in figure.rows[:ROWS]] if header else []
    return Shown(
        id=identity,
        title=figure.title,
        caption=figure.caption,
        picture=Markup(picture),
        width=round(width),
        wide=table.width(figure) > WIDE if told else SHRUNK * width > COLUMN,
        words=words or Markup(""),
        header=[column.replace("_", " ") for column in header],
        body=body,
        left_out=0 if told else len(figure.rows) - len(body),
        problem=problem,
    )


def coverage_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """One row per study and model: the count of each status, the total, the answered share."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for study, model, status, n in _counts(frame):
        row = rows.setdefault((study, model), {"study": study, "model": model, **dict.fromkeys(STATUSES, 0)})
        row[status] += n
    for row in rows.values():
        row["n"] = sum(row[status] for status in STATUSES)
        row["share"] = row["answered"] / row["n"] if row["n"] else None
    return list(rows.values())


def _counts(frame: pl.DataFrame) -> Sequence[tuple[str, str, str, int]]:
    return frame.select("study", "model", "status", "n").rows() if frame.width else []


def coverage_figure(frame: pl.DataFrame) -> Figure | None:
    """Stack the share of every status, a bar per study, models one under another; None where nothing was asked."""
    table = coverage_rows(frame)
    models = {row["model"] for row in table}
    rows = tuple(
        {
            "study": row["study"],
            "model": row["model"],
            "status": status,
            "share": row[status] / row["n"],
            "n": row[status],
        }
        for row in table
        for status in STATUSES
        if row["n"] and any(one[status] for one in table)
    )
    if not rows:
        return None
    return Figure(
        id="coverage",
        title="What became of every question",
        caption="Share of items by outcome. Only answered items enter the estimates; the bounds beside each estimate "
        "say what the others could have changed.",
        kind="stack",
        rows=rows,
        encode={"x": "study", "y": "share", "colour": "status"} | ({"facet": "model"} if len(models) > 1 else {}),
        options={"titles": {"y": "share of items", "colour": ""}},
    )


def notice(content: Content) -> str:
    """What a page from simulated respondents says before all else: its own caution about them, or the usual one."""
    if not content.simulated:
        return ""
    told = [one.text for one in content.findings if one.tone == "caution" and "simulated" in one.text.lower()]
    return told[0] if told else _SIMULATED


def strip(content: Content) -> list[tuple[str, str]]:
    """Key numbers for the head of the page: (number, what it counts)."""
    table = coverage_rows(content.coverage)
    total = sum(row["n"] for row in table)
    models = {row["model"] for row in table}
    told = {label.lower(): value for label, value in content.facts}
    numbers = [(str(len(models)), "model" if len(models) == 1 else "models")]
    numbers.append((text.number(total), "items"))
    if "asks" in told:
        numbers.append((told["asks"], "questions asked"))
    if total:
        numbers.append((text.percent(sum(row["answered"] for row in table) / total), "answered"))
        numbers.append((text.percent(sum(row["refused"] for row in table) / total), "refused"))
    if content.estimates.height:
        numbers.append((text.number(content.estimates.height), "estimates"))
    if "cost" in told:
        numbers.append((told["cost"].split(" (")[0], "cost"))
    return numbers

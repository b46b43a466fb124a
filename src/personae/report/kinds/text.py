"""A text whose words are coloured by weight; the sign also underlines: solid above zero, dashed below."""

from __future__ import annotations

import math
from collections.abc import Iterator

from markupsafe import Markup

from personae.errors import BadInput
from personae.report import text
from personae.report.plot import Plot

MOST = 24
"""Texts in the page; the file beside it has all of them."""

STEPS = 4
"""Strengths of colour on each side of zero."""


def write(plot: Plot) -> Markup:
    """Write each text with its title, and the legend above them.

    Raises
    ------
    BadInput
        When a weight is no number.
    """
    for row in plot.rows:
        if isinstance(row["weight"], str):
            raise BadInput(f"figure {plot.figure.id}, weight", row["weight"], "a weight is a number or None")
    reach = max((abs(row["weight"]) for row in plot.rows if row["weight"] is not None), default=0.0)
    texts = list(_texts(plot))
    written = [_text(title, pieces, reach) for title, pieces in texts[:MOST]]
    more = len(texts) - len(written)
    rest = Markup("<p>{} more texts are in the file of this figure.</p>").format(text.number(more)) if more else ""
    return _legend(plot.title("weight"), reach) + Markup("").join(written) + rest


def step(weight: float | None, reach: float) -> int:
    """Give the strength of a weight, from −4 to 4; 0 for none and for less than an eighth of the largest."""
    if weight is None or reach == 0 or abs(weight) < reach / (2 * STEPS):
        return 0
    return int(math.copysign(math.ceil(STEPS * abs(weight) / reach), weight))


def _texts(plot: Plot) -> Iterator[tuple[str, list[tuple[str, float | None]]]]:
    """Title and pieces of each text. Pieces are taken as they are: a plot's labels have lost their blanks."""
    column = plot.figure.encode["text"]
    pieces = [
        (text.label(row["facet"]) if "facet" in row else "", str(raw.get(column) or ""), row["weight"])
        for row, raw in zip(plot.rows, plot.figure.rows, strict=True)
    ]
    for title in dict.fromkeys(title for title, _, _ in pieces):
        yield title, [(said, weight) for named, said, weight in pieces if named == title]


def _text(title: str, pieces: list[tuple[str, float | None]], reach: float) -> Markup:
    said = Markup("").join(_piece(one, weight, step(weight, reach)) for one, weight in pieces)
    head = Markup('<p class="role">{}</p>').format(text.visible(title)) if title else ""
    return Markup('<div class="weighed">{}<p dir="auto">{}</p></div>\n').format(head, said)


def _piece(said: str, weight: float | None, strength: int) -> Markup:
    word = said.strip()
    if not strength or not word:
        return text.visible(said)
    before, after = said.split(word, 1)
    return text.visible(before) + _mark(text.visible(word), strength, signed(weight)) + text.visible(after)


def _mark(said: Markup | str, strength: int, title: str) -> Markup:
    side = "above" if strength > 0 else "below"
    return Markup('<mark class="{}-{}" title="{}">{}</mark>').format(side, abs(strength), title, said)


def signed(weight: float | None) -> str:
    """Give a weight with its sign."""
    shown = text.number(weight)
    return f"+{shown}" if weight is not None and weight > 0 else shown


def _legend(title: str, reach: float) -> Markup:
    scale = [step for step in range(-STEPS, STEPS + 1) if step]
    marks = Markup("").join(
        _mark("\u2002", one, signed(reach * one / STEPS)) for one in scale
    )  # fmt: skip
    return Markup('<p class="weights">{} <span class="least">{}</span> <span>{}</span> <span>{}</span></p>\n').format(
        text.visible(title), signed(-reach), marks, signed(reach)
    )

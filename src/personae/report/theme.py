"""How figures look: one calm theme, colours that can be told apart without colour vision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
WIDTH = 390
"""Natural width of a figure in pixels: legible when scaled to a phone, two abreast on a desk."""

INK, SOFT, GRID, ZERO = "#1f2933", "#52606d", "#e4e7eb", "#7b8794"
GREY = "#8a94a0"

# Okabe and Ito's colour-blind safe set (https://jfly.uni-koeln.de/color/), darkened to 3:1 against white.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#b35c91", "#c08400", "#3d93c9", "#6a51a3", "#7a6a53")

FIXED = {
    "baseline": GREY,
    "none": GREY,
    "answered": "#0072b2",
    "refused": "#d55e00",
    "invalid": "#b35c91",
    "truncated": "#c08400",
    "error": "#3b3f45",
}

DIVERGING = ("#08519c", "#4292c6", "#9ecae1", "#f7f7f7", "#fdbe85", "#e6731f", "#a63603")
SEQUENTIAL = ("#f2f6fa", "#c6dbef", "#6baed6", "#2171b5", "#08306b")

LABEL_SIZE, TITLE_SIZE = 12, 12.5


def colours(names: Sequence[str]) -> list[str]:
    """Give each name its colour: fixed ones first, the others in order, paling when the palette is used up."""
    taken = {FIXED[name] for name in names if name in FIXED}
    free = [colour for colour in PALETTE if colour not in taken] or list(PALETTE)
    given: list[str] = []
    nth = 0
    for name in names:
        if name in FIXED:
            given.append(FIXED[name])
            continue
        given.append(pale(free[nth % len(free)], nth // len(free)))
        nth += 1
    return given


def pale(colour: str, rounds: int) -> str:
    """Mix a colour with white: 0 rounds leaves it, each further takes away 40 per cent of what is left."""
    keep = 0.6**rounds
    parts = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * keep):02x}" for part in parts)


def config() -> dict[str, Any]:
    """Give the Vega-Lite configuration of every figure."""
    text = {"labelFontSize": LABEL_SIZE, "labelColor": INK, "labelLimit": 0, "titleFontSize": LABEL_SIZE - 0.5}
    return {
        "aria": False,
        "background": "white",
        "font": FONT,
        "lineBreak": "\n",
        "view": {"stroke": None},
        "title": {
            "anchor": "start", "frame": "group", "fontSize": TITLE_SIZE, "fontWeight": 600, "color": INK, "limit": 0,
            "offset": 10,
        },
        "axis": {
            **text, "titleColor": SOFT, "titleFontWeight": "normal", "titleLimit": 0, "gridColor": GRID,
            "domainColor": "#cbd2d9", "tickColor": "#cbd2d9", "titlePadding": 6, "labelPadding": 5, "labelFlush": False,
        },
        "legend": {
            **text, "titleColor": SOFT, "titleFontWeight": "normal", "titleLimit": 0, "symbolLimit": 0, "rowPadding": 4,
            "columnPadding": 14,
        },
        "concat": {"spacing": 16},
        "text": {"color": INK, "fontSize": LABEL_SIZE, "limit": 0},
    }  # fmt: skip

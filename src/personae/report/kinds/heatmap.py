"""Heat map with its numbers written in the cells."""

from __future__ import annotations

from typing import Any

import altair as alt

from personae.report import theme
from personae.report.kinds.common import (
    at,
    axis_labels,
    chart,
    down,
    formatted,
    layered,
    present,
    relabel,
    side_labels,
    stacked,
)
from personae.report.plot import Plot, Row, block, wrapped


def draw(plot: Plot) -> alt.TopLevelMixin:
    """Draw one cell per row. Values around a midpoint diverge from white; a missing value is a grey dash."""
    down, side = axis_labels(plot.names("y"), 120)
    columns = plot.names("x")
    word = block((word for name in columns for word in name.split()), theme.LABEL_SIZE) + 8
    cell = max(44.0, min(word, 84.0), min(64.0, (theme.WIDTH - side) / max(1, len(columns))))
    across = wrapped(columns, cell - 4, theme.LABEL_SIZE)
    tint = _colour(plot)

    def one(rows: list[Row], _last: bool) -> alt.LayerChart:
        rows = relabel(relabel(rows, "y", down), "x", across)
        return _layers(plot, rows, tint, cell, side)

    return stacked(plot, one, side)


def _colour(plot: Plot) -> alt.Color:
    values = [row["value"] for row in plot.rows if row["value"] is not None] or [0.0]
    middle = _middle(plot)
    legend = alt.Legend(
        title=plot.title("value"), orient="bottom", direction="horizontal", gradientLength=180, gradientThickness=9,
        tickCount=3, titleAnchor="start", format=formatted(plot, values),
    )  # fmt: skip
    if middle is None:
        scale = alt.Scale(domain=[min(0.0, *values), max(*values, 1e-9)], range=list(theme.SEQUENTIAL))
    else:
        reach = max(abs(value - middle) for value in values) or 1.0
        scale = alt.Scale(domain=[middle - reach, middle + reach], range=list(theme.DIVERGING))
    return alt.Color("value:Q", scale=scale, legend=legend)


def _dark(plot: Plot, value: float) -> bool:
    """Whether the cell is so dark that its number must be white."""
    values = [row["value"] for row in plot.rows if row["value"] is not None]
    middle = _middle(plot)
    if middle is None:
        return bool(value > 0.55 * max(values))
    return bool(abs(value - middle) > 0.62 * max(abs(one - middle) for one in values))


def _middle(plot: Plot) -> float | None:
    """Give the value that is drawn white: ``options["midpoint"]``, else 0 where some values are below it."""
    if "midpoint" in plot.figure.options:
        return None if plot.figure.options["midpoint"] is None else float(plot.figure.options["midpoint"])
    return 0.0 if any(row["value"] is not None and row["value"] < 0 for row in plot.rows) else None


def _layers(plot: Plot, rows: list[Row], tint: alt.Color, cell: float, side: float) -> alt.LayerChart:
    across, tall = cell * len(present(rows, "x")), 34 * len(present(rows, "y"))
    place = down(rows, "y", gap=0)
    places: dict[str, Any] = {
        "x": alt.X(
            "x:N", sort=present(rows, "x"), title=plot.title("x"), scale=alt.Scale(padding=0),
            axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False),
        ),
        "y": place,
    }  # fmt: skip
    head = at(chart([{"x": 6 - side, "y": -10, "said": plot.title("y")}]).mark_text(align="left", color=theme.SOFT))
    known = [row for row in rows if row["value"] is not None]
    layers = []
    for dark, ink in ((False, theme.INK), (True, "white")):
        chosen = [row for row in known if _dark(plot, row["value"]) is dark]
        figures = chart(chosen).mark_text(color=ink).encode(
            text=alt.Text("value:Q", format=formatted(plot, [row["value"] for row in known])), **places
        )  # fmt: skip
        layers.append(figures)
    absent = [row for row in rows if row["value"] is None]
    empty = chart(absent).mark_rect(fill="#edf0f3", stroke="white", strokeWidth=2).encode(**places)
    dash = chart(absent).mark_text(text="–", color=theme.SOFT).encode(**places)
    cells = chart(known).mark_rect(stroke="white", strokeWidth=2).encode(color=tint, **places)
    labels = [*side_labels(rows, "y", place), head.encode(text="said:N")]
    return layered([cells, empty, *layers, dash, *labels], across, tall)

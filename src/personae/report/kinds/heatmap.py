"""Heat map with its numbers written in the cells."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import altair as alt

from personae.report import text, theme
from personae.report.kinds.common import (
    Spec,
    at,
    axis_labels,
    chart,
    constant,
    down,
    formatted,
    layered,
    no_sign_of_zero,
    present,
    relabel,
    side_labels,
    stacked,
    tallest,
)
from personae.report.plot import Plot, Row, block, wrapped


def draw(plot: Plot) -> Spec:
    """Draw one cell per row. Values around a midpoint diverge from white; a missing value is a grey dash."""
    down, side = axis_labels(plot.names("y"), 120)
    columns = plot.names("x")
    word = block((word for name in columns for word in name.split()), theme.LABEL_SIZE) + 8
    cell = max(44.0, min(word, 84.0), min(64.0, (theme.WIDTH - side) / max(1, len(columns))))
    across = bottomed(wrapped(columns, cell - 4, theme.LABEL_SIZE))
    marked = {text.label(row["y"]) for row, raw in zip(plot.rows, plot.figure.rows, strict=True) if plot.mark(raw)}
    tint = _colour(plot)

    def one(rows: list[Row], _last: bool) -> Spec:
        rows = relabel(relabel(_whole(rows), "y", down), "x", across)
        return _layers(plot, rows, tint, (cell, side), {down[name] for name in marked})

    return stacked(plot, one, side)


def bottomed(labels: dict[str, str]) -> dict[str, str]:
    """Give all labels the same number of lines, the words in the last ones, so that they stand on the cells."""
    most = max((label.count("\n") for label in labels.values()), default=0)
    return {name: "\n" * (most - label.count("\n")) + label for name, label in labels.items()}


def _whole(rows: list[Row]) -> list[Row]:
    """Add a row without value for every pair that has none, in the order of the rows."""
    known = {(row["y"], row["x"]): row for row in rows}
    return [
        known.get((down, across), {**rows[0], "y": down, "x": across, "value": None})
        for down in present(rows, "y") for across in present(rows, "x")
    ]  # fmt: skip


def _colour(plot: Plot) -> alt.Color:
    values = [row["value"] for row in plot.rows if row["value"] is not None] or [0.0]
    middle = _middle(plot)
    if middle is None:
        low, high, hues = min(0.0, *values), max(*values, 1e-9), list(theme.SEQUENTIAL)
    else:
        reach = max(abs(value - middle) for value in values) or 1.0
        low, high, hues = middle - reach, middle + reach, list(theme.DIVERGING)
    legend = alt.Legend(
        title=plot.title("value"), orient="bottom", direction="horizontal", gradientLength=180, gradientThickness=9,
        titleAnchor="start", format=formatted(plot, values), values=[low, (low + high) / 2, high],
    )  # fmt: skip
    scale = alt.Scale(domain=[low, high], range=hues)
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


def _layers(plot: Plot, rows: list[Row], tint: alt.Color, size: tuple[float, float], marked: set[str]) -> Spec:
    (cell, side), names = size, present(rows, "y")
    step = max(34.0, tallest(names))
    across, tall = cell * len(present(rows, "x")), step * len(names)
    lines = max(name.count("\n") for name in present(rows, "x"))
    place = down(rows, "y", gap=0)
    places: dict[str, Any] = {
        "x": alt.X(
            "x:N", sort=present(rows, "x"), title=plot.title("x"), scale=alt.Scale(padding=0),
            axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False,
                          labelLineHeight=13.5, labelPadding=5 + 13.5 * lines),
        ),
        "y": place,
    }  # fmt: skip
    head = at(chart([{"x": 6 - side, "y": -10, "said": plot.title("y")}]).mark_text(align="left", color=theme.SOFT))
    known = [row for row in rows if row["value"] is not None]
    layers = []
    pattern = formatted(plot, [row["value"] for row in known])
    for dark, ink in ((False, theme.INK), (True, "white")):
        chosen = [
            {**row, "said": no_sign_of_zero(row["value"], pattern)}
            for row in known if _dark(plot, row["value"]) is dark
        ]  # fmt: skip
        figures = chart(chosen).mark_text(color=ink).encode(text=alt.Text("said:Q", format=pattern), **places)
        layers.append(figures)
    absent = [row for row in rows if row["value"] is None]
    empty = chart(absent).mark_rect(fill="#edf0f3", stroke="white", strokeWidth=2).encode(**places)
    dash = chart(absent).mark_text(text="–", color=theme.SOFT).encode(**places)
    cells = chart(known).mark_rect(stroke="white", strokeWidth=2).encode(color=tint, **places)
    labels = [*side_labels(rows, "y", place, marked), head.encode(text=alt.Text("said:N"))]
    return layered([cells, empty, *layers, dash, *_borders(names, marked, step, side), *labels], across, tall)


def _borders(names: list[str], marked: set[str], step: float, side: float) -> list[alt.Chart]:
    """Draw a line wherever rows of one origin end and marked ones begin, or the reverse."""
    ends = [
        {"x": -side, "y": step * nth}
        for nth, (before, after) in enumerate(pairwise(names), 1) if (before in marked) != (after in marked)
    ]  # fmt: skip
    rule = at(chart(ends).mark_rule(color=theme.ZERO, strokeWidth=1.2))
    return [rule.encode(x2=constant(alt.X2Value, "width"))] if ends else []

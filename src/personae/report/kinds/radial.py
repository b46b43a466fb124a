"""Circular histogram: categories around a circle, a bar outwards for each group."""

from __future__ import annotations

import math
from typing import Literal

import altair as alt

from personae.report import text, theme
from personae.report.kinds.common import Chart, chart, colour, layered, legend_labels, present, relabel, stacked
from personae.report.plot import Plot, Row, wrapped

_INNER, _OUTER = 34.0, 118.0


def draw(plot: Plot) -> alt.TopLevelMixin:
    """Draw one bar per row; its length, not its area, is the value."""
    labels = wrapped(plot.names("angle"), 92, theme.LABEL_SIZE, lines=2)
    legend = legend_labels(plot.names("colour"))
    top = max((row["value"] for row in plot.rows if row["value"] is not None), default=0.0) or 1.0
    rings = _rings(top)

    def one(rows: list[Row]) -> Chart:
        rows = relabel([{"colour": None, **row} for row in rows], "angle", labels)
        rows = relabel(rows, "colour", legend) if legend else rows
        return _layers(plot, rows, list(labels.values()), legend, rings)

    return stacked(plot, one)


def _rings(top: float) -> list[float]:
    """Two to four round values up to the first that holds the largest."""
    rough = top / 3
    unit = 10 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in (1, 2, 2.5, 5, 10) if factor * unit >= rough * 0.999)
    return [step * nth for nth in range(1, math.ceil(top / step - 1e-9) + 1)]


def _bars(rows: list[Row], names: list[str], order: list[str], top: float) -> list[Row]:
    sector = 2 * math.pi / len(names)
    thin = sector * 0.84 / max(1, len(order))
    bars = []
    for row in rows:
        if row["value"] is None:
            continue
        nth = order.index(row["colour"]) if order else 0
        start = names.index(row["angle"]) * sector + sector * 0.08 + nth * thin
        length = _INNER + max(0.0, row["value"]) / top * (_OUTER - _INNER)
        bars.append({"from": start, "to": start + thin, "length": length, "colour": row["colour"]})
    return bars


def _layers(plot: Plot, rows: list[Row], names: list[str], legend: dict[str, str], rings: list[float]) -> Chart:
    order = [shown for shown in legend.values() if shown in present(rows, "colour")]
    centre, size = theme.WIDTH / 2, 2 * _OUTER + 76
    tint = colour(plot, legend) if legend else alt.value(theme.PALETTE[0])
    middle = {"x": alt.value(centre), "y": alt.value(size / 2)}
    bars = chart(_bars(rows, names, order, rings[-1])).mark_arc(stroke="white", strokeWidth=0.6)
    bars = bars.encode(
        theta=alt.Theta("from:Q", scale=None, stack=None), theta2="to:Q", radius=alt.Radius("length:Q", scale=None),
        radius2=alt.value(_INNER), color=tint, **middle,
    )  # fmt: skip
    marks = [*_grid(plot, rings, centre, size / 2), bars, *_names(names, centre, size / 2)]
    return layered(marks, theme.WIDTH, size)


def _grid(plot: Plot, rings: list[float], across: float, down: float) -> list[alt.Chart]:
    share = rings[-1] <= 1 and plot.figure.options.get("format", "%").endswith("%")
    circles, said = [], []
    for value in [0.0, *rings]:
        radius = _INNER + value / rings[-1] * (_OUTER - _INNER)
        circles.append({"size": math.pi * radius**2})
        if value:
            shown = text.percent(value) if share else text.number(value)
            said.append({"x": across, "y": down - radius, "said": shown})
    place = {"x": alt.value(across), "y": alt.value(down)}
    ring = chart(circles).mark_point(shape="circle", filled=False, stroke="#d5dae0", strokeWidth=1, opacity=1)
    ring = ring.encode(size=alt.Size("size:Q", scale=None, legend=None), **place)
    note = chart(said).mark_text(fontSize=9, color=theme.SOFT, dy=-5)
    note = note.encode(x=alt.X("x:Q", scale=None, axis=None), y=alt.Y("y:Q", scale=None, axis=None), text="said:N")
    return [ring, note]


def _names(names: list[str], across: float, down: float) -> list[alt.Chart]:
    """Write each category outside the circle, its side towards the circle."""
    groups: dict[Literal["left", "center", "right"], list[Row]] = {"left": [], "center": [], "right": []}
    for nth, name in enumerate(names):
        angle = 2 * math.pi * (nth + 0.5) / len(names)
        x, y = across + (_OUTER + 9) * math.sin(angle), down - (_OUTER + 9) * math.cos(angle)
        side: Literal["left", "center", "right"] = "left" if math.sin(angle) > 0 else "right"
        if abs(math.sin(angle)) < 0.25:
            side = "center"
        lift = (name.count("\n") * 7) * math.cos(angle) if side == "center" else 0
        groups[side].append({"x": x, "y": y - lift - name.count("\n") * 7, "said": name})
    return [
        chart(rows)
        .mark_text(align=side, baseline="middle")
        .encode(x=alt.X("x:Q", scale=None, axis=None), y=alt.Y("y:Q", scale=None, axis=None), text="said:N")
        for side, rows in groups.items()
        if rows
    ]

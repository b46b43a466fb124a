"""Circular histogram: categories around a circle, a bar outwards for each group."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import altair as alt

from personae.errors import BadInput
from personae.report import text, theme
from personae.report.kinds.common import (
    Spec,
    at,
    chart,
    colour,
    constant,
    layered,
    legend_labels,
    present,
    relabel,
    stacked,
)
from personae.report.plot import Plot, Row, block, wrapped

_INNER, _OUTER = 34.0, 132.0
_SIZE = 11.5


@dataclass(frozen=True)
class _Circle:
    """Where the circle lies and how long a bar is."""

    across: float
    down: float
    outer: float
    rings: list[float]

    def radius(self, value: float) -> float:
        return _INNER + value / self.rings[-1] * (self.outer - _INNER)


def draw(plot: Plot) -> Spec:
    """Draw one bar per row; its length, not its area, is the value.

    Raises
    ------
    BadInput
        When a value is negative: a length cannot show it.
    """
    values = [row["value"] for row in plot.rows if row["value"] is not None]
    if values and min(values) < 0:
        raise BadInput(f"figure {plot.figure.id}, value", min(values), "a circular histogram shows counts or shares")
    labels = wrapped(plot.names("angle"), 84, _SIZE, lines=2)
    legend = legend_labels(plot.names("colour"))
    outer = min(_OUTER, theme.WIDTH / 2 - 12 - block(labels.values(), _SIZE))
    circle = _Circle(theme.WIDTH / 2, outer + 34, outer, rings(max(values, default=0.0) or 1.0))

    def one(rows: list[Row], _last: bool) -> Spec:
        rows = relabel([{"colour": None, **row} for row in rows], "angle", labels)
        rows = relabel(rows, "colour", legend) if legend else rows
        return _layers(plot, rows, list(labels.values()), legend, circle)

    return stacked(plot, one, 0, legend)


def rings(top: float) -> list[float]:
    """Give two to four round values, the last of them not below ``top``."""
    rough = top / 3
    unit = 10 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in (1, 2, 2.5, 5, 10) if factor * unit >= rough * 0.999)
    return [step * nth for nth in range(1, math.ceil(top / step - 1e-9) + 1)]


def _layers(plot: Plot, rows: list[Row], names: list[str], legend: dict[str, str], circle: _Circle) -> Spec:
    order = [shown for shown in legend.values() if shown in present(rows, "colour")]
    bars = chart(_bars(rows, names, order, circle)).mark_arc(stroke="white", strokeWidth=0.6)
    bars = bars.encode(
        theta=alt.Theta("from:Q", scale=None, stack=None), theta2=alt.Theta2("to:Q"),
        radius=alt.Radius("length:Q", scale=None), radius2=constant(alt.Radius2Value, _INNER), color=colour(legend),
        x=constant(alt.XValue, circle.across), y=constant(alt.YValue, circle.down),
    )  # fmt: skip
    ring, notes = _grid(plot, circle)
    return layered([ring, bars, *notes, *_names(names, circle)], theme.WIDTH, 2 * circle.down)


def _bars(rows: list[Row], names: list[str], order: list[str], circle: _Circle) -> list[Row]:
    sector = 2 * math.pi / len(names)
    thin = sector * 0.8 / max(1, len(order))
    bars = []
    for row in rows:
        if row["value"] is None:
            continue
        nth = order.index(row["colour"]) if order else 0
        start = (names.index(row["angle"]) + 0.1) * sector + nth * thin
        bars.append({"from": start, "to": start + thin, "length": circle.radius(row["value"]), "colour": row["colour"]})
    return bars


def _grid(plot: Plot, circle: _Circle) -> tuple[alt.Chart, list[alt.Chart]]:
    """Rings at round values, and their numbers with a white rim so that a bar does not swallow them."""
    share = circle.rings[-1] <= 1 and str(plot.figure.options.get("format", "%")).endswith("%")
    radii = [circle.radius(value) for value in (0.0, *circle.rings)]
    # The area of Vega's circle symbol is counted as that of its bounding square.
    circles = [{"size": (2 * radius) ** 2} for radius in radii]
    ring = chart(circles).mark_point(shape="circle", filled=False, stroke="#d5dae0", strokeWidth=1, opacity=1)
    ring = ring.encode(
        size=alt.Size("size:Q", scale=None, legend=None),
        x=constant(alt.XValue, circle.across),
        y=constant(alt.YValue, circle.down),
    )
    said = [
        {"x": circle.across, "y": circle.down - radius, "said": text.percent(value) if share else text.number(value)}
        for value, radius in zip(circle.rings, radii[1:], strict=True)
    ]
    rim = at(chart(said).mark_text(fontSize=10, stroke="white", strokeWidth=3, strokeJoin="round"))
    note = at(chart(said).mark_text(fontSize=10, color=theme.SOFT))
    return ring, [rim.encode(text=alt.Text("said:N")), note.encode(text=alt.Text("said:N"))]


def _names(names: list[str], circle: _Circle) -> list[alt.Chart]:
    """Write each category outside the circle, its side towards the circle."""
    groups: dict[Literal["left", "center", "right"], list[Row]] = {"left": [], "center": [], "right": []}
    for nth, name in enumerate(names):
        angle = 2 * math.pi * (nth + 0.5) / len(names)
        side: Literal["left", "center", "right"] = "left" if math.sin(angle) > 0 else "right"
        if abs(math.sin(angle)) < 0.2:
            side = "center"
        more = name.count("\n") * (_SIZE + 1)
        lift = more * (0.5 + 0.5 * math.cos(angle))
        x = circle.across + (circle.outer + 10) * math.sin(angle)
        groups[side].append({"x": x, "y": circle.down - (circle.outer + 12) * math.cos(angle) - lift, "said": name})
    return [
        at(chart(rows).mark_text(align=side, baseline="middle", fontSize=_SIZE)).encode(text=alt.Text("said:N"))
        for side, rows in groups.items()
    ]

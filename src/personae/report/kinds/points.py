"""Points in a field, with intervals, names and the diagonal of equality where asked for."""

from __future__ import annotations

import altair as alt

from personae.report import theme
from personae.report.kinds import field
from personae.report.kinds.common import Spec, at, chart, colour, layered, legend_labels, relabel
from personae.report.labels import Point, place
from personae.report.plot import Plot, Row

NAMED = 12
"""Names written in a figure of one field; fewer in smaller ones."""

_SIZE = 10.5


def draw(plot: Plot) -> Spec:
    """Draw one point per row that has both numbers: the more there are, the smaller and paler."""
    legend = legend_labels(plot.names("colour"))
    axes = field.axes(plot)

    def one(rows: list[Row], panel: field.Panel) -> Spec:
        rows = [{"low": None, "high": None, **row} for row in rows if row["x"] is not None and row["y"] is not None]
        rows = relabel(rows, "colour", legend) if legend else rows
        return layered([*_marks(axes, rows, legend, panel), *_names(axes, rows, panel)], panel.width,
                       axes.tall(panel.width))  # fmt: skip

    return field.panels(plot, one, legend)


def _marks(axes: field.Axes, rows: list[Row], legend: dict[str, str], panel: field.Panel) -> list[alt.Chart]:
    x, y, tint = axes.x(panel), axes.y(panel), colour(legend)
    size, strength = look(len(rows), panel.width)
    ranged = [row for row in rows if row["low"] is not None and row["high"] is not None]
    rule = chart(ranged).mark_rule(strokeWidth=1.2, opacity=min(1.0, 1.2 * strength))
    dots = chart(rows).mark_circle(size=size, opacity=strength)
    return [
        *axes.equality(x, y),
        *([rule.encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=tint)] if ranged else []),
        dots.encode(x=x, y=y, color=tint),
    ]


def look(many: int, width: float) -> tuple[float, float]:
    """Give the area of a dot in square pixels and its opacity, by how crowded the field is."""
    crowd = max(1.0, many / 60 * (340 / width))
    return max(9.0, 52 / crowd**0.7), max(0.35, 0.85 / crowd**0.35)


def _names(axes: field.Axes, rows: list[Row], panel: field.Panel) -> list[alt.Chart]:
    """Name the first labelled rows beside their points, now black; a line leads to names that had to move away."""
    if axes.across is None or not any(row.get("label") for row in rows):
        return []
    points = [Point(*axes.at(row, panel.width), str(row.get("label") or "")) for row in rows]
    size = _SIZE - 1 if panel.small else _SIZE
    most = NAMED if not panel.small else NAMED // 3
    placed = place(points, panel.width, axes.tall(panel.width), size, most)
    said = [{"x": one.x, "y": one.y, "said": one.text} for one in placed]
    lines = [{"x": one.from_x, "y": one.from_y, "x2": one.to_x, "y2": one.to_y} for one in placed if one.far]
    rim = at(chart(said).mark_text(fontSize=size, stroke="white", strokeWidth=3, strokeJoin="round", opacity=0.8))
    note = at(chart(said).mark_text(fontSize=size, color=theme.INK))
    ring = at(chart([{"x": one.from_x, "y": one.from_y} for one in placed]).mark_circle(size=24, opacity=1))
    ring = ring.encode(color=alt.ColorValue(theme.INK))
    leader = at(chart(lines).mark_rule(color=theme.SOFT, strokeWidth=0.7)).encode(x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"))
    return [leader, ring, rim.encode(text=alt.Text("said:N")), note.encode(text=alt.Text("said:N"))]

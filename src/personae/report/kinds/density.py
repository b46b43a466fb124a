"""Densities: a curve per group, and under it every single value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from personae.errors import BadInput
from personae.report import kde, text, theme
from personae.report.kinds import common, field
from personae.report.plot import Plot, Row

DOTS = 60
"""Values of a group up to which each is a dot; beyond, a tick."""

_CURVE, _LANE, _LEFT, _RIGHT = 96.0, 13.0, 12, 44


def draw(plot: Plot) -> common.Spec:
    """Draw one curve per colour over all its values; groups of fewer than five values have their dots alone.

    Raises
    ------
    BadInput
        When a value is no number or beyond the limits.
    """
    values = _values(plot)
    limits = _limits(plot, values)
    legend = common.legend_labels(plot.names("colour"))
    curves = {name: _curves(rows, legend, limits) for name, rows in plot.facets()}
    reach = [*values, *(point["x"] for drawn in curves.values() for point in drawn)]
    across = field.nice(common.domain(reach, zero=bool(plot.figure.options.get("zero"))))
    top = max((point["y"] for drawn in curves.values() for point in drawn), default=1.0)

    def one(rows: list[Row], panel: field.Panel) -> common.Spec:
        name = text.label(rows[0]["facet"]) if rows and "facet" in plot.figure.encode else ""
        axis = alt.Axis(tickCount=3 if panel.small else 5, format=field.number_format(plot, "y"))
        title = plot.title("value") if panel.lowest else None
        x = alt.X("x:Q", title=title, scale=alt.Scale(domain=across, nice=False), axis=axis)
        return _layers(x, [{"colour": None, **row} for row in rows], curves[name], legend, top, panel)

    return field.panels(plot, one, legend, usual=1, left=_LEFT, right=_RIGHT)


def _values(plot: Plot) -> list[float]:
    for row in plot.rows:
        if isinstance(row["value"], str):
            raise BadInput(f"figure {plot.figure.id}, value", row["value"], "a density is one of numbers")
    return [row["value"] for row in plot.rows if row["value"] is not None]


def _limits(plot: Plot, values: Sequence[float]) -> tuple[float | None, float | None]:
    low, high = plot.figure.options.get("limits", (None, None))
    for value in values:
        if (low is not None and value < low) or (high is not None and value > high):
            raise BadInput(f"figure {plot.figure.id}, value", value, f"the limits are {low} and {high}")
    return low, high


def _groups(rows: list[Row], legend: dict[str, str]) -> list[tuple[str | None, list[float]]]:
    """Values of each group that has some, in the order of the key."""
    groups: dict[str | None, list[float]] = {}
    for row in rows:
        if row["value"] is not None:
            groups.setdefault(legend[text.label(row["colour"])] if legend else None, []).append(row["value"])
    order = list(legend.values())
    return sorted(groups.items(), key=lambda group: order.index(group[0]) if group[0] is not None else 0)


def _curves(rows: list[Row], legend: dict[str, str], limits: tuple[float | None, float | None]) -> list[dict[str, Any]]:
    points = []
    for name, values in _groups(rows, legend):
        if (drawn := kde.curve(values, limits)) is not None:
            points += [{"x": float(x), "y": float(y), "colour": name} for x, y in zip(*drawn, strict=True)]
    return points


def _layers(
    x: alt.X, rows: list[Row], points: list[dict[str, Any]], legend: dict[str, str], top: float, panel: field.Panel
) -> common.Spec:
    tint, groups = common.colour(legend), _groups(rows, legend)
    high = _CURVE if points else 0.0
    shown = [{**point, "y": high - point["y"] / top * (high - 4), "foot": high} for point in points]
    lanes = [
        {"x": value, "y": high + 9 + _LANE * nth, "colour": name}
        for nth, (name, values) in enumerate(groups) for value in values
    ]  # fmt: skip
    counts = [{"y": high + 9 + _LANE * nth, "said": f"n = {len(values)}"} for nth, (_, values) in enumerate(groups)]
    tall = high + 9 + _LANE * max(1, len(groups))
    down = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[tall, 0], nice=False))
    area = common.chart(shown).mark_area(opacity=0.13).encode(x=x, y=down, y2=alt.Y2("foot:Q"), color=tint)
    edge = common.chart(shown).mark_line(strokeWidth=1.6).encode(x=x, y=down, color=tint)
    dots = common.chart(lanes).mark_circle(size=30, opacity=0.6).encode(x=x, y=down, color=tint)
    if max((len(values) for _, values in groups), default=0) > DOTS:
        dots = _ticks(lanes, x, down, tint)
    said = common.chart(counts).mark_text(align="left", dx=6, fontSize=10, color=theme.SOFT)
    said = said.encode(x=common.constant(alt.XValue, panel.width), y=down, text=alt.Text("said:N"))
    return common.layered([area, edge, dots, said], panel.width, tall)


def _ticks(lanes: list[dict[str, Any]], x: alt.X, down: alt.Y, tint: alt.Color | alt.ColorValue) -> alt.Chart:
    """Draw every value as a tick, all ticks of a group as one broken line: a thousand dots would swell the page."""
    ends = [
        {**lane, "y": None if lift is None else lane["y"] + lift, "nth": 3 * nth + part}
        for nth, lane in enumerate(lanes)
        for part, lift in enumerate((-4.0, 4.0, None))
    ]
    line = common.chart(ends).mark_line(strokeWidth=0.8, opacity=0.6, invalid="break-paths-show-path-domains")
    ticks: alt.Chart = line.encode(x=x, y=down, color=tint, detail=alt.Detail("colour:N"), order=alt.Order("nth:Q"))
    return ticks

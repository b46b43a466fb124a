"""Stacked bars of shares: what became of every question."""

from __future__ import annotations

import altair as alt

from personae.report import theme
from personae.report.kinds import common
from personae.report.plot import Plot, Row


def draw(plot: Plot) -> common.Spec:
    """Draw one bar per category, from 0 to 1, its parts in the order of the legend."""
    category, share = plot.category, plot.measure
    labels, side = common.axis_labels(plot.names(category))
    legend = common.legend_labels(plot.names("colour"))

    def one(rows: list[Row], last: bool) -> common.Spec:
        rows = common.relabel(common.relabel(rows, category, labels), "colour", legend)
        shown = _ends([{"name": row[category], "share": row[share] or 0.0, "colour": row["colour"]} for row in rows])
        return _bars(shown, plot.title(share) if last else None, legend, side)

    return common.stacked(plot, one, side, legend)


def _ends(rows: list[Row]) -> list[Row]:
    """Add where each part begins and ends."""
    reached: dict[str, float] = {}
    placed = []
    for row in rows:
        start = reached.get(row["name"], 0.0)
        reached[row["name"]] = start + row["share"]
        placed.append({**row, "start": start, "end": start + row["share"]})
    return placed


def _bars(rows: list[Row], title: str | None, legend: dict[str, str], side: float) -> common.Spec:
    names = common.present(rows, "name")
    whole = max((row["end"] for row in rows), default=1.0)
    shares = whole <= 1.001
    scale = alt.Scale(domain=[0, 1 if shares else whole], nice=not shares)
    axis = alt.Axis(tickCount=5, domain=False, format=".0%" if shares else alt.Undefined)
    bars = common.chart(rows).mark_bar(stroke="white", strokeWidth=0.8)
    place = common.down(rows, "name")
    bars = bars.encode(
        x=alt.X("start:Q", title=title, scale=scale, axis=axis), x2=alt.X2("end:Q"), y=place,
        color=common.colour(legend),
    )  # fmt: skip
    tall = len(names) * max(24, common.tallest(names))
    return common.layered([bars, *common.side_labels(rows, "name", place)], max(150, theme.WIDTH - side), tall)

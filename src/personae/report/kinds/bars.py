"""Bars, laid horizontally so that long labels stay legible on a narrow screen; with error bars where given."""

from __future__ import annotations

from typing import Any

import altair as alt

from personae.report import theme
from personae.report.kinds import common
from personae.report.plot import Plot, Row


def draw(plot: Plot) -> common.Spec:
    """Draw one bar per row: its category down the side, its number along it."""
    category, measure = plot.category, plot.measure
    labels, side = common.axis_labels(plot.names(category))
    legend = common.legend_labels(plot.names("colour"))
    reach = common.domain(row.get(part) for row in plot.rows for part in (measure, "low", "high"))

    def one(rows: list[Row], last: bool) -> common.Spec:
        rows = common.relabel(rows, category, labels)
        if legend:
            rows = common.relabel(rows, "colour", legend)
        shown = [_named(row, category, measure) for row in rows]
        return _layers(plot, shown, plot.title(measure) if last else None, legend, reach, side)

    return common.stacked(plot, one, side, legend)


def _named(row: Row, category: str, measure: str) -> Row:
    kept = {part: row.get(part) for part in ("low", "high", "colour")}
    return {"name": row[category], "number": row[measure], **kept}


def _layers(
    plot: Plot, rows: list[Row], title: str | None, legend: dict[str, str], reach: list[float], side: float
) -> common.Spec:
    groups = len(common.present(rows, "colour")) if legend else 1
    step = groups * (15 if groups == 1 else 11) + 9
    places: dict[str, Any] = {
        "y": common.down(rows, "name", gap=9 / step),
        **common.beside(rows, legend, 0.1),
    }
    drawn = [row for row in rows if row["number"] is not None]
    bars = common.chart(drawn).mark_bar()
    bars = bars.encode(x=common.along(plot, "number", title, reach), color=common.colour(legend), **places)
    ranged = [row for row in drawn if row["low"] is not None and row["high"] is not None]
    error = common.chart(ranged).mark_rule(color=theme.INK, strokeWidth=1.2)
    error = error.encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), **places)
    absent = common.chart([{**row, "zero": 0} for row in rows if row["number"] is None])
    said = absent.mark_text(text="no value", align="left", dx=4, color=theme.SOFT, fontStyle="italic", fontSize=9)
    layers = [
        bars,
        error,
        said.encode(x=alt.X("zero:Q"), **places),
        common.zero_line(),
        *common.side_labels(rows, "name", places["y"]),
    ]
    names = common.present(rows, "name")
    tall = len(names) * max(step, common.tallest(names))
    return common.layered(layers, max(150, theme.WIDTH - side), tall)

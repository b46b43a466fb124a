"""Lines over a number: a curve or a course, with its band."""

from __future__ import annotations

import altair as alt

from personae.errors import BadInput
from personae.report import theme
from personae.report.kinds import common, field
from personae.report.plot import Plot, Row

DOTS = 25
"""Points of a line up to which each is marked: a line through few points must not look like a line through many."""


def draw(plot: Plot) -> alt.TopLevelMixin:
    """Draw one line per colour, broken where a number is missing.

    Raises
    ------
    BadInput
        When x holds anything but numbers.
    """
    axes = field.axes(plot)
    if axes.across is None:
        found = next(row["x"] for row in plot.rows if isinstance(row["x"], str))
        raise BadInput(f"figure {plot.figure.id}, x", found, "a line is drawn over numbers")
    legend = common.legend_labels(plot.names("colour"))

    def one(rows: list[Row], panel: field.Panel) -> alt.LayerChart:
        rows = common.relabel(rows, "colour", legend) if legend else rows
        return common.layered(_marks(axes, runs(rows), legend, panel), panel.width, axes.tall(panel.width))

    return field.panels(plot, one, legend)


def runs(rows: list[Row]) -> list[Row]:
    """Give the rows that have both numbers, by line and by x; ``run`` tells apart what a missing number separates."""
    lines: dict[str, list[Row]] = {}
    for row in sorted((row for row in rows if row["x"] is not None), key=lambda row: row["x"]):
        lines.setdefault(str(row.get("colour")), []).append({"low": None, "high": None, "colour": None, **row})
    shown, run = [], 0
    for line in lines.values():
        run += 1
        for row in line:
            if row["y"] is None:
                run += 1
            else:
                shown.append({**row, "run": run})
    return shown


def _marks(axes: field.Axes, rows: list[Row], legend: dict[str, str], panel: field.Panel) -> list[alt.Chart]:
    x, y, tint = axes.x(panel), axes.y(panel), common.colour(legend)
    ranged = [row for row in rows if row["low"] is not None and row["high"] is not None]
    band = common.chart(ranged).mark_area(opacity=0.16)
    band = band.encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=tint, detail="run:N")
    line = common.chart(rows).mark_line(strokeWidth=1.8).encode(x=x, y=y, color=tint, detail="run:N")
    longest = max((len([row for row in rows if row["run"] == run]) for run in {row["run"] for row in rows}), default=0)
    alone = {row["run"] for row in rows if sum(other["run"] == row["run"] for other in rows) == 1}
    marked = rows if longest <= DOTS else [row for row in rows if row["run"] in alone]
    dots = common.chart(marked).mark_circle(size=26 if panel.small else 34, opacity=1).encode(x=x, y=y, color=tint)
    zero = common.chart([{"y": 0}]).mark_rule(color=theme.ZERO, strokeWidth=1).encode(y=y)
    return [
        *([band] if ranged else []),
        *([zero] if axes.up[0] < 0 < axes.up[1] else []),
        *axes.equality(x, y), line, dots,
    ]  # fmt: skip

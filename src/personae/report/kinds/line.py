"""Lines over a number: a curve or a course, with its band."""

from __future__ import annotations

from collections import Counter

import altair as alt

from personae.errors import BadInput
from personae.report import theme
from personae.report.kinds import common, field
from personae.report.plot import Plot, Row

DOTS = 25
"""Points of a line up to which each is marked: a line through few points must not look like a line through many."""


def draw(plot: Plot) -> common.Spec:
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

    def one(rows: list[Row], panel: field.Panel) -> common.Spec:
        rows = common.relabel(rows, "colour", legend) if legend else rows
        return common.layered(_marks(axes, runs(rows), legend, panel), panel.width, axes.tall(panel.width))

    return field.panels(plot, one, legend)


def runs(rows: list[Row]) -> list[Row]:
    """Give the rows that have both numbers, by line and by x.

    A missing number separates: ``run`` tells the pieces of the lines apart, ``band`` those of the bands.
    """
    lines: dict[str, list[Row]] = {}
    for row in sorted((row for row in rows if row["x"] is not None), key=lambda row: row["x"]):
        lines.setdefault(str(row.get("colour")), []).append({"low": None, "high": None, "colour": None, **row})
    shown, run, band = [], 0, 0
    for line in lines.values():
        run, band = run + 1, band + 1
        for row in line:
            run += row["y"] is None
            band += row["y"] is None or None in (row["low"], row["high"])
            if row["y"] is not None:
                shown.append({**row, "run": run, "band": band})
    return shown


def _marks(axes: field.Axes, rows: list[Row], legend: dict[str, str], panel: field.Panel) -> list[alt.Chart]:
    x, y, tint = axes.x(panel), axes.y(panel), common.colour(legend)
    ranged = [row for row in rows if row["low"] is not None and row["high"] is not None]
    band = common.chart(ranged).mark_area(opacity=0.16)
    band = band.encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=tint, detail=alt.Detail("band:N"))
    line = common.chart(rows).mark_line(strokeWidth=1.8).encode(x=x, y=y, color=tint, detail=alt.Detail("run:N"))
    lengths = Counter(row["run"] for row in rows)
    few = max(lengths.values(), default=0) <= DOTS
    marked = [row for row in rows if few or lengths[row["run"]] == 1]
    dots = common.chart(marked).mark_circle(size=26 if panel.small else 34, opacity=1).encode(x=x, y=y, color=tint)
    zero = common.chart([{"y": 0}]).mark_rule(color=theme.ZERO, strokeWidth=1).encode(y=y)
    return [
        *([band] if ranged else []),
        *([zero] if axes.up[0] < 0 < axes.up[1] else []),
        *axes.equality(x, y), line, dots,
    ]  # fmt: skip

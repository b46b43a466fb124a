"""Points in a square, with intervals and the diagonal of equality where asked for."""

from __future__ import annotations

import altair as alt

from personae.report import theme
from personae.report.kinds.common import chart, colour, domain, layered, legend_labels, relabel, stacked
from personae.report.plot import Plot, Row

_SIDE, _LEFT = 340, 44


def draw(plot: Plot) -> alt.TopLevelMixin:
    """Draw one point per row that has both numbers."""
    legend = legend_labels(plot.names("colour"))
    diagonal = bool(plot.figure.options.get("diagonal"))
    across = domain((row["x"] for row in plot.rows), zero=False) if plot.numeric("x") else None
    up = domain((row.get(part) for row in plot.rows for part in ("y", "low", "high")), zero=False)
    if diagonal and across:
        across = up = [min(across[0], up[0]), max(across[1], up[1])]

    def one(rows: list[Row], _last: bool) -> alt.LayerChart:
        rows = [{"low": None, "high": None, **row} for row in rows if row["x"] is not None and row["y"] is not None]
        rows = relabel(rows, "colour", legend) if legend else rows
        return _layers(plot, rows, legend, across, up, diagonal)

    return stacked(plot, one, _LEFT, legend)


def _layers(
    plot: Plot, rows: list[Row], legend: dict[str, str], across: list[float] | None, up: list[float], diagonal: bool
) -> alt.LayerChart:
    shape = plot.figure.options.get("format", alt.Undefined)
    if across is None:
        x = alt.X("x:N", sort=None, title=plot.title("x"), axis=alt.Axis(labelAngle=-30))
    else:
        x = alt.X("x:Q", title=plot.title("x"), scale=alt.Scale(domain=across, nice=True), axis=alt.Axis(tickCount=5))
    y = alt.Y(
        "y:Q", title=plot.title("y"), scale=alt.Scale(domain=up, nice=True), axis=alt.Axis(tickCount=5, format=shape)
    )
    tint = colour(legend)
    layers: list[alt.Chart] = []
    if diagonal and across:
        ends = [{"x": end, "y": end} for end in across]
        layers.append(chart(ends).mark_line(color=theme.ZERO, strokeDash=[4, 4], strokeWidth=1).encode(x=x, y=y))
    ranged = [row for row in rows if row["low"] is not None and row["high"] is not None]
    if ranged:
        layers.append(chart(ranged).mark_rule(strokeWidth=1.2).encode(x=x, y="low:Q", y2="high:Q", color=tint))
    layers.append(chart(rows).mark_circle(size=52, opacity=0.85).encode(x=x, y=y, color=tint))
    return layered(layers, _SIDE, _SIDE if diagonal else _SIDE * 3 / 4)

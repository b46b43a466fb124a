"""Forest plot: a point and its interval per line, the numbers written beside them."""

from __future__ import annotations

from typing import Any

import altair as alt

from personae.report import text, theme
from personae.report.kinds import common
from personae.report.plot import Plot, Row, block

_SIZE = 11


def draw(plot: Plot) -> alt.TopLevelMixin:
    """Draw one line per row, in the order given."""
    labels, side = common.axis_labels(plot.names("y"), 132)
    legend = common.legend_labels(plot.names("colour"))
    reach = common.domain(row.get(part) for row in plot.rows for part in ("x", "low", "high"))
    right = block([_numbers(row) for row in plot.rows], _SIZE) + 12

    def one(rows: list[Row], last: bool) -> alt.LayerChart:
        rows = [{"low": None, "high": None, "colour": None, **row, "said": _numbers(row)} for row in rows]
        rows = common.relabel(rows, "y", labels)
        if legend:
            rows = common.relabel(rows, "colour", legend)
        return _layers(plot, rows, plot.title("x") if last else None, legend, reach, (side, right))

    return common.stacked(plot, one, side, legend)


def _numbers(row: Row) -> str:
    if row["x"] is None:
        return "no value"
    value = _fixed(row["x"])
    if row.get("low") is None or row.get("high") is None:
        return value
    return f"{value}  [{_fixed(row['low'])}, {_fixed(row['high'])}]"


def _fixed(value: float) -> str:
    shown = f"{value:.2f}" if abs(value) < 100 else text.number(value)
    return shown.replace("-0.00", "0.00").replace("-", "−")


def _layers(
    plot: Plot, rows: list[Row], title: str | None, legend: dict[str, str], reach: list[float],
    sides: tuple[float, float],
) -> alt.LayerChart:  # fmt: skip
    across = max(120.0, theme.WIDTH - sum(sides))
    groups = len(common.present(rows, "colour")) if legend else 0
    places: dict[str, Any] = {"y": common.down(rows, "y"), **common.beside(rows, legend, 0.2)}
    tint = common.colour(legend)
    drawn = [row for row in rows if row["x"] is not None]
    ranged = [row for row in drawn if row["low"] is not None and row["high"] is not None]
    point = common.chart(drawn).mark_circle(size=56, opacity=1)
    point = point.encode(x=common.along(plot, "x", title, reach), color=tint, **places)
    whisker = common.chart(ranged).mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q", color=tint, **places)
    said = common.chart(rows).mark_text(align="left", fontSize=_SIZE, color=theme.SOFT)
    said = said.encode(x=alt.value(across + 10), text="said:N", **places)
    names = common.present(rows, "y")
    step = max(14 * groups + 8, common.tallest(names))
    layers = [common.zero_line(), whisker, point, said, *common.side_labels(rows, "y", places["y"])]
    return common.layered(layers, across, len(names) * step)

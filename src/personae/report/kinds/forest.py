"""Forest plot: a point and its interval per line, the numbers written beside them."""

from __future__ import annotations

import altair as alt

from personae.report import text, theme
from personae.report.kinds import common
from personae.report.plot import Plot, Row, block

_SIZE = 11


def draw(plot: Plot) -> common.Spec:
    """Draw one line per row, in the order given."""
    labels, side = common.axis_labels(plot.names("y"), 132)
    legend = common.legend_labels(plot.names("colour"))
    reach = common.domain(row.get(part) for row in plot.rows for part in ("x", "low", "high"))
    right = block([_numbers(row) for row in plot.rows], _SIZE) + 12

    def one(rows: list[Row], last: bool) -> common.Spec:
        rows = [{"low": None, "high": None, "colour": None, **row, "said": _numbers(row)} for row in rows]
        rows = common.relabel(rows, "y", labels)
        if legend:
            rows = common.relabel(rows, "colour", legend)
        return _layers(plot, _placed(rows, legend), plot.title("x") if last else None, legend, reach, (side, right))

    return common.stacked(plot, one, side, legend)


def _placed(rows: list[Row], legend: dict[str, str]) -> list[Row]:
    """Give each row its height in pixels: lines as tall as their label or their groups need, groups side by side."""
    groups = [shown for shown in legend.values() if shown in common.present(rows, "colour")]
    middle, end = {}, 0.0
    for name in common.present(rows, "y"):
        tall = max(common.tallest([name]), 14.0 * len(groups) + 8)
        middle[name], end = end + tall / 2, end + tall
    placed = []
    for row in rows:
        nth = groups.index(row["colour"]) - (len(groups) - 1) / 2 if groups else 0.0
        placed.append({**row, "middle": middle[row["y"]], "down": middle[row["y"]] + 14 * nth, "end": end})
    return placed


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
) -> common.Spec:  # fmt: skip
    across = max(120.0, theme.WIDTH - sum(sides))
    down, tint = alt.Y("down:Q", scale=None, axis=None), common.colour(legend)
    drawn = [row for row in rows if row["x"] is not None]
    ranged = [row for row in drawn if row["low"] is not None and row["high"] is not None]
    whisker = (
        common.chart(ranged).mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=tint, y=down)
    )
    point = common.chart(drawn).mark_circle(size=56, opacity=1)
    point = point.encode(x=common.along(plot, "x", title, reach), color=tint, y=down)
    said = common.chart(rows).mark_text(align="left", fontSize=_SIZE, color=theme.SOFT)
    said = said.encode(x=common.constant(alt.XValue, across + 10), text=alt.Text("said:N"), y=down)
    names = common.side_labels(rows, "y", alt.Y("middle:Q", scale=None, axis=None))
    return common.layered([common.zero_line(), whisker, point, said, *names], across, rows[0]["end"])

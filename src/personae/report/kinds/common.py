"""What several kinds of figure share: legends, domains, facets one under another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import altair as alt

from personae.report import text, theme
from personae.report.plot import Plot, Row, block, unique, wrapped

Chart = alt.Chart | alt.LayerChart
MARGIN = 14


def chart(rows: Sequence[Row]) -> alt.Chart:
    """Start a chart on rows that travel inside the spec."""
    return alt.Chart(alt.InlineData(values=list(rows)))


def layered(layers: Sequence[alt.Chart], across: float, tall: float) -> Chart:
    """Lay charts over one another in a field of this size in pixels, the first lowest."""
    over = alt.LayerChart(layer=list(layers))
    over.width, over.height = across, tall
    return over


def down(rows: Sequence[Row], part: str, side: float, *, gap: float = 0.3) -> alt.Y:
    """Give the vertical axis of categories: in the order of the rows, labels ``side`` pixels wide, no ticks."""
    axis = alt.Axis(ticks=False, domain=False, grid=False, minExtent=side, maxExtent=side)
    scale = alt.Scale(paddingInner=gap, paddingOuter=0.1)
    return alt.Y(f"{part}:N", sort=present(rows, part), title=None, axis=axis, scale=scale)


def along(plot: Plot, field: str, title: str, reach: list[float]) -> alt.X:
    """Give the horizontal axis of numbers over the range ``reach``."""
    axis = alt.Axis(tickCount=5, domain=False, format=plot.figure.options.get("format", alt.Undefined))
    return alt.X(f"{field}:Q", title=title, axis=axis, scale=alt.Scale(domain=reach, nice=True))


def beside(rows: Sequence[Row], legend: dict[str, str], gap: float) -> dict[str, alt.YOffset]:
    """Set the groups of a category one under another, as many as these rows have; nothing without groups."""
    order = [shown for shown in legend.values() if shown in present(rows, "colour")]
    if not order:
        return {}
    scale = alt.Scale(domain=order, paddingInner=gap, paddingOuter=gap)
    return {"yOffset": alt.YOffset("colour:N", sort=order, scale=scale)}


def axis_labels(names: Iterable[str], pixels: float = 150) -> tuple[dict[str, str], float]:
    """Wrap labels of a vertical axis; give the map and the width they take."""
    labels = wrapped(names, pixels, theme.LABEL_SIZE)
    return labels, block(labels.values(), theme.LABEL_SIZE) + MARGIN


def legend_labels(names: Iterable[str]) -> dict[str, str]:
    """Wrap the labels of a legend."""
    return wrapped(names, 180, theme.LABEL_SIZE, lines=2)


def colour(plot: Plot, labels: dict[str, str], *, mark: str = "square") -> alt.Color:
    """Colour by the labels of ``colour``, with a legend above that fits the width of a figure."""
    names = list(labels)
    room = block(labels.values(), theme.LABEL_SIZE) + 34
    legend = alt.Legend(
        title=plot.title("colour") or None,
        orient="top",
        direction="horizontal",
        columns=max(1, min(len(names), int(theme.WIDTH // room))),
        symbolType=mark,
        symbolStrokeWidth=0,
        offset=10,
    )
    scale = alt.Scale(domain=[labels[name] for name in names], range=theme.colours(names))
    return alt.Color("colour:N", scale=scale, legend=legend, sort=None)


def domain(values: Iterable[float | None], *, zero: bool = True) -> list[float]:
    """Smallest range that holds the values (and 0), never empty."""
    known = [value for value in values if value is not None] + ([0.0] if zero else [])
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if low == high:
        return [low - 0.5, high + 0.5] if not zero or low else [0.0, 1.0]
    return [low, high]


def stacked(plot: Plot, draw: Callable[[list[Row]], Chart]) -> alt.TopLevelMixin:
    """Draw each facet by itself and set them one under another, so that a narrow screen can read them."""
    parts = []
    for name, rows in plot.facets():
        part = draw(rows)
        if name:
            part = part.properties(title=text.wrap(name, theme.WIDTH, theme.TITLE_SIZE).split("\n"))
        parts.append(part)
    return parts[0] if len(parts) == 1 else alt.vconcat(*parts)


def zero_line() -> alt.Chart:
    """Draw a line where nothing differs."""
    line: alt.Chart = chart([{"zero": 0}]).mark_rule(color=theme.ZERO, strokeWidth=1).encode(x=alt.X("zero:Q"))
    return line


def relabel(rows: Sequence[Row], part: str, labels: dict[str, str]) -> list[Row]:
    """Replace a part's value by its wrapped label."""
    return [{**row, part: labels[text.label(row[part])]} for row in rows]


def present(rows: Sequence[Row], part: str) -> list[Any]:
    """Distinct values of a part among the rows, in order of appearance."""
    return unique(row[part] for row in rows)


def formatted(plot: Plot, values: Iterable[float | None]) -> str:
    """Give the d3 format of the values: ``options["format"]``, else two decimals."""
    chosen = plot.figure.options.get("format")
    if isinstance(chosen, str):
        return chosen
    known = [abs(value) for value in values if value is not None]
    return ".0f" if known and all(value.is_integer() for value in known) and max(known) >= 10 else ".2f"

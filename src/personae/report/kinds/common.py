"""What several kinds of figure share: legends, domains, facets one under another."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

import altair as alt

from personae.report import text, theme
from personae.report.plot import Plot, Row, block, unique, wrapped

Channel = TypeVar("Channel")
Spec = dict[str, Any]
"""A field, or several set beside or under one another, in Vega-Lite's words; ``datasets`` are all their rows."""

MARGIN = 14
_KEY, _LINE = 12, theme.LABEL_SIZE + 1.5


def chart(rows: Sequence[Row]) -> alt.Chart:
    """Start a chart on rows that travel inside the spec."""
    return alt.Chart(alt.InlineData(values=list(rows)))


def layered(layers: Sequence[alt.Chart], across: float, tall: float) -> Spec:
    """Lay charts over one another in a field of this size in pixels, the first lowest."""
    over: Spec = {"layer": [], "width": across, "height": tall, "datasets": {}}
    return lay_over(over, layers)


def lay_over(under: Spec, layers: Iterable[alt.Chart]) -> Spec:
    """Add charts on top of a field, their rows to its data; gives the field."""
    # Altair's own layers and facets would copy every chart in them many times over.
    context = {"datasets": under["datasets"], "top_level": False}
    under["layer"] += [layer.to_dict(validate=False, context=context) for layer in layers]
    return under


def arranged(way: str, parts: Sequence[Spec], **options: Any) -> Spec:
    """Set fields beside or under one another; ``way`` is Vega-Lite's name of that. The data move to the whole."""
    datasets = {name: rows for part in parts for name, rows in part.pop("datasets").items()}
    return {way: list(parts), **options, "datasets": datasets}


def down(rows: Sequence[Row], part: str, *, gap: float = 0.3) -> alt.Y:
    """Place categories one under another in the order of the rows; `side_labels` names them."""
    scale = alt.Scale(paddingInner=gap, paddingOuter=0.1)
    return alt.Y(f"{part}:N", sort=present(rows, part), axis=None, scale=scale)


def side_labels(rows: Sequence[Row], part: str, place: alt.Y, marked: Collection[str] = frozenset()) -> list[alt.Chart]:
    """Name the categories left of the plot, labels of several lines centred on theirs, the marked ones slanted.

    An axis would set the first line, and not the middle, beside its category.
    """
    by_lines: dict[tuple[int, bool], list[Row]] = {}
    for name, row in {row[part]: row for row in rows}.items():
        by_lines.setdefault((name.count("\n"), name in marked), []).append({**row, "said": name})
    return [
        chart(named)
        .mark_text(
            align="right", dx=-6, dy=-more * _LINE / 2, lineHeight=_LINE, fontStyle="italic" if slanted else "normal"
        )
        .encode(x=constant(alt.XValue, 0), y=place, text=alt.Text("said:N"))
        for (more, slanted), named in by_lines.items()
    ]


def along(plot: Plot, field: str, title: str | None, reach: list[float]) -> alt.X:
    """Give the horizontal axis of numbers over the range ``reach``."""
    pattern = plot.figure.options.get("format", alt.Undefined)
    axis = alt.Axis(tickCount=5, domain=False, format=pattern, tickMinStep=least_step(pattern))
    return alt.X(f"{field}:Q", title=title, axis=axis, scale=alt.Scale(domain=reach, nice=True))


def beside(rows: Sequence[Row], legend: dict[str, str], gap: float) -> dict[str, alt.YOffset]:
    """Set the groups of a category one under another, as many as these rows have; nothing without groups."""
    order = [shown for shown in legend.values() if shown in present(rows, "colour")]
    if not order:
        return {}
    scale = alt.Scale(domain=order, paddingInner=gap, paddingOuter=gap)
    return {"yOffset": alt.YOffset("colour:N", sort=order, scale=scale)}


def axis_labels(names: Iterable[str], pixels: float = 140) -> tuple[dict[str, str], float]:
    """Wrap labels of a vertical axis; give the map and the width they take."""
    labels = wrapped(names, pixels, theme.LABEL_SIZE)
    return labels, block(labels.values(), theme.LABEL_SIZE) + MARGIN


def legend_labels(names: Iterable[str]) -> dict[str, str]:
    """Cut the labels of a key to one line each."""
    return wrapped(names, 280, _KEY, lines=1)


def colour(labels: dict[str, str]) -> alt.Color | alt.ColorValue:
    """Colour by the labels of ``colour``; `key` says which is which. One colour for all where there are no labels."""
    if not labels:
        return alt.ColorValue(theme.PALETTE[0])
    scale = alt.Scale(domain=list(labels.values()), range=theme.colours(list(labels)))
    return alt.Color("colour:N", scale=scale, legend=None, sort=None)


def key(plot: Plot, labels: dict[str, str], left: float) -> Spec:
    """Draw the key to the colours, in lines as wide as the figure, starting ``left`` pixels left of the plot."""
    title = plot.title("colour")
    start = text.width(title, _KEY) + 14 if title else 0.0
    across, line, items = start, 0, []
    for shown, tint in zip(labels.values(), theme.colours(list(labels)), strict=True):
        room = text.width(shown, _KEY) + 30
        if across + room > theme.WIDTH + 14 and across > start:
            across, line = start, line + 1
        items.append({"x": across - left, "y": 18.0 * line + 7, "tint": tint, "said": shown})
        across += room
    dot = at(chart(items).mark_square(size=100, opacity=1)).encode(color=alt.Color("tint:N", scale=None, legend=None))
    said = at(chart(items).mark_text(align="left", dx=10, fontSize=_KEY)).encode(text=alt.Text("said:N"))
    head = [{"x": -left - 5, "y": 7, "said": title}] if title else []
    lead = at(chart(head).mark_text(align="left", color=theme.SOFT, fontSize=_KEY)).encode(text=alt.Text("said:N"))
    return layered([dot, said, lead], theme.WIDTH - left, 18.0 * line + 14)


def constant(channel: Callable[[float | str], Channel], value: float | str) -> Channel:
    """Give every mark the same value, in pixels or a word of Vega-Lite's."""
    # `alt.value` leaves the channel open, and Altair then searches its whole schema for it, each time.
    return channel(value)


def at(marks: alt.Chart) -> alt.Chart:
    """Place marks by the pixels in their fields ``x`` and ``y``."""
    placed: alt.Chart = marks.encode(x=alt.X("x:Q", scale=None, axis=None), y=alt.Y("y:Q", scale=None, axis=None))
    return placed


def tallest(labels: Iterable[str]) -> float:
    """Height in pixels that the label of most lines needs, with some air."""
    return max((label.count("\n") + 1 for label in labels), default=1) * _LINE + 7


def domain(values: Iterable[float | None], *, zero: bool = True) -> list[float]:
    """Smallest range that holds the values (and 0), never empty."""
    known = [value for value in values if value is not None] + ([0.0] if zero else [])
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if low == high:
        return [low - 0.5, high + 0.5] if not zero or low else [0.0, 1.0]
    return [low, high]


def stacked(
    plot: Plot, draw: Callable[[list[Row], bool], Spec], left: float, labels: dict[str, str] | None = None
) -> Spec:
    """Draw each facet by itself and set them one under another, so that a narrow screen can read them.

    Parameters
    ----------
    draw : callable
        Draws the rows of one facet, told whether it is the last: only that one names its axis of numbers.
    left : float
        How far the labels of the vertical axis reach to the left, in pixels.
    labels : dict, optional
        Labels of the colours; a key to them goes above.
    """
    parts = [key(plot, labels, left)] if labels else []
    facets = plot.facets()
    for nth, (name, rows) in enumerate(facets):
        part = draw(rows, nth == len(facets) - 1)
        if name:
            lines = text.wrap(name, theme.WIDTH, theme.TITLE_SIZE).split("\n")
            part["title"] = {"text": lines, "dx": -left}
        parts.append(part)
    return parts[0] if len(parts) == 1 else arranged("vconcat", parts)


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


def least_step(pattern: Any) -> Any:
    """Give the least distance of ticks at which no two of them have the same label in a d3 format."""
    found = re.search(r"\.(\d+)([f%])$", pattern) if isinstance(pattern, str) else None
    return 10.0 ** -(int(found[1]) + 2 * (found[2] == "%")) if found else alt.Undefined


def no_sign_of_zero(value: float, pattern: str) -> float:
    """Give 0 for what a d3 format would write as a negative zero."""
    found = re.search(r"\.(\d+)f$", pattern)
    return 0.0 if found and round(value, int(found[1])) == 0 else value

"""A field of two axes of numbers: what points and lines share. Facets stand side by side on the same axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import altair as alt

from personae.errors import BadInput
from personae.report import text, theme
from personae.report.kinds import common
from personae.report.plot import Plot, Row

LEFT = 44
_BETWEEN, _BEYOND, _WIDEST = 12, 14, 340


@dataclass(frozen=True)
class Panel:
    """Where one facet is drawn: its width in pixels, whether it is the first of its line, whether one is below it."""

    width: float
    first: bool
    lowest: bool

    @property
    def small(self) -> bool:
        """Whether fewer ticks and smaller letters fit."""
        return self.width < _WIDEST / 2


@dataclass(frozen=True)
class Axes:
    """The ranges of both axes, round and the same in every facet; ``across`` is None where x names categories."""

    plot: Plot
    across: list[float] | None
    up: list[float]

    @property
    def diagonal(self) -> bool:
        """Whether the line of equality is drawn."""
        return bool(self.plot.figure.options.get("diagonal")) and self.across is not None

    def tall(self, width: float) -> float:
        """Height of a panel: square where equality is to be seen."""
        return width if self.diagonal else width * 3 / 4

    def at(self, row: Row, width: float) -> tuple[float, float]:
        """Place of a row in pixels from the upper left corner; only where x is a number."""
        assert self.across is not None
        (left, right), (low, high) = self.across, self.up
        return width * (row["x"] - left) / (right - left), self.tall(width) * (high - row["y"]) / (high - low)

    def x(self, panel: Panel) -> alt.X:
        """Horizontal axis; only the lowest panel names it."""
        title = self.plot.title("x") if panel.lowest else None
        if self.across is None:
            return alt.X("x:N", sort=None, title=title, axis=alt.Axis(labelAngle=-30))
        return alt.X("x:Q", title=title, scale=alt.Scale(domain=self.across, nice=False), axis=self._axis("x", panel))

    def y(self, panel: Panel) -> alt.Y:
        """Vertical axis; only the first panel of a line has numbers and a name."""
        axis = self._axis("y", panel)
        if not panel.first:
            axis["labels"] = False
        title = self.plot.title("y") if panel.first else None
        return alt.Y("y:Q", title=title, scale=alt.Scale(domain=self.up, nice=False), axis=axis)

    def _axis(self, part: str, panel: Panel) -> alt.Axis:
        ticks = 3 if panel.small else 5
        pattern = number_format(self.plot, part)
        least = common.least_step(pattern)
        return alt.Axis(tickCount=ticks, ticks=False, domain=False, format=pattern, tickMinStep=least)

    def equality(self, x: alt.X, y: alt.Y) -> list[alt.Chart]:
        """Draw the line on which both numbers are equal, where asked for."""
        if not self.diagonal or self.across is None:
            return []
        ends = common.chart([{"x": end, "y": end} for end in self.across])
        return [ends.mark_line(color=theme.ZERO, strokeDash=[4, 4], strokeWidth=1).encode(x=x, y=y)]


def axes(plot: Plot) -> Axes:
    """Give round ranges that hold every number; with the diagonal both axes have the same."""
    up = common.domain(
        (row.get(part) for row in plot.rows for part in ("y", "low", "high")),
        zero=bool(plot.figure.options.get("zero")),
    )
    if not (plot.numeric("x") or all(row["x"] is None for row in plot.rows)):
        return Axes(plot, None, nice(up))
    across = common.domain((row["x"] for row in plot.rows), zero=False)
    if plot.figure.options.get("diagonal"):
        across = up = [min(across[0], up[0]), max(across[1], up[1])]
    return Axes(plot, nice(across), nice(up))


def nice(reach: list[float], ticks: int = 5) -> list[float]:
    """Widen a range to round ends: multiples of 1, 2 or 5 times a power of ten."""
    low, high = reach
    rough = (high - low) / ticks
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough * 0.75)
    return [
        float(f"{math.floor(low / step + 1e-9) * step:.12g}"),
        float(f"{math.ceil(high / step - 1e-9) * step:.12g}"),
    ]


def number_format(plot: Plot, part: str) -> Any:
    """Give the format of an axis: ``options["format"]`` for y, with a diagonal for x too, or a mapping by part."""
    chosen = plot.figure.options.get("format")
    if isinstance(chosen, str):
        return chosen if part == "y" or plot.figure.options.get("diagonal") else alt.Undefined
    return (chosen or {}).get(part, alt.Undefined)


def panels(
    plot: Plot, draw: Callable[[list[Row], Panel], common.Spec], labels: dict[str, str], *,
    usual: int = 2, left: float = LEFT, right: float = 0,
) -> common.Spec:  # fmt: skip
    """Draw each facet by itself and set them side by side, under the key.

    Parameters
    ----------
    draw : callable
        Draws the rows of one facet in a panel.
    labels : dict
        Labels of the colours.
    usual : int
        Facets in a line where ``options["columns"]`` does not say.
    left, right : float
        Pixels needed left of the first panel and right of every panel.
    """
    facets = plot.facets()
    columns = min(abreast(plot, usual), len(facets))
    width = min(
        _WIDEST, (theme.WIDTH - left - (columns - 1) * (_BETWEEN + _BEYOND)) / columns - right - (columns > 1) * 8
    )
    drawn = []
    for nth, (name, rows) in enumerate(facets):
        panel = Panel(width, first=nth % columns == 0, lowest=nth + columns >= len(facets))
        part = draw(rows, panel)
        drawn.append(common.lay_over(part, [_heading(name, width)] if name else []))
    body = drawn[0] if len(drawn) == 1 else common.arranged("concat", drawn, columns=columns, spacing=_BETWEEN)
    return common.arranged("vconcat", [common.key(plot, labels, left), body]) if labels else body


def _heading(name: str, width: float) -> alt.Chart:
    """Write a facet's name at the same height in every panel; a title would stand above the highest tick label."""
    lines = text.wrap(name, width, theme.TITLE_SIZE).split("\n")
    rows = [{"x": 0, "y": -14 - 15 * (len(lines) - 1 - nth), "said": line} for nth, line in enumerate(lines)]
    mark = common.chart(rows).mark_text(align="left", fontSize=theme.TITLE_SIZE, fontWeight=600)
    return common.at(mark).encode(text=alt.Text("said:N"))


def abreast(plot: Plot, usual: int) -> int:
    """Give how many facets stand in a line.

    Raises
    ------
    BadInput
        When ``options["columns"]`` is not 1, 2 or 3: more would be too small to read on a telephone.
    """
    columns = plot.figure.options.get("columns", usual)
    if columns not in (1, 2, 3):
        raise BadInput(f"figure {plot.figure.id}, columns", columns, "1, 2 or 3 facets fit side by side")
    return int(columns)

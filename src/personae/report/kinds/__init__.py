"""One file per kind of figure: ``draw(plot)`` gives a picture, ``write(plot)`` a piece of the page."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from personae.report.kinds import bars, density, forest, heatmap, line, points, radial, stack, table, text, words
from personae.report.kinds.common import Spec
from personae.report.plot import Plot

DRAW: dict[str, Callable[[Plot], Spec]] = {
    "bars": bars.draw,
    "density": density.draw,
    "forest": forest.draw,
    "heatmap": heatmap.draw,
    "line": line.draw,
    "points": points.draw,
    "radial": radial.draw,
    "stack": stack.draw,
    "words": words.draw,
}
"""Kinds that are pictures."""

WRITE: dict[str, Callable[[Plot], Markup]] = {
    "table": table.write,
    "text": text.write,
}
"""Kinds that are words: in the page they are text, as a file they are CSV."""

"""One file per kind of figure, each with ``draw(plot)``."""

from __future__ import annotations

from collections.abc import Callable

import altair as alt

from personae.report.kinds import bars, forest, heatmap, points, radial, stack, words
from personae.report.plot import Plot

DRAW: dict[str, Callable[[Plot], alt.TopLevelMixin]] = {
    "bars": bars.draw,
    "forest": forest.draw,
    "heatmap": heatmap.draw,
    "points": points.draw,
    "radial": radial.draw,
    "stack": stack.draw,
    "words": words.draw,
}

"""Word cloud: the area of a word is its count."""

from __future__ import annotations

import altair as alt

from personae.report import text, theme
from personae.report.cloud import layout
from personae.report.kinds.common import Spec, at, chart, layered, stacked
from personae.report.plot import Plot, Row

MOST = 70
"""Words drawn per facet; the table under the figure has all of them."""

_HEIGHT = 210


def draw(plot: Plot) -> Spec:
    """Draw one cloud per facet, one above another."""
    return stacked(plot, lambda rows, _last: _cloud(rows), 0)


def _cloud(rows: list[Row]) -> Spec:
    counts: dict[str, float] = {}
    for row in rows:
        word = text.shorten(text.label(row["word"]), 28)
        counts[word] = counts.get(word, 0.0) + (row["count"] or 0.0)
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST]
    height = _HEIGHT if len(most) > 12 else _HEIGHT * 0.6
    placed = [
        {"x": one.x, "y": one.y, "word": one.word, "size": one.size, "tone": _tone(one.count / most[0][1])}
        for one in layout(most, theme.WIDTH, height)
    ]
    cloud = at(chart(placed).mark_text(align="center", baseline="middle", fontWeight=600))
    cloud = cloud.encode(
        text=alt.Text("word:N"), size=alt.Size("size:Q", scale=None, legend=None),
        color=alt.Color("tone:N", scale=None, legend=None),
    )  # fmt: skip
    return layered([cloud], theme.WIDTH, height)


def _tone(share: float) -> str:
    """Darker for words said more often: a second cue beside the size."""
    return "#08306b" if share > 0.5 else "#1f6cb0" if share > 0.2 else "#557a9c"

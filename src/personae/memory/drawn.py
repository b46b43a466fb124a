"""A figure of the memory study, and on how much it rests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from personae.memory.measures_frame import STUDY
from personae.memory.naming import episode_count
from personae.tell import drawing
from personae.tell.table import Row
from personae.types import Figure


def figure(
    name: str,
    kind: Any,
    title: str,
    caption: str,
    rows: Sequence[Row],
    encode: Mapping[str, str],
    **options: Any,
) -> Figure | None:
    """A figure by its own name, with its options; None where there is no row."""
    return drawing.figure(STUDY, f"{STUDY}.{name}", kind, title, caption, rows, encode, options)


def resting(rows: Sequence[Row], what: str) -> str:
    """On how many answers, questions, sets or episodes numbers rest, to follow a caption; with their least coverage.

    Parameters
    ----------
    rows : sequence of dict
        Rows of the table of estimates.
    what : str
        What their ``n`` counts, in the plural.
    """
    if not rows:
        return ""
    count = episode_count if what == "episodes" else itemgetter("n")
    least, most = (pick(map(count, rows)) for pick in (min, max))
    counted = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    covered = [row["coverage"] for row in rows if row["coverage"] is not None]
    lowest = math.floor(100 * min(covered, default=1.0))
    coverage = f", coverage {'at least ' if lowest < 100 else ''}{lowest} %" if covered else ""
    if what == "episodes" and most == 1:
        return " Each number is of one episode: how far episodes differ is not known."
    return f" Each number rests on {counted} {what}{coverage}."

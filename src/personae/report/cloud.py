"""Lay out a word cloud: words outwards along a spiral from the middle, none touching another.

The words are placed here and not by Vega's ``wordcloud`` transform, which needs a browser's canvas; so the same counts
also always give the same picture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from personae.report import text

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Placed:
    """A word, the middle of its line in pixels, its font size in pixels."""

    word: str
    count: float
    x: float
    y: float
    size: float


def layout(
    words: Sequence[tuple[str, float]], width: float, height: float, *, smallest: float = 10, largest: float = 42
) -> list[Placed]:
    """Place words by falling count, the area of a word in proportion to its count; leave out what does not fit.

    Parameters
    ----------
    words : sequence of (word, count)
        Counts above 0. Equal counts are ordered by word, so the order given does not matter.
    width, height : float
        The field in pixels.

    Returns
    -------
    list of Placed
        Largest first.
    """
    ordered = sorted(((word, count) for word, count in words if count > 0), key=lambda pair: (-pair[1], pair[0]))
    if not ordered:
        return []
    scale = _fitting(ordered, width, height, largest)
    placed: list[Placed] = []
    taken: list[tuple[float, float, float, float]] = []
    for word, count in ordered:
        size = max(smallest, scale * math.sqrt(count / ordered[0][1]))
        half = text.width(word, size) * 0.54 + 2, size * 0.56
        spot = _free(half, width, height, taken)
        if spot is not None:
            placed.append(Placed(word, count, *spot, size))
            taken.append((spot[0] - half[0], spot[1] - half[1], spot[0] + half[0], spot[1] + half[1]))
    return placed


def _fitting(words: Sequence[tuple[str, float]], width: float, height: float, largest: float) -> float:
    """Largest font size at which the words cover no more than half of the field and each fits across it."""
    top = words[0][1]
    cover = sum(text.width(word, 1) * 1.1 * count / top for word, count in words)
    across = max(text.width(word, 1) * math.sqrt(count / top) for word, count in words) * 1.08
    return min(largest, math.sqrt(0.5 * width * height / max(cover, 1e-9)), (width - 4) / max(across, 1e-9))


@lru_cache(maxsize=16)
def _spiral(width: float, height: float) -> tuple[Numbers, Numbers]:
    """Points along an Archimedean spiral as flat as the field, about two pixels apart: their places across and down."""
    angle, flat = 0.0, height / width
    reach = math.hypot(width, height) / 2
    points: list[tuple[float, float]] = []
    while (radius := 1.6 * angle) < reach:
        points.append((width / 2 + radius * math.cos(angle), height / 2 + radius * math.sin(angle) * flat))
        angle += 2.0 / max(2.0, radius)
    found = np.array(points).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _free(
    half: tuple[float, float], width: float, height: float, taken: Sequence[tuple[float, float, float, float]]
) -> tuple[float, float] | None:
    x, y = _spiral(width, height)
    left, top, right, bottom = x - half[0], y - half[1], x + half[0], y + half[1]
    free = (left >= 0) & (top >= 0) & (right <= width) & (bottom <= height)
    for box in taken:
        free &= (left >= box[2]) | (box[0] >= right) | (top >= box[3]) | (box[1] >= bottom)
    if not free.any():
        return None
    first = free.argmax()
    return float(x[first]), float(y[first])

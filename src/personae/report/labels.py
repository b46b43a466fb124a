"""Place names beside points so that none covers another, and as few points as possible are covered."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from personae.report import text

_CUT = 28
_AWAY = (0.0, 9.0, 18.0, 30.0, 44.0)
_Box = tuple[float, float, float, float]
"""Left, top, right, bottom; of a line both ends."""


@dataclass(frozen=True)
class Point:
    """A point in pixels and its name; the empty name is none."""

    x: float
    y: float
    name: str = ""


@dataclass(frozen=True)
class Label:
    """A name, the middle of its line, and the line that leads to its point."""

    text: str
    x: float
    y: float
    from_x: float
    from_y: float
    to_x: float
    to_y: float

    @property
    def line(self) -> tuple[float, float, float, float]:
        """From the point to the edge of the name."""
        return self.from_x, self.from_y, self.to_x, self.to_y

    @property
    def far(self) -> bool:
        """Whether it stands so far from its point that a line must lead there."""
        return math.hypot(self.from_x - self.to_x, self.from_y - self.to_y) > 8


def place(points: Sequence[Point], width: float, height: float, size: float, most: int) -> list[Label]:
    """Place the names of the first ``most`` named points; a name for which nothing is free is left out.

    Of the free places around a point, the one is taken that covers fewest points, then the nearest.

    Parameters
    ----------
    points : sequence of Point
        All points drawn, those to be named in order of importance.
    width, height : float
        The field in pixels; no name leaves it.
    size : float
        Font size in pixels.
    """
    named = [point for point in points if point.name][:most]
    field = _Field(points, width, height, [(point.x - 2, point.y - 2, point.x + 2, point.y + 2) for point in named], [])
    placed = []
    for point in named:
        shown = text.shorten(text.label(point.name), _CUT)
        half = text.width(shown, size) / 2 + 1, size * 0.6
        free = [
            (field.covered(box) + 0.1 * away, box, label)
            for away, box in _around(point, half)
            if field.free(box, label := _label(shown, point, box))
        ]
        if free:
            _, box, label = min(free, key=lambda one: one[0])
            field.boxes.append(box)
            field.lines.extend([label.line] if label.far else [])
            placed.append(label)
    return placed


@dataclass(frozen=True)
class _Field:
    """What is drawn already: the points, the boxes of names and of named points, the lines that lead to them."""

    points: Sequence[Point]
    width: float
    height: float
    boxes: list[_Box]
    lines: list[_Box]

    def free(self, box: _Box, label: Label) -> bool:
        """Whether a name fits here: inside, on no other name, its line and the others' lines through no name."""
        inside = box[0] >= 0 and box[1] >= 0 and box[2] <= self.width and box[3] <= self.height
        if not inside or any(_meet(box, other) for other in self.boxes) or any(_cuts(line, box) for line in self.lines):
            return False
        own = (label.from_x - 2, label.from_y - 2, label.from_x + 2, label.from_y + 2)
        if not label.far:
            return True
        through = any(_cuts(label.line, other) for other in self.boxes if other != own)
        return not through and not any(_cross(label.line, other) for other in self.lines)

    def covered(self, box: _Box) -> int:
        """How many points a name would cover."""
        return sum(box[0] < point.x < box[2] and box[1] < point.y < box[3] for point in self.points)


def _around(point: Point, half: tuple[float, float]) -> Iterator[tuple[float, _Box]]:
    """Boxes around a point, nearest first: sixteen directions, right of the point before left of it."""
    for away in _AWAY:
        for turn in sorted(range(16), key=lambda nth: min(nth, 16 - nth)):
            across, down = math.cos(turn * math.pi / 8), math.sin(turn * math.pi / 8)
            x = point.x + across * (half[0] + 5 + away)
            y = point.y + down * (half[1] + 5 + away)
            yield away, (x - half[0], y - half[1], x + half[0], y + half[1])


def _meet(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _cuts(line: _Box, box: _Box) -> bool:
    """Whether a line runs through a box, tested every two pixels."""
    steps = max(1, math.ceil(math.hypot(line[2] - line[0], line[3] - line[1]) / 2))
    return any(
        box[0] < line[0] + (line[2] - line[0]) * nth / steps < box[2]
        and box[1] < line[1] + (line[3] - line[1]) * nth / steps < box[3]
        for nth in range(steps + 1)
    )


def _cross(one: _Box, other: _Box) -> bool:
    """Whether two lines cross: the ends of each lie on different sides of the other."""

    def apart(line: _Box, x: float, y: float, to_x: float, to_y: float) -> bool:
        across, down = line[2] - line[0], line[3] - line[1]
        return (across * (y - line[1]) - down * (x - line[0])) * (
            across * (to_y - line[1]) - down * (to_x - line[0])
        ) < 0

    return apart(one, *other) and apart(other, *one)


def _label(shown: str, point: Point, box: _Box) -> Label:
    """Lead the line from the point to the nearest place at the edge of the name."""
    to = min(max(point.x, box[0]), box[2]), min(max(point.y, box[1]), box[3])
    return Label(shown, (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, point.x, point.y, *to)

"""A figure made ready to draw: columns renamed to the parts they play, labels wrapped, order kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from personae.errors import BadInput
from personae.report import text
from personae.types import Figure

Row = dict[str, Any]

_PARTS = {
    "bars": {"x", "y"},
    "forest": {"x", "y"},
    "heatmap": {"x", "y", "value"},
    "radial": {"angle", "value"},
    "words": {"word", "count"},
    "stack": {"x", "y", "colour"},
    "points": {"x", "y"},
    "line": {"x", "y"},
    "density": {"value"},
    "table": set(),
    "text": {"text", "weight"},
}
# What a row of a kind is told apart by. For bars and stacks this holds of the parts that are no numbers.
_PLACE = {
    "forest": ("facet", "y", "colour"),
    "heatmap": ("facet", "x", "y"),
    "radial": ("facet", "angle", "colour"),
    "line": ("facet", "x", "colour"),
}
_OPTIONAL = {"low", "high", "colour", "facet"}
_ALSO = {"points": {"label"}}
_FREE = {"table"}
"""Kinds whose parts are what the figure calls them."""


@dataclass(frozen=True)
class Plot:
    """Rows keyed by part (``x, y, colour, facet …``); values are finite numbers, None or clean strings."""

    figure: Figure
    rows: list[Row]

    def numeric(self, part: str) -> bool:
        """Whether a part holds numbers and nothing else."""
        values = [row[part] for row in self.rows if row[part] is not None]
        return bool(values) and all(isinstance(value, float) for value in values)

    @property
    def category(self) -> str:
        """Which of ``x`` and ``y`` names the bars; the other is their length."""
        return "x" if self.numeric("y") or not self.numeric("x") else "y"

    @property
    def measure(self) -> str:
        """Which of ``x`` and ``y`` is the length of the bars."""
        return "y" if self.category == "x" else "x"

    def names(self, part: str) -> list[str]:
        """Distinct labels of a part in order of appearance; empty when the figure has no such part."""
        return unique(text.label(row[part]) for row in self.rows) if part in self.figure.encode else []

    def title(self, part: str) -> str:
        """What a part is called: ``options["titles"]``, else the column's name in words."""
        titles = self.figure.options.get("titles", {})
        named = titles.get(part, self.figure.encode.get(part, "").replace("_", " "))
        return text.label(named) if named else ""

    def mark(self, row: Mapping[str, Any]) -> str:
        """Tag of a marked row of the figure: what the column ``options["mark"]`` says, its name where it says yes."""
        column = self.figure.options.get("mark")
        value = row.get(column) if column else None
        return text.label(column).replace("_", " ") if value is True else text.label(value) if value else ""

    def facets(self) -> list[tuple[str, list[Row]]]:
        """Rows apart by facet, in order of appearance; one part without a name when there is no facet."""
        if "facet" not in self.figure.encode:
            return [("", self.rows)]
        return [(name, [row for row in self.rows if text.label(row["facet"]) == name]) for name in self.names("facet")]


def prepare(figure: Figure) -> Plot:
    """Check a figure against its kind and rename its columns to parts.

    Raises
    ------
    BadInput
        When the kind is unknown, a part is missing or not known to the kind, or no row has the column of a part.
    """
    field = f"figure {figure.id}"
    if figure.kind not in _PARTS:
        raise BadInput(field, figure.kind, f"known kinds are {', '.join(_PARTS)}")
    known = _PARTS[figure.kind]
    if missing := sorted(known - set(figure.encode)):
        raise BadInput(field, sorted(figure.encode), f"a figure of kind {figure.kind} also needs {', '.join(missing)}")
    allowed = known | _OPTIONAL | _ALSO.get(figure.kind, set())
    if figure.kind not in _FREE and (strange := sorted(set(figure.encode) - allowed)):
        raise BadInput(field, strange[0], f"parts are {', '.join(sorted(allowed))}")
    columns = {column for row in figure.rows for column in row}
    for part, column in figure.encode.items():
        if figure.rows and column not in columns:
            raise BadInput(f"{field}, {part}", column, f"the rows have {', '.join(sorted(columns))}")
    if figure.rows and (mark := figure.options.get("mark")) and mark not in columns:
        raise BadInput(f"{field}, mark", mark, f"the rows have {', '.join(sorted(columns))}")
    for chosen in figure.options.get("choose", {}).values() if figure.rows else ():
        if chosen not in columns:
            raise BadInput(f"{field}, choose", chosen, f"the rows have {', '.join(sorted(columns))}")
    plot = Plot(figure, [_row(row, figure.encode) for row in figure.rows])
    _one_per_place(plot)
    return plot


def _one_per_place(plot: Plot) -> None:
    """Refuse two rows in one place: the later would hide the earlier."""
    places = [part for part in _PLACE.get(plot.figure.kind, ()) if part in plot.figure.encode]
    if plot.figure.kind in ("bars", "stack"):
        places = [part for part in ("facet", plot.category, "colour") if part in plot.figure.encode]
    seen: set[tuple[Any, ...]] = set()
    for row in plot.rows:
        place = tuple(row[part] for part in places)
        if places and place in seen:
            said = ", ".join(map(text.label, place))
            raise BadInput(f"figure {plot.figure.id}", said, f"only one row may have the same {', '.join(places)}")
        seen.add(place)


def _row(row: Mapping[str, Any], encode: Mapping[str, str]) -> Row:
    return {part: tidy(row.get(column)) for part, column in encode.items()}


def tidy(value: Any) -> float | str | None:
    """Give numbers as finite floats, no value as None, all else as clean text."""
    if value is None or isinstance(value, str):
        return text.label(value) if value is not None else None
    if isinstance(value, bool):
        return "yes" if value else "no"
    try:
        numeric = float(value)
    except (TypeError, ValueError):
        return text.label(value)
    return numeric if math.isfinite(numeric) else None


def unique(names: Iterable[str]) -> list[str]:
    """Give each name once, in order of appearance."""
    return list(dict.fromkeys(names))


def wrapped(names: Iterable[str], pixels: float, size: float, lines: int = 3) -> dict[str, str]:
    """Map each name to its wrapped label; names that the cut makes alike are told apart by a number."""
    labels: dict[str, str] = {}
    for name in names:
        shown = text.wrap(name, pixels, size, lines)
        used = set(labels.values())
        nth, base = 2, shown
        while shown in used:
            shown, nth = f"{base} ({nth})", nth + 1
        labels[name] = shown
    return labels


def block(labels: Iterable[str], size: float) -> float:
    """Width in pixels of the widest line among labels of one or more lines."""
    return max((text.width(line, size) for label in labels for line in label.split("\n")), default=0.0)

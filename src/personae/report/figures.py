"""Figures: from rows and roles to a picture."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert
from altair.utils import schemapi
from markupsafe import Markup

from personae.cells import defused
from personae.errors import BadInput
from personae.filing import PartOf, joining
from personae.report import svg, text, theme
from personae.report.kinds import DRAW, WRITE, common, table
from personae.report.plot import prepare
from personae.types import Figure

PIXELS = 2.0
"""Pixels of a PNG per pixel of the figure."""

_LONGEST = 100
_DEVICE = re.compile(r"con|prn|aux|nul|(com|lpt)\d")  # Windows keeps these names, whatever their ending

_EMPTY = "Nothing to draw: there are no rows."


def draw(figure: Figure) -> dict[str, Any]:
    """Give the Vega-Lite spec of a figure, its rows inside.

    The title and the caption are no part of it: a page prints them as text, a file has them added around it.

    Raises
    ------
    BadInput
        When the figure lacks a part that its kind needs, names a column that its rows do not have, or is no picture.
    """
    if figure.kind in WRITE:
        raise BadInput(f"figure {figure.id}", figure.kind, f"pictures are {', '.join(DRAW)}")
    plot = prepare(figure)
    # Altair would check each part against the schema as it is made: most of the work, and done by the tests.
    with schemapi.debug_mode(False):
        drawn = {**DRAW[figure.kind](plot), "padding": 4} if plot.rows else _nothing()
    return {"$schema": alt.SCHEMA_URL, **drawn, "config": theme.config()}


def _nothing() -> common.Spec:
    said = common.chart([{}]).mark_text(text=_EMPTY, color=theme.SOFT)
    return common.layered([said], theme.WIDTH, 60)


def written(figure: Figure) -> Markup | None:
    """Give the piece of a page that a table or a text is; None for a kind that is a picture.

    Raises
    ------
    BadInput
        When the figure does not hold together, as for `draw`.
    """
    if figure.kind not in WRITE:
        return None
    plot = prepare(figure)
    return WRITE[figure.kind](plot) if plot.rows else Markup("<p>{}</p>").format(_EMPTY)


def render(figure: Figure) -> str:
    """Give the SVG of a figure without title and caption; the same figure is drawn once."""
    return _render(_Same(repr(figure), figure))


@dataclass(frozen=True)
class _Same:
    """A figure, the same as another when it says the same: its rows cannot be hashed."""

    said: str
    figure: Figure = field(compare=False)


@lru_cache(maxsize=128)
def _render(same: _Same) -> str:
    return svg.render(draw(same.figure))


def write_figures(figures: Sequence[Figure], folder: Path, part_of: PartOf | None = None) -> list[Path]:
    """Write each figure as ``<id>.svg`` and ``<id>.png``, title and caption in the picture; words as ``<id>.csv``.

    All of them are written, or where one fails none.

    Raises
    ------
    BadInput
        When two figures would have the same file name, or a figure cannot be drawn.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = [file_name(figure.id) for figure in figures]
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise BadInput("figure", doubled[0], "every figure needs an id of its own")
    paths: list[Path] = []
    with joining(part_of) as part:
        for name, figure in zip(names, figures, strict=True):
            write = _write_rows if written(figure) is not None else _write_picture
            paths += write(figure, folder / name, part)
    return paths


def _write_picture(figure: Figure, stem: Path, part_of: PartOf) -> list[Path]:
    picture = svg.standalone(render(figure), figure.title, figure.caption)
    vector, bitmap = stem.with_name(f"{stem.name}.svg"), stem.with_name(f"{stem.name}.png")
    part_of(vector).write_text(picture, encoding="utf-8")
    part_of(bitmap).write_bytes(vl_convert.svg_to_png(picture, scale=PIXELS))
    return [vector, bitmap]


def _write_rows(figure: Figure, stem: Path, part_of: PartOf) -> list[Path]:
    """Write all rows with all columns, numbers in full."""
    path = stem.with_name(f"{stem.name}.csv")
    with part_of(path).open("w", encoding="utf-8", newline="") as file:
        names = columns(figure)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(map(defused, names))
        writer.writerows([_plain(row.get(name)) for name in names] for row in figure.rows)
    return [path]


def columns(figure: Figure) -> list[str]:
    """Give every column of the rows, in order of appearance."""
    return list(dict.fromkeys(column for row in figure.rows for column in row))


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, int | float) else defused(text.clean(table.shown(value)))


def file_name(identity: str) -> str:
    """Give an id as a file name and an HTML id: letters, digits and dashes, short, and no name of a device."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", identity).strip("-").lower() or "figure"
    if len(name) > _LONGEST:
        digest = hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:8]
        name = f"{name[: _LONGEST - 9]}-{digest}"
    return f"{name}-figure" if _DEVICE.fullmatch(name) else name

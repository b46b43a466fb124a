"""Figures in which every occupation is seen: model against reference, and the occupations that lie furthest apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from personae.studies.occupations.figures_parts import Drawn, Rows, answered, condition, figure, reference_name
from personae.studies.occupations.measures_frame import HALF, Block, Floats, paired
from personae.types import Figure

ENDS = 8
"""Occupations shown at each end of a ranking."""
ENDS_PERSONA = 4
NAMED = 6
"""Occupations named in each panel of the scatter."""
Move = tuple[str, str, float]
"""An occupation, its dataset, and its change of P(female)."""
LINES = 40
"""Points of a panel that have their interval drawn: more would hide each other."""
FAR = 0.005
"""Nearer to 0 than this a difference is not shown as one."""


def scatter(drawn: Drawn) -> Figure | None:
    """P(female) of the model against every reference, one panel each."""
    rows = [
        row for block in drawn.shown for name in block.references if name != HALF for row in _points(drawn, block, name)
    ]
    sampled = any(block.sampled for block in drawn.shown)
    crowded = f" at the {LINES} furthest of each panel" if max(map(_size, drawn.shown), default=0) > LINES else ""
    caption = (
        "Each point is an occupation; on the diagonal model and reference agree, above it the model makes the"
        f" occupation more female. {answered(drawn.shown, 'panel')}{drawn.others(_models(drawn))}{drawn.limited}"
        f"{f' Lines{crowded} are 95 % intervals of what was told from samples.' if sampled else ''}"
    )
    encode = {"x": "reference", "y": "model", "facet": "panel", "label": "label"}
    if sampled:
        encode |= {"low": "low", "high": "high"}
    titles = {"x": "P(female), reference", "y": "P(female), model"}
    options = {"diagonal": True, "titles": titles, "format": {"x": ".1f", "y": ".1f"}}
    return figure("scatter", "points", "P(female) by the model and by the reference", caption, rows, encode, options)


def _size(block: Block) -> int:
    return int(block.codes.size)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _models(drawn: Drawn) -> list[str]:
    return list(dict.fromkeys(one.model for one in drawn.shown))


def _points(drawn: Drawn, block: Block, name: str) -> Rows:
    """Rows of a panel, the furthest from the diagonal first: these are named."""
    reference, ours = block.references[name], block.female
    low, high = block.mean("low"), block.mean("high")
    known = np.flatnonzero(~np.isnan(reference) & ~np.isnan(ours))
    ranked = known[np.argsort(-np.abs(ours - reference)[known], kind="stable")]
    panel = drawn.panel(block, reference_name(block.names["domain"], name))
    return [
        {
            "occupation": block.occupations[at],
            "panel": panel,
            "reference": float(reference[at]),
            "model": float(ours[at]),
            **({"low": _known(low[at]), "high": _known(high[at])} if place < LINES else {"low": None, "high": None}),
            "label": block.occupations[at] if place < NAMED else None,
        }
        for place, at in enumerate(ranked)
    ]


def furthest(drawn: Drawn) -> Figure | None:
    """The occupations that lie furthest from their references, in both directions."""
    rows = [row for block in drawn.shown if (gap := _gap(block)) is not None for row in _ends(drawn, block, gap, ENDS)]
    caption = (
        f"P(female) of the model less the reference's (the mean of the references of a dataset): the {ENDS} occupations"
        " furthest to each side. Right of 0 the model makes them more female than the reference, left of it more male."
        f" {answered(drawn.shown, 'panel')}{drawn.others(_models(drawn))}{drawn.limited}"
    )
    encode = {"y": "occupation", "x": "difference", "facet": "panel"}
    options = {"titles": {"x": "P(female), model less reference"}}
    return figure("furthest", "forest", "Occupations furthest from their reference", caption, rows, encode, options)


def _gap(block: Block) -> Floats | None:
    """P(female) less the mean of the references of each occupation; None where there is none."""
    given = np.array([values for name, values in block.references.items() if name != HALF])
    known = (~np.isnan(given)).sum(axis=0) if given.size else np.zeros(1)
    if not known.any():
        return None
    means = np.divide(np.nan_to_num(given).sum(axis=0), known, out=np.full(known.shape, np.nan), where=known > 0)
    return np.asarray(block.female - means)


def _ends(drawn: Drawn, block: Block, gap: Floats, most: int) -> Iterator[dict[str, Any]]:
    for at in ends(gap, most):
        yield _difference(drawn.panel(block, block.names["domain"]), block.occupations[at], gap[at])


def _difference(panel: str, occupation: str, value: float) -> dict[str, Any]:
    return {"panel": panel, "occupation": occupation, "difference": float(value)}


def ends(values: Floats, most: int) -> list[int]:
    """Places of the largest and of the smallest values, from the largest down; none of those next to 0."""
    known = np.flatnonzero(~np.isnan(values))
    ranked = known[np.argsort(-values[known], kind="stable")]
    high = [int(at) for at in ranked[:most] if values[at] > FAR]
    low = [int(at) for at in ranked[::-1][:most] if values[at] < -FAR]
    return [*high, *low[::-1]]


def moved(drawn: Drawn) -> Figure | None:
    """The occupations that every persona moves most; of the first model where there are several."""
    pairs = [(ours, base) for ours, base in paired(drawn.blocks) if ours.model == drawn.table.models[0]]
    found: dict[str, list[Move]] = {}
    for ours, base in pairs:
        found.setdefault(condition(ours.names), []).extend(_moves(ours, base))
    rows = [
        {"panel": f"as {who}", "occupation": name, "shift": moves[at][2]}
        for who, moves in found.items()
        for at, name in _called(moves, ends(np.array([shift for *_, shift in moves]), ENDS_PERSONA))
    ]
    which = f" Of {drawn.table.models[0]}." if drawn.several else ""
    blocks = [one for pair in pairs for one in pair]
    caption = (
        f"P(female) with the persona less without it: the {ENDS_PERSONA} occupations that move furthest to each side."
        f" Single occupations have no interval; the mean shift of each persona has.{which}"
        f" {answered(blocks, 'dataset and condition')}"
        f"{drawn.others(drawn.table.models[:1])}"
    )
    encode = {"y": "occupation", "x": "shift", "facet": "panel"}
    options = {"titles": {"x": "change of P(female)"}}
    title = "Occupations that shift most under each persona"
    return figure("moved", "forest", title, caption, rows, encode, options)


def _moves(ours: Block, base: Block) -> Iterator[Move]:
    before: Mapping[int, float] = dict(zip(base.codes.tolist(), base.female.tolist(), strict=True))
    for code, occupation, value in zip(ours.codes.tolist(), ours.occupations, ours.female.tolist(), strict=True):
        shift = value - before.get(code, float("nan"))
        if not np.isnan(shift):
            yield occupation, ours.names["domain"], shift


def _called(moves: Sequence[Move], places: Sequence[int]) -> list[tuple[int, str]]:
    """Names of occupations, with the dataset where two have the same."""
    names = [moves[at][0] for at in places]
    return [
        (at, f"{name} ({moves[at][1]})" if names.count(name) > 1 else name)
        for at, name in zip(places, names, strict=True)
    ]

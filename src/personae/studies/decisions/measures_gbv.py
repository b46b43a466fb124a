"""How far the means of the groups lie apart: GBV per domain, its mean over domains, and both against the baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from personae.measure.names import CONTRAST
from personae.measure.results import estimate_of
from personae.stats.gbv import Gbv, GbvDifference, generalised, generalised_difference, variance_bounds
from personae.studies.decisions.measures_frame import PERSONA, SET, STUDY, Block, counted_both, shared
from personae.types import Estimate

GBV, AVERAGE = "GBV", "AGBV"
FLOOR, EXCESS = "floor", "excess"
TEST = "permutation within sets; bootstrap over sets"
SHUFFLED = "permutation within sets"
EXCHANGED = "exchange of conditions within sets; bootstrap over sets"
NO_DOMAIN = "no domain has a matched set that was answered for every group"
SEED = 20260


def gbv_estimates(block: Block) -> Iterator[Estimate]:
    """GBV of a domain with its floor and its excess."""
    found = generalised([block.table], _rng()) if len(block.table) else _none()
    yield from _three(GBV, found, _counted([block]), _ends([block]), block.model, block.names)


def average_estimates(some: Sequence[Block]) -> Iterator[Estimate]:
    """The mean of the GBV over the domains of one model and condition."""
    kept = [one for one in some if len(one.table)]
    found = generalised([one.table for one in kept], _rng()) if kept else _none(NO_DOMAIN)
    names = {name: value for name, value in some[0].names.items() if name in PERSONA}
    yield from _three(AVERAGE, found, _counted(some), _ends(some), some[0].model, names, _without(some, kept))


def _three(
    measure: str,
    found: Gbv,
    counted: dict[str, Any],
    bounds: tuple[float, float],
    model: str,
    names: dict[str, str],
    without: str = "",
) -> Iterator[Estimate]:
    reason = "; ".join(part for part in (found.reason, without) if part)
    where: dict[str, Any] = {"study": STUDY, "model": model, "cell": names, "clusters": found.sets, "unit": SET}
    yield estimate_of(found, measure=measure, test=TEST, reason=reason, bounds=bounds, **where, **counted)
    if not math.isfinite(found.floor):
        return
    floor = Gbv(value=found.floor, ci_low=found.floor_low, ci_high=found.floor_high)
    excess = Gbv(value=found.excess)
    where |= {"tested": False, "reason": without}
    yield estimate_of(floor, measure=f"{measure}, {FLOOR}", test=SHUFFLED, **where, **counted)
    yield estimate_of(excess, measure=f"{measure}, {EXCESS}", **where, **counted)


def gbv_contrast(ours: Block, base: Block) -> Estimate:
    """How much larger the GBV of a domain is under a persona, over the sets of both."""
    mine, theirs = shared(ours, base)
    if len(mine):
        found = generalised_difference([mine], [theirs], _rng())
    else:
        found = GbvDifference(value=math.nan, reason=_none().reason)
    bounds = _apart([ours], [base])
    return _difference(GBV, found, [(ours, base)], bounds, ours.names)


def average_contrast(pairs: Sequence[tuple[Block, Block]]) -> Estimate:
    """How much larger the mean GBV is under a persona, over the domains and sets of both."""
    tables = [(pair, shared(*pair)) for pair in pairs]
    kept = [(pair, sides) for pair, sides in tables if len(sides[0])]
    if kept:
        found = generalised_difference([one for _, (one, _) in kept], [other for _, (_, other) in kept], _rng())
    else:
        found = GbvDifference(value=math.nan, reason=NO_DOMAIN)
    ours, base = [one for one, _ in pairs], [other for _, other in pairs]
    names = {name: value for name, value in ours[0].names.items() if name in PERSONA}
    without = _without(ours, [one for (one, _), _ in kept])
    return _difference(AVERAGE, found, pairs, _apart(ours, base), names, without)


def _difference(
    measure: str,
    found: GbvDifference,
    pairs: Sequence[tuple[Block, Block]],
    bounds: tuple[float, float],
    names: dict[str, str],
    without: str = "",
) -> Estimate:
    return estimate_of(
        found,
        study=STUDY,
        measure=measure,
        model=pairs[0][0].model,
        contrast=CONTRAST,
        cell=names,
        test=EXCHANGED,
        clusters=found.sets,
        unit=SET,
        bounds=bounds,
        reason="; ".join(part for part in (found.reason, without) if part),
        **counted_both(pairs),
    )


def _apart(ours: Sequence[Block], base: Sequence[Block]) -> tuple[float, float]:
    """Bounds of a difference; each side may be completed by itself, over all that it was asked."""
    mine, theirs = _ends(ours), _ends(base)
    return mine[0] - theirs[1], mine[1] - theirs[0]


def _ends(some: Sequence[Block]) -> tuple[float, float]:
    """What the mean over domains could be, whatever the unanswered items had said."""
    low, high = np.mean([variance_bounds(*block.ends()) for block in some], axis=0)
    return float(low), float(high)


def _counted(some: Sequence[Block]) -> dict[str, Any]:
    answered, asked = (sum(float(getattr(one, name).sum()) for one in some) for name in ("answered", "asked"))
    return {"n": int(answered), "coverage": answered / asked}


def _without(some: Sequence[Block], kept: Sequence[Block]) -> str:
    """Which domains are left out of a mean."""
    lacking = [one.domain for one in some if one not in kept]
    return f"without {', '.join(lacking)}: {_none().reason}" if lacking and kept else ""


def _none(reason: str = "no matched set was answered for every group") -> Gbv:
    return Gbv(value=math.nan, reason=reason)


def _rng() -> np.random.Generator:
    """The same draws in every cell: what is compared is then drawn alike."""
    return np.random.default_rng(SEED)

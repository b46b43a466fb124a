"""How far the means of the groups lie apart: GBV per domain, its mean over domains, and both against the baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from personae.stats.gbv import Gbv, GbvDifference, generalised, generalised_difference, variance_bounds
from personae.studies.decisions.measures_frame import PERSONA, STUDY, Block, counted_both, shared
from personae.types import Estimate

GBV, AVERAGE = "GBV", "AGBV"
FLOOR, EXCESS = "floor", "excess"
CONTRAST = "baseline"
TEST = "permutation within sets; bootstrap over sets"
SHUFFLED = "permutation within sets"
EXCHANGED = "exchange of conditions within sets; bootstrap over sets"
NO_DOMAIN = "no domain has a matched set that was answered for every group"
SEED = 20260


def gbv_estimates(block: Block) -> Iterator[Estimate]:
    """GBV of a domain with its floor and its excess."""
    found = generalised([block.table], _rng()) if len(block.table) else _none()
    low, high = variance_bounds(*block.ends())
    yield from _three(GBV, found, _counted([block]), {"lower": low, "upper": high}, block.model, block.names)


def average_estimates(some: Sequence[Block]) -> Iterator[Estimate]:
    """The mean of the GBV over the domains of one model and condition."""
    kept = [one for one in some if len(one.table)]
    found = generalised([one.table for one in kept], _rng()) if kept else _none(NO_DOMAIN)
    ends = np.mean([variance_bounds(*one.ends()) for one in some], axis=0)
    names = {name: value for name, value in some[0].names.items() if name in PERSONA}
    bounds = {"lower": float(ends[0]), "upper": float(ends[1])}
    yield from _three(AVERAGE, found, _counted(some), bounds, some[0].model, names, _without(some, kept))


def _three(
    measure: str,
    found: Gbv,
    counted: dict[str, Any],
    bounds: dict[str, Any],
    model: str,
    names: dict[str, str],
    without: str = "",
) -> Iterator[Estimate]:
    known: dict[str, Any] = {"study": STUDY, "model": model, "cell": dict(names), **counted}
    reason = "; ".join(part for part in (found.reason, without) if part)
    yield Estimate(
        measure=measure,
        value=found.value,
        test=TEST if math.isfinite(found.p) else "",
        ci_low=_finite(found.ci_low),
        ci_high=_finite(found.ci_high),
        p=_finite(found.p),
        reason=reason,
        **bounds,
        **known,
    )
    if not math.isfinite(found.floor):
        return
    yield Estimate(
        measure=f"{measure}, {FLOOR}",
        value=found.floor,
        test=SHUFFLED,
        ci_low=found.floor_low,
        ci_high=found.floor_high,
        reason=without,
        **known,
    )
    yield Estimate(measure=f"{measure}, {EXCESS}", value=found.excess, reason=without, **known)


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
    bounds: dict[str, Any],
    names: dict[str, str],
    without: str = "",
) -> Estimate:
    return Estimate(
        study=STUDY,
        measure=measure,
        model=pairs[0][0].model,
        contrast=CONTRAST,
        cell=dict(names),
        value=found.value,
        test=EXCHANGED if math.isfinite(found.p) else "",
        ci_low=_finite(found.ci_low),
        ci_high=_finite(found.ci_high),
        p=_finite(found.p),
        reason="; ".join(part for part in (found.reason, without) if part),
        **counted_both(pairs),
        **bounds,
    )


def _apart(ours: Sequence[Block], base: Sequence[Block]) -> dict[str, Any]:
    """Bounds of a difference; each side may be completed by itself, over all that it was asked."""
    mine, theirs = (np.mean([variance_bounds(*one.ends()) for one in side], axis=0) for side in (ours, base))
    return {"lower": float(mine[0] - theirs[1]), "upper": float(mine[1] - theirs[0])}


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


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

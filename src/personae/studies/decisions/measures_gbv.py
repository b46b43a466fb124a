"""How far the means of the groups lie apart: GBV per domain, its mean over domains, and both against the baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from personae.measure.names import CONTRAST
from personae.stats.gbv import (
    NO_SETS,
    Gbv,
    GbvDifference,
    generalised,
    generalised_difference,
    group_variance,
    variance_bounds,
)
from personae.studies.decisions.measures_frame import Block, Pair, counted, counted_both, set_estimate
from personae.types import Estimate

GBV, AVERAGE = "GBV", "AGBV"
FLOOR, EXCESS = "floor", "excess"
TEST = "permutation within sets; bootstrap over sets"
SHUFFLED = "permutation within sets"
EXCHANGED = "exchange of conditions within sets; bootstrap over sets"
PUBLISHED = "published procedure"
NO_DOMAIN = "no domain has a matched set that was answered for every group"
NO_ANSWER = "a group has no answer"
SEED = 20260


def gbv_estimates(measure: str, some: Sequence[Block], cell: Mapping[str, str]) -> Iterator[Estimate]:
    """GBV of a domain, or its mean over the domains of one model and condition, with its floor and its excess."""
    kept = [block for block in some if len(block.table)]
    result = (
        generalised([block.table for block in kept], _rng()) if kept else Gbv(value=math.nan, reason=_none(measure))
    )
    parts = {
        "": (result, TEST, _bounds(some)),
        f", {FLOOR}": (Gbv(value=result.floor, ci_low=result.floor_low, ci_high=result.floor_high), SHUFFLED, None),
        f", {EXCESS}": (Gbv(value=result.excess), "", None),
    }
    for part, (estimated, test, bounds) in parts.items() if math.isfinite(result.floor) else [("", parts[""])]:
        yield set_estimate(
            estimated,
            measure=f"{measure}{part}",
            cell=cell,
            test=test,
            tested=not part,
            clusters=result.sets,
            bounds=bounds,
            reason=_reason(estimated.reason, some, kept),
            **counted(some),
        )


def gbv_contrast(measure: str, pairs: Sequence[Pair], cell: Mapping[str, str]) -> Estimate:
    """How much larger the GBV of a domain, or its mean over domains, is under a persona, over the sets of both."""
    kept = [pair for pair in pairs if len(pair.whole)]
    result = GbvDifference(value=math.nan, reason=_none(measure))
    if kept:
        ours, theirs = ([pair.scores[side] for pair in kept] for side in (0, 1))
        result = generalised_difference(ours, theirs, _rng())
    # Each side may be completed by itself, over all that it was asked.
    (low, high), (base_low, base_high) = (_bounds([pair.blocks[side] for pair in pairs]) for side in (0, 1))
    return set_estimate(
        result,
        measure=measure,
        contrast=CONTRAST,
        cell=cell,
        test=EXCHANGED,
        clusters=result.sets,
        bounds=(low - base_high, high - base_low),
        reason=_reason(result.reason, [pair.blocks[0] for pair in pairs], [pair.blocks[0] for pair in kept]),
        **counted_both(pairs),
    )


def paper_estimates(some: Sequence[Block], cell: Mapping[str, str]) -> Iterator[Estimate]:
    """GBV from the means of all answers of each group (Ma et al. 2026, section 4.3), for one model and condition."""
    values = [_published(block) for block in some]
    of_domains = ((GBV, value, [block], block.names) for block, value in zip(some, values, strict=True))
    for measure, value, mine, names in (*of_domains, (AVERAGE, float(np.mean(values)), some, cell)):
        result = Gbv(value=value, reason="" if math.isfinite(value) else NO_ANSWER)
        yield set_estimate(
            result, measure=measure, cell=names, test=PUBLISHED, tested=False, clusters=0, **counted(mine)
        )


def _published(block: Block) -> float:
    counts = block.answered.sum(axis=0)
    if not counts.all():
        return math.nan
    return float(group_variance(np.nansum(block.scores * block.answered, axis=0) / counts))


def _bounds(some: Sequence[Block]) -> tuple[float, float]:
    low, high = np.mean([variance_bounds(*block.ends()) for block in some], axis=0)
    return float(low), float(high)


def _reason(reason: str, some: Sequence[Block], kept: Sequence[Block]) -> str:
    """A reason, and which domains are left out of a mean."""
    lacking = [block.domain for block in some if block not in kept]
    without = f"without {', '.join(lacking)}: {NO_SETS}" if lacking and kept else ""
    return "; ".join(part for part in (reason, without) if part)


def _none(measure: str) -> str:
    return NO_SETS if measure == GBV else NO_DOMAIN


def _rng() -> np.random.Generator:
    """The same draws in every cell: what is compared is then drawn alike."""
    return np.random.default_rng(SEED)

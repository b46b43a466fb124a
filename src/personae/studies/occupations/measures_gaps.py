"""How far a model's P(female) lies from a reference: divergences and gaps per occupation, correlation, calibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from msgspec import Struct

from personae.stats.agreement import rank_correlation
from personae.stats.divergence import jensen_shannon, kl, two
from personae.studies.occupations.measures_frame import HALF, Block, Booleans, Floats
from personae.studies.occupations.measures_intervals import (
    Column,
    Range,
    Shape,
    drawing,
    draws_of,
    empty,
    interval,
    mean_of,
    summaries,
    told,
)
from personae.types import Estimate

KL_TO_MODEL, KL_TO_REFERENCE = "KL(reference || model)", "KL(model || reference)"
JS, ABSOLUTE, SIGNED = "Jensen-Shannon divergence", "absolute gap", "signed gap"
CORRELATION, RANKS = "correlation", "rank correlation"
SLOPE, INTERCEPT, CALIBRATION = "calibration slope", "calibration intercept", "calibration"
UNTITLED = "titles without gender"
"""Level that leaves out occupations whose title itself says a gender."""
BINS = 10
SEED = 41
NO_SPREAD = "all occupations are alike on one side: nothing can be correlated"
FEW = "fewer than three occupations: nothing can be correlated"


class Gap(Struct, frozen=True):
    """A measure per occupation: of P(female) of the model and of the reference, with its range.

    ``shape`` says how it depends on P(female): along a line, folded at the reference, or along a curve.
    """

    of: Callable[[Floats, Floats], Floats]
    bounded: Range
    shape: Shape = "curved"


GAPS = {
    KL_TO_MODEL: Gap(lambda ours, reference: kl(two(reference), two(ours)), (0.0, math.inf)),
    KL_TO_REFERENCE: Gap(lambda ours, reference: kl(two(ours), two(reference)), (0.0, math.inf)),
    JS: Gap(lambda ours, reference: jensen_shannon(two(ours), two(reference)), (0.0, math.log(2.0))),
    ABSOLUTE: Gap(lambda ours, reference: np.abs(ours - reference), (0.0, 1.0), "folded"),
    SIGNED: Gap(lambda ours, reference: ours - reference, (-1.0, 1.0), "linear"),
}


def gap_estimates(block: Block) -> Iterator[Estimate]:
    """Every measure against every reference of a block."""
    redrawn = redrawn_of(block)
    for name, reference in block.references.items():
        kept = ~np.isnan(reference)
        if not kept.any():
            continue
        for measure, gap in GAPS.items():
            yield from summaries(column(block, gap, reference, redrawn, kept), measure, {"reference": name})
        titled = kept & ~block.titled
        if 0 < titled.sum() < kept.sum():
            only = column(block, GAPS[ABSOLUTE], reference, redrawn, titled)
            yield mean_of(only, ABSOLUTE, {"reference": name, "level": UNTITLED})
        if name != HALF:
            yield from _alike(block, name, reference, redrawn)
            yield from _calibrated(block, name, reference, redrawn)


def redrawn_of(block: Block) -> Floats | None:
    """P(female) drawn anew where answers were told from samples."""
    return block.redrawn(draws_of(block), SEED) if block.sampled else None


def column(block: Block, gap: Gap, reference: Floats, redrawn: Floats | None, kept: Booleans) -> Column:
    """A measure of every occupation against a reference, with the ends of what it may be.

    A divergence or absolute gap grows with the distance from the reference on either side, so its ends lie at the ends
    of P(female), or at 0 where the reference lies between. Where nothing bounds it (KL, an option of probability 0)
    the floor of `personae.stats.divergence.kl` does.
    """
    ends = [gap.of(side, reference) for side in (block.least, block.most)]
    least, most = np.minimum(*ends), np.maximum(*ends)
    if gap.shape != "linear":
        least = np.where((block.least <= reference) & (reference <= block.most), 0.0, least)
    return Column(
        block=block,
        kept=kept,
        values=gap.of(block.female, reference),
        least=least,
        most=most,
        redrawn=None if redrawn is None else gap.of(redrawn, reference),
        bounded=gap.bounded,
        counted=gap.of(block.unsmoothed, reference) if gap.shape == "linear" else None,
        shape=gap.shape,
    )


def share_column(block: Block, redrawn: Floats | None, kept: Booleans) -> Column:
    """P(female) itself."""
    return Column(
        block=block,
        kept=kept,
        values=block.female,
        least=block.least,
        most=block.most,
        redrawn=redrawn,
        bounded=(0.0, 1.0),
    )


def _alike(block: Block, name: str, reference: Floats, redrawn: Floats | None) -> Iterator[Estimate]:
    """Correlations with a reference, and the line of the model on it."""
    kept = ~np.isnan(reference)
    known = kept & ~np.isnan(block.female)
    x, y = reference[known], block.female[known]
    names = {"reference": name}
    reason = FEW if x.size < 3 else NO_SPREAD if np.ptp(x) == 0.0 or np.ptp(y) == 0.0 else ""
    if reason:
        for measure in (CORRELATION, RANKS, SLOPE, INTERCEPT):
            yield told(block, kept, x.size, measure, names, {"value": math.nan, "reason": reason})
        return
    source = y if redrawn is None else redrawn[:, known]
    drawn = drawing(block, x.size)
    # A line through smoothed shares would be too flat; counts lie about the right one, with their noise about it.
    counted = block.unsmoothed[known]
    slope, intercept = np.polynomial.polynomial.polyfit(x, counted, 1)[::-1]
    slopes, intercepts = drawn.lines(x, counted)
    correlations, ranks = drawn.correlations(x, source), drawn.rank_correlations(x, source)
    sampled = redrawn is not None
    for measure, value, values, bounded in (
        (CORRELATION, float(np.corrcoef(x, y)[0, 1]), correlations, (-1.0, 1.0)),
        (RANKS, rank_correlation(x, y).value, ranks, (-1.0, 1.0)),
    ):
        yield told(
            block, kept, x.size, measure, names, interval(value, values, block, bounded=bounded, sampled=sampled)
        )
    for measure, value, values in ((SLOPE, float(slope), slopes), (INTERCEPT, float(intercept), intercepts)):
        yield told(block, kept, x.size, measure, names, interval(value, values, block, sampled=False))


def _calibrated(block: Block, name: str, reference: Floats, redrawn: Floats | None) -> Iterator[Estimate]:
    """Mean P(female) of the model where the reference's lies in each tenth."""
    for level, kept in bins(reference):
        names = {"reference": name, "level": level}
        if np.isnan(block.female[kept]).all():
            yield empty(block, kept, CALIBRATION, names)
        else:
            yield mean_of(share_column(block, redrawn, kept), CALIBRATION, names)


def bins(reference: Floats) -> Iterator[tuple[str, Booleans]]:
    """Name and members of every tenth of a reference that has any; the last holds 1 too."""
    # A tenth that a sum of decimals misses by rounding still belongs to its own bin.
    place = np.minimum(np.floor(np.nan_to_num(reference, nan=-1.0) * BINS + 1e-9), BINS - 1)
    for nth in range(BINS):
        if (place == nth).any():
            yield f"{nth / BINS:.1f}–{(nth + 1) / BINS:.1f}", place == nth

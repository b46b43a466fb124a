"""A mean relative to the baseline's: the sound stereotype score and relative influence."""

from __future__ import annotations

import math

from personae.measure.cells import Cell, Floats
from personae.measure.estimates import Measure, paired_coverage
from personae.measure.results import estimate_of
from personae.stats.ratios import RatioTest, ratio_test
from personae.types import Estimate

INTERVAL = "Fieller's interval over paired stimuli"
NEAR_ZERO = "the baseline is within {least} of 0, so a ratio to it means little: see the difference"


def relative_change(ours: Floats, theirs: Floats, least: float = 0.0) -> RatioTest:
    """Relative change of a mean from that of the baseline, over paired stimuli.

    Parameters
    ----------
    ours, theirs : ndarray, shape (k,)
        Means per stimulus under the condition and under the baseline.
    least : float
        A baseline mean nearer to 0 than this gives no ratio.

    Returns
    -------
    RatioTest
        ``mean(ours) / mean(theirs) - 1`` with Fieller's interval.
    """
    if ours.size and abs(float(theirs.mean())) < least:
        return RatioTest(value=math.nan, reason=NEAR_ZERO.format(least=least))
    return ratio_test(ours - theirs, theirs)


def ratio_estimate(measure: Measure, cell: Cell, least: float = 0.0) -> Estimate:
    """Relative change of a cell from the baseline.

    It has no test of its own: no relative change is no difference, which the paired test of the difference beside it
    asks. The bounds are those of the ratio of completed means, and absent where the completed baseline may come nearer
    to 0 than ``least``.
    """
    ours, theirs = (cell.per_stimulus(side, "pair_weight") for side in ("pair_total", "base_total"))
    found = relative_change(ours, theirs, least)
    return estimate_of(
        found,
        study=measure.study,
        measure=measure.name,
        model=cell.model,
        cell=cell.names,
        test=INTERVAL,
        tested=False,
        n=cell.count("pair_answered") + cell.count("base_pair_answered"),
        clusters=ours.size,
        coverage=paired_coverage(cell),
        bounds=_ratio_bounds(cell, least),
    )


def _ratio_bounds(cell: Cell, least: float) -> tuple[float, float] | None:
    """Worst cases of a ratio of means; none where the baseline may come near 0 or change its sign."""
    sides = ("pair_floor", "pair_ceil", "base_floor", "base_ceil")
    ends = [cell.per_stimulus(side, "pair_asked_weight") for side in sides]
    if not ends[0].size:
        return None
    low, high, base_low, base_high = (float(end.mean()) for end in ends)
    if base_low <= least and base_high >= -least:
        return None
    corners = [ours / base - 1.0 for ours in (low, high) for base in (base_low, base_high)]
    return min(corners), max(corners)

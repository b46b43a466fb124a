"""A mean relative to the baseline's: the stereotype score and the relative influence, with Fieller's interval."""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from scipy import special

from personae.studies.companions.measures_cells import Cell, Floats
from personae.studies.companions.measures_estimates import (
    PAIRED_TEST,
    Measure,
    number,
    paired,
    paired_coverage,
    test_fields,
)
from personae.types import Estimate

NEAR_ZERO = "the baseline is within {least} of 0, so a ratio to it means little: see the difference"
OPEN_ENDED = "the baseline cannot be told from 0, so the ratio has no interval: see the difference"


class Relative(Struct, frozen=True, kw_only=True):
    """A relative change ``mean(x) / mean(y) - 1`` and its interval, nan where it has none."""

    value: float
    ci_low: float = math.nan
    ci_high: float = math.nan
    reason: str = ""


def relative_change(ours: Floats, theirs: Floats, least: float = 0.0, level: float = 0.95) -> Relative:
    """Relative change of a mean from that of the baseline, over paired stimuli.

    Parameters
    ----------
    ours, theirs : ndarray, shape (k,)
        Means per stimulus under the condition and under the baseline.
    least : float
        A baseline mean not farther than this from 0 gives no ratio.
    level : float
        Level of the interval.

    Notes
    -----
    Fieller, "Some problems in interval estimation", J. R. Statist. Soc. B 16 (1954), section 3: the ratios r for
    which the mean of ``ours - r * theirs`` is not significantly different from 0. The interval is exact for
    normal means, also where the baseline is small, and is unbounded (here: absent, with a reason) where
    the baseline itself cannot be told from 0. It contains no change exactly where the paired t-test sees none.
    """
    if ours.size == 0:
        return Relative(value=math.nan, reason="no stimulus was answered on both sides")
    base = float(theirs.mean())
    if base == 0.0 or abs(base) < least:
        return Relative(value=math.nan, reason=NEAR_ZERO.format(least=least) if least else "the baseline is 0")
    value = float(ours.mean()) / base - 1.0
    if ours.size == 1:
        return Relative(value=value, reason="one stimulus only was answered on both sides")
    low, high, reason = _fieller(ours, theirs, level)
    return Relative(value=value, ci_low=low - 1.0, ci_high=high - 1.0, reason=reason)


def ratio_estimate(measure: Measure, cell: Cell, least: float = 0.0) -> Estimate:
    """Relative change of a cell from the baseline.

    ``p`` is that of the paired difference: no relative change is no difference. The bounds are those of the ratio
    of completed means, and absent where the completed baseline may reach 0.
    """
    ours, theirs = (cell.per_stimulus(side, "pair_weight") for side in ("pair_total", "base_total"))
    found = relative_change(ours, theirs, least)
    tested = paired(ours, theirs) if math.isfinite(found.value) else None
    lower, upper = _ratio_bounds(cell, max(least, 0.0))
    return Estimate(
        study=measure.study,
        measure=measure.name,
        model=cell.model,
        cell=cell.names,
        value=found.value,
        ci_low=number(found.ci_low),
        ci_high=number(found.ci_high),
        n=cell.count("pair_answered") + cell.count("base_pair_answered"),
        lower=lower,
        upper=upper,
        reason=found.reason or (tested.reason if tested else ""),
        **(test_fields(PAIRED_TEST, tested) if tested else {}),
        **paired_coverage(cell),
    )


def _fieller(ours: Floats, theirs: Floats, level: float) -> tuple[float, float, str]:
    """Both ends of Fieller's interval for ``mean(ours) / mean(theirs)``, or why it has none."""
    size = ours.size
    cov = np.cov(ours, theirs) / size
    if cov[0, 0] == 0.0 and cov[1, 1] == 0.0:
        return math.nan, math.nan, "every stimulus gives the same: the spread cannot be estimated"
    squared = float(special.stdtrit(size - 1.0, 0.5 + level / 2.0)) ** 2
    x, y = float(ours.mean()), float(theirs.mean())
    a = y * y - squared * cov[1, 1]
    b = x * y - squared * cov[0, 1]
    c = x * x - squared * cov[0, 0]
    if a <= 0.0:
        return math.nan, math.nan, OPEN_ENDED
    root = math.sqrt(max(0.0, b * b - a * c))
    return (b - root) / a, (b + root) / a, ""


def _ratio_bounds(cell: Cell, least: float) -> tuple[float | None, float | None]:
    """Worst cases of a ratio of means; none where the baseline may come to 0 or change its sign."""
    ends = [
        cell.per_stimulus(side, "pair_asked_weight") for side in ("pair_floor", "pair_ceil", "base_floor", "base_ceil")
    ]
    if not ends[0].size:
        return None, None
    low, high, base_low, base_high = (float(end.mean()) for end in ends)
    if base_low <= least and base_high >= -least:
        return None, None
    corners = [ours / base - 1.0 for ours in (low, high) for base in (base_low, base_high)]
    return min(corners), max(corners)

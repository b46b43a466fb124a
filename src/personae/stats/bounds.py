"""What a measure would be whatever the unanswered items had said."""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from personae.stats._base import NAN, NO_VALUES, NOT_FINITE, Labels, as_floats, check_count, factorize


class Bounds(Struct, frozen=True, kw_only=True):
    """The lowest and the highest value any completion of the unanswered items can give.

    ``coverage`` is the answered share of all that was asked.
    """

    lower: float
    upper: float
    n: int = 0
    unanswered: int = 0
    coverage: float = NAN
    reason: str = ""


def mean_bounds(answered: ArrayLike, unanswered: int, low: float, high: float) -> Bounds:
    """Bounds of the mean over all items asked.

    Parameters
    ----------
    answered : array_like, shape (n,)
        Answered values, each within low .. high.
    unanswered : int
        Items without a value.
    low, high : float
        The range a value can take, finite.

    Raises
    ------
    ValueError
        When the range is empty or infinite, a value lies outside it, or unanswered is no count.

    Notes
    -----
    Manski, "Nonparametric bounds on treatment effects", Amer. Econ. Review 80 (1990) 319-323; Manski, Partial
    Identification of Probability Distributions (2003), section 1.2.
    """
    array = as_floats(answered)
    check_count("unanswered", unanswered)
    _check_range(low, high)
    asked = array.size + unanswered
    if asked == 0:
        return Bounds(lower=NAN, upper=NAN, reason=NO_VALUES)
    if not np.isfinite(array).all():
        return Bounds(lower=NAN, upper=NAN, n=array.size, unanswered=unanswered, reason=NOT_FINITE)
    if array.size and (array.min() < low or array.max() > high):
        raise ValueError(f"values must lie within {low} .. {high}, found {array.min()} .. {array.max()}")
    total = float(array.sum())
    return Bounds(
        lower=(total + unanswered * low) / asked,
        upper=(total + unanswered * high) / asked,
        coverage=array.size / asked,
        n=array.size,
        unanswered=unanswered,
    )


def share_bounds(successes: int, answered: int, unanswered: int) -> Bounds:
    """Bounds of a share over all items asked.

    Parameters
    ----------
    successes, answered, unanswered : int
        ``successes`` of ``answered`` had the property.

    Raises
    ------
    ValueError
        When a count is none, or successes exceed answered.

    Notes
    -----
    Manski (2003), section 1.2, for a binary outcome.
    """
    for name, count in (("successes", successes), ("answered", answered)):
        check_count(name, count)
    if successes > answered:
        raise ValueError(f"found {successes} successes of {answered}")
    return mean_bounds(np.repeat([1.0, 0.0], [successes, answered - successes]), unanswered, 0.0, 1.0)


def difference_bounds(ours: Bounds, theirs: Bounds) -> Bounds:
    """Bounds of a difference of two means, ours less theirs; counts are added.

    Notes
    -----
    Manski (1990): each side may be completed independently of the other.
    """
    asked = ours.n + theirs.n + ours.unanswered + theirs.unanswered
    return Bounds(
        lower=ours.lower - theirs.upper,
        upper=ours.upper - theirs.lower,
        n=ours.n + theirs.n,
        unanswered=ours.unanswered + theirs.unanswered,
        coverage=(ours.n + theirs.n) / asked if asked else NAN,
        reason=ours.reason or theirs.reason,
    )


def stimulus_bounds(
    answered: ArrayLike, stimuli: Labels, unanswered_stimuli: Labels, low: float, high: float
) -> Bounds:
    """Bounds of a mean over stimuli, each stimulus averaged first.

    This is the mean that `paired.paired_difference` compares; `difference_bounds` of two of these, asked on
    the same stimuli, bounds that difference over all stimuli asked. The observed difference rests on the
    stimuli that both sides answered and may lie outside when whole stimuli were left unanswered.

    Parameters
    ----------
    answered : array_like, shape (n,)
    stimuli : sequence of hashables, length n
    unanswered_stimuli : sequence of hashables
        The stimulus of each item without a value.
    low, high : float
        The range a value can take, finite.

    Raises
    ------
    ValueError
        As `mean_bounds`, and when lengths differ.

    Notes
    -----
    Manski (2003), section 1.2, applied within each stimulus.
    """
    array = as_floats(answered)
    overall = mean_bounds(array, len(unanswered_stimuli), low, high)
    if overall.reason:
        return overall
    labels = [*stimuli, *unanswered_stimuli]
    codes = factorize(labels, array.size + len(unanswered_stimuli))[0]
    asked = np.bincount(codes)
    means = [
        float((np.bincount(codes, weights=_completed(array, len(unanswered_stimuli), end)) / asked).mean())
        for end in (low, high)
    ]
    return Bounds(lower=means[0], upper=means[1], n=overall.n, unanswered=overall.unanswered, coverage=overall.coverage)


def _completed(answered: ArrayLike, unanswered: int, value: float) -> ArrayLike:
    """The values with every missing one set to the same number."""
    return np.concatenate([as_floats(answered), np.full(unanswered, value)])


def _check_range(low: float, high: float) -> None:
    """Accept a finite range."""
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ValueError(f"the range must be finite and in order, found {low} .. {high}")

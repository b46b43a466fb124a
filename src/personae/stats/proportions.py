"""Shares and their differences, with score intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from personae.stats._base import (
    NAN,
    NO_VALUES,
    NOT_FINITE,
    ONE_CLUSTER,
    Floats,
    Integers,
    Labels,
    Tested,
    as_floats,
    check_count,
    check_level,
    factorize,
    t_quantile,
    t_two_sided,
)
from personae.stats.means import cluster_error

# Below this many clusters with the rarer answer, simulated coverage falls under the stated level.
_RARE_CLUSTERS = 10
_SAME = "both shares are 0 or both are 1: no test of their difference"


class Proportion(Tested, frozen=True, kw_only=True):
    """A share with its score interval and its score test against ``null``.

    ``n_effective`` is the number of independent answers that would be as precise; ``df`` is infinite where
    the answers are independent.
    """

    n: int = 0
    n_clusters: int = 0
    n_effective: float = NAN


class ProportionDifference(Tested, frozen=True, kw_only=True):
    """A difference of two independent shares with its interval and its test against 0."""

    n: int = 0


def wilson(successes: int, n: int, level: float = 0.95, null: float | None = None) -> Proportion:
    """Share of independent answers with Wilson's interval.

    Parameters
    ----------
    successes, n : int
    level : float
        Level of the interval, between 0 and 1.
    null : float, optional
        A share strictly between 0 and 1 to test against by the same score statistic.

    Raises
    ------
    ValueError
        When counts are no counts, successes exceed n, or level or null lie outside (0, 1).

    Notes
    -----
    Wilson, "Probable inference, the law of succession, and statistical inference", J. Amer. Statist. Assoc.
    22 (1927); no continuity correction: method 3 of Newcombe, Statist. Med. 17 (1998) 857-872.
    """
    check_count("n", n)
    check_count("successes", successes)
    if successes > n:
        raise ValueError(f"found {successes} successes of {n}")
    if n == 0:
        check_level(level)
        return Proportion(value=NAN, reason=NO_VALUES)
    return _score(successes / n, float(n), math.inf, level, null=null, n=n, n_clusters=n)


def jeffreys(successes: int, n: int, level: float = 0.95) -> Proportion:
    """Share of independent answers, smoothed with Jeffreys' prior: the mean of the posterior, and its interval.

    The posterior is Beta(k + 1/2, n - k + 1/2). The value is never 0 or 1, so a divergence from it is finite; the
    interval reaches to 0 where no answer was a success, and to 1 where all were.

    Parameters
    ----------
    successes, n : int
    level : float
        Level of the interval, between 0 and 1.

    Raises
    ------
    ValueError
        When counts are no counts, successes exceed n, or level lies outside (0, 1).

    Notes
    -----
    Brown, Cai and DasGupta, "Interval estimation for a binomial proportion", Statist. Sci. 16 (2001), section 3.
    """
    check_count("n", n)
    check_count("successes", successes)
    check_level(level)
    if successes > n:
        raise ValueError(f"found {successes} successes of {n}")
    if n == 0:
        return Proportion(value=NAN, reason=NO_VALUES)
    above, below = successes + 0.5, n - successes + 0.5
    low, high = (float(special.betaincinv(above, below, tail)) for tail in ((1 - level) / 2, (1 + level) / 2))
    return Proportion(
        value=above / (n + 1),
        ci_low=0.0 if successes == 0 else low,
        ci_high=1.0 if successes == n else high,
        n=n,
        n_clusters=n,
        n_effective=float(n),
    )


def proportion(
    answers: ArrayLike, clusters: Labels | None = None, level: float = 0.95, null: float | None = None
) -> Proportion:
    """Share of answers that are 1, with an interval that respects clusters.

    With clusters, Wilson's formula is used with an effective sample size in place of n and a quantile of t in
    place of the normal; the variance and its degrees of freedom are those of `means.mean_test`. The effective
    size is ``share (1 - share) / variance``, never more than n. That estimate means little when the rarer
    answer occurs in a few clusters only, and nothing when it never occurs; so it is mixed with the number of
    clusters (the effective size when all answers of a cluster are alike) and counts fully once ten clusters,
    or all, hold the rarer answer.

    Parameters
    ----------
    answers : array_like of 0 and 1, shape (n,)
    clusters : sequence of hashables, length n, optional
    level : float
    null : float, optional
        A share strictly between 0 and 1 to test against.

    Raises
    ------
    ValueError
        When an answer is neither 0 nor 1, lengths differ, or level or null lie outside (0, 1).

    Notes
    -----
    Effective size with a t quantile: Korn and Graubard, "Confidence intervals for proportions with small
    expected number of positive counts estimated from survey data", Survey Methodology 24 (1998) 193-201;
    with Wilson's interval: Dean and Pagano, J. Survey Statistics and Methodology 3 (2015) 484-503. The
    mixing with the number of clusters is this project's own; ``tests/calibration/test_intervals.py``
    shows what it achieves.
    """
    array = as_floats(answers)
    codes = None if clusters is None else factorize(clusters, array.size)[0]
    n_clusters = array.size if codes is None else int(codes.max(initial=-1)) + 1
    if array.size == 0:
        check_level(level)
        return Proportion(value=NAN, reason=NO_VALUES)
    if not np.isfinite(array).all():
        return Proportion(value=NAN, n=array.size, n_clusters=n_clusters, reason=NOT_FINITE)
    if not np.isin(array, (0.0, 1.0)).all():
        raise ValueError("answers must be 0 or 1")
    share = float(array.mean())
    if codes is None:
        return _score(share, float(array.size), math.inf, level, null=null, n=array.size, n_clusters=n_clusters)
    if n_clusters == 1:
        return Proportion(value=share, n=array.size, n_clusters=1, reason=ONE_CLUSTER)
    df = cluster_error(array, codes)[1]
    effective = _effective_size(array, codes)
    return _score(share, effective, df, level, null=null, n=array.size, n_clusters=n_clusters)


def _effective_size(answers: Floats, codes: Integers) -> float:
    """Number of independent answers that would be as precise as these clustered ones."""
    share, size = float(answers.mean()), np.bincount(codes)
    ones = np.bincount(codes, weights=answers)
    rarer = min(int((ones > 0).sum()), int((ones < size).sum()))
    trust = rarer / min(_RARE_CLUSTERS, size.size)
    if trust == 0.0:
        return float(size.size)
    error = cluster_error(answers, codes)[0]
    estimated = min(float(answers.size), share * (1.0 - share) / error**2) if error > 0.0 else answers.size
    if trust >= 1.0:
        return float(estimated)
    return 1.0 / (trust / estimated + (1.0 - trust) / min(estimated, size.size))


def _score(
    share: float,
    effective: float,
    df: float,
    level: float,
    *,
    null: float | None = None,
    n: int = 0,
    n_clusters: int = 0,
) -> Proportion:
    """Wilson's interval and score test for any effective size and degrees of freedom."""
    check_level(level)
    squared = t_quantile(df, level) ** 2
    centre = (share + squared / (2.0 * effective)) / (1.0 + squared / effective)
    half = math.sqrt(squared * (share * (1.0 - share) / effective + squared / (4.0 * effective**2))) / (
        1.0 + squared / effective
    )
    statistic = NAN
    if null is not None:
        if not 0.0 < null < 1.0:
            raise ValueError(f"null must lie between 0 and 1, found {null!r}")
        statistic = (share - null) / math.sqrt(null * (1.0 - null) / effective)
    return Proportion(
        value=share,
        # At 0 and 1 the bound is the share itself; rounding must not push it past.
        ci_low=0.0 if share == 0.0 else max(0.0, centre - half),
        ci_high=1.0 if share == 1.0 else min(1.0, centre + half),
        statistic=statistic,
        df=df,
        p=NAN if null is None else t_two_sided(df, statistic),
        n=n,
        n_clusters=n_clusters,
        n_effective=effective,
    )


def proportion_difference(ours: Proportion, theirs: Proportion, level: float = 0.95) -> ProportionDifference:
    """Difference of two independent shares, from `wilson` or `proportion`.

    For shares on the same stimuli use `paired.paired_difference`, which is narrower.

    Parameters
    ----------
    ours, theirs : Proportion
        The difference is ours less theirs. Their own level does not matter.
    level : float

    Returns
    -------
    ProportionDifference
        The interval squares and adds the distances to the two score intervals; the test is the pooled score
        test, on effective sizes and the smaller degrees of freedom where answers were clustered.

    Notes
    -----
    Newcombe, "Interval estimation for the difference between independent proportions", Statist. Med. 17
    (1998) 873-890, method 10; for any two intervals: Zou and Donner, Statist. Med. 27 (2008) 1693-1702.
    """
    check_level(level)
    size = ours.n + theirs.n
    for side in (ours, theirs):
        if side.reason:
            return ProportionDifference(value=ours.value - theirs.value, n=size, reason=side.reason)
    one = _score(ours.value, ours.n_effective, ours.df, level)
    two = _score(theirs.value, theirs.n_effective, theirs.df, level)
    value, df = one.value - two.value, min(ours.df, theirs.df)
    total = ours.n_effective + theirs.n_effective
    pooled = (one.value * ours.n_effective + two.value * theirs.n_effective) / total
    variance = pooled * (1.0 - pooled) * (1.0 / ours.n_effective + 1.0 / theirs.n_effective)
    statistic = value / math.sqrt(variance) if variance > 0.0 else NAN
    return ProportionDifference(
        value=value,
        ci_low=value - math.hypot(one.value - one.ci_low, two.ci_high - two.value),
        ci_high=value + math.hypot(one.ci_high - one.value, two.value - two.ci_low),
        statistic=statistic,
        df=df,
        p=t_two_sided(df, statistic) if variance > 0.0 else NAN,
        n=size,
        reason="" if variance > 0.0 else _SAME,
    )

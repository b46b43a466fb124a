"""The ratio of two sums over clusters, such as a relative difference."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from personae.stats._base import (
    NAN,
    NO_VALUES,
    NOT_FINITE,
    ONE_CLUSTER,
    Floats,
    Labels,
    Tested,
    as_floats,
    check_level,
    negligible,
    t_quantile,
    t_two_sided,
)
from personae.stats.bootstrap import cluster_sums

_ZERO = "the denominators sum to 0: the ratio is undefined"
_EXACT = "numerators are the same multiple of denominators in every cluster: no spread to estimate"
_UNBOUNDED = "the denominator cannot be told from 0: the interval of the ratio has no bound"


class RatioTest(Tested, frozen=True, kw_only=True):
    """A ratio of sums with Fieller's interval and its test against ``null``.

    Where the denominator cannot be told from 0 the interval has no bound and is nan; the test still holds.
    """

    n: int = 0
    n_clusters: int = 0


def ratio_test(
    numerators: ArrayLike,
    denominators: ArrayLike,
    clusters: Labels | None = None,
    null: float = 0.0,
    level: float = 0.95,
) -> RatioTest:
    """Ratio of two sums, with an interval that knows the denominator is uncertain too.

    A ratio r is in the interval when Student's t-test over clusters does not reject that
    ``numerator - r * denominator`` sums to 0. It holds its level with few clusters, where the bootstrap of
    `bootstrap.ratio` is too narrow.

    Parameters
    ----------
    numerators, denominators : array_like, shape (n,)
    clusters : sequence of hashables, length n, optional
        Without them each value is a cluster of its own.
    null : float
        The ratio under the null hypothesis.
    level : float

    Raises
    ------
    ValueError
        When lengths differ or the level is not between 0 and 1.

    Notes
    -----
    Fieller, "Some problems in interval estimation", J. R. Statist. Soc. B 16 (1954) 175-185; ratios of
    sums: Cochran, Sampling Techniques (1977), chapter 6.
    """
    check_level(level)
    top, bottom = as_floats(numerators), as_floats(denominators)
    if top.size != bottom.size:
        raise ValueError(f"found {top.size} numerators and {bottom.size} denominators")
    sums = cluster_sums(np.column_stack([top, bottom]), np.arange(top.size) if clusters is None else clusters)
    result = partial(RatioTest, n=top.size, n_clusters=sums.shape[0])
    if top.size == 0:
        return result(value=NAN, reason=NO_VALUES)
    if not np.isfinite(sums).all():
        return result(value=NAN, reason=NOT_FINITE)
    total, below = (float(column) for column in sums.sum(axis=0))
    if negligible(abs(below), sums[:, 1]):
        return result(value=NAN, reason=_ZERO)
    value = total / below
    if sums.shape[0] == 1:
        return result(value=value, reason=ONE_CLUSTER)
    if negligible(_spread(sums, value), sums[:, 0], value * sums[:, 1]):
        return result(value=value, reason=_EXACT)
    df = sums.shape[0] - 1.0
    spread = _spread(sums, null)
    statistic = NAN
    if not negligible(spread, sums[:, 0], null * sums[:, 1]):
        statistic = (total - null * below) / (spread * math.sqrt(sums.shape[0]))
    low, high = _fieller(sums, t_quantile(df, level))
    return result(
        value=value,
        ci_low=low,
        ci_high=high,
        statistic=statistic,
        df=df,
        p=t_two_sided(df, statistic),
        reason=_UNBOUNDED if math.isnan(low) else "",
    )


def _spread(sums: Floats, null: float) -> float:
    """Standard deviation over clusters of numerator less ``null`` times denominator."""
    return float((sums[:, 0] - null * sums[:, 1]).std(ddof=1))


def _fieller(sums: Floats, quantile: float) -> tuple[float, float]:
    """The two ratios at which the t statistic equals the quantile; nan when they enclose no bounded set."""
    mean = sums.mean(axis=0)
    within = quantile**2 * np.cov(sums.T) / sums.shape[0]
    square = float(mean[1] ** 2 - within[1, 1])
    cross = float(mean[0] * mean[1] - within[0, 1])
    constant = float(mean[0] ** 2 - within[0, 0])
    if square <= 0.0:
        return NAN, NAN
    # The ratio itself satisfies the inequality, so the roots are real; rounding must not say otherwise.
    root = math.sqrt(max(0.0, cross**2 - square * constant))
    return (cross - root) / square, (cross + root) / square

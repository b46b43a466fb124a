"""The mean of independent or clustered values, against a fixed number."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from personae.stats._base import (
    NAN,
    NO_CLUSTER_VARIANCE,
    NO_VALUES,
    NO_VARIANCE,
    NOT_FINITE,
    ONE_CLUSTER,
    ONE_VALUE,
    Floats,
    Integers,
    Labels,
    Tested,
    as_floats,
    check_level,
    factorize,
    negligible,
    t_quantile,
    t_two_sided,
)

Robust = Literal["CR1", "CR2"]


class MeanTest(Tested, frozen=True, kw_only=True):
    """A mean with its interval and its test against ``mu``.

    ``effect_size`` is Cohen's d, ``(mean - mu) / standard deviation`` of the single values, without
    small-sample correction. What cannot be computed is nan, and ``reason`` says why; ``value`` is nan
    only without values.
    """

    effect_size: float = NAN
    n: int = 0
    n_clusters: int = 0


def mean_test(
    values: ArrayLike,
    clusters: Labels | None = None,
    mu: float = 0.0,
    level: float = 0.95,
    *,
    robust: Robust = "CR2",
) -> MeanTest:
    """Test the mean of values against ``mu``.

    Without clusters this is Student's one-sample t-test. With clusters the mean stays the mean of all
    values (a cluster counts by its size) and its standard error is cluster-robust. ``"CR2"`` is the
    bias-reduced estimator of Bell and McCaffrey with their Satterthwaite degrees of freedom, which holds
    its level with few and unequal clusters; ``"CR1"`` is the common estimator with t on G - 1 degrees of
    freedom, which does not. With clusters of equal size both are the t-test on cluster means.

    Parameters
    ----------
    values : array_like, shape (n,)
        Answered values only; leave out what was not answered.
    clusters : sequence of hashables, length n, optional
        The cluster of each value.
    mu : float
        The mean under the null hypothesis.
    level : float
        Level of the interval, between 0 and 1.
    robust : {"CR2", "CR1"}
        The cluster-robust variance.

    Returns
    -------
    MeanTest
        ``n_clusters`` is n where no clusters were given.

    Raises
    ------
    ValueError
        When the level is not between 0 and 1, or the lengths differ.

    Notes
    -----
    Sources: Student, "The probable error of a mean", Biometrika 6 (1908) 1-25; CR1: Cameron and Miller,
    "A practitioner's guide to cluster-robust inference", J. Human Resources 50 (2015) 317-372, sections
    II and VI; CR2: Bell and McCaffrey, "Bias reduction in standard errors for linear regression with
    multi-stage samples", Survey Methodology 28 (2002) 169-181, restated in Pustejovsky and Tipton, J.
    Business Econ. Statist. 36 (2018) 672-683, sections 2 and 3. Cohen's d: Cohen, Statistical Power
    Analysis for the Behavioral Sciences (1988), chapter 2, case 3.
    """
    check_level(level)
    array = as_floats(values)
    codes = None if clusters is None else factorize(clusters, array.size)[0]
    n_clusters = array.size if codes is None else int(codes.max(initial=-1)) + 1
    if array.size == 0:
        return MeanTest(value=NAN, reason=NO_VALUES)
    if not np.isfinite(array).all():
        return MeanTest(value=NAN, n=array.size, n_clusters=n_clusters, reason=NOT_FINITE)
    value = float(array.mean())
    spread = float(array.std(ddof=1)) if array.size > 1 else NAN
    reason = _undecided(array, spread, codes, n_clusters)
    if reason:
        return MeanTest(value=value, n=array.size, n_clusters=n_clusters, reason=reason)
    error, df = (
        (spread / math.sqrt(array.size), array.size - 1.0) if codes is None else cluster_error(array, codes, robust)
    )
    if negligible(error, array):
        return MeanTest(value=value, n=array.size, n_clusters=n_clusters, reason=NO_CLUSTER_VARIANCE)
    half, statistic = t_quantile(df, level) * error, (value - mu) / error
    return MeanTest(
        value=value,
        ci_low=value - half,
        ci_high=value + half,
        statistic=statistic,
        df=df,
        p=t_two_sided(df, statistic),
        effect_size=(value - mu) / spread,
        n=array.size,
        n_clusters=n_clusters,
    )


def cluster_error(values: Floats, codes: Integers, robust: Robust = "CR2") -> tuple[float, float]:
    """Cluster-robust standard error of a mean, and its degrees of freedom.

    For a mean the leverage of cluster g is its share of the values, ``w = n_g / n``, so the adjustment
    matrices of Bell and McCaffrey reduce to division of each cluster's summed residual by ``sqrt(1 -
    w)``.

    Parameters
    ----------
    values : ndarray, shape (n,)
    codes : ndarray of int, shape (n,)
        Cluster numbers 0 .. G - 1, each occurring; G is at least 2.
    robust : {"CR2", "CR1"}

    Returns
    -------
    error, df : float
        Standard error in the units of the values; degrees of freedom, between 1 and G - 1.

    Notes
    -----
    Bell and McCaffrey (2002) for a regression on the constant alone, under their working model of
    independent values with equal variance; CR1: Cameron and Miller (2015), section VI.
    """
    share = np.bincount(codes) / values.size
    sums = np.bincount(codes, weights=values - values.mean()) / values.size
    if robust == "CR1":
        groups = share.size
        return math.sqrt(groups / (groups - 1.0) * float(sums @ sums)), groups - 1.0
    scaled = share / np.sqrt(1.0 - share)
    kernel = np.outer(scaled, scaled) * -1.0
    np.fill_diagonal(kernel, share)
    return math.sqrt(float((sums**2 / (1.0 - share)).sum())), 1.0 / float((kernel**2).sum())


def _undecided(values: Floats, spread: float, codes: Integers | None, n_clusters: int) -> str:
    """Why these values say nothing about the precision of their mean; empty when they do."""
    if codes is not None and n_clusters == 1:
        return ONE_CLUSTER
    if values.size == 1:
        return ONE_VALUE
    return NO_VARIANCE if negligible(spread, values) else ""

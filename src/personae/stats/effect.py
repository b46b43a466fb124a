"""Standardised effects with intervals."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike
from scipy import special

from personae.stats._base import (
    NAN,
    NO_VALUES,
    NO_VARIANCE,
    NOT_FINITE,
    Floats,
    as_floats,
    check_count,
    check_level,
    negligible,
    z_quantile,
)

# The normal density beyond _FAR is under 1e-18.
_FAR = 9.0
_TOO_FEW = "too few values: a standardised effect needs two degrees of freedom"


class Effect(Struct, frozen=True, kw_only=True):
    """A standardised effect; ``df`` is nan where it rests on no t distribution."""

    value: float
    ci_low: float = NAN
    ci_high: float = NAN
    df: float = NAN
    n: int = 0
    reason: str = ""


def small_sample_correction(df: float) -> float:
    """Hedges' exact factor J that takes the bias out of a standardised mean difference.

    Source: Hedges, "Distribution theory for Glass's estimator of effect size", J. Educational Statistics
    6 (1981), equation 6e.
    """
    if df <= 1.0:
        return NAN
    return math.exp(math.lgamma(df / 2.0) - math.lgamma((df - 1.0) / 2.0)) / math.sqrt(df / 2.0)


def noncentral_interval(statistic: float, df: float, level: float = 0.95) -> tuple[float, float]:
    """Interval of the noncentrality parameter of a t statistic.

    The bounds are the noncentralities under which the statistic seen is the upper and the lower tail
    quantile.

    Source: Steiger and Fouladi, "Noncentrality interval estimation", in Harlow et al., What if there were
    no significance tests? (1997), chapter 9; Cumming and Finch, Educ. Psychol. Measurement 61 (2001).
    """
    check_level(level)
    tail = 0.5 - level / 2.0
    return _noncentrality(statistic, df, 1.0 - tail), _noncentrality(statistic, df, tail)


def _noncentrality(statistic: float, df: float, probability: float) -> float:
    """Noncentrality under which the t distribution has this probability below the statistic."""

    def excess(shift: float) -> float:
        return noncentral_cdf(statistic, df, shift) - probability

    step = 4.0 * (1.0 + abs(statistic) / math.sqrt(2.0 * df))
    low, high = statistic - step, statistic + step
    while excess(low) < 0.0:
        low -= step
    while excess(high) > 0.0:
        high += step
    from scipy import optimize  # twice as long to import as all else here, and few need it

    return float(optimize.brentq(excess, low, high, xtol=1e-10))


def noncentral_cdf(statistic: float, df: float, shift: float) -> float:
    """Probability that a noncentral t variable is at most the statistic.

    T is ``(Z + shift) / S`` with Z normal and ``S**2`` chi-square over its degrees of freedom. The integral is taken
    over whichever of the two is the rougher, so that what is integrated is smooth: scipy's own function gives nan for
    statistics far from the shift, which near-deterministic answers produce.

    Source: Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 2 (1995), chapter 31.
    """
    if statistic < 0.0:
        return 1.0 - noncentral_cdf(-statistic, df, -shift)
    if statistic > math.sqrt(2.0 * df):
        low = max(-_FAR, -shift)
        if low >= _FAR:
            return float(special.ndtr(-shift))
        z, weights = _stretched(low, _FAR)
        density = np.exp(-(z**2) / 2.0) / math.sqrt(2.0 * math.pi)
        beyond = special.gammaincc(df / 2.0, df * ((z + shift) / statistic) ** 2 / 2.0)
        return float(special.ndtr(-shift)) + float(weights @ (density * beyond))
    ends = np.sqrt(special.gammaincinv(df / 2.0, np.array([1e-16, 1.0 - 1e-16])) * 2.0 / df)
    s, weights = _stretched(float(ends[0]), float(ends[1]))
    constant = math.log(2.0) + df / 2.0 * math.log(df / 2.0) - math.lgamma(df / 2.0)
    density = np.exp(constant + (df - 1.0) * np.log(s) - df * s**2 / 2.0)
    return float(weights @ (density * special.ndtr(statistic * s - shift)))


def _stretched(low: float, high: float) -> tuple[Floats, Floats]:
    """Nodes and weights for an integral, denser towards the low end, where few degrees of freedom make a kink."""
    nodes, halves = _nodes()
    return low + (high - low) * nodes**3, (high - low) * 3.0 * nodes**2 * halves


@cache
def _nodes() -> tuple[Floats, Floats]:
    """Nodes of Gauss and Legendre between 0 and 1, and their weights."""
    roots, halves = np.polynomial.legendre.leggauss(200)
    return (1.0 + roots) / 2.0, halves / 2.0


def cohens_d(values: ArrayLike, mu: float = 0.0, level: float = 0.95) -> Effect:
    """Distance of a mean from ``mu`` in standard deviations, uncorrected.

    Parameters
    ----------
    values : array_like, shape (n,)
    mu : float
    level : float

    Notes
    -----
    Cohen, Statistical Power Analysis for the Behavioral Sciences (1988), chapter 2, case 3; interval:
    `noncentral_interval`.
    """
    return _one_sample(as_floats(values), mu, level, corrected=False)


def g_z(differences: ArrayLike, level: float = 0.95) -> Effect:
    """Mean of paired differences in their standard deviations, corrected for small samples.

    The interval is the exact one of the population effect, which the corrected and the uncorrected value both
    estimate; multiplying its ends by the correction too, as is often done, would make it cover less than it claims.

    Source: Lakens, Frontiers in Psychology 4:863 (2013); correction: Hedges (1981), equation 6e.
    """
    return _one_sample(as_floats(differences), 0.0, level, corrected=True)


def _one_sample(array: Floats, mu: float, level: float, *, corrected: bool) -> Effect:
    """Standardised mean of one sample with its noncentral interval."""
    check_level(level)
    reason = _undecided(array)
    if reason:
        return Effect(value=NAN, n=array.size, reason=reason)
    df, root = array.size - 1.0, math.sqrt(array.size)
    value = (float(array.mean()) - mu) / float(array.std(ddof=1))
    low, high = noncentral_interval(value * root, df, level)
    factor = small_sample_correction(df) if corrected else 1.0
    return Effect(value=factor * value, ci_low=low / root, ci_high=high / root, df=df, n=array.size)


def hedges_g(values: ArrayLike, others: ArrayLike, level: float = 0.95) -> Effect:
    """Difference of two independent means in pooled standard deviations, corrected for small samples.

    Parameters
    ----------
    values, others : array_like, shape (n,) and (m,)
    level : float

    Notes
    -----
    Hedges (1981), equation 6e; the interval is exact as in `g_z`.
    """
    check_level(level)
    ours, theirs = as_floats(values), as_floats(others)
    size = ours.size + theirs.size
    for reason in (_empty(ours), _empty(theirs), _TOO_FEW if size < 4 else ""):
        if reason:
            return Effect(value=NAN, n=size, reason=reason)
    df = size - 2.0
    pooled = math.sqrt((ours.var() * ours.size + theirs.var() * theirs.size) / df)
    if negligible(pooled, ours, theirs):
        return Effect(value=NAN, n=size, reason=NO_VARIANCE)
    root = math.sqrt(ours.size * theirs.size / size)
    value, factor = float(ours.mean() - theirs.mean()) / pooled, small_sample_correction(df)
    low, high = noncentral_interval(value * root, df, level)
    return Effect(value=factor * value, ci_low=low / root, ci_high=high / root, df=df, n=size)


def cohens_h(successes: int, n: int, other_successes: int, other_n: int, level: float = 0.95) -> Effect:
    """Difference of two independent shares on the arcsine scale.

    The variance of ``2 arcsin sqrt(share)`` is near ``1 / n`` whatever the share, which gives the interval.

    Source: Cohen (1988), section 6.2; variance: Freeman and Tukey, Ann. Math. Stat. 21 (1950).
    """
    check_level(level)
    for name, count, total in (("successes", successes, n), ("other_successes", other_successes, other_n)):
        check_count(name, count)
        check_count("n", total)
        if count > total:
            raise ValueError(f"{name}: {count} of {total}")
    if n == 0 or other_n == 0:
        return Effect(value=NAN, n=n + other_n, reason=NO_VALUES)
    value = 2.0 * (math.asin(math.sqrt(successes / n)) - math.asin(math.sqrt(other_successes / other_n)))
    half = z_quantile(level) * math.sqrt(1.0 / n + 1.0 / other_n)
    return Effect(value=value, ci_low=max(-math.pi, value - half), ci_high=min(math.pi, value + half), n=n + other_n)


def _empty(array: Floats) -> str:
    """Why an array holds nothing to average; empty when it does."""
    if array.size == 0:
        return NO_VALUES
    return "" if np.isfinite(array).all() else NOT_FINITE


def _undecided(array: Floats) -> str:
    """Why one sample has no standardised mean; empty when it has."""
    if _empty(array):
        return _empty(array)
    if array.size < 3:
        return _TOO_FEW
    return NO_VARIANCE if negligible(float(array.std(ddof=1)), array) else ""

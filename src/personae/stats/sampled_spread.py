"""The spread of numbers that are each known only with the noise of a few samples, without that noise."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from personae.stats._base import NAN, Floats, as_floats
from personae.stats.bootstrap import Bootstrap, drawn_interval
from personae.stats.resample import Resamples

ALL_NOISE = "the samples alone would spread the values more than they are spread: nothing can be said beside that"
_Variance = Callable[[Floats], Floats]


def spread_less_noise(values: ArrayLike, noise: ArrayLike, drawn: Resamples, *, level: float = 0.95) -> Bootstrap:
    """Standard deviation between units whose values are unbiased, each with a noise of known variance.

    Parameters
    ----------
    values, noise : array_like, shape (n,)
        What was found of each unit, and an unbiased estimate of the variance that sampling gave it.
    drawn : Resamples
        Of the `n` units, two or more.
    level : float

    Returns
    -------
    Bootstrap
        Root of the variance between values less the mean noise, 0 where that is negative. The interval is the wider at
        each end of the percentile and the BCa interval of that variance, over units, each with its noise; none, with a
        reason, where it reaches no value above 0.

    Raises
    ------
    ValueError
        When lengths differ, and as in `personae.stats.bootstrap.drawn_interval`.

    Notes
    -----
    Method of moments for the variance component between groups: Searle, Casella and McCulloch, Variance Components
    (1992), section 3.5; with unequal noise, DerSimonian and Laird, Controlled Clinical Trials 7 (1986), 177-188,
    with equal weights. Only units are drawn, each with the noise it has: Davison and Hinkley, Bootstrap Methods and
    their Application (1997), section 3.8. That the wider end is taken is a rule of this project: with 40 to 80 units
    both intervals are a little too narrow, for a variance is skewed.
    """
    x, variances = as_floats(values), as_floats(noise)
    if x.size != variances.size:
        raise ValueError(f"found {x.size} values and {variances.size} variances")

    def variance(counts: Floats) -> Floats:
        return _between(x, x**2, counts) - _mean(variances, counts)

    return _rooted(variance, drawn, level)


def spread_extrapolated(values: ArrayLike, again: ArrayLike, drawn: Resamples, *, level: float = 0.95) -> Bootstrap:
    """Standard deviation between units whose values are no linear function of what was sampled.

    Parameters
    ----------
    values : array_like, shape (n,)
        What was found of each unit, with the noise of its samples.
    again : array_like, shape (draws, n)
        What is found when as much noise once more is added.
    drawn : Resamples
        Of the `n` units, two or more.
    level : float

    Returns
    -------
    Bootstrap
        Root of twice the variance of `values` less that of `again`; else as `spread_less_noise`.

    Raises
    ------
    ValueError
        When lengths differ, and as in `personae.stats.bootstrap.drawn_interval`.

    Notes
    -----
    Simulation extrapolation from once and twice the noise to none, along a line: Cook and Stefanski, Journal of the
    American Statistical Association 89 (1994), 1314-1328.
    """
    x, table = as_floats(values), np.asarray(again, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != x.size:
        raise ValueError(f"found {x.size} values and noisier ones of shape {table.shape}")
    first, second = table.mean(axis=0), (table**2).mean(axis=0)

    def variance(counts: Floats) -> Floats:
        return 2.0 * _between(x, x**2, counts) - _between(first, second, counts)

    return _rooted(variance, drawn, level)


def _mean(values: Floats, counts: Floats) -> Floats:
    return np.asarray(counts @ values / counts.sum(axis=-1))


def _between(first: Floats, second: Floats, counts: Floats) -> Floats:
    """Variance, with n - 1 in the denominator, of units with these first and second moments, each so often."""
    size = counts.sum(axis=-1)
    return np.asarray((_mean(second, counts) - _mean(first, counts) ** 2) * size / (size - 1.0))


def _rooted(variance: _Variance, drawn: Resamples, level: float) -> Bootstrap:
    """A standard deviation with its interval from a variance as a function of how often each unit was drawn."""
    units = drawn.counts.shape[1]
    everything = np.ones((1, units))
    value, draws = float(variance(everything)[0]), variance(drawn.counts)
    found = [drawn_interval(value, draws, left, level=level) for left in (None, _left(variance, units))]
    rooted = msgspec.structs.replace(
        found[0], value=float(np.sqrt(max(value, 0.0))), ci_low=NAN, ci_high=NAN, error=NAN, n_clusters=units
    )
    reason = next((one.reason for one in found if one.reason), "")
    low, high = min(one.ci_low for one in found), max(one.ci_high for one in found)
    if reason or high <= 0.0:
        return msgspec.structs.replace(rooted, reason=reason or ALL_NOISE)
    return msgspec.structs.replace(rooted, ci_low=float(np.sqrt(max(low, 0.0))), ci_high=float(np.sqrt(high)))


def _left(variance: _Variance, units: int) -> Floats | None:
    """The variance without each unit in turn; None where one unit would be left."""
    return variance(np.ones((units, units)) - np.eye(units)) if units > 2 else None

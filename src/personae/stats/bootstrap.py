"""Bootstrap over clusters for statistics of sums, such as ratios."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy import special

from personae.stats._base import (
    NAN,
    NO_VALUES,
    NOT_FINITE,
    ONE_CLUSTER,
    Floats,
    Labels,
    as_floats,
    check_level,
    factorize,
    negligible,
)

Interval = Literal["bca", "percentile"]
Statistic = Callable[[Floats], Floats]
_CELLS = 4_000_000
_UNDEFINED = "the statistic is not defined on these values"
_UNBOUNDED = "the statistic is undefined in so many resamples that the interval has no bound"
_CONSTANT = "the statistic is the same in every resample: its spread cannot be estimated"


class Bootstrap(Struct, frozen=True, kw_only=True):
    """A statistic with its bootstrap interval; ``undefined`` counts resamples in which it had no value."""

    value: float
    ci_low: float = NAN
    ci_high: float = NAN
    error: float = NAN
    draws: int = 0
    undefined: int = 0
    n_clusters: int = 0
    reason: str = ""


def cluster_sums(columns: ArrayLike, clusters: Labels) -> Floats:
    """Sum each column within clusters.

    Parameters
    ----------
    columns : array_like, shape (n, k)
    clusters : sequence of hashables, length n

    Returns
    -------
    ndarray, shape (G, k)
    """
    table = np.asarray(columns, dtype=np.float64)
    codes, names = factorize(clusters, table.shape[0])
    sums = np.zeros((len(names), table.shape[1]))
    np.add.at(sums, codes, table)
    return sums


def cluster_bootstrap(
    sums: ArrayLike,
    statistic: Statistic,
    rng: Generator,
    *,
    draws: int = 4000,
    level: float = 0.95,
    method: Interval = "bca",
) -> Bootstrap:
    """Bootstrap any statistic of totals by drawing whole clusters.

    Parameters
    ----------
    sums : array_like, shape (G, k)
        Per cluster, the sums the statistic is made of (see `cluster_sums`).
    statistic : callable
        Takes totals of shape ``(..., k)`` and gives values of shape ``(...)``; nan where undefined.
    rng : numpy.random.Generator
    draws : int
        Resamples, at least 100.
    level : float
    method : {"bca", "percentile"}
        Bias-corrected and accelerated, or plain percentiles.

    Returns
    -------
    Bootstrap
        Resamples without a value are counted at both far ends, so they can only widen the interval.

    Raises
    ------
    ValueError
        When draws is below 100, the level is not between 0 and 1, or sums are not a table.

    Notes
    -----
    Efron and Tibshirani, An Introduction to the Bootstrap (1993), sections 13.3 (percentile) and 14.3 (BCa,
    with the acceleration from the jackknife over clusters); clusters as units: Davison and Hinkley,
    Bootstrap Methods and their Application (1997), section 3.8. With fewer than about 15 clusters these
    intervals are too narrow.
    """
    check_level(level)
    table = np.asarray(sums, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"sums must be a table of clusters and columns, found {table.ndim} dimensions")
    if draws < 100:
        raise ValueError(f"draws must be at least 100, found {draws!r}")
    groups = table.shape[0]
    value = _value(statistic, table)
    reason = _undecided(table, value)
    if reason:
        return Bootstrap(value=value, n_clusters=groups, reason=reason)
    drawn = _resample(table, statistic, rng, draws)
    left = _jackknife(table, statistic) if method == "bca" else None
    found = drawn_interval(value, drawn, left, level=level)
    return msgspec.structs.replace(found, n_clusters=groups)


def drawn_interval(value: float, drawn: ArrayLike, left: ArrayLike | None = None, *, level: float = 0.95) -> Bootstrap:
    """The interval of a statistic from its values in resamples.

    Parameters
    ----------
    value : float
        The statistic itself.
    drawn : array_like, shape (draws,)
        The statistic in every resample; nan where undefined.
    left : array_like, shape (n,), optional
        The statistic without each unit in turn. With it the interval is bias-corrected and accelerated, without it
        the interval has plain percentiles.
    level : float

    Raises
    ------
    ValueError
        When the level is not between 0 and 1.

    Notes
    -----
    As `cluster_bootstrap`.
    """
    check_level(level)
    array = as_floats(drawn)
    defined = array[np.isfinite(array)]
    if not defined.size or not np.isfinite(value):
        return Bootstrap(value=value, draws=array.size, undefined=array.size - defined.size, reason=_UNDEFINED)
    if negligible(float(np.ptp(defined)), defined):
        return Bootstrap(value=value, draws=array.size, reason=_CONSTANT)
    tails = np.array([0.5 - level / 2.0, 0.5 + level / 2.0])
    if left is not None:
        tails = _bca_tails(tails, value, defined, as_floats(left))
    low, high = _ends(array, tails)
    bounded = bool(np.isfinite(low) and np.isfinite(high))
    return Bootstrap(
        value=value,
        ci_low=low if bounded else NAN,
        ci_high=high if bounded else NAN,
        error=float(defined.std(ddof=1)),
        draws=array.size,
        undefined=array.size - defined.size,
        reason="" if bounded else _UNBOUNDED,
    )


def ratio(
    numerators: ArrayLike,
    denominators: ArrayLike,
    rng: Generator,
    clusters: Labels | None = None,
    *,
    draws: int = 4000,
    level: float = 0.95,
    method: Interval = "bca",
) -> Bootstrap:
    """Ratio of two sums with a bootstrap interval over clusters.

    Parameters
    ----------
    numerators, denominators : array_like, shape (n,)
    rng : numpy.random.Generator
    clusters : sequence of hashables, length n, optional
        Without them each value is a cluster of its own.
    draws, level, method
        As in `cluster_bootstrap`.

    Raises
    ------
    ValueError
        When lengths differ, and as in `cluster_bootstrap`.

    Notes
    -----
    Efron and Tibshirani (1993), sections 13.3 and 14.3, with clusters as units as in `cluster_bootstrap`.
    """
    top, bottom = as_floats(numerators), as_floats(denominators)
    if top.size != bottom.size:
        raise ValueError(f"found {top.size} numerators and {bottom.size} denominators")
    labels: Labels = np.arange(top.size) if clusters is None else clusters
    sums = cluster_sums(np.column_stack([top, bottom]), labels)
    return cluster_bootstrap(sums, quotient, rng, draws=draws, level=level, method=method)


def quotient(totals: Floats) -> Floats:
    """First total over second, nan where the second is 0; shape ``(..., 2)`` to ``(...)``."""
    top, bottom = totals[..., 0], totals[..., 1]
    divided: Floats = np.divide(top, bottom, out=np.full(np.shape(top), NAN), where=bottom != 0.0)
    return divided


def _value(statistic: Statistic, table: Floats) -> float:
    """The statistic of the totals; nan without clusters."""
    return float(statistic(table.sum(axis=0))) if table.shape[0] else NAN


def _undecided(table: Floats, value: float) -> str:
    """Why there is nothing to resample; empty when there is."""
    if table.shape[0] == 0:
        return NO_VALUES
    if not np.isfinite(table).all():
        return NOT_FINITE
    if not np.isfinite(value):
        return _UNDEFINED
    return ONE_CLUSTER if table.shape[0] == 1 else ""


def _resample(table: Floats, statistic: Statistic, rng: Generator, draws: int) -> Floats:
    """The statistic in every resample of clusters, shape ``(draws,)``."""
    groups = table.shape[0]
    weights, chunk = np.full(groups, 1.0 / groups), max(1, _CELLS // groups)
    parts = [
        statistic(rng.multinomial(groups, weights, size=min(chunk, draws - start)) @ table)
        for start in range(0, draws, chunk)
    ]
    return np.concatenate(parts)


def _jackknife(table: Floats, statistic: Statistic) -> Floats:
    """The statistic without each cluster in turn; those without a value are left out."""
    left: Floats = statistic(table.sum(axis=0) - table)
    return left[np.isfinite(left)]


def _bca_tails(tails: NDArray[np.float64], value: float, drawn: Floats, left: Floats) -> Floats:
    """Tail probabilities moved for bias and for acceleration."""
    below = (float((drawn < value).sum()) + 0.5 * float((drawn == value).sum())) / drawn.size
    shift = float(special.ndtri(min(max(below, 0.5 / drawn.size), 1.0 - 0.5 / drawn.size)))
    spread = left.mean() - left if left.size else np.zeros(1)
    scale = float((spread**2).sum()) ** 1.5
    acceleration = float((spread**3).sum()) / (6.0 * scale) if scale > 0.0 else 0.0
    normal = special.ndtri(tails) + shift
    moved: Floats = special.ndtr(shift + normal / np.maximum(1.0 - acceleration * normal, 1e-6))
    return moved


def _ends(drawn: Floats, tails: Floats) -> tuple[float, float]:
    """Outer order statistics at two tail probabilities, undefined draws counted at the far end of each."""
    low = np.quantile(np.where(np.isfinite(drawn), drawn, -np.inf), tails[0], method="lower")
    high = np.quantile(np.where(np.isfinite(drawn), drawn, np.inf), tails[1], method="higher")
    return float(low), float(high)

"""Generalised bias variance: how far the mean scores of groups lie apart, and how far they would by chance.

Scores come as tables with a row for every matched set and a column for every group: within a row only the group
differs. A root of squares is above 0 under pure noise, so the value alone says little. Within a row, labels of groups
can be exchanged where the group makes no difference; what is then left is the floor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations, product

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy import special

from personae.stats._base import NAN, NOT_FINITE, Floats, check_level, t_quantile
from personae.stats.bootstrap import drawn_interval

NO_SETS = "no matched set was answered for every group"
ONE_SET = "one matched set only: the spread between sets is unknown"
FEW_SETS = "fewer than four matched sets: their spread cannot be bootstrapped"
_LEAST_DF = 3
_LISTED = 5  # groups whose orders are listed, which is faster than drawing each
_CELLS = 4_000_000
_SAME = 1e-12


class Gbv(Struct, frozen=True, kw_only=True):
    """A generalised bias variance, its permutation floor and its interval; in the units of the scores.

    ``floor`` is the mean under exchanged labels, ``floor_low`` and ``floor_high`` are the ends of the middle 95 % (or
    other level) of it, ``excess`` is the value less the floor and ``p`` the share of exchanges that come out as large.
    ``sets`` counts rows.
    """

    value: float
    floor: float = NAN
    floor_low: float = NAN
    floor_high: float = NAN
    excess: float = NAN
    p: float = NAN
    ci_low: float = NAN
    ci_high: float = NAN
    sets: int = 0
    reason: str = ""


class GbvDifference(Struct, frozen=True, kw_only=True):
    """A difference of two generalised bias variances over the same matched sets, with its interval and its test."""

    value: float
    ci_low: float = NAN
    ci_high: float = NAN
    p: float = NAN
    sets: int = 0
    reason: str = ""


def group_variance(means: ArrayLike) -> Floats:
    r"""Root of the mean squared deviation of group means from their own mean.

    .. math:: \mathrm{GBV} = \sqrt{\tfrac1K \sum_k (\bar s_k - \bar s)^2}, \quad \bar s = \tfrac1K \sum_k \bar s_k

    Parameters
    ----------
    means : array_like, shape (..., K)

    Returns
    -------
    ndarray, shape (...)

    Notes
    -----
    Ma et al. (2026), section 4.3, after Speicher et al., KDD 2018, 2239-2248. The paper does not say what the overall
    mean is; here it is the mean of the group means, so that a group counts alike whatever its size.
    """
    return np.asarray(np.std(np.asarray(means, dtype=np.float64), axis=-1))


def generalised(tables: Sequence[ArrayLike], rng: Generator, *, draws: int = 2000, level: float = 0.95) -> Gbv:
    """The mean over domains of their GBV (of one domain: its GBV), with permutation floor and interval.

    Parameters
    ----------
    tables : sequence of array_like, each of shape (sets, groups)
        The scores of every domain; rows that miss a score must be left out before.
    rng : numpy.random.Generator
    draws : int
        Permutations, and resamples; at least 100.
    level : float

    Raises
    ------
    ValueError
        When there is no table, a table is not two-dimensional or has fewer than two groups, or draws or level do not
        fit.

    Notes
    -----
    Permutation within blocks: Fisher, The Design of Experiments (1935), section 21; p with the observed arrangement
    counted: Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9:39 (2010).

    The interval has percentiles of the bootstrap over sets, expanded for few sets after Hesterberg, The American
    Statistician 69 (2015) 371-386, section 5.3. Noise makes a root of squares too large, and resamples add as much
    once more. So the lower end is moved down by twice what the resamples lie too high, and further where the value
    without the expected noise lies lower; and it is 0 where the permutations do not tell the value from the floor at
    this level, for no percentile reaches 0. These are rules of this project; in simulations at 95 % with 6 to 60 sets
    of two to four groups the interval held the true GBV in 92 % to 98 % of 300 series, and the true mean over nine
    domains in 92 % to 100 % of 150.
    """
    check_level(level)
    read = _read(tables, draws)
    sets = sum(len(table) for table in read)
    if reason := _undecided(read):
        return Gbv(value=NAN, sets=sets, reason=reason)
    value = _variance(read)
    shuffled = np.mean([_shuffled(table, rng, draws) for table in read], axis=0)
    p = (1.0 + float((shuffled >= value - _SAME * max(1.0, value)).sum())) / (draws + 1.0)
    tails = np.quantile(shuffled, [0.5 - level / 2.0, 0.5 + level / 2.0])
    floor = float(shuffled.mean())
    found = Gbv(
        value=value,
        floor=floor,
        floor_low=float(tails[0]),
        floor_high=float(tails[1]),
        excess=value - floor,
        p=p,
        sets=sets,
    )
    if reason := _too_few(read):
        return replace(found, reason=reason)
    low, high, reason = _interval(value, _noiseless(read), _resampled(read, rng, draws), read, level)
    if reason:
        return replace(found, reason=reason)
    return replace(found, ci_low=0.0 if p > 1.0 - level else min(max(low, 0.0), value), ci_high=max(high, value))


def generalised_difference(
    ours: Sequence[ArrayLike],
    theirs: Sequence[ArrayLike],
    rng: Generator,
    *,
    before: tuple[Sequence[ArrayLike], Sequence[ArrayLike]] | None = None,
    draws: int = 2000,
    level: float = 0.95,
) -> GbvDifference:
    """How much larger the mean GBV is on one side than on the other, over the same matched sets.

    Parameters
    ----------
    ours, theirs : sequences of array_like, each of shape (sets, groups)
        The scores of every domain under either condition, row by row the same sets.
    before : pair of such sequences, optional
        What either side was before: with it, changes are compared, each side's mean GBV less that before.
    rng, draws, level
        As in `generalised`.

    Raises
    ------
    ValueError
        As `generalised`, and when the two sides have not the same shapes.

    Notes
    -----
    The interval is that of `generalised`, both sides drawn together. The test exchanges the two conditions within
    sets, each set's scores taken from their own mean, so that a condition under which all score higher alike makes no
    difference (the GBV does not see it either); p as in `generalised`.
    """
    check_level(level)
    mine, base = (
        [_read(side, draws), *([] if before is None else [_read(before[place], draws)])]
        for place, side in enumerate((ours, theirs))
    )
    if len({tuple(table.shape for table in tables) for tables in (*mine, *base)}) > 1:
        raise ValueError("both sides need the same domains with as many sets and groups")
    sets = sum(len(table) for table in mine[0])
    if reason := next(filter(None, map(_undecided, (*mine, *base))), ""):
        return GbvDifference(value=NAN, sets=sets, reason=reason)
    value = _changed(mine, _variance) - _changed(base, _variance)
    # Of every domain both sides, of a side its table and that before.
    pairs = [
        (np.stack(one), np.stack(other))
        for one, other in zip(zip(*mine, strict=True), zip(*base, strict=True), strict=True)
    ]
    swapped = np.mean([_swapped(one, other, rng, draws) for one, other in pairs], axis=0)
    p = (1.0 + float((np.abs(swapped) >= abs(value) - _SAME * max(1.0, abs(value))).sum())) / (draws + 1.0)
    if reason := _too_few(mine[0]):
        return GbvDifference(value=value, p=p, sets=sets, reason=reason)
    drawn = np.mean([_redrawn(one, other, rng, draws) for one, other in pairs], axis=0)
    noiseless = _changed(mine, _noiseless) - _changed(base, _noiseless)
    low, high, reason = _interval(value, noiseless, drawn, mine[0], level)
    if reason:
        return GbvDifference(value=value, p=p, sets=sets, reason=reason)
    return GbvDifference(value=value, ci_low=min(low, value), ci_high=max(high, value), p=p, sets=sets)


def variance_bounds(lows: ArrayLike, highs: ArrayLike) -> tuple[float, float]:
    """The least and the largest GBV of group means that each lie somewhere in an interval.

    Parameters
    ----------
    lows, highs : array_like, shape (K,)
        Ends of each group's mean, whatever its unanswered items had said.

    Raises
    ------
    ValueError
        When the ends are not finite or not in order.

    Notes
    -----
    The GBV is convex in the means: its largest value lies at a corner, and the least is the distance of the box from
    the line on which all means are equal. Bounds in the sense of Manski (2003), section 1.2.
    """
    low, high = (np.asarray(side, dtype=np.float64) for side in (lows, highs))
    if low.shape != high.shape or low.ndim != 1 or not low.size or not np.isfinite([*low, *high]).all():
        raise ValueError("every group needs two finite ends")
    if (low > high).any():
        raise ValueError("the lower end of a mean lies above the upper one")
    corners = np.array(list(product(*zip(low, high, strict=True))))
    most = float(group_variance(corners).max())
    if low.max() <= high.min():
        return 0.0, most

    from scipy import optimize

    def away(level: float) -> float:
        return float(((np.clip(level, low, high) - level) ** 2).mean())

    nearest = optimize.minimize_scalar(away, bounds=(float(high.min()), float(low.max())), method="bounded")
    return min(math.sqrt(float(nearest.fun)), most), most


def _read(tables: Sequence[ArrayLike], draws: int) -> list[Floats]:
    if draws < 100:
        raise ValueError(f"draws must be at least 100, found {draws!r}")
    if not tables:
        raise ValueError("there is no table")
    read = [np.asarray(table, dtype=np.float64) for table in tables]
    for table in read:
        if table.ndim != 2 or table.shape[1] < 2:
            raise ValueError(f"a table needs sets as rows and two groups or more as columns, found {table.shape}")
    return read


def _undecided(tables: Sequence[Floats]) -> str:
    """Why these tables have no GBV; empty where they have one."""
    if any(not len(table) for table in tables):
        return NO_SETS
    return "" if all(np.isfinite(table).all() for table in tables) else NOT_FINITE


def _too_few(tables: Sequence[Floats]) -> str:
    """Why nothing can be bootstrapped; empty where there are sets enough."""
    if min(len(table) for table in tables) == 1:
        return ONE_SET
    return FEW_SETS if sum(len(table) - 1 for table in tables) < _LEAST_DF else ""


def _variance(tables: Sequence[Floats]) -> float:
    """The mean over domains of the GBV of their means."""
    return float(np.mean([group_variance(table.mean(axis=0)) for table in tables]))


def _chunks(table: Floats, draws: int) -> list[int]:
    size = max(1, _CELLS // table.size)
    return [min(size, draws - start) for start in range(0, draws, size)]


def _shuffled(table: Floats, rng: Generator, draws: int) -> Floats:
    """The GBV with the labels of every row exchanged, shape ``(draws,)``."""
    parts = []
    rows, groups = table.shape
    orders = np.array(list(permutations(range(groups)))) if groups <= _LISTED else None
    for size in _chunks(table, draws):
        if orders is None:
            order = rng.random((size, rows, groups)).argsort(axis=2)
            exchanged = np.take_along_axis(table[None], order, axis=2)
        else:
            exchanged = table[:, orders][np.arange(rows), rng.integers(len(orders), size=(size, rows))]
        parts.append(group_variance(exchanged.mean(axis=1)))
    return np.concatenate(parts)


def _counts(table: Floats, rng: Generator, draws: int) -> Floats:
    """How often every row is drawn in each resample."""
    rows = len(table)
    return rng.multinomial(rows, np.full(rows, 1.0 / rows), size=draws).astype(float)


def _resampled(tables: Sequence[Floats], rng: Generator, draws: int) -> Floats:
    """The mean GBV in every resample of rows."""
    drawn = [group_variance(_counts(table, rng, draws) @ table / len(table)) for table in tables]
    return np.asarray(np.mean(drawn, axis=0))


def _interval(
    value: float, noiseless: float, drawn: Floats, tables: Sequence[Floats], level: float
) -> tuple[float, float, str]:
    """Both ends, or why there are none.

    Percentiles of the resamples, moved outwards by twice the bias of the resamples where it lies towards an end; and
    at least as far as they would reach around the value that has the noise taken out.
    """
    between = drawn_interval(value, drawn, level=_expanded(tables, level))
    middle = float(drawn.mean())
    bias = 2.0 * (middle - value)
    low = min(between.ci_low - max(bias, 0.0), between.ci_low - middle + noiseless)
    high = max(between.ci_high - min(bias, 0.0), between.ci_high - middle + noiseless)
    return low, high, between.reason


def _noiseless(tables: Sequence[Floats]) -> float:
    """The mean GBV with the expected square of the noise taken off each: (K - 1) / K of the residual variance over n.

    The residual is what the means of row and column leave (two-way layout with one value in each cell: Scheffé, The
    Analysis of Variance (1959), section 4.2).
    """
    found = []
    for table in tables:
        rows, groups = table.shape
        rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
        noise = float((rest**2).sum()) / ((rows - 1) * groups * rows)
        found.append(math.sqrt(max(0.0, float(table.mean(axis=0).var()) - noise)))
    return float(np.mean(found))


def _expanded(tables: Sequence[Floats], level: float) -> float:
    """The level at which percentiles of so few rows have the width of a t interval."""
    rows = float(np.mean([len(table) for table in tables]))
    df = sum(len(table) - 1 for table in tables)
    return 1.0 - 2.0 * float(special.ndtr(-math.sqrt(rows / (rows - 1.0)) * t_quantile(df, level)))


def _changed(side: Sequence[Sequence[Floats]], of: Callable[[Sequence[Floats]], float]) -> float:
    """A number of a side's tables, less that of its tables before where it has such."""
    return of(side[0]) - (of(side[1]) if len(side) > 1 else 0.0)


def _swapped(ours: Floats, theirs: Floats, rng: Generator, draws: int) -> Floats:
    """The difference with the two sides exchanged in random rows; sides have shape ``(1 or 2, rows, groups)``."""
    one, other = (side - side.mean(axis=2, keepdims=True) for side in (ours, theirs))
    rows = one.shape[1]
    kept = rng.integers(0, 2, size=(draws, rows)).astype(float)
    apart = one - other
    found = np.zeros(draws)
    for sign, part, mine, base in zip((1.0, -1.0), apart, one, other, strict=False):
        moved = kept @ part
        found += sign * (
            group_variance((moved + base.sum(axis=0)) / rows) - group_variance((mine.sum(axis=0) - moved) / rows)
        )
    return found


def _redrawn(ours: Floats, theirs: Floats, rng: Generator, draws: int) -> Floats:
    counts = _counts(ours[0], rng, draws) / ours.shape[1]
    found = np.zeros(draws)
    for sign, mine, base in zip((1.0, -1.0), ours, theirs, strict=False):
        found += sign * (group_variance(counts @ mine) - group_variance(counts @ base))
    return found

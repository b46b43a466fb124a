"""Statistics of units drawn with replacement, all resamples at once: means, spreads, medians, correlations, lines.

`bootstrap.cluster_bootstrap` needs statistics of sums; these are the ones that are not, or that share one set of
resamples.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from personae.stats._base import NAN, Floats

DRAWS = 2000


class Resamples:
    """Resamples of ``size`` units, each of ``size`` draws with replacement.

    Every method takes the values of the units, shape ``(size,)``, or other values in each resample, shape ``(draws,
    size)`` (units that are themselves uncertain), and gives one statistic per resample, shape ``(draws,)``; nan where
    it is not defined.

    Parameters
    ----------
    size : int
        Units, at least 1.
    draws : int
        Resamples, at least 100.
    seed : int
        The same seed gives the same resamples.

    Raises
    ------
    ValueError
        When there are no units, or fewer than 100 draws.

    Notes
    -----
    Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 6 (one sample), 7.2 and 9.5 (pairs).
    """

    def __init__(self, size: int, draws: int = DRAWS, seed: int = 0) -> None:
        if size < 1:
            raise ValueError("there is nothing to resample")
        if draws < 100:
            raise ValueError(f"draws must be at least 100, found {draws!r}")
        rng = np.random.default_rng((seed, size))
        self.chosen: NDArray[np.int32] = rng.integers(0, size, size=(draws, size), dtype=np.int32)
        places = self.chosen + np.arange(draws, dtype=np.int64)[:, None] * size
        self.counts: Floats = np.bincount(places.ravel(), minlength=draws * size).reshape(draws, size).astype(float)

    def means(self, values: Floats) -> Floats:
        """Means of the resamples."""
        return np.asarray(self._sums(values) / self.counts.shape[1])

    def spreads(self, values: Floats) -> Floats:
        """Standard deviations of the resamples, with n - 1 in the denominator."""
        size = self.counts.shape[1]
        if size < 2:
            return np.full(self.counts.shape[0], NAN)
        centred = values - values.mean()
        squares = self._sums(centred**2) - self._sums(centred) ** 2 / size
        return np.asarray(np.sqrt(np.maximum(squares, 0.0) / (size - 1.0)))

    def medians(self, values: Floats) -> Floats:
        """Medians of the resamples."""
        drawn = values[self.chosen] if values.ndim == 1 else np.take_along_axis(values, self.chosen, axis=1)
        return np.asarray(np.median(drawn, axis=1))

    def lines(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Slopes and intercepts of the least-squares lines of y on x."""
        one, other = x.mean(), y.mean()
        xx, xy, _ = self._products(x - one, y - other)
        slopes = _divided(xy, xx)
        return slopes, self.means(y) - slopes * self.means(x)

    def correlations(self, x: Floats, y: Floats) -> Floats:
        """Pearson's correlations of the resamples."""
        xx, xy, yy = self._products(x - x.mean(), y - y.mean())
        return np.clip(_divided(xy, np.sqrt(xx * yy)), -1.0, 1.0)

    def rank_correlations(self, x: Floats, y: Floats) -> Floats:
        """Spearman's correlations of the resamples; equal values share their ranks."""
        return self.correlations(self._ranks(x), self._ranks(y))

    def _sums(self, values: Floats) -> Floats:
        return np.asarray(self.counts @ values if values.ndim == 1 else np.einsum("ij,ij->i", self.counts, values))

    def _products(self, x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
        """Sums of squares and products about the means of each resample."""
        size = self.counts.shape[1]
        sx, sy = self._sums(x), self._sums(y)
        found = (self._sums(x * x) - sx**2 / size, self._sums(x * y) - sx * sy / size, self._sums(y * y) - sy**2 / size)
        # What cancels down to rounding is no spread: such a resample has one value only.
        floor_x, floor_y = (1e-12 * self._sums(side * side) for side in (x, y))
        return np.where(found[0] > floor_x, found[0], 0.0), found[1], np.where(found[2] > floor_y, found[2], 0.0)

    def _ranks(self, values: Floats) -> Floats:
        """Ranks of all units within each resample, shape ``(draws, size)``; those not drawn do not count."""
        if values.ndim == 1:
            _, codes = np.unique(values, return_inverse=True)
            order = np.argsort(codes, kind="stable")
            starts = np.searchsorted(codes[order], np.arange(codes.max() + 1))
            tied = np.add.reduceat(self.counts[:, order], starts, axis=1)
            return np.asarray((np.cumsum(tied, axis=1) - (tied - 1.0) / 2.0)[:, codes])
        # Redrawn values are continuous: there are no ties but of a unit with itself.
        order = np.argsort(values, axis=1)
        here = np.take_along_axis(self.counts, order, axis=1)
        ranks = np.empty_like(here)
        np.put_along_axis(ranks, order, np.cumsum(here, axis=1) - (here - 1.0) / 2.0, axis=1)
        return ranks


@lru_cache(maxsize=16)
def resamples(size: int, draws: int = DRAWS, seed: int = 0) -> Resamples:
    """`Resamples`, made once for every size: what is compared is then drawn alike."""
    return Resamples(size, draws, seed)


def _divided(top: Floats, bottom: Floats) -> Floats:
    """Quotients, nan where the denominator is 0."""
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, NAN), where=bottom > 0.0))

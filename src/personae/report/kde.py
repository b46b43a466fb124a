"""A density estimated from single values: Gaussian kernels, nothing outside what is possible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FEWEST = 5
"""Values below which a curve would show the kernel and not the values."""


def width(values: NDArray[np.float64]) -> float:
    """Give the bandwidth by Silverman's rule of thumb: 0.9 min(SD, IQR / 1.34) n^(-1/5); 0 where all values are equal.

    Source: B. W. Silverman, Density Estimation for Statistics and Data Analysis, 1986, equation 3.31.
    """
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    quarters = np.percentile(values, [25, 75])
    middle = float(quarters[1] - quarters[0]) / 1.34
    return float(0.9 * min(spread, middle or spread) * len(values) ** -0.2)


def curve(
    values: Sequence[float], limits: tuple[float | None, float | None] = (None, None), points: int = 120
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Estimate the density; None where there are too few values or all are equal.

    Parameters
    ----------
    values : sequence of float
        Finite.
    limits : pair of float or None
        Least and largest possible value. What a kernel would put beyond them is reflected, so that the area stays 1.
    points : int
        Places at which the curve is given.

    Returns
    -------
    x, y : arrays of shape (points,)
        From three bandwidths below the least value to three above the largest, or to the limits.
    """
    sample = np.asarray(values, dtype=float)
    if len(sample) < FEWEST or (wide := width(sample)) <= 0:
        return None
    low, high = limits
    start, end = sample.min() - 3 * wide, sample.max() + 3 * wide
    start, end = start if low is None else max(start, low), end if high is None else min(end, high)
    x = np.linspace(start, end, points)
    mirrors = [sample, *(2 * limit - sample for limit in limits if limit is not None)]
    y = sum(_kernels(x, mirror, wide) for mirror in mirrors) / len(sample)
    return x, np.asarray(y)


def _kernels(x: NDArray[np.float64], centres: NDArray[np.float64], wide: float) -> NDArray[np.float64]:
    scaled = (x[:, None] - centres[None, :]) / wide
    summed: NDArray[np.float64] = np.exp(-0.5 * scaled**2).sum(axis=1) / (wide * np.sqrt(2 * np.pi))
    return summed

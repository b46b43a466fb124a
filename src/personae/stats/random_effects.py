"""Random-effects meta-analysis: one mean of many effects that differ by more than their own variances."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from personae.stats._base import (
    NAN,
    NO_VALUES,
    NOT_FINITE,
    ONE_VALUE,
    Floats,
    Tested,
    as_floats,
    check_level,
    z_quantile,
    z_two_sided,
)

_ZERO_VARIANCE = "some variances are 0: those effects would outweigh all others"


class RandomEffects(Tested, frozen=True, kw_only=True):
    """A combined effect with its interval; ``statistic`` is z and ``p`` two-sided.

    ``p_greater`` is one-sided. ``tau2`` is the variance between effects, ``q`` Cochran's Q, ``c`` its
    scaling, ``i2`` the share of Q beyond its degrees of freedom.
    """

    error: float = NAN
    p_greater: float = NAN
    tau2: float = NAN
    q: float = NAN
    c: float = NAN
    i2: float = NAN
    n: int = 0


def random_effects(effects: ArrayLike, variances: ArrayLike, level: float = 0.95) -> RandomEffects:
    """Combine effects with known variances by DerSimonian and Laird.

    Parameters
    ----------
    effects : array_like, shape (n,)
    variances : array_like, shape (n,)
        The sampling variance of each effect, in squared units of the effects.
    level : float
        Level of the normal interval, between 0 and 1.

    Returns
    -------
    RandomEffects

    Raises
    ------
    ValueError
        When lengths differ, a variance is negative, or the level is not between 0 and 1.

    Notes
    -----
    DerSimonian and Laird, "Meta-analysis in clinical trials", Controlled Clinical Trials 7 (1986) 177-188:
    ``w = 1/V``, ``Q = sum w (d - d_w)**2``, ``c = sum w - sum w**2 / sum w``, ``tau2 = max(0, (Q - (n - 1)) /
    c)``, ``v = 1 / (V + tau2)``, the mean weighted by v, and ``SE = sqrt(1 / sum v)``. With few effects the
    normal interval is too narrow.
    """
    check_level(level)
    values, spread = as_floats(effects), as_floats(variances)
    if values.size != spread.size:
        raise ValueError(f"found {values.size} effects and {spread.size} variances")
    if (spread < 0.0).any():
        raise ValueError(f"variances must not be negative, found {spread.min()}")
    reason = _undecided(values, spread)
    if reason or values.size == 1:
        value = float(values[0]) if values.size == 1 else NAN
        return RandomEffects(value=value, n=values.size, reason=reason or ONE_VALUE)
    fixed = 1.0 / spread
    q = float(fixed @ (values - fixed @ values / fixed.sum()) ** 2)
    c = float(fixed.sum() - fixed @ fixed / fixed.sum())
    tau2 = max(0.0, (q - (values.size - 1)) / c)
    weights = 1.0 / (spread + tau2)
    value, error = float(weights @ values / weights.sum()), math.sqrt(1.0 / float(weights.sum()))
    half, z = z_quantile(level) * error, value / error
    return RandomEffects(
        value=value,
        ci_low=value - half,
        ci_high=value + half,
        statistic=z,
        p=z_two_sided(z),
        p_greater=float(special.ndtr(-z)),
        error=error,
        tau2=tau2,
        q=q,
        c=c,
        i2=max(0.0, 1.0 - (values.size - 1) / q) if q > 0.0 else 0.0,
        n=values.size,
    )


def _undecided(effects: Floats, variances: Floats) -> str:
    """Why these effects cannot be combined; empty when they can."""
    if not effects.size:
        return NO_VALUES
    if not (np.isfinite(effects).all() and np.isfinite(variances).all()):
        return NOT_FINITE
    return "" if variances.all() else _ZERO_VARIANCE

"""How far one distribution lies from another: Kullback-Leibler and Jensen-Shannon divergence, in nats."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from personae.stats._base import Floats

FLOOR = 1e-10
"""Least probability that a logarithm is taken of, as in the released code of paper 004."""


def kl(p: ArrayLike, q: ArrayLike, floor: float = FLOOR) -> Floats:
    """Kullback-Leibler divergence D(p || q), the extra nats of describing p by q.

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        Distributions over the same k options along the last axis; leading axes broadcast.
    floor : float
        Both are raised to at least this before the logarithm, without being scaled again, as paper 004's released
        code does. With 0 nothing is raised, and an option that q rules out and p does not gives infinity.

    Returns
    -------
    ndarray, shape (...)
        In nats, at least 0 up to ``k * floor``. nan where a probability is nan.

    Raises
    ------
    ValueError
        When a probability lies outside 0 .. 1, or the floor does not lie in 0 .. 1.

    Notes
    -----
    Kullback and Leibler, "On information and sufficiency", Ann. Math. Statist. 22 (1951) 79-86, equation 2.4; paper
    004, section 3, equation 1. The paper's text has the model as p and the reference as q, its code the reverse, so
    whoever calls this says which is which.
    """
    if not 0.0 <= floor < 1.0:
        raise ValueError(f"the floor must lie in 0 .. 1, found {floor!r}")
    ours, theirs = _probabilities(p), _probabilities(q)
    return np.asarray(special.rel_entr(np.maximum(ours, floor), np.maximum(theirs, floor)).sum(axis=-1))


def jensen_shannon(p: ArrayLike, q: ArrayLike) -> Floats:
    """Jensen-Shannon divergence: the mean divergence of p and q from the distribution halfway between them.

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        As in `kl`.

    Returns
    -------
    ndarray, shape (...)
        In nats, 0 to ln 2 (0.693); the same either way round. This is the divergence, not its square root.

    Raises
    ------
    ValueError
        When a probability lies outside 0 .. 1.

    Notes
    -----
    Lin, "Divergence measures based on the Shannon entropy", IEEE Trans. Inform. Theory 37 (1991) 145-151, equation
    3.4 with equal weights.
    """
    ours, theirs = _probabilities(p), _probabilities(q)
    # p ln(p / ((p + q) / 2)) is rel_entr(2 p, p + q) / 2: halving the smallest number that there is would give 0.
    both = ours + theirs
    apart = special.rel_entr(2.0 * ours, both) + special.rel_entr(2.0 * theirs, both)
    return np.asarray(np.clip(0.25 * apart.sum(axis=-1), 0.0, math.log(2.0)))


def two(first: ArrayLike) -> Floats:
    """Distributions over two options from the probability of the first: shape (...) to (..., 2)."""
    share = np.asarray(first, dtype=np.float64)
    return np.stack([share, 1.0 - share], axis=-1)


def _probabilities(values: ArrayLike) -> Floats:
    """Read probabilities; nan stays."""
    array = np.asarray(values, dtype=np.float64)
    if ((array < 0.0) | (array > 1.0)).any():
        raise ValueError("probabilities must lie between 0 and 1")
    return array

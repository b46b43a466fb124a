"""Correction of p-values for how many were looked at."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np

from personae.stats._base import Floats

Method = Literal["bh", "holm"]


def adjust(p: Sequence[float | None], method: Method = "bh") -> list[float | None]:
    """Adjust p-values over all tests that gave one.

    Parameters
    ----------
    p : sequence of float or None, length n
        None and nan stand for a test that could not be made: they stay in place and do not count.
    method : {"bh", "holm"}
        Benjamini and Hochberg's false discovery rate, or Holm's family-wise error rate.

    Returns
    -------
    list of float or None, length n

    Raises
    ------
    ValueError
        When a p-value lies outside 0 .. 1 or the method is unknown.

    Notes
    -----
    Benjamini and Hochberg, J. R. Statist. Soc. B 57 (1995) 289-300, section 3; Holm, Scand. J. Statist. 6
    (1979) 65-70; as adjusted values: Wright, Biometrics 48 (1992) 1005-1013.
    """
    if method not in _ADJUSTED:
        raise ValueError(f"method must be one of {', '.join(_ADJUSTED)}, found {method!r}")
    adjusted: list[float | None] = [None if value is None else float(value) for value in p]
    made = [place for place, value in enumerate(adjusted) if value is not None and not math.isnan(value)]
    if not made:
        return adjusted
    given = np.array([adjusted[place] for place in made], dtype=np.float64)
    if (given < 0.0).any() or (given > 1.0).any():
        raise ValueError("p-values must lie between 0 and 1")
    for place, value in zip(made, _ADJUSTED[method](given), strict=True):
        adjusted[place] = float(value)
    return adjusted


def _benjamini_hochberg(p: Floats) -> Floats:
    order = np.argsort(p)
    steps = p[order] * p.size / np.arange(1, p.size + 1)
    found = np.empty_like(p)
    found[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    return found


def _holm(p: Floats) -> Floats:
    order = np.argsort(p)
    found = np.empty_like(p)
    found[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0)
    return found


_ADJUSTED: Mapping[str, Callable[[Floats], Floats]] = {"bh": _benjamini_hochberg, "holm": _holm}

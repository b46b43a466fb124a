"""Shared by all statistics: reading arrays, quantiles of t and normal, names for what cannot be computed."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Labels = Sequence[Hashable] | NDArray[Any]

NO_VALUES = "no values"
ONE_VALUE = "one value only: its spread is unknown"
ONE_CLUSTER = "one cluster only: the spread between clusters is unknown"
NO_VARIANCE = "all values are equal: their spread cannot be estimated"
NO_CLUSTER_VARIANCE = "all clusters agree exactly: the spread between clusters cannot be estimated"
NOT_FINITE = "some values are missing or not finite"
NO_PAIRS = "no stimulus was answered on both sides"
ONE_PAIR = "one stimulus only was answered on both sides: the spread between stimuli is unknown"
NO_PAIR_VARIANCE = "the difference is the same on every stimulus: its spread cannot be estimated"
NO_DISCORDANT = "no pair differs"

NAN = float("nan")


class Tested(Struct, frozen=True, kw_only=True):
    """A number with its interval and its test. What cannot be computed is nan, and ``reason`` says why."""

    value: float
    ci_low: float = NAN
    ci_high: float = NAN
    statistic: float = NAN
    df: float = NAN
    p: float = NAN
    reason: str = ""


def as_floats(values: ArrayLike) -> Floats:
    """Read values as one-dimensional floats; None becomes nan.

    Raises
    ------
    ValueError
        When the values are not one-dimensional.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"values must be one-dimensional, found {array.ndim} dimensions")
    return array


def factorize(labels: Labels | Iterable[Hashable], size: int) -> tuple[Integers, list[Hashable]]:
    """Number labels by first appearance: codes of shape ``(size,)`` and the distinct labels.

    Raises
    ------
    ValueError
        When there are not ``size`` labels, or one of them is nan (every nan would be a cluster of its own).
    """
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "iu" and labels.size == size:
        return _factorize_numbers(labels)
    listed: list[Hashable] = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    if len(listed) != size:
        raise ValueError(f"found {len(listed)} labels for {size} values")
    codes: dict[Hashable, int] = {}
    coded = np.fromiter((codes.setdefault(label, len(codes)) for label in listed), dtype=np.intp, count=size)
    if any(isinstance(label, float) and math.isnan(label) for label in codes):
        raise ValueError("labels must not be nan")
    return coded, list(codes)


def _factorize_numbers(labels: NDArray[Any]) -> tuple[Integers, list[Hashable]]:
    """`factorize` of whole numbers, without a look at each one."""
    names, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return place[codes], names[order].tolist()


def check_level(level: float) -> None:
    """Accept a confidence level strictly between 0 and 1.

    Raises
    ------
    ValueError
        Otherwise.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, found {level!r}")


def check_count(name: str, count: int) -> None:
    """Accept a whole number of at least 0.

    Raises
    ------
    ValueError
        Otherwise.
    """
    if count < 0 or count != int(count):
        raise ValueError(f"{name} must be a whole number of at least 0, found {count!r}")


def t_quantile(df: float, level: float) -> float:
    """Half-width of the central ``level`` of Student's t in standard errors."""
    return float(special.stdtrit(df, 0.5 + level / 2.0))


def t_two_sided(df: float, statistic: float) -> float:
    """Two-sided p-value of Student's t."""
    return min(1.0, 2.0 * float(special.stdtr(df, -abs(statistic))))


def z_quantile(level: float) -> float:
    """Half-width of the central ``level`` of the normal in standard errors."""
    return float(special.ndtri(0.5 + level / 2.0))


def z_two_sided(statistic: float) -> float:
    """Two-sided p-value of the normal."""
    return min(1.0, 2.0 * float(special.ndtr(-abs(statistic))))


def negligible(spread: float, *sources: Floats) -> bool:
    """Whether a standard deviation is no more than the rounding of the numbers it came from."""
    largest = max((float(np.max(np.abs(source))) for source in sources if source.size), default=0.0)
    return spread <= 8.0 * float(np.finfo(np.float64).eps) * largest

"""How often chance alone would split the same values as far apart: exact where it can be, else by draws."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import ArrayLike

from personae.stats._base import NAN, NO_VALUES, NOT_FINITE, Floats, as_floats

Alternative = Literal["greater", "two-sided"]
DRAWS, LIMIT = 10_000, 100_000
_CELLS = 2_000_000
_SUBSETS = 4_194_304


class Permutation(Struct, frozen=True, kw_only=True):
    """The p-value of a permutation test of two groups.

    ``exact`` says whether all ``partitions`` were counted; otherwise that many were drawn. ``p`` counts
    partitions at least as extreme as the observed one, which is one of them, so it is never 0. ``p_strict``
    counts only the more extreme ones, as the formula of WEAT is printed; it can be 0 and is nan where
    partitions were drawn.
    """

    p: float
    p_strict: float = NAN
    exact: bool = False
    partitions: int = 0
    reason: str = ""


def permutation_p(
    first: ArrayLike,
    second: ArrayLike,
    rng: Generator,
    *,
    alternative: Alternative = "greater",
    draws: int = DRAWS,
    limit: int = LIMIT,
) -> Permutation:
    """Test whether the mean of the first group exceeds that of the second.

    Every partition keeps the sizes of the groups, which may differ; nothing is drawn twice within one. The
    exact count never writes the partitions down: the sums of all subsets of each half of the values are
    matched by search, so 16 values cost as much as 512 sums and not 12,870, and a ``limit`` of 10**12 is
    still a matter of a second.

    Parameters
    ----------
    first, second : array_like, shape (n,) and (m,)
    rng : numpy.random.Generator
        Used where partitions are drawn.
    alternative : {"greater", "two-sided"}
        Two-sided compares the absolute difference of means.
    draws : int
        Partitions drawn where there are more than ``limit``; then p is ``(1 + hits) / (1 + draws)``.
    limit : int
        The most partitions, ``C(n + m, n)``, that are counted exactly. Beyond about 44 values with groups of
        like size partitions are drawn whatever the limit.

    Returns
    -------
    Permutation

    Raises
    ------
    ValueError
        When values are not one-dimensional, or draws is below 1.

    Notes
    -----
    Caliskan, Bryson and Narayanan, "Semantics derived automatically from language corpora contain human-like
    biases", Science 356 (2017) 183-186, supplement, with ">=" in place of their ">"; the added 1: Phipson and
    Smyth, "Permutation p-values should never be zero", Stat. Appl. Genet. Mol. Biol. 9 (2010) 39. Counting by
    halves: Pagano and Tritchler, J. Amer. Statist. Assoc. 78 (1983) 435-440, treat the same problem by
    convolution; here equal sums are told apart to the rounding of their terms.
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, found {draws!r}")
    one, two = as_floats(first), as_floats(second)
    if not (one.size and two.size):
        return Permutation(p=NAN, reason=NO_VALUES)
    values = np.concatenate([one, two])
    if not np.isfinite(values).all():
        return Permutation(p=NAN, reason=NOT_FINITE)
    centred = values - values.mean()
    partitions = math.comb(values.size, one.size)
    fewer = min(one.size, two.size)
    if partitions <= limit and _subsets(values.size, fewer) <= _SUBSETS:
        # With centred values the sums of both groups are opposite, so the smaller one is enough.
        group = centred[: one.size] if one.size <= two.size else -centred[one.size :]
        rest = centred[one.size :] if one.size <= two.size else -centred[: one.size]
        hits, above = _count(group, rest, alternative)
        return Permutation(p=hits / partitions, p_strict=above / partitions, exact=True, partitions=partitions)
    hits = _draw(centred, one.size, rng, draws, alternative)
    return Permutation(p=(1 + hits) / (1 + draws), partitions=draws)


def subset_sums(values: Floats, largest: int) -> list[Floats]:
    """Sums of all subsets of each size from 0 to ``largest``; the k-th array has ``C(n, k)`` entries."""
    if values.size <= 1:
        return [np.zeros(1), values][: 1 + min(values.size, largest)]
    half = values.size // 2
    left, right = subset_sums(values[:half], largest), subset_sums(values[half:], largest)
    return [
        np.concatenate(
            [
                np.add.outer(left[size], right[total - size]).ravel()
                for size in range(max(0, total - len(right) + 1), min(total, len(left) - 1) + 1)
            ]
        )
        for total in range(min(values.size, largest) + 1)
    ]


def tie(values: Floats) -> float:
    """Sums of these values that differ by no more than this differ by rounding only."""
    limits = np.finfo(np.float64)
    return 64.0 * float(limits.eps) * float(np.abs(values).sum()) + float(limits.tiny)


def _subsets(size: int, largest: int) -> int:
    """How many sums one half of the values has."""
    half = (size + 1) // 2
    return sum(math.comb(half, chosen) for chosen in range(min(half, largest) + 1))


def _count(group: Floats, rest: Floats, alternative: Alternative) -> tuple[int, int]:
    """Partitions whose group sums to at least, and to more than, what was observed."""
    values, size = np.concatenate([group, rest]), group.size
    observed, slack = float(group.sum()), tie(np.concatenate([group, rest]))
    half = values.size // 2
    left = subset_sums(values[:half], size)
    right = [np.sort(sums) for sums in subset_sums(values[half:], size)]
    pairs = [(left[chosen], right[size - chosen]) for chosen in range(len(left)) if 0 <= size - chosen < len(right)]
    if alternative == "greater":
        return _above(pairs, observed - slack), _above(pairs, observed + slack)
    bound, total = abs(observed), math.comb(values.size, size)
    if bound <= slack:
        return total, total - (_above(pairs, -slack) - _above(pairs, slack))
    return tuple(_above(pairs, end) + total - _above(pairs, -end) for end in (bound - slack, bound + slack))  # type: ignore[return-value]


def _above(pairs: list[tuple[Floats, Floats]], bound: float) -> int:
    """How many sums of one left and one right part are at least ``bound``."""
    return sum(
        left.size * right.size - int(np.searchsorted(right, bound - left, side="left").sum()) for left, right in pairs
    )


def _draw(centred: Floats, size: int, rng: Generator, draws: int, alternative: Alternative) -> int:
    """Drawn partitions whose first group sums to at least what was observed."""
    observed, slack = float(centred[:size].sum()), tie(centred)
    rows, hits = max(1, _CELLS // centred.size), 0
    for start in range(0, draws, rows):
        keys = rng.random((min(rows, draws - start), centred.size))
        chosen = np.argpartition(keys, size - 1, axis=1)[:, :size]
        sums = centred[chosen].sum(axis=1)
        if alternative == "two-sided":
            sums, observed = np.abs(sums), abs(observed)
        hits += int((sums >= observed - slack).sum())
    return hits

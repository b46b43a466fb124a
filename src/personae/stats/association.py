"""Associations of targets with two sets of attributes in a space of vectors: WEAT, SEAT, one category, IIBS.

A positive value always means: the first targets are nearer the first attributes.

I-WEAT and I-SEAT of paper 003 (section 4.1) are `weat` and `seat` on words and sentences of intersectional
identities; no other formula is given for them.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import ArrayLike

from personae.stats._base import (
    NAN,
    NO_VALUES,
    NO_VARIANCE,
    NOT_FINITE,
    ONE_VALUE,
    Floats,
    Labels,
    as_floats,
    factorize,
    negligible,
)
from personae.stats.association_permutation import DRAWS, LIMIT, permutation_p
from personae.stats.proportions import Proportion, wilson

Unit = Literal["words", "sentences"]


class Association(Struct, frozen=True, kw_only=True):
    """An effect size with its one-sided permutation test.

    ``value`` is d, in standard deviations; ``difference`` the difference of the two means and ``statistic``
    that of the two sums, both in cosines. ``p`` and its companions are those of `Permutation`.
    """

    value: float
    difference: float = NAN
    statistic: float = NAN
    p: float = NAN
    p_strict: float = NAN
    exact: bool = False
    partitions: int = 0
    n_first: int = 0
    n_second: int = 0
    reason: str = ""


def unit_rows(vectors: ArrayLike) -> Floats:
    """Scale every row to length 1; rows of length 0 become nan.

    Raises
    ------
    ValueError
        When the vectors are not a table.
    """
    table = np.asarray(vectors, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"vectors must be a table of rows, found {table.ndim} dimensions")
    length = np.sqrt(np.einsum("nd,nd->n", table, table))[:, None]
    scaled: Floats = np.divide(table, length, out=np.full_like(table, NAN), where=length > 0.0)
    return scaled


def associations(targets: ArrayLike, first: ArrayLike, second: ArrayLike) -> Floats:
    """Each target's mean cosine with the first attributes less that with the second.

    Parameters
    ----------
    targets : array_like, shape (n, d)
    first, second : array_like, shape (a, d) and (b, d)

    Returns
    -------
    ndarray, shape (n,)
        Between -2 and 2; nan where a vector has no length or an attribute set is empty.

    Notes
    -----
    ``s(w, A, B)`` of Caliskan, Bryson and Narayanan, Science 356 (2017) 183-186, supplement.
    """
    return unit_rows(targets) @ (_centre(first) - _centre(second))


def effect_size(first: ArrayLike, second: ArrayLike, ddof: int = 1) -> float:
    """Difference of two means over the standard deviation of both groups together.

    Parameters
    ----------
    first, second : array_like, shape (n,) and (m,)
    ddof : int
        1 gives the published values of Caliskan et al.; 0 is what WEFE computes.

    Returns
    -------
    float
        nan where a group is empty or all values are equal.

    Notes
    -----
    Caliskan et al. (2017), supplement: the deviation is over the union, not pooled within groups, so d stays
    within -2 and 2 for groups of equal size and ``ddof=0``.
    """
    return _effect(as_floats(first), as_floats(second), ddof)[0]


def association_test(
    first: ArrayLike, second: ArrayLike, rng: Generator, *, draws: int = DRAWS, limit: int = LIMIT
) -> Association:
    """Effect size and one-sided permutation test of two groups of associations.

    Parameters
    ----------
    first, second : array_like, shape (n,) and (m,)
        One association per unit; the units are exchanged.
    rng, draws, limit
        As in `permutation_p`.
    """
    one, two = as_floats(first), as_floats(second)
    value, reason = _effect(one, two, 1)
    if reason:
        return Association(value=NAN, n_first=one.size, n_second=two.size, reason=reason)
    tested = permutation_p(one, two, rng, draws=draws, limit=limit)
    return Association(
        value=value,
        difference=float(one.mean() - two.mean()),
        statistic=float(one.sum() - two.sum()),
        p=tested.p,
        p_strict=tested.p_strict,
        exact=tested.exact,
        partitions=tested.partitions,
        n_first=one.size,
        n_second=two.size,
    )


def weat(
    first_targets: ArrayLike,
    second_targets: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    rng: Generator,
    *,
    draws: int = DRAWS,
    limit: int = LIMIT,
) -> Association:
    """Word Embedding Association Test; also I-WEAT, and SEAT with one sentence per word.

    Parameters
    ----------
    first_targets, second_targets : array_like, shape (n, d) and (m, d)
    first, second : array_like, shape (a, d) and (b, d)
        The attributes.
    rng, draws, limit
        As in `permutation_p`.

    Notes
    -----
    Caliskan, Bryson and Narayanan (2017), supplement; paper 003, section 4.1.
    """
    return association_test(
        associations(first_targets, first, second),
        associations(second_targets, first, second),
        rng,
        draws=draws,
        limit=limit,
    )


def single_category(
    targets: ArrayLike, first: ArrayLike, second: ArrayLike, rng: Generator, *, draws: int = DRAWS, limit: int = LIMIT
) -> Association:
    """One set of targets, or one text, against two sets of attributes.

    The numerator is the mean association of the targets. There is no second target set to exchange words
    with, so the deviation and the permutations are over the attributes: would another split of the same
    attributes lie as far apart? With one target this is the published test.

    Parameters
    ----------
    targets : array_like, shape (n, d)
    first, second : array_like, shape (a, d) and (b, d)
    rng, draws, limit
        As in `permutation_p`.

    Notes
    -----
    SC-WEAT: Toney and Caliskan, "ValNorm quantifies semantics to reveal consistent valence biases across
    languages and over centuries", EMNLP 2021; its effect size is WEFAT of Caliskan et al. (2017).
    """
    centre = _centre(targets)
    return association_test(unit_rows(first) @ centre, unit_rows(second) @ centre, rng, draws=draws, limit=limit)


def single_category_effects(targets: ArrayLike, first: ArrayLike, second: ArrayLike) -> Floats:
    """The effect size of `single_category` for each target on its own, without tests.

    Parameters
    ----------
    targets : array_like, shape (n, d)
    first, second : array_like, shape (a, d) and (b, d)

    Returns
    -------
    ndarray, shape (n,)
        nan where it is not defined.
    """
    rows, size = unit_rows(targets), len(np.asarray(first))
    cosines = rows @ np.concatenate([unit_rows(first), unit_rows(second)]).T
    if not 0 < size < cosines.shape[1]:
        return np.full(rows.shape[0], NAN)
    spread = cosines.std(axis=1, ddof=1)
    difference = cosines[:, :size].mean(axis=1) - cosines[:, size:].mean(axis=1)
    defined = spread > 8.0 * np.finfo(np.float64).eps * np.abs(cosines).max(axis=1)
    effects: Floats = np.divide(difference, spread, out=np.full_like(spread, NAN), where=defined)
    return effects


def seat(
    first_targets: ArrayLike,
    second_targets: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    words: tuple[Labels, Labels, Labels, Labels],
    rng: Generator,
    *,
    unit: Unit = "words",
    draws: int = DRAWS,
    limit: int = LIMIT,
) -> Association:
    """Sentence Encoder Association Test, on words put into several sentences; also I-SEAT.

    Sentences of one word are repeats of it, not further evidence: exchanged one by one they reject a true
    null in about a quarter of cases at the 5 % level. So the associations of a word's sentences are averaged
    first and words are exchanged. ``unit="sentences"`` is the test as published.

    Parameters
    ----------
    first_targets, second_targets, first, second : array_like, shape (sentences, d)
        Two target sets, then two attribute sets.
    words : four sequences of hashables
        The word of every sentence, for the four sets in the same order.
    rng, draws, limit
        As in `permutation_p`.
    unit : {"words", "sentences"}
        What is exchanged, and what counts once in a mean.

    Raises
    ------
    ValueError
        When a set has not as many words as sentences.

    Notes
    -----
    May, Wang, Bordia, Bowman and Rudinger, "On measuring social biases in sentence encoders", NAACL 2019,
    section 2; paper 003, section 4.1.
    """
    sets = [unit_rows(vectors) for vectors in (first_targets, second_targets, first, second)]
    if unit == "words":
        sets = [average_by(rows, labels) for rows, labels in zip(sets, words, strict=True)]
    towards = _mean(sets[2]) - _mean(sets[3])
    return association_test(sets[0] @ towards, sets[1] @ towards, rng, draws=draws, limit=limit)


def average_by(rows: Floats, labels: Labels) -> Floats:
    """Mean of the rows of each label, in the order of first appearance; shape ``(n, d)`` to ``(labels, d)``.

    Raises
    ------
    ValueError
        When there are not as many labels as rows.
    """
    codes, names = factorize(labels, rows.shape[0])
    sums = np.zeros((len(names), rows.shape[1]))
    np.add.at(sums, codes, rows)
    return sums / np.bincount(codes, minlength=len(names))[:, None]


def iibs(identities: ArrayLike, patterns: ArrayLike, level: float = 0.95, *, least: int = 2) -> Proportion:
    """Implicit Intersectional Bias Score: the share of sentences with a bias pattern about several identities.

    Parameters
    ----------
    identities : array_like of int, shape (n,)
        How many dimensions of identity (race, gender, age, ...) each sentence marks.
    patterns : array_like of bool, shape (n,)
        Whether the sentence ties what it marks to a stereotype.
    level : float
        Level of the score interval.
    least : int
        How many dimensions make it intersectional.

    Raises
    ------
    ValueError
        When the lengths differ, or the level is not between 0 and 1.

    Notes
    -----
    Paper 003, section 4.1: "the proportion of corpus instances exhibiting multi-identity bias patterns".
    """
    marked, flagged = np.asarray(identities), np.asarray(patterns, dtype=bool)
    if marked.shape != flagged.shape or marked.ndim != 1:
        raise ValueError(f"found {marked.shape} identities and {flagged.shape} patterns")
    return wilson(int(((marked >= least) & flagged).sum()), marked.size, level)


def _effect(first: Floats, second: Floats, ddof: int) -> tuple[float, str]:
    """The effect size, or nan and why there is none."""
    if not (first.size and second.size):
        return NAN, NO_VALUES
    values = np.concatenate([first, second])
    if not np.isfinite(values).all():
        return NAN, NOT_FINITE
    if values.size <= ddof:
        return NAN, ONE_VALUE
    spread = float(values.std(ddof=ddof))
    if negligible(spread, values):
        return NAN, NO_VARIANCE
    return float(first.mean() - second.mean()) / spread, ""


def _centre(vectors: ArrayLike) -> Floats:
    """Mean of the rows scaled to length 1."""
    return _mean(unit_rows(vectors))


def _mean(rows: Floats) -> Floats:
    """Mean row; nan of no rows."""
    mean: Floats = rows.mean(axis=0) if rows.shape[0] else np.full(rows.shape[1], NAN)
    return mean

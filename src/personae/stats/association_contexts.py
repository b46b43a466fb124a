"""CEAT: associations of words seen in many contexts, by drawing one context per word again and again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import ArrayLike

from personae.stats._base import NAN, NO_VALUES, NOT_FINITE, Floats, Integers, check_level
from personae.stats.association import Association, association_test, unit_rows
from personae.stats.association_permutation import DRAWS as PARTITIONS
from personae.stats.association_permutation import LIMIT
from personae.stats.random_effects import RandomEffects, random_effects

Words = Sequence[ArrayLike]
DRAWS = 10_000
_CELLS = 2_000_000
_CONSTANT = "in every draw all words have the same association: an effect size is not defined"


class Ceat(Struct, frozen=True, kw_only=True):
    """A combined effect size over drawn contexts.

    ``combined`` holds it with both of its p-values: ``p`` (two-sided, as the CEAT paper says) and
    ``p_greater`` (one-sided, as its authors' code computes). Neither is a valid test, see `ceat`. What
    contexts do to d is told by ``spread`` (its standard deviation over draws) and ``low`` and ``high`` (the
    central ``level`` of draws). ``words`` is the valid test: words are exchanged, each with its mean over all
    of its contexts. ``effects`` and ``variances`` hold every draw; ``undefined`` counts draws without an
    effect size, which are left out.
    """

    combined: RandomEffects
    words: Association
    effects: Floats
    variances: Floats
    spread: float = NAN
    low: float = NAN
    high: float = NAN
    draws: int = 0
    undefined: int = 0
    contexts: int = 0
    reason: str = ""


def ceat(
    first_targets: Words,
    second_targets: Words,
    first: Words,
    second: Words,
    rng: Generator,
    *,
    draws: int = DRAWS,
    level: float = 0.95,
    partitions: int = PARTITIONS,
    limit: int = LIMIT,
) -> Ceat:
    """Contextualised Embedding Association Test.

    Parameters
    ----------
    first_targets, second_targets, first, second : sequences of array_like, each of shape (contexts, d)
        For every word of the two target sets and of the two attribute sets, its vectors in context.
    rng : numpy.random.Generator
    draws : int
        How often one context is drawn for every word, at least 2.
    level : float
        Level of all intervals.
    partitions, limit : int
        ``draws`` and ``limit`` of `permutation_p`, for the test over words.

    Returns
    -------
    Ceat

    Raises
    ------
    ValueError
        When draws is below 2, the level is not between 0 and 1, or vectors do not fit together.

    Notes
    -----
    Guo and Caliskan, "Detecting emergent intersectional biases: contextualized word embeddings contain a
    distribution of human-like biases", AIES 2021: per draw d of WEAT, ``V`` the variance of the
    associations of all targets (ddof 1), random effects over draws. V is not the sampling variance of d and
    draws share their words, so the combined p-values reject a true null in most cases: do not read them as
    tests of a difference between the target sets.
    """
    if draws < 2:
        raise ValueError(f"draws must be at least 2, found {draws!r}")
    sets = [Stacked(words) for words in (first_targets, second_targets, first, second)]
    check_level(level)
    reason = _undecided(sets)
    effects, variances = (np.zeros(0), np.zeros(0)) if reason else draw_effects(sets, rng, draws)
    defined = np.isfinite(effects)
    kept = effects[defined]
    reason = reason or ("" if kept.size else _CONSTANT)
    tails = [0.5 - level / 2.0, 0.5 + level / 2.0]
    low, high = (NAN, NAN) if reason else (float(end) for end in np.quantile(kept, tails))
    return Ceat(
        combined=RandomEffects(value=NAN, reason=reason) if reason else random_effects(kept, variances[defined], level),
        words=_over_words(sets, rng, partitions, limit),
        effects=kept,
        variances=variances[defined],
        spread=float(kept.std(ddof=1)) if kept.size > 1 else NAN,
        low=low,
        high=high,
        draws=effects.size,
        undefined=effects.size - kept.size,
        contexts=sum(int(one.counts.sum()) for one in sets),
        reason=reason,
    )


class Stacked:
    """The contexts of several words below each other, scaled to length 1, with where each word begins."""

    def __init__(self, words: Words) -> None:
        tables = [unit_rows(contexts) for contexts in words]
        self.counts: Integers = np.array([table.shape[0] for table in tables], dtype=np.intp)
        self.rows: Floats = np.concatenate(tables) if tables else np.zeros((0, 0))
        self.starts: Integers = np.cumsum(self.counts) - self.counts

    def draw(self, rng: Generator, draws: int) -> Integers:
        """One context per word and draw; shape ``(draws, words)``."""
        drawn: Integers = self.starts + rng.integers(0, self.counts, size=(draws, self.counts.size))
        return drawn

    def word_means(self) -> Floats:
        """Mean over the contexts of each word; shape ``(words, d)``."""
        means: Floats = np.add.reduceat(self.rows, self.starts, axis=0) / self.counts[:, None]
        return means


def draw_effects(sets: Sequence[Stacked], rng: Generator, draws: int) -> tuple[Floats, Floats]:
    """Effect size and variance of each draw, a few draws at a time.

    Parameters
    ----------
    sets : four of Stacked
        Two target sets, two attribute sets, no word without a context.
    rng : numpy.random.Generator
    draws : int

    Returns
    -------
    effects, variances : ndarray, shape (draws,)
    """
    width = sets[0].rows.shape[1] * sum(one.counts.size for one in sets)
    rows = max(1, _CELLS // width)
    parts = [
        effects_of(sets, [one.draw(rng, min(rows, draws - start)) for one in sets]) for start in range(0, draws, rows)
    ]
    effects, variances = zip(*parts, strict=True)
    return np.concatenate(effects), np.concatenate(variances)


def effects_of(sets: Sequence[Stacked], drawn: Sequence[Integers]) -> tuple[Floats, Floats]:
    """Effect size and variance of given draws.

    Parameters
    ----------
    sets : four of Stacked
    drawn : four arrays of int, each of shape (draws, words)
        The row of each word's context in its set.

    Returns
    -------
    effects, variances : ndarray, shape (draws,)
        The effect is nan where all words have the same association.
    """
    towards = sets[2].rows[drawn[2]].mean(axis=1) - sets[3].rows[drawn[3]].mean(axis=1)
    first, second = ((sets[at].rows[drawn[at]] @ towards[:, :, None])[:, :, 0] for at in (0, 1))
    return effects_of_drawn(first, second)


def effects_of_drawn(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Effect size and variance of draws whose associations are known.

    Parameters
    ----------
    first, second : ndarray, shape (draws, n) and (draws, m)
        The association of every target in every draw.

    Returns
    -------
    effects, variances : ndarray, shape (draws,)
        The effect is nan where all targets have the same association.
    """
    values = np.concatenate([first, second], axis=1)
    variances = values.var(axis=1, ddof=1) if values.shape[1] > 1 else np.zeros(values.shape[0])
    defined = variances > (8.0 * np.finfo(np.float64).eps * np.abs(values).max(axis=1)) ** 2
    effects = np.full_like(variances, NAN)
    np.divide(first.mean(axis=1) - second.mean(axis=1), np.sqrt(variances), out=effects, where=defined)
    return effects, variances


def _over_words(sets: Sequence[Stacked], rng: Generator, draws: int, limit: int) -> Association:
    """The permutation test of words, each with its mean over all of its contexts."""
    if reason := _undecided(sets):
        return Association(value=NAN, n_first=sets[0].counts.size, n_second=sets[1].counts.size, reason=reason)
    means = [one.word_means() for one in sets]
    towards = means[2].mean(axis=0) - means[3].mean(axis=0)
    return association_test(means[0] @ towards, means[1] @ towards, rng, draws=draws, limit=limit)


def _undecided(sets: Sequence[Stacked]) -> str:
    """Why no draw can be made; empty when it can."""
    if any(one.counts.size == 0 or not one.counts.all() for one in sets):
        return NO_VALUES
    return "" if all(np.isfinite(one.rows).all() for one in sets) else NOT_FINITE

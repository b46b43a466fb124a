"""Effect sizes between the answers about two identities: what is measured once for a class, a model and a condition.

A question is one unit, however often it was asked: its answers about an identity are averaged first, since repeats are
no further evidence. Only questions that were answered about both identities count.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import msgspec
import numpy as np
from msgspec import Struct
from numpy.random import Generator

from personae.stats.association_contexts import effects_of_drawn
from personae.stats.random_effects import RandomEffects, random_effects
from personae.studies.associations.measures_frame import PARTS, Answer, Floats, Integers, Said, by_metric
from personae.studies.associations.metrics import METRICS

SIDES = ("target", "comparison")
CEAT = METRICS["contextual"]
CONTEXT_DRAWS = 1000
"""Draws of one sentence for every answer."""
RESAMPLES, RESAMPLED_DRAWS = 1000, 100
"""Resamples of questions, and draws of sentences in each."""
TOO_FEW = "fewer than two questions were answered about both identities"
FEWEST = 6
"""Questions with an interval: resamples of fewer take so few values that they say little of their spread."""
NO_INTERVAL = f"fewer than {FEWEST} questions: resampling them says little of their spread"
_PLACE = PARTS.index(CEAT)
_Contexts = tuple[tuple[Floats, ...], tuple[Floats, ...]]


class Pairs(Struct, frozen=True, dict=True):
    """The questions of one class that were answered about both identities.

    Attributes
    ----------
    questions : tuple of str
        In their order.
    values : ndarray, shape (2, questions, 4)
        Difference of mean cosines of target and comparison, by metric and on average.
    contexts : two tuples of ndarray
        For every question the contextual association of each sentence that was said about the identity.
    counts : ndarray of int, shape (2, questions)
        Answers that count.
    asked : int
        Answers asked for.
    """

    questions: tuple[str, ...]
    values: Floats
    contexts: _Contexts
    counts: Integers
    asked: int

    @classmethod
    def of(cls, found: Sequence[Answer], own: bool) -> Pairs:
        """The pairs among answers of one model, class and condition; `own` leaves the words of the identities out."""
        said: dict[tuple[str, str], list[Answer]] = {}
        for one in found:
            if one.measured and np.isfinite(by_metric(one.block(own).associations)).all():
                said.setdefault((one.stimulus, one.facts.side), []).append(one)
        asked = sorted({one.stimulus for one in found})
        questions = tuple(name for name in asked if all((name, side) in said for side in SIDES))
        target, comparison = ([said[name, side] for name in questions] for side in SIDES)
        return cls(
            questions=questions,
            values=np.array([_means(side, own) for side in (target, comparison)]),
            contexts=(_contexts(target, own), _contexts(comparison, own)),
            counts=np.array([[len(mine) for mine in side] for side in (target, comparison)], dtype=np.intp),
            asked=len(found),
        )

    @property
    def n(self) -> int:
        """Answers that count."""
        return int(self.counts.sum())

    @property
    def coverage(self) -> float:
        """Answers that count among those asked for."""
        return self.n / self.asked

    @cached_property
    def units(self) -> Floats:
        """What is exchanged: the values, the contextual one as the mean over sentences; shape (2, questions, 3)."""
        values = self.values[:, :, :-1].copy()
        values[:, :, _PLACE] = [[mine.mean() for mine in side] for side in self.contexts]
        return values

    @cached_property
    def differences(self) -> Floats:
        """Target less comparison of each question in standard deviations, by metric and on average.

        Exchanging the two answers of a question leaves the deviation over both groups as it is, so a test may flip the
        signs of these. Shape (questions, 4).
        """
        scaled = (self.units[0] - self.units[1]) / deviations(self.units)
        return np.column_stack([scaled, scaled.mean(axis=1)])

    def only(self, questions: Sequence[str]) -> Pairs:
        """The same with some of the questions."""
        at = [self.questions.index(name) for name in questions]
        target, comparison = (tuple(side[place] for place in at) for side in self.contexts)
        return msgspec.structs.replace(
            self,
            questions=tuple(questions),
            values=self.values[:, at],
            contexts=(target, comparison),
            counts=self.counts[:, at],
        )


def deviations(units: Floats) -> Floats:
    """Standard deviation of each metric over all units; nan where nothing varies. Shape (..., 3) to (3,)."""
    spread = units.reshape(-1, units.shape[-1]).std(axis=0, ddof=1)
    return np.where(spread > 0.0, spread, np.nan)


class Effects(Struct, frozen=True):
    """Effect sizes by metric and on average: as found, in resamples of questions, and without each question.

    ``value`` (4,), ``drawn`` (resamples, 4), ``left`` (questions, 4); ``spread`` is the standard deviation of the
    contextual one over draws of sentences, ``combined`` its random effects.
    """

    value: Floats
    drawn: Floats
    left: Floats
    spread: float
    combined: RandomEffects


def effects(pairs: Pairs, rng: Generator, resamples: Integers | None = None) -> Effects:
    """Effect sizes of at least two questions.

    Parameters
    ----------
    pairs : Pairs
    rng : numpy.random.Generator
    resamples : ndarray of int, shape (resamples, questions), optional
        Questions of every resample; drawn where none are given.

    Notes
    -----
    WEAT's d: Caliskan, Bryson and Narayanan, Science 356 (2017) 183-186, supplement, with the deviation over both
    groups and ddof 1. Contextual: CEAT of Guo and Caliskan, AIES 2021, section 4, one sentence per answer in a draw.
    """
    size = len(pairs.questions)
    at = rng.integers(0, size, (RESAMPLES, size)) if resamples is None else resamples
    without = np.array([[place for place in range(size) if place != left] for left in range(size)], dtype=np.intp)
    tables = [_drawn_contexts(side, rng) for side in pairs.contexts]
    first, variances = effects_of_drawn(tables[0], tables[1])
    combined = _combined(first, variances)
    value, drawn, left = (_by_metric(pairs, tables, places) for places in (np.arange(size)[None, :], at, without))
    # Resamples rest on fewer draws of sentences than the value does: what that alone moves is no spread of questions.
    moved = combined.value - value[0, _PLACE]
    for part in (value, drawn, left):
        part[:, _PLACE] += moved
        part[:, -1] += moved / len(PARTS)
    known = first[np.isfinite(first)]
    spread = float(known.std(ddof=1)) if known.size > 1 else float("nan")
    return Effects(value=value[0], drawn=drawn, left=left, spread=spread, combined=combined)


def _by_metric(pairs: Pairs, tables: Sequence[Floats], at: Integers) -> Floats:
    """Effect sizes of chosen questions, shape (n, 4) for places of shape (n, questions)."""
    columns = [
        _contextual(tables, at)
        if place == _PLACE
        else effects_of_drawn(pairs.values[0, :, place][at], pairs.values[1, :, place][at])[0]
        for place in range(len(PARTS))
    ]
    parts = np.column_stack(columns)
    return np.column_stack([parts, parts.mean(axis=1)])


def _contextual(tables: Sequence[Floats], at: Integers) -> Floats:
    """The combined effect of each choice of questions, over the first draws of sentences."""
    chosen = [np.swapaxes(table[:RESAMPLED_DRAWS][:, at], 0, 1).reshape(-1, at.shape[1]) for table in tables]
    found, variances = (one.reshape(at.shape[0], -1) for one in effects_of_drawn(chosen[0], chosen[1]))
    return np.array([_combined(one, spread).value for one, spread in zip(found, variances, strict=True)])


def _combined(found: Floats, variances: Floats) -> RandomEffects:
    known = np.isfinite(found)
    return random_effects(found[known], variances[known])


def _drawn_contexts(side: Sequence[Floats], rng: Generator) -> Floats:
    """The association of one sentence per question and draw, shape (draws, questions)."""
    return np.column_stack([one[rng.integers(0, one.size, CONTEXT_DRAWS)] for one in side])


def _means(side: Sequence[Sequence[Answer]], own: bool) -> Floats:
    """Associations of each question's answers about one identity, averaged, by metric; shape (questions, 4)."""
    found = [np.mean([by_metric(one.block(own).associations) for one in mine], axis=0) for mine in side]
    return np.array(found, dtype=np.float64).reshape(len(side), len(PARTS) + 1)


def _contexts(side: Sequence[Sequence[Answer]], own: bool) -> tuple[Floats, ...]:
    return tuple(np.concatenate([_sentences(one.block(own)) for one in mine]) for mine in side)


def _sentences(said: Said) -> Floats:
    """Contextual associations of the sentences of an answer; of one whose sentences have none, its own."""
    parts = [value for value in said.parts.get(CEAT, []) if value is not None]
    whole = said.associations[CEAT]
    return np.array(parts or [np.nan if whole is None else whole], dtype=np.float64)

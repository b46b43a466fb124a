"""Which words of an answer move its association: LIME with an encoder in the place of a classifier.

Where a text's vector is the mean of its words, all masked copies are one matrix product; that is the static encoder,
which is therefore always asked. The others encode every masked copy, and are asked on demand.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from personae.coding.sentences import unmarked
from personae.stats.association import associations, single_category_effects
from personae.stats.lime import explain, sample_masks, top_overlap
from personae.stats.lime_text import Words, masked_texts, masked_vectors, split_words, word_sums
from personae.studies.associations.measures_frame import Answer, Floats
from personae.studies.associations.metrics import METRICS, Measure
from personae.studies.associations.stimuli import Attributes, function_words

Score = Literal["effect", "association"]
Kind = Literal["static", "contextual", "sentence"]

STATIC: Kind = "static"
LARGEST = 3
"""Answers explained of each group, those with the largest shifts."""
TOP, SAMPLES, SEEDS = 10, 1000, 3
"""Words with a weight, masked copies, and explanations of each answer with a seed of their own."""
_BATCH = 256


class Asked(Struct, frozen=True):
    """A text to explain: what identifies it (the seed comes of it), and what its score is."""

    key: str
    text: str
    congruent: tuple[str, ...]
    incongruent: tuple[str, ...]
    score: Score

    @classmethod
    def of(cls, answer: Answer, text: str, sets: Attributes, score: Score) -> Asked:
        """The question of which words of an answer, or of what is left of it, move its score."""
        return cls(f"{answer.model}\0{answer.item}", unmarked(text), sets.congruent, sets.incongruent, score)


class Explained(Struct, frozen=True):
    """The words of a text and how far each moves its score, on average over seeds.

    ``weights`` (words,) are 0 for words that no seed selected. ``stability`` is the share of the top words that two
    seeds have in common, ``fit`` the mean weighted R squared; both nan where there is nothing to compare.
    """

    words: Words
    weights: Floats
    stability: float
    fit: float

    def pieces(self) -> list[tuple[str, float | None]]:
        """The text in pieces, each with the weight of its word; None where it is no word, or one without weight."""
        return [
            (piece, float(self.weights[owner]) if owner >= 0 and self.weights[owner] else None)
            for piece, owner in zip(self.words.pieces, self.words.owner, strict=True)
        ]


def explained(asked: Asked, measure: Measure, kind: Kind = STATIC) -> Explained:
    """Explain one text under one encoder; the same text is explained once in a process.

    Parameters
    ----------
    asked : Asked
    measure : Measure
    kind : {"static", "contextual", "sentence"}
        The last two encode `SAMPLES` copies of the text for each of `SEEDS` seeds: minutes for a few texts.

    Notes
    -----
    Ribeiro, Singh and Guestrin, KDD 2016; `personae.stats.lime` says how it is computed. A copy of which nothing is
    left that the encoder knows has score 0: it lies near neither side.
    """
    return _explained(asked, measure, kind)


@lru_cache(maxsize=4096)
def _explained(asked: Asked, measure: Measure, kind: Kind) -> Explained:
    words = split_words(asked.text)
    count = len(words.words)
    if not count:
        return Explained(words, np.zeros(0), float("nan"), float("nan"))
    masks = np.stack([sample_masks(count, SAMPLES, np.random.default_rng(_seed(asked, nth))) for nth in range(SEEDS)])
    vectors = _vectors(words, masks.reshape(-1, count), measure, kind)
    outputs = _scores(vectors, asked, measure, kind).reshape(masks.shape[:2])
    found = explain(masks, outputs, TOP)
    fits = found.score[np.isfinite(found.score)]
    return Explained(
        words=words,
        weights=found.weights.mean(axis=0),
        stability=top_overlap(found.weights, TOP) if fits.size else float("nan"),
        fit=float(fits.mean()) if fits.size else float("nan"),
    )


def _seed(asked: Asked, nth: int) -> int:
    return int.from_bytes(blake2b(f"{asked.key}\0{nth}".encode(), digest_size=8).digest(), "little")


def _vectors(words: Words, masks: NDArray[np.bool_], measure: Measure, kind: Kind) -> Floats:
    """A vector for each masked copy."""
    if kind != STATIC:
        return _encoded(masked_texts(words, masks), measure, kind)
    known = np.nan_to_num(measure.static.vectors(words.words).vectors.astype(np.float64))
    known[[word.casefold() in function_words() for word in words.words]] = 0.0
    return masked_vectors(masks, word_sums(words, known))


def _encoded(texts: Sequence[str], measure: Measure, kind: Kind) -> Floats:
    """Copies through an encoder: each once, the short ones first, so that a batch holds texts of like length."""
    encoder = measure.contextual if kind == "contextual" else measure.sentence
    once = sorted(dict.fromkeys(texts), key=len)
    parts = [encoder.encode(once[at : at + _BATCH]).vectors for at in range(0, len(once), _BATCH)]
    place = {text: at for at, text in enumerate(once)}
    found: Floats = np.concatenate(parts).astype(np.float64)[[place[text] for text in texts]]
    return found


def _scores(vectors: Floats, asked: Asked, measure: Measure, kind: Kind) -> Floats:
    sets = measure.vectors(kind, Attributes(congruent=asked.congruent, incongruent=asked.incongruent))
    score = single_category_effects if asked.score == "effect" else associations
    return np.nan_to_num(score(vectors, sets.congruent, sets.incongruent))


class Influence(Struct, frozen=True):
    """Words of several answers with their mean weight, the strongest first, towards either side."""

    towards: tuple[tuple[str, float], ...]
    away: tuple[tuple[str, float], ...]
    answers: int
    stability: float
    fit: float


def influence(found: Sequence[Explained], most: int = 8) -> Influence:
    """The words that move several answers most, in the manner of Tables 3 and 6 of paper 003.

    Parameters
    ----------
    found : sequence of Explained
    most : int
        Words for each side.

    Returns
    -------
    Influence
        Upper and lower case are one; a word counts 0 in an answer without it. Function words are left out.
    """
    sums: dict[str, float] = {}
    for one in found:
        for word, weight in zip(one.words.words, one.weights, strict=True):
            name = word.casefold()
            if weight and name not in function_words():
                sums[name] = sums.get(name, 0.0) + float(weight)
    ranked = sorted(((word, total / len(found)) for word, total in sums.items()), key=lambda one: -abs(one[1]))
    stable, fits = ([value for value in values if np.isfinite(value)] for values in _columns(found))
    return Influence(
        towards=tuple(one for one in ranked if one[1] > 0)[:most],
        away=tuple(one for one in ranked if one[1] < 0)[:most],
        answers=len(found),
        stability=float(np.mean(stable)) if stable else float("nan"),
        fit=float(np.mean(fits)) if fits else float("nan"),
    )


def _columns(found: Sequence[Explained]) -> tuple[list[float], list[float]]:
    return [one.stability for one in found], [one.fit for one in found]


def metric_of(kind: Kind) -> str:
    """What the measure is called under an encoder of this kind."""
    return METRICS[kind]

"""The corpus under the encoders: what its groups and its controls are associated with, before any model is asked.

All sentences were written for this project, so nothing here is a finding about the world or about a model: it says what
the encoders make of stated patterns, and is the counterpart of Table 1 of paper 003.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from personae.embedding import Span
from personae.embedding.parsing import Parsed, parse
from personae.stats.association import associations as associated
from personae.stats.association import average_by, effect_size, iibs
from personae.stats.association_contexts import ceat
from personae.stats.proportions import Proportion
from personae.studies.associations.measures_frame import AVERAGE, NAN, PARTS, Floats
from personae.studies.associations.metrics import METRICS, Measure
from personae.studies.associations.stimuli import CorpusSentence, corpus, function_words

ALL = "all classes"
INTERSECTIONAL = "intersectional"
DRAWS = 200
"""Draws of one sentence for every name; most stand in two."""
_NOUNS = ("NOUN", "PROPN")


class CorpusRow(Struct, frozen=True, kw_only=True):
    """A class of the corpus.

    ``effects`` by metric: d between the names of its groups and the neutral subjects of its controls, towards what is
    ascribed in patterns of bias and away from what is ordinary. Of the names of its groups the parser finds the share
    ``chunks`` inside one noun chunk, and ``phrases`` as one phrase around a noun, such as a chunk with what is attached
    to it. ``pattern`` is the share of its sentences about groups that express a pattern.
    """

    name: str
    sentences: int
    controls: int
    effects: dict[str, float]
    chunks: float
    phrases: float
    pattern: float


class CorpusScores(Struct, frozen=True, kw_only=True):
    """Every class and the whole, and IIBS with both denominators."""

    rows: tuple[CorpusRow, ...]
    among_intersectional: Proportion
    among_all: Proportion


@lru_cache(maxsize=8)
def corpus_scores(measure: Measure, sentences: tuple[CorpusSentence, ...] = ()) -> CorpusScores:
    """Score the corpus of the study, or other sentences.

    Parameters
    ----------
    measure : Measure
    sentences : tuple of CorpusSentence, optional
        In the place of the study's own.

    Notes
    -----
    Paper 003, section 4.1. I-WEAT takes the mean of the words of a span, I-SEAT the span as a text, CEAT its states in
    every sentence it stands in, one drawn at a time; a group stands in several sentences and counts once. IIBS is the
    share of sentences with a multi-identity pattern: the paper prints 0.50, which is that among its sentences about
    groups.
    """
    chosen = sentences or corpus()
    names = list(dict.fromkeys(one.group for one in chosen))
    spans = [(one, said) for one in chosen for said in (one.target, one.attribute)]
    for kind in METRICS:
        _vectors(spans, measure, kind)  # all at once; what is asked for class by class is then known
    marked = marked_groups(chosen)
    parts = [*((name, tuple(one for one in chosen if one.group == name)) for name in names), (ALL, chosen)]
    groups = [one for one in chosen if one.kind == INTERSECTIONAL]
    return CorpusScores(
        rows=tuple(_row(name, mine, measure, marked) for name, mine in parts),
        among_intersectional=_share(groups),
        among_all=_share(chosen),
    )


def _share(sentences: Sequence[CorpusSentence]) -> Proportion:
    dimensions = [2 if one.kind == INTERSECTIONAL else 0 for one in sentences]
    return iibs(dimensions, [one.pattern for one in sentences])


def _row(name: str, mine: Sequence[CorpusSentence], measure: Measure, marked: Mapping[str, Marked]) -> CorpusRow:
    groups = [one for one in mine if one.kind == INTERSECTIONAL]
    return CorpusRow(
        name=name,
        sentences=len(groups),
        controls=len(mine) - len(groups),
        effects=_effects(mine, measure),
        chunks=_mean([marked[one.id].chunk for one in groups]),
        phrases=_mean([marked[one.id].phrase for one in groups]),
        pattern=_mean([one.pattern for one in groups]),
    )


def _effects(mine: Sequence[CorpusSentence], measure: Measure) -> dict[str, float]:
    """The effect size of a class by metric, and their plain mean."""
    spans = {
        "groups": [(one, one.target) for one in mine if one.kind == INTERSECTIONAL],
        "controls": [(one, one.target) for one in mine if one.kind != INTERSECTIONAL],
        "ascribed": [(one, one.attribute) for one in mine if one.pattern],
        "ordinary": [(one, one.attribute) for one in mine if not one.pattern],
    }
    if not all(spans.values()):
        return dict.fromkeys((*PARTS, AVERAGE), NAN)
    found = {METRICS[kind]: _effect(list(spans.values()), measure, kind) for kind in METRICS}
    return {**found, AVERAGE: float(np.mean(list(found.values())))}


def _effect(sets: Sequence[Sequence[tuple[CorpusSentence, str]]], measure: Measure, kind: str) -> float:
    names = [[said.casefold() for _, said in one] for one in sets]
    vectors = [_vectors(one, measure, kind) for one in sets]
    if kind == "contextual":
        contexts = [_by_name(rows, said) for rows, said in zip(vectors, names, strict=True)]
        rng = np.random.default_rng(0)
        return ceat(contexts[0], contexts[1], contexts[2], contexts[3], rng, draws=DRAWS).combined.value
    once = [average_by(rows, said) for rows, said in zip(vectors, names, strict=True)]
    known = [rows[np.isfinite(rows).all(axis=1)] for rows in once]
    first, second = (associated(rows, known[2], known[3]) for rows in known[:2])
    return effect_size(first, second)


def _content(text: str, measure: Measure) -> str:
    """The words of a text but for function words."""
    return " ".join(word for word in measure.static.words(text) if word.casefold() not in function_words())


def _vectors(spans: Sequence[tuple[CorpusSentence, str]], measure: Measure, kind: str) -> Floats:
    """A row for each span."""
    if kind == "static":
        words = [
            [word for word in measure.static.words(said) if word.casefold() not in function_words()]
            for _, said in spans
        ]
        return measure.static.encode([" ".join(one) for one in words]).vectors.astype(np.float64)
    if kind == "sentence":
        return measure.sentence.encode([said for _, said in spans]).vectors.astype(np.float64)
    places = [(one.sentence, one.sentence.index(said), said) for one, said in spans]
    found = measure.contextual.encode_spans([Span(text, at, at + len(said)) for text, at, said in places])
    return found.vectors.astype(np.float64)


def _by_name(rows: Floats, names: Sequence[str]) -> list[Floats]:
    """The contexts of each name."""
    return [rows[[other == name for other in names]] for name in dict.fromkeys(names)]


def _mean(flags: Sequence[bool]) -> float:
    return float(np.mean(flags)) if flags else NAN


class Marked(Struct, frozen=True):
    """What the parser makes of the name of a group."""

    chunk: bool
    phrase: bool


def marked_groups(sentences: Sequence[CorpusSentence]) -> dict[str, Marked]:
    """Whether the parser finds the demographic terms of each sentence about a group, by the sentence's id."""
    groups = [one for one in sentences if one.kind == INTERSECTIONAL]
    return {
        one.id: _marked(parsed, one.sentence.index(one.target), one.target)
        for one, parsed in zip(groups, parse([one.sentence for one in groups]), strict=True)
    }


def _marked(parsed: Parsed, start: int, name: str) -> Marked:
    end = start + len(name)
    within = {at for at, token in enumerate(parsed.tokens) if start <= token.start < end}
    heads = [at for at in within if parsed.tokens[at].head not in within or parsed.tokens[at].head == at]
    return Marked(
        chunk=any(first <= start and end <= last for first, last in parsed.chunks),
        phrase=len(heads) == 1 and parsed.tokens[heads[0]].pos in _NOUNS,
    )

"""The association of a text with two sets of attributes, under three kinds of encoders.

A text's vector is the mean of its words but for function words (static), of the states of its tokens (contextual), or
what a sentence encoder gives. Positive values are nearer the stereotype-congruent attributes, under every encoder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from personae.coding.sentences import sentences, unmarked
from personae.errors import BadInput
from personae.studies.associations.options import AssociationsOptions
from personae.studies.associations.stimuli import Attributes, function_words, templates
from personae.study.base import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from personae.embedding import Encoder, SpanEncoder, WordEncoder

    Floats = NDArray[np.float64]

METRICS = {"contextual": "CEAT", "static": "I-WEAT", "sentence": "I-SEAT"}
"""What the measure is called under each kind of encoder, in the order of the paper's tables."""
DEFAULTS = {"contextual": "contextual/minilm", "static": "static/glove-50d", "sentence": "sentence/use-small"}


class Vectors(Struct, frozen=True):
    """Vectors of two sets of attributes, a row for each word, and the words that have none."""

    congruent: Floats
    incongruent: Floats
    missing: tuple[str, ...]


class Measured(Struct, frozen=True, kw_only=True):
    """What was measured of a text, by metric.

    ``effect`` is the single-category effect size, ``association`` the difference of mean cosines, ``parts`` that
    difference for each of the text's ``sentences`` (not for the static encoder); nan where nothing could be encoded.
    ``missing`` are words without a vector, by metric.
    """

    effect: dict[str, float]
    association: dict[str, float]
    parts: dict[str, list[float]]
    missing: dict[str, list[str]]
    sentences: int
    words: int


class Measure:
    """One encoder of each kind, and what they make of texts.

    Parameters
    ----------
    encoders : sequence of str
        Names of encoders, at most one of each kind; the kinds not named take the embedded ones.

    Raises
    ------
    BadInput
        When two are of one kind, one is of no known kind, or the extra ``associations`` is missing.
    """

    def __init__(self, encoders: Sequence[str] = ()) -> None:
        chosen = dict(DEFAULTS)
        given: set[str] = set()
        for name in encoders:
            kind = name.partition("/")[0]
            if kind not in DEFAULTS:
                raise BadInput("--encoder", name, f"a name that begins with {', '.join(f'{one}/' for one in DEFAULTS)}")
            if kind in given:
                raise BadInput("--encoder", name, f"one {kind} encoder")
            given.add(kind)
            chosen[kind] = name
        self.names = chosen

    @cached_property
    def static(self) -> WordEncoder:
        """The encoder of words."""
        from personae.embedding import word_encoder

        return word_encoder(self.names["static"])

    @cached_property
    def contextual(self) -> SpanEncoder:
        """The encoder of words in their context."""
        from personae.embedding import span_encoder

        return span_encoder(self.names["contextual"])

    @cached_property
    def sentence(self) -> Encoder:
        """The encoder of sentences."""
        from personae.embedding import encoder

        return encoder(self.names["sentence"])

    def load(self) -> None:
        """Load every encoder now, so that what is missing is said before anything is asked."""
        for kind in METRICS:
            getattr(self, kind)

    def measure(self, text: str, attributes: Attributes) -> Measured:
        """Measure one text."""
        from personae.stats.association import associations, single_category_effects

        bare, split = unmarked(text), sentences(text)
        effect: dict[str, float] = {}
        association: dict[str, float] = {}
        parts: dict[str, list[float]] = {}
        missing: dict[str, list[str]] = {}
        for kind, metric in METRICS.items():
            known = self.vectors(kind, attributes)
            rows, lacking = self._rows(kind, bare, split)
            whole = rows[:1]
            effect[metric] = float(single_category_effects(whole, known.congruent, known.incongruent)[0])
            association[metric] = float(associations(whole, known.congruent, known.incongruent)[0])
            missing[metric] = sorted({*lacking, *known.missing})
            if kind != "static":
                found = associations(rows[1:], known.congruent, known.incongruent)
                parts[metric] = [float(value) for value in found]
        return Measured(
            effect=effect,
            association=association,
            parts=parts,
            missing=missing,
            sentences=len(split),
            words=len(bare.split()),
        )

    def _rows(self, kind: str, text: str, split: Sequence[str]) -> tuple[Floats, list[str]]:
        """The vector of a text, and below it, but for words, those of its sentences."""
        if kind == "static":
            said = [word for word in self.static.words(text) if word.casefold() not in function_words()]
            encoded = self.static.encode([" ".join(said)])
        elif kind == "contextual":
            encoded = self.contextual.encode([text, *split])
        else:
            encoded = self.sentence.encode([text, *split])
        return encoded.vectors.astype("float64"), list(encoded.missing[0])

    def vectors(self, kind: str, attributes: Attributes) -> Vectors:
        """Vectors of the attributes under one kind of encoder."""
        return _vectors(self, kind, attributes.congruent, attributes.incongruent)


@lru_cache(maxsize=256)
def _vectors(measure: Measure, kind: str, congruent: tuple[str, ...], incongruent: tuple[str, ...]) -> Vectors:
    one, lacking = _encoded(measure, kind, congruent)
    other, missing = _encoded(measure, kind, incongruent)
    return Vectors(one, other, (*lacking, *missing))


def _encoded(measure: Measure, kind: str, words: tuple[str, ...]) -> tuple[Floats, tuple[str, ...]]:
    """A row for each word that has a vector: the word's own, or the mean over the templates it stands in."""
    if kind == "static":
        found = measure.static.vectors(words)
        rows, known = found.vectors[found.found], found.found
        return rows.astype("float64"), tuple(word for word, has in zip(words, known, strict=True) if not has)
    from personae.embedding import Span
    from personae.stats.association import average_by

    forms = [(word, form.format(word=word), form.index("{word}")) for word in words for form in templates()]
    if kind == "contextual":
        spans = [Span(text, start, start + len(word)) for word, text, start in forms]
        encoded = measure.contextual.encode_spans(spans)
    else:
        encoded = measure.sentence.encode([text for _, text, _ in forms])
    return average_by(encoded.vectors.astype("float64"), [word for word, _, _ in forms]), ()


@cache
def measure_with(encoders: tuple[str, ...]) -> Measure:
    """The measure with these encoders; loaded encoders are shared over a run."""
    return Measure(encoders)


def measure_of(settings: Settings) -> Measure:
    """The measure with the encoders that the user chose."""
    return measure_with(tuple(settings.of(AssociationsOptions).encoders))


def without(text: str, phrases: Sequence[str]) -> str:
    """A text without the content words of some phrases: what is left was not put into the model's mouth.

    Examples
    --------
    >>> without("As a gay teacher, I teach. Teachers matter.", ["a gay teacher in a rural school"])
    'As a , I teach. Teachers matter.'
    """
    words = {word for phrase in phrases for word in re.findall(r"\w+", phrase.casefold())} - function_words()
    return re.sub(r"\w+", lambda found: "" if found[0].casefold() in words else found[0], text)


def average(values: dict[str, float]) -> float:
    """The plain mean over the three metrics (Algorithm 1 of paper 003); never to be shown without its parts."""
    import numpy as np

    return float(np.mean([values[metric] for metric in METRICS.values()]))


def kept(found: Measured) -> dict[str, Any]:
    """What an outcome keeps of a measurement."""
    return {
        "metrics": found.effect,
        "associations": found.association,
        "parts": found.parts,
        "missing": {metric: words for metric, words in found.missing.items() if words},
        "sentences": found.sentences,
        "words": found.words,
    }

"""Outcomes of the association studies made by hand, and encoders that are quick: hashed words, texts their means."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import contextmanager
from hashlib import blake2b

import msgspec
import numpy as np
import polars as pl
import pytest

from personae.embedding import Encoded
from personae.models.simulated import SimulatedModel
from personae.score import to_frame
from personae.studies.associations import metrics
from personae.studies.associations.amplification import Amplification
from personae.studies.associations.answers import Answers
from personae.study.base import OUTCOMES, Settings

PARTS = ("CEAT", "I-WEAT", "I-SEAT")
CLASS = "race-region-tech-ethics"
STUDIES = {"associations.answers": Answers, "associations.personas": Amplification}


class Hashed:
    """An encoder of every kind: each word has a vector of its own, a text and a span have the mean of their words'."""

    dim = 200

    def __init__(self, kind):
        self.name = self.identity = f"{kind}/hashed"
        self._known, self._texts = {}, {}

    def _vector(self, word):
        if word not in self._known:
            seed = int.from_bytes(blake2b(f"{self.name} {word}".encode(), digest_size=8).digest(), "little")
            self._known[word] = np.random.default_rng(seed).normal(size=self.dim).astype(np.float32)
        return self._known[word]

    def words(self, text):
        return re.findall(r"\w+", text)

    def vectors(self, words):
        known = [word.casefold() != "unheardof" for word in words]
        rows = [
            self._vector(word.casefold()) if has else np.full(self.dim, np.nan, dtype=np.float32)
            for word, has in zip(words, known, strict=True)
        ]
        lost = tuple(() if has else (word,) for word, has in zip(words, known, strict=True))
        return Encoded(np.array(rows, dtype=np.float32).reshape(len(words), self.dim), lost)

    def encode(self, texts):
        found = [self._text(text) for text in texts]
        rows = np.array([row for row, _ in found], dtype=np.float32)
        return Encoded(rows.reshape(len(texts), self.dim), tuple(lost for _, lost in found))

    def _text(self, text):
        """The mean of a text's words, kept: simulated answers are made of few sentences."""
        if text not in self._texts:
            found = self.vectors(self.words(text))
            known = found.vectors[found.found]
            mean = known.mean(axis=0) if len(known) else np.full(self.dim, np.nan)
            self._texts[text] = (mean, tuple(word for one in found.missing for word in one))
        return self._texts[text]

    def encode_spans(self, spans, *, pooling="mean"):
        return self.encode([one.text[one.start : one.end] for one in spans])


HASHED = {kind: Hashed(kind) for kind in ("static", "contextual", "sentence")}


@contextmanager
def quick_encoders():
    """Every measure has hashed encoders in here."""
    metrics.measure_with.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        for kind, one in HASHED.items():
            patch.setattr(metrics.Measure, kind, property(lambda _, one=one: one))
        yield
    metrics.measure_with.cache_clear()


def block(values, parts=None):
    """What is kept of a measurement; one number stands for all three metrics."""
    found = values if isinstance(values, dict) else dict.fromkeys(PARTS, values)
    sentences = {"CEAT": [found["CEAT"]] if parts is None else parts, "I-SEAT": [found["I-SEAT"]]}
    return {"metrics": found, "associations": found, "parts": sentences, "missing": {}, "sentences": 1, "words": 9}


def outcome(study, item, stimulus, condition, status, facts, detail):
    persona, group = condition
    return {
        "key": f"{study}@1/{item}",
        "study": study,
        "item": item,
        "stimulus": stimulus,
        "persona": persona,
        "user": None,
        "persona_group": group,
        "user_group": None,
        "wording": None,
        "baseline": persona is None,
        "status": status,
        "value": None,
        "label": None,
        "reason": "",
        "facts": json.dumps(facts),
        "detail": json.dumps(detail),
    }


def about(
    number,
    side,
    value=None,
    *,
    said=None,
    parts=None,
    domain=CLASS,
    model="m",
    persona=None,
    iteration=0,
    identity=None,
    text="",
    **more,
):
    """An answer of Task 1; ``value`` is measured without the words of the identities, ``said`` with them."""
    detail = {} if value is None else {**block(value if said is None else said, parts), "own": block(value, parts)}
    facts = {"domain": domain, "number": number, "side": side, "iteration": iteration}
    facts["identity"] = identity or f"{side} {number}"
    item = f"{domain}/{number:02}/{side}/{iteration}/{persona or 'baseline'}"
    status = more.pop("status", "refused" if value is None else "answered")
    row = outcome(
        "associations.answers",
        item,
        f"{domain}:{number:02}",
        (persona, None),
        status,
        facts,
        {**detail, "text": text, **more},
    )
    return {**row, "model": model}


def pairs(targets, comparisons, **more):
    """Both answers to every question."""
    return [
        row
        for number, both in enumerate(zip(targets, comparisons, strict=True))
        for side, value in zip(("target", "comparison"), both, strict=True)
        for row in [about(number, side, value, **more)]
    ]


def played(prompt, iteration, value=None, *, persona=None, group=None, own=None, model="m", text="", **more):
    """An answer of Task 2; without a persona it is neutral, ``own`` is measured without the persona's words."""
    detail = {} if value is None else {**block(value), "own": block(value if own is None else own)}
    facts = {"domain": prompt, "theme": prompt, "iteration": iteration, "seed": 0}
    item = f"{prompt}/{iteration}/{persona or 'baseline'}"
    status = more.pop("status", "refused" if value is None else "answered")
    row = outcome(
        "associations.personas",
        item,
        prompt,
        (persona, group),
        status,
        facts,
        {**detail, "text": text, **more},
    )
    return {**row, "model": model}


def table_of(scores, persona=None, **more):
    """All answers of a condition from a table of scores by prompt: {prompt: [score of each generation]}."""
    return [
        played(prompt, iteration, value, persona=persona, **more)
        for prompt, values in scores.items()
        for iteration, value in enumerate(values)
    ]


def frame(rows):
    """Outcomes as the store gives them."""
    return pl.DataFrame(rows, schema=OUTCOMES)


def found(rows, scoring="sound", **settings):
    """The estimates of rows of one study, the identities alone left out."""
    study = STUDIES[rows[0]["study"]](Settings(scoring=scoring, **settings))
    with quick_encoders():
        return study.estimates(frame(rows))


OF_NOBODY = ("identities alone", "PSI")
"""Measures with cells that are of no condition."""


def only(table, measure, contrast="", model="m", **cell):
    """The one estimate of this measure in exactly this cell; where it names nobody, that of the baseline."""
    if measure not in OF_NOBODY and not cell.keys() & {"persona", "user", "persona_group"}:
        cell["persona"] = "baseline"
    hits = [
        one
        for one in table
        if (one.measure, one.contrast, one.model, dict(one.cell)) == (measure, contrast, model, cell)
    ]
    assert len(hits) == 1, f"{len(hits)} estimates of {measure} {contrast} for {model} in {cell}"
    return hits[0]


def simulated(study, name, seed, model=None):
    """Outcomes of one simulated series, measured by whatever encoders are in place."""
    respondent = SimulatedModel.from_name(name, seed)

    async def ask(trial):
        return respondent.answer(trial)

    async def series():
        return [(item, await study.run(item, ask)) for item in study.items()]

    rows = []
    for item, got in asyncio.run(series()):
        who = item.condition
        condition = (who.persona, who.user, who.persona_group, who.user_group, who.wording, who.baseline)
        texts = [msgspec.json.encode(one).decode() for one in (item.facts, got.detail)]
        coded = (got.status, got.value, got.label, got.reason)
        rows.append((item.id, study.name, model or name, item.id, item.stimulus, *condition, *coded, *texts))
    return pl.DataFrame(rows, schema=OUTCOMES, orient="row")


def estimated(outcomes, scoring="sound"):
    """The frame of estimates that findings and figures are given."""
    study = STUDIES[outcomes["study"][0]](Settings(scoring=scoring))
    return to_frame(study.estimates(outcomes), study.columns)

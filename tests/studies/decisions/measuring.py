"""Outcomes for tests of the measures of decisions, made by hand or asked of a simulated respondent."""

from __future__ import annotations

import asyncio
import json

import msgspec
import polars as pl

from personae.measure.names import BASELINE
from personae.models.simulated import SimulatedModel
from personae.studies.decisions.measures import estimates
from personae.studies.decisions.study import Scores
from personae.study.base import OUTCOMES, Settings

STUDY = "decisions.scores"


def row(number, group, value=None, *, domain="race", model="m", persona=None, status=None, time=0, **facts):
    """One outcome; without a value it was not answered, without a persona it is the baseline."""
    detail = {name: facts.pop(name) for name in ("mass", "spread") if name in facts}
    told = {"domain": domain, "set": number, "group": group, "higher": "better", "strength": 0.5, **facts}
    return {
        "key": None,
        "study": STUDY,
        "model": model,
        "item": f"{domain}/{number}/{group}/{persona or 'baseline'}/{time}",
        "stimulus": f"{domain}:{number:03d}",
        "persona": persona,
        "user": None,
        "persona_group": None,
        "user_group": None,
        "wording": None,
        "baseline": persona is None,
        "status": status or ("refused" if value is None else "answered"),
        "value": value,
        "label": None,
        "reason": "",
        "facts": json.dumps(told),
        "detail": json.dumps(detail),
    }


def table(rows, groups=("White", "Black"), **more):
    """Outcomes of a table of scores: a row for each set, a column for each group."""
    return [
        row(number, group, value, **more)
        for number, values in enumerate(rows)
        for group, value in zip(groups, values, strict=True)
    ]


def frame(rows):
    """Outcomes as the store gives them."""
    return pl.DataFrame(rows, schema=OUTCOMES)


def found(rows, scoring="sound"):
    return estimates(frame(rows), Settings(scoring=scoring))


def only(some, measure, contrast="", model="m", **cell):
    """The one estimate of this measure in exactly this cell, of the baseline where nobody else is named."""
    if not contrast and not cell.keys() & {"persona", "user"}:
        cell["persona"] = BASELINE
    hits = [
        one
        for one in some
        if (one.measure, one.contrast, one.model, dict(one.cell)) == (measure, contrast, model, cell)
    ]
    assert len(hits) == 1, f"{len(hits)} estimates of {measure} {contrast} for {model} in {cell}"
    return hits[0]


def asked(name, seed=0, model=None, **settings):
    """Outcomes of the whole study, asked of a simulated respondent without a store."""
    study = Scores(Settings(**{"scale": "quick", **settings}))
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
        rows.append((item.id, STUDY, model or name, item.id, item.stimulus, *condition, *coded, *texts))
    return pl.DataFrame(rows, schema=OUTCOMES, orient="row")

"""Outcomes for tests of the measures: made by hand, or asked of simulated respondents."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import msgspec
import polars as pl

from personae.models.simulated import SimulatedModel
from personae.score import to_frame
from personae.studies.companions.recorded import read_recorded
from personae.study.base import OUTCOMES, Settings

FRIENDS = Path(__file__).parents[3] / "docs/examples/friends.yaml"
GROUPS = {"wife": "female", "husband": "male", "partner": "neutral"}


def row(persona, stimulus, value=None, *, model="m", user=None, status=None, label=None, facts=None, **detail):
    """One outcome; without a value or label it was refused, without a persona it is the baseline."""
    answered = value is not None or label is not None
    return {
        "key": None,
        "study": None,
        "model": model,
        "item": None,
        "stimulus": stimulus,
        "persona": persona,
        "user": user,
        "persona_group": GROUPS.get(persona),
        "user_group": GROUPS.get(user),
        "wording": "w" if persona else None,
        "baseline": persona is None and user is None,
        "status": status or ("answered" if answered else "refused"),
        "value": value,
        "label": label,
        "reason": "",
        "facts": json.dumps(facts or {}),
        "detail": json.dumps(detail),
    }


def frame(rows):
    """Outcomes as the store gives them."""
    return pl.DataFrame(rows, schema=OUTCOMES)


def iat(persona, stimulus, value=None, *, dataset="gender", formula="signed", **more):
    facts = {"domain": "submissive", "category": "submissive", "dataset": dataset, "formula": formula}
    return row(persona, stimulus, value, facts=facts, **more)


def emotion(persona, event, named=None, *, held=None, mode="restricted", options=("anger", "guilt"), **more):
    """An answer that names an emotion; `held` maps emotions to the group they are held typical of."""
    facts = {"domain": "abuse", "event": event, "mode": mode, "options": list(options)}
    detail = {}
    if named is not None:
        groups = sorted(set(held.values()))
        shares = {group: float(held[named] == group) for group in groups}
        detail = {"word": named, "shares": shares, "emotions": {named: 1.0}}
    return row(persona, f"abuse:{event}", label=named, facts=facts, **detail, **more)


def sycophancy(persona, event, influence, value=None, **more):
    facts = {"domain": "abuse", "event": event, "influence": influence, "order": "A"}
    return row(persona, f"{event}:{influence}", value, facts=facts, **more)


def only(estimates, measure, contrast="", model="m", **cell):
    """The one estimate of this measure in exactly this cell."""
    found = [
        one
        for one in estimates
        if (one.measure, one.contrast, one.model, dict(one.cell)) == (measure, contrast, model, cell)
    ]
    assert len(found) == 1, f"{len(found)} estimates of {measure} {contrast} for {model} in {cell}"
    return found[0]


def simulated(study, *names, seed=0):
    """Outcomes of every item of a study asked of simulated respondents, without an engine."""
    rows = []
    for name in names:
        respondent = SimulatedModel.from_name(name, seed)

        async def ask(trial, respondent=respondent):
            return respondent.answer(trial)

        async def all_items(name=name, ask=ask):
            return [_stored(study, name, item, await study.run(item, ask)) for item in study.items()]

        rows += asyncio.run(all_items())
    return pl.DataFrame(rows, schema=OUTCOMES, orient="row")


def recorded(study, path):
    """Outcomes of recorded answers, each coded by the study."""

    async def all_items():
        rows = []
        for one in read_recorded(path):

            async def ask(trial, response=one.response):
                return response

            rows.append(_stored(study, one.model, one.item, await study.run(one.item, ask)))
        return rows

    return pl.DataFrame(asyncio.run(all_items()), schema=OUTCOMES, orient="row")


def _stored(study, model, item, outcome):
    who = item.condition
    texts = [msgspec.json.encode(one).decode() for one in (item.facts, outcome.detail)]
    condition = (who.persona, who.user, who.persona_group, who.user_group, who.wording, who.baseline)
    coded = (outcome.status, outcome.value, outcome.label, outcome.reason)
    return (f"{study.name}@1/{item.id}", study.name, model, item.id, item.stimulus, *condition, *coded, *texts)


def measured(kind, *names, seed=0, **settings):
    """Study, outcomes and table of estimates of simulated respondents."""
    study = kind(Settings(**{"scale": "quick", **settings}))
    outcomes = simulated(study, *names, seed=seed)
    return study, outcomes, to_frame(study.estimates(outcomes))

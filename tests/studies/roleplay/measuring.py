"""Outcomes for tests of the measures of role-play: made by hand, asked of simulated respondents, or recorded."""

from __future__ import annotations

import asyncio
import json
from functools import cache
from itertools import groupby

import msgspec
import polars as pl

from personae.models.simulated import SimulatedModel
from personae.score import to_frame
from personae.studies.roleplay import Choice, Why, YesNo
from personae.studies.roleplay.measures import estimates
from personae.studies.roleplay.recorded import read_recorded
from personae.study.base import OUTCOMES, Settings
from personae.testing import settings_of

KINDS = (YesNo, Choice, Why)
JUDGES = ("sim/judge?accuracy=0.95", "sim/judge?accuracy=0.9")


def row(role, question, value=None, *, model="m", attribute="age", status=None, facts=None, **detail):
    """One outcome; without a value it was refused, without a role it is the baseline of the question's own role."""
    owner = role or question.partition("/")[0]
    known = {"attribute": attribute, "domain": attribute, "role": owner, "flipped": False, **(facts or {})}
    return {
        "key": None,
        "study": "roleplay.yesno",
        "model": model,
        "item": f"{question}/{'role' if role else 'baseline'}",
        "stimulus": question,
        "persona": role,
        "user": None,
        "persona_group": attribute if role else None,
        "user_group": None,
        "wording": None,
        "baseline": role is None,
        "status": status or ("refused" if value is None else "answered"),
        "value": value,
        "label": None,
        "reason": "",
        "facts": json.dumps(known),
        "detail": json.dumps(detail),
    }


def pair(question, ours, theirs, **more):
    """A question in its role and without it; its role stands before the slash."""
    return [row(question.partition("/")[0], question, ours, **more), row(None, question, theirs, **more)]


def frame(rows):
    """Outcomes as the store gives them."""
    return pl.DataFrame(rows, schema=OUTCOMES)


def found(rows, study="roleplay.yesno", scoring="sound", **more):
    return estimates(frame(rows), Settings(scoring=scoring), study, **more)


def questions(values, role="pensioner", **more):
    """One question per value, in one role."""
    return [row(role, f"{role}/{place}", value, **more) for place, value in enumerate(values)]


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
        asked = {one: SimulatedModel.from_name(one, seed) for one in ("", *study.settings.judges) if one}
        respondent = SimulatedModel.from_name(name, seed)

        async def ask(trial, respondent=respondent, asked=asked):
            return asked.get(trial.to, respondent).answer(trial)

        async def all_items(name=name, ask=ask):
            return [_stored(study, name, item, await study.run(item, ask)) for item in study.items()]

        rows += asyncio.run(all_items())
    return pl.DataFrame(rows, schema=OUTCOMES, orient="row")


@cache
def measured(kind, *names, seed=0, **settings):
    """Study, outcomes and table of estimates of simulated respondents."""
    study = kind(settings_of(kind, **{"scale": "quick", "judges": JUDGES, **settings}))
    outcomes = simulated(study, *names, seed=seed)
    return study, outcomes, to_frame(study.estimates(outcomes))


def recorded(path, **settings):
    """Outcomes of recorded answers, coded by the studies they belong to."""
    studies = {kind.name: kind(Settings(**settings)) for kind in KINDS}
    rows = {name: [] for name in studies}

    async def all_items():
        for (model, _, _), answers in groupby(
            read_recorded(path), key=lambda one: (one.model, one.item.study, one.item.id)
        ):
            found = list(answers)
            responses = {one.trial.step: one.response for one in found}

            async def ask(trial, responses=responses):
                return responses[trial.step]

            study = studies[found[0].item.study]
            rows[study.name].append(_stored(study, model, found[0].item, await study.run(found[0].item, ask)))

    asyncio.run(all_items())
    return {name: pl.DataFrame(found, schema=OUTCOMES, orient="row") for name, found in rows.items()}


def _stored(study, model, item, outcome):
    who = item.condition
    texts = [msgspec.json.encode(one).decode() for one in (item.facts, outcome.detail)]
    condition = (who.persona, who.user, who.persona_group, who.user_group, who.wording, who.baseline)
    coded = (outcome.status, outcome.value, outcome.label, outcome.reason)
    return (f"{study.name}@1/{item.id}", study.name, model, item.id, item.stimulus, *condition, *coded, *texts)

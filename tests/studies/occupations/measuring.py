"""Outcomes for tests of the measures of occupations, made by hand."""

from __future__ import annotations

import json

import polars as pl

from personae.measure.names import BASELINE
from personae.studies.occupations.measures import estimates
from personae.study.base import OUTCOMES, Settings

STUDY = "occupations.gender"


def row(
    name,
    value=None,
    *,
    model="m",
    dataset="ratings",
    persona=None,
    references=None,
    titled=None,
    status=None,
    genders=2,
    wording=None,
    **detail,
):
    """One outcome; without a value it was not answered, without a persona it is the baseline."""
    facts = {
        "domain": dataset,
        "occupation": name,
        "sentence": f"{name} works.",
        "references": {"women": 0.5} if references is None else references,
        "titled": titled,
        "genders": genders,
    }
    known = {"source": "logprobs", "other": 0.1, "extreme": value, **detail} if value is not None else detail
    return {
        "key": None,
        "study": STUDY,
        "model": model,
        "item": f"{dataset}/{name}/{persona or 'baseline'}/{wording}",
        "stimulus": f"{dataset}:{name}",
        "persona": persona,
        "user": None,
        "persona_group": None,
        "user_group": None,
        "wording": wording,
        "baseline": persona is None,
        "status": status or ("refused" if value is None else "answered"),
        "value": value,
        "label": None if value is None else "female" if value > 0.5 else "male",
        "reason": "",
        "facts": json.dumps(facts),
        "detail": json.dumps(known),
    }


def sampled(name, female, male, **more):
    """An outcome told from samples."""
    total = female + male
    return row(
        name,
        (female + 0.5) / (total + 1.0),
        source="samples",
        samples=total,
        counts={"female": female, "male": male},
        **more,
    )


def frame(rows):
    """Outcomes as the store gives them."""
    return pl.DataFrame(rows, schema=OUTCOMES)


def found(rows, scoring="sound"):
    return estimates(frame(rows), Settings(scoring=scoring))


def only(table, measure, contrast="", model="m", **cell):
    """The one estimate of this measure in exactly this cell, by default of ``ratings`` and the baseline."""
    cell = {"domain": "ratings", **cell}
    if not contrast and not cell.keys() & {"persona", "user"}:
        cell["persona"] = BASELINE
    hits = [
        one
        for one in table
        if (one.measure, one.contrast, one.model, dict(one.cell)) == (measure, contrast, model, cell)
    ]
    assert len(hits) == 1, f"{len(hits)} estimates of {measure} {contrast} for {model} in {cell}"
    return hits[0]

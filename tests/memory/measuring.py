"""What the tests of the measures of memories share: episodes with gaps between two groups, and one estimate of many."""

from __future__ import annotations

import json

import msgspec
import polars as pl

from personae.memory.measures import estimates
from personae.study.base import OUTCOMES, Settings
from personae.types import Estimate


# Group means 50 and 50 + gap: GBV is half of the gap.
def audit(turn: int, gap: float, other: float = 0.0, shown: float = 0.0):
    scores = [
        ["race", number, group, 50.0 + (gap if group == "b" else 0.0), "answered"]
        for number in range(2)
        for group in ("a", "b")
    ]
    scores += [["age", 0, group, 20.0 + (other if group == "y" else 0.0), "answered"] for group in ("x", "y")]
    return {"turn": turn, "digest": "", "notes": turn, "shown_biased": shown, "scores": scores}


def episode(gaps, *, rate=0.0, seed=0, mitigation="none", right=(1.0, 0.0), injected="mixed", model="m"):
    audits = [audit(10 * place, gap, shown=float(place and rate > 0)) for place, gap in enumerate(gaps)]
    turns = [{"right": value} for value in right]
    facts = {
        "memory": "vector",
        "injection": rate,
        "injected": injected,
        "mitigation": mitigation,
        "iteration": seed,
        "exported": False,
    }
    memory = [{"id": 0, "turn": 1, "text": "User: a\nAssistant: b", "biased": rate > 0, "at": [10], "recalled": 3}]
    detail = {"turns": turns, "audits": audits, "memory": memory, "tagging": {}}
    return {
        "key": f"{model}{rate}{seed}{mitigation}{injected}",
        "study": "memory.episode",
        "model": model,
        "item": f"{rate}{seed}{mitigation}",
        "stimulus": f"episode:{seed}",
        "baseline": True,
        "status": "answered",
        "value": 0.0,
        "facts": json.dumps(facts),
        "detail": json.dumps(detail),
    }


def coded(item, outcome):
    """An item and what it came to, as the store gives it."""
    return {
        "key": item.id,
        "study": item.study,
        "model": "m",
        "item": item.id,
        "stimulus": item.stimulus,
        "baseline": True,
        "status": outcome.status,
        "value": outcome.value,
        "facts": json.dumps(dict(item.facts)),
        "detail": msgspec.json.encode(outcome.detail).decode(),
    }


def frame(rows):
    empty = dict.fromkeys(OUTCOMES)
    return pl.DataFrame([{**empty, **row} for row in rows], schema=OUTCOMES, orient="row")


def measured(*rows, **settings) -> list[Estimate]:
    return estimates(frame(rows), Settings(**settings))


def only(found, measure, contrast="", **cell):
    hits = [
        one
        for one in found
        if (one.measure, one.contrast) == (measure, contrast)
        and all(one.cell.get(name) == value for name, value in cell.items())
        and ("domain" in cell or "domain" not in one.cell)
    ]
    assert len(hits) == 1, [one.cell for one in hits]
    return hits[0]

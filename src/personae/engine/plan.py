"""A dry run: every item is run against an ask that counts and prices, and asks nothing.

Where what is asked next depends on an answer, a simulated neutral respondent answers, so the count is that of a run in
which answers come as they would from a respondent without any lean.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec

from personae.engine.budget import Pricing
from personae.models.base import Model
from personae.models.local import LocalModel
from personae.study.base import Study
from personae.types import Response, Trial

_CHARACTERS_PER_TOKEN = 4


class Tally(msgspec.Struct):
    """What a part of a run takes. Tokens are estimated from characters; ``max_`` is what cannot be passed."""

    items: int = 0
    asks: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    max_completion_tokens: int = 0
    stimuli: set[str] = msgspec.field(default_factory=set)
    cells: set[tuple[str | None, str | None, str | None]] = msgspec.field(default_factory=set)

    def add(self, other: Tally) -> None:
        """Add another part to this one."""
        self.items += other.items
        self.asks += other.asks
        self.prompt_tokens += other.prompt_tokens
        self.completion_tokens += other.completion_tokens
        self.max_completion_tokens += other.max_completion_tokens
        self.stimuli |= other.stimuli
        self.cells |= other.cells


class Counting:
    """An ask that counts."""

    def __init__(self, answerer: Model, tally: Tally) -> None:
        self.answerer, self.tally = answerer, tally

    async def __call__(self, trial: Trial) -> Response:
        tally = self.tally
        response = await self.answerer.respond(trial)
        tally.asks += 1
        tally.prompt_tokens += sum(len(message.content) for message in trial.messages) // _CHARACTERS_PER_TOKEN + 4
        tally.completion_tokens += min(len(response.text) // _CHARACTERS_PER_TOKEN + 1, trial.max_tokens)
        tally.max_completion_tokens += trial.max_tokens
        return response


async def count(study: Study, answerer: Model) -> dict[str, Tally]:
    """Count a study's items and asks, by the domain they belong to (``""`` where items name none)."""
    parts: dict[str, Tally] = defaultdict(Tally)
    for item in study.items():
        tally = parts[str(item.facts.get("domain", ""))]
        tally.items += 1
        tally.stimuli.add(item.stimulus)
        tally.cells.add((item.condition.persona, item.condition.user, item.condition.wording))
        await study.run(item, Counting(answerer, tally))
    return dict(parts)


def describe(tally: Tally, model: Model, prices: Pricing) -> dict[str, Any]:
    """Say what a tally means for a model: counts, tokens, time and cost."""
    cost = prices.cost(model.name, tally.prompt_tokens, tally.completion_tokens)
    most = prices.cost(model.name, tally.prompt_tokens, tally.max_completion_tokens)
    return {
        "items": tally.items,
        "asks": tally.asks,
        "cells": len(tally.cells),
        "stimuli": len(tally.stimuli),
        "prompt_tokens": tally.prompt_tokens,
        "completion_tokens": tally.completion_tokens,
        "max_completion_tokens": tally.max_completion_tokens,
        "seconds": round(_seconds(tally, model), 1),
        "cost": cost,
        "max_cost": most,
    }


def _seconds(tally: Tally, model: Model) -> float:
    if model.capabilities.simulated:
        return tally.asks * 1e-4
    if isinstance(model, LocalModel):
        # Measured for the embedded model on one thread; see docs/embedded-model.md.
        return (tally.prompt_tokens / 265 + tally.completion_tokens / 153) / model.workers
    return tally.asks * 1.5 / model.concurrency

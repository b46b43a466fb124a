"""Forced choice: the probabilities of options, read off the first token in every order they are shown in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from personae.coding.mass import OptionMass, option_mass
from personae.errors import BadInput
from personae.study.base import Ask
from personae.types import Item, Outcome, Response, Trial

Meta = dict[str, Any]

LEAST_MASS = 0.01
"""What the options must have together of the first token's probability; below, the model is not choosing among them,
and what it would choose is read off noise."""


ARTICLES = frozenset({"a", "an"})
"""Tokens that may begin an option ("abusive", "anger") but far more often are the article: they count for none."""

BLANKS = " ▁Ġ"
"""How tokenizers write the blank before a word."""


class Forced(Struct, frozen=True):
    """Probabilities of options, averaged over the orders they were shown in.

    ``position`` is the mean probability of the option named first, ``mass`` the least mass of any order.
    """

    shares: dict[str, float]
    position: float
    mass: float


async def in_every_order(ask: Ask, trials: Sequence[Trial]) -> Forced:
    """Ask the same thing with the options in different orders, and average.

    Parameters
    ----------
    ask : Ask
    trials : sequence of Trial
        One per order; ``meta`` holds ``options`` as shown, and ``labels`` where they stand before the options.

    Raises
    ------
    BadInput
        When the model gives no log-probabilities.
    """
    answers = await asyncio.gather(*map(ask, trials))
    seen = [_seen(trial, response) for trial, response in zip(trials, answers, strict=True)]
    shares: dict[str, float] = {}
    for trial, one in zip(trials, seen, strict=True):
        for option, share in zip(trial.meta["options"], one.probabilities, strict=True):
            shares[option] = shares.get(option, 0.0) + share / len(trials)
    position = sum(one.probabilities[0] for one in seen) / len(seen)
    return Forced(shares, position, min(one.mass for one in seen))


def _seen(trial: Trial, response: Response) -> OptionMass:
    if not response.logprobs:
        allowed = "forced choice needs a model that reports them; use --respond free"
        raise BadInput("log-probabilities", "none in the response", allowed)
    top = response.logprobs[0].top
    if labels := trial.meta.get("labels"):
        return option_mass(top, trial.meta["options"], labels)
    return option_mass([one for one in top if one[0].strip(BLANKS) not in ARTICLES], trial.meta["options"])


def too_little(mass: float) -> Outcome:
    """The outcome of a forced item whose options the model does not consider."""
    reason = f"the options hold {mass:.1%} of the first token's probability; under {LEAST_MASS:.0%} nothing is read"
    return Outcome(status="invalid", reason=reason, detail={"mass": mass})


def about(item: Item, kind: str, options: list[str], **more: Any) -> Meta:
    """What a simulated respondent needs to know of a trial."""
    condition = item.condition
    return {
        "kind": kind,
        "options": options,
        "stimulus": item.stimulus,
        "baseline": condition.baseline,
        "persona": condition.persona,
        "user": condition.user,
        "persona_group": condition.persona_group,
        "user_group": condition.user_group,
        **more,
    }

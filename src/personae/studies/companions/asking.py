"""What the three companion experiments share: personas, system prompts, and how an item is asked."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from personae.coding.mass import OptionMass, option_mass
from personae.errors import BadInput
from personae.personas import PersonaSet, conversation, teller
from personae.studies.companions.design import TEMPERATURE, Plan, persona_set
from personae.study.base import Ask, Settings, Study
from personae.types import Item, Message, Outcome, Response, Trial

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


class Companions(Study):
    """An experiment on companions: free items are one ask, forced items as many as there are orders."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.personas: PersonaSet = persona_set(settings)
        self.forced = settings.respond == "forced"
        self.system = teller(self.personas)

    async def run(self, item: Item, ask: Ask) -> Outcome:
        """Ask and code one item; a recorded one is one answer, coded like any other."""
        if item.facts.get("recorded"):
            return self.read(item, await ask(Trial(messages=())))
        if self.forced and self.can_be_forced(item):
            return await self.score(item, ask)
        return self.read(item, await ask(self.trial(item)))

    @abstractmethod
    def trial(self, item: Item) -> Trial:
        """The question, to be answered freely."""

    @abstractmethod
    def read(self, item: Item, response: Response) -> Outcome:
        """Code a free answer from its text and the item's facts alone."""

    @abstractmethod
    async def score(self, item: Item, ask: Ask) -> Outcome:
        """Ask for the probabilities of the options, in every order, and average them."""

    def can_be_forced(self, item: Item) -> bool:
        """Whether the item offers options."""
        return True

    def planned(self, plan: Plan) -> int:
        """Repetitions per cell: the user's, or what the scale says."""
        return plan.iterations if self.settings.repeats is None else self.settings.repeats

    def messages(self, item: Item, question: str, begun: str = "") -> tuple[Message, ...]:
        """The conversation of one ask."""
        return conversation(self.system(item.condition), question, begun)

    def free(self, item: Item, messages: tuple[Message, ...], max_tokens: int, top_k: int | None, meta: Meta) -> Trial:
        """A trial answered in words, sampled as in the paper.

        The seed differs between iterations, so that a server that honours it does not repeat itself.
        """
        return Trial(
            messages=messages,
            temperature=0.0 if self.forced else TEMPERATURE,
            top_k=top_k,
            max_tokens=max_tokens,
            seed=self.settings.seed + int(item.facts["iteration"]),
            meta=meta,
        )

    def first_token(self, step: str, repeat: int, messages: tuple[Message, ...], meta: Meta) -> Trial:
        """A trial of which only the probabilities of the first token matter."""
        return Trial(
            messages=messages,
            step=step,
            repeat=repeat,
            temperature=0.0,
            max_tokens=1,
            top_logprobs=self.settings.top_logprobs,
            meta=meta,
        )


async def in_every_order(ask: Ask, trials: Sequence[Trial]) -> Forced:
    """Ask the same thing with the options in different orders, and average.

    Parameters
    ----------
    ask : Ask
    trials : sequence of Trial
        One per order; ``meta`` holds ``options`` as shown.

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
    top = [one for one in response.logprobs[0].top if one[0].strip(BLANKS) not in ARTICLES]
    return option_mass(top, trial.meta["options"])


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

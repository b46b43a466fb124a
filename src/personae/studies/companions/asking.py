"""What the three companion experiments share: personas, system prompts, and how an item is asked."""

from __future__ import annotations

from abc import abstractmethod

from personae.personas import PersonaSet, conversation, teller
from personae.studies.companions.design import TEMPERATURE, Plan, persona_set
from personae.study.base import Ask, Settings, Study
from personae.study.forced import Meta
from personae.types import Item, Message, Outcome, Response, Trial


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

"""The occupations study (paper 004): how likely a model takes somebody in an occupation to be a woman."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from personae.personas import condition_id, conversation, teller
from personae.studies.occupations.asking import as_published, counted, from_samples, from_tokens, read_first
from personae.studies.occupations.design import (
    asked_occupations,
    asked_under_personas,
    design,
    persona_set,
    shown_orders,
)
from personae.studies.occupations.options import OccupationsOptions
from personae.studies.occupations.prompts import prompts, question, shown
from personae.studies.occupations.stimuli import Occupation
from personae.study.base import Ask, Settings, Study
from personae.types import Condition, Estimate, Figure, Finding, Item, Outcome, Response, Trial

if TYPE_CHECKING:
    import polars as pl

TEMPERATURE = 0.1
"""Sampling temperature (Bas 2024, section 3)."""
ALTERNATIVES = 10
"""Likeliest first tokens asked for (Bas 2024, section 3)."""
SAMPLED_AT = 1.0
"""Temperature of repeated sampling: at another one, shares of answers would not be the model's probabilities."""
MAX_TOKENS, MAX_SAMPLED = 16, 512
"""Room for a word and what stands before it; for a model that reasons before it answers."""


class Occupations(Study):
    """Male or female? One item is one occupation under one condition, in every order of the two words."""

    name = "occupations.gender"
    version = 1
    title = "Gender of occupations"
    summary = (
        "Asks for the gender of somebody at work in 720 occupations; compares the probabilities with what women and "
        "men say, with labour statistics and with 50 %."
    )
    source = "Bas 2024, Assessing gender bias in LLMs; ratings: Kennison and Trofe 2003; statistics: US BLS 2023"
    columns = ("reference",)
    options = OccupationsOptions

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.genders = settings.of(OccupationsOptions).genders
        self.personas = persona_set(settings)
        self.occupations = asked_occupations(settings)
        self.plan = design().scales[settings.scale]
        self.orders = shown_orders(settings)
        self.sampled = settings.top_logprobs == 0 or (settings.respond == "free" and settings.repeats is not None)
        self.system = teller(self.personas)

    def items(self) -> Iterator[Item]:
        """Every occupation, the baseline first; wordings of personas take turns over the occupations."""
        under = asked_under_personas(self.settings, self.occupations)
        roles = self.personas.roles(users=True)
        wordings = self.personas.wording_ids
        turn = 0
        for one in self.occupations:
            told = (one.dataset, one.id) in under
            turn += told
            for place, role in enumerate(roles if told else roles[:1]):
                start = (turn + place) % len(wordings) if wordings else 0
                for condition in self.personas.worded(role, wordings[start : start + 1]):
                    yield self._item(one, condition)

    def _item(self, one: Occupation, condition: Condition) -> Item:
        return Item(
            study=self.name,
            id=f"{one.dataset}/{one.id}/{condition_id(condition)}",
            stimulus=f"{one.dataset}:{one.id}",
            condition=condition,
            facts={
                "domain": one.dataset,
                "occupation": one.name,
                "sentence": one.sentence,
                "references": dict(one.references),
                "titled": one.titled,
                "genders": self.genders,
                "respond": self.settings.respond,
                "seed": self.settings.seed,
            },
        )

    async def run(self, item: Item, ask: Ask) -> Outcome:
        """Ask in every order; where an answer comes without log-probabilities, ask again and again and count."""
        if self.sampled:
            return await self._sample(item, ask)
        answers = await asyncio.gather(*(ask(self._first(item, turn)) for turn in range(len(self.orders))))
        if any(answer.text and not answer.logprobs and answer.finish != "content_filter" for answer in answers):
            return await self._sample(item, ask)
        if self.settings.scoring == "paper":
            return self._published(answers[0])
        found = []
        for order, answer in zip(self.orders, answers, strict=True):
            one = read_first(answer, order)
            if isinstance(one, Outcome):
                return one
            found.append(one)
        return from_tokens(found, self.orders)

    def _published(self, answer: Response) -> Outcome:
        one = read_first(answer, self.orders[0][:2], exact=True)
        return one if isinstance(one, Outcome) else as_published(one)

    async def _sample(self, item: Item, ask: Ask) -> Outcome:
        times = self.plan.samples if self.settings.repeats is None else self.settings.repeats
        trials = [[self._drawn(item, turn, time) for time in range(times)] for turn in range(len(self.orders))]
        answers = await asyncio.gather(*(asyncio.gather(*map(ask, one)) for one in trials))
        read = 1 if self.settings.scoring == "paper" else len(trials)
        return from_samples(counted(self.orders[:read], answers[:read]), read > 1)

    def _first(self, item: Item, turn: int) -> Trial:
        """A trial of which the first token's probabilities matter; only the free one goes on to a word."""
        begun = prompts().begun if self.settings.respond == "forced" and self.settings.prefill else ""
        return Trial(
            messages=self._messages(item, turn, begun),
            step="first",
            repeat=turn,
            temperature=TEMPERATURE,
            max_tokens=1 if begun else MAX_TOKENS,
            seed=self.settings.seed,
            top_logprobs=min(ALTERNATIVES, self.settings.top_logprobs),
            logprobs_needed=self.settings.respond == "forced",
            meta=self._about(item, self.orders[turn]),
        )

    def _drawn(self, item: Item, turn: int, time: int) -> Trial:
        return Trial(
            messages=self._messages(item, turn, ""),
            step=f"sample/{turn}",
            repeat=time,
            temperature=SAMPLED_AT,
            max_tokens=MAX_SAMPLED,
            seed=self.settings.seed + time,
            meta=self._about(item, self.orders[turn]),
        )

    def _messages(self, item: Item, turn: int, begun: str) -> Any:
        return conversation(self.system(item.condition), question(item.facts["sentence"], self.orders[turn]), begun)

    def _about(self, item: Item, order: Sequence[str]) -> dict[str, Any]:
        """What a simulated respondent needs to know."""
        condition, said = item.condition, list(item.facts["references"].values())
        female = sum(said) / len(said) if said else 0.5
        return {
            "kind": "choice",
            "options": shown(order),
            "expected": {"female": female, "male": 1 - female} if self.genders == 2 else {},
            "lean": [] if condition.baseline else ["female"],
            "stimulus": item.stimulus,
            "baseline": condition.baseline,
            "persona": condition.persona,
            "user": condition.user,
            "persona_group": condition.persona_group,
            "user_group": condition.user_group,
        }

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        """See `personae.studies.occupations.measures.estimates`."""
        from personae.studies.occupations import measures

        return measures.estimates(outcomes, self.settings)

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        """See `personae.studies.occupations.findings.findings`."""
        from personae.studies.occupations import findings

        return findings.findings(estimates, outcomes)

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        """See `personae.studies.occupations.figures.figures`."""
        from personae.studies.occupations import figures

        return figures.figures(estimates, outcomes)

"""The decisions study (paper 002): what score do people get who differ in one attribute alone?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from personae.personas import condition_id, teller
from personae.studies.decisions.asking import about, messages
from personae.studies.decisions.bank import Domain, Scenario, domains, matched_set
from personae.studies.decisions.design import asked_sets, design, persona_set
from personae.study.base import Ask, Settings, Study
from personae.study.scores import read_digit, read_said
from personae.types import Condition, Estimate, Figure, Finding, Item, Outcome, Trial

if TYPE_CHECKING:
    import polars as pl

ALTERNATIVES = 20
"""Likeliest first tokens asked for where a digit is forced: room for ten digits beside other words."""


class Scores(Study):
    """A score from 0 to 100. One item is one person of a matched set under one condition."""

    name = "decisions.scores"
    version = 1
    title = "Scores for matched people"
    summary = (
        "Asks for scores (pay, credit, risk …) of people whose files differ in one attribute alone, in nine domains;"
        " tells how far the means of the groups lie apart, and how far they would by chance."
    )
    source = "Ma et al. 2026, How implicit bias accumulates and propagates in LLM long-term memory (DIB benchmark)"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.personas = persona_set(settings)
        # A forced answer is a probability: to ask again would give it again.
        self.repeats = 1 if settings.respond == "forced" else settings.repeats or 1
        self.told = teller(self.personas)

    def items(self) -> Iterator[Item]:
        """Set by set, the baseline first; wordings of personas take turns over the sets."""
        for domain, number, condition in self._asked():
            for time in range(self.repeats):
                for scenario in matched_set(domain.domain, number):
                    yield self._item(scenario, condition, time)

    def count(self) -> int:
        """A person of each group in every set, under each of its conditions."""
        return self.repeats * sum(len(domain.groups) for domain, _, _ in self._asked())

    def _asked(self) -> Iterator[tuple[Domain, int, Condition]]:
        """Every matched set, by its number in its domain, under each of its conditions."""
        for domain in domains():
            sets, under = asked_sets(self.settings, domain)
            for number in range(sets):
                for condition in self._conditions(number, number < under):
                    yield domain, number, condition

    def _conditions(self, number: int, personas: bool) -> Iterator[Condition]:
        wordings = self.personas.wording_ids
        roles = self.personas.roles(users=True)
        for place, role in enumerate(roles if personas else roles[:1]):
            start = (number + place) % len(wordings) if wordings else 0
            yield from self.personas.worded(role, wordings[start : start + 1])

    def _item(self, scenario: Scenario, condition: Condition, time: int) -> Item:
        return Item(
            study=self.name,
            id=f"{scenario.domain}/{scenario.number:03d}/{scenario.group}/{condition_id(condition)}/{time}",
            stimulus=scenario.stimulus,
            condition=condition,
            facts={
                "domain": scenario.domain,
                "set": scenario.number,
                "group": scenario.group,
                "task": scenario.context.id,
                "metric": scenario.metric.name,
                "higher": scenario.metric.higher,
                "cue": scenario.cue,
                "strength": scenario.strength,
                "iteration": time,
                "respond": self.settings.respond,
                "seed": self.settings.seed,
            },
        )

    async def run(self, item: Item, ask: Ask) -> Outcome:
        """Ask once and read the score."""
        answer = await ask(self.trial(item))
        return read_digit(answer) if item.facts["respond"] == "forced" else read_said(answer)

    def trial(self, item: Item) -> Trial:
        """The one ask of an item."""
        facts, forced = item.facts, item.facts["respond"] == "forced"
        people = matched_set(facts["domain"], facts["set"])
        scenario = next(person for person in people if person.group == facts["group"])
        persona, prefill = self.told(item.condition), self.settings.prefill
        return Trial(
            messages=messages(scenario, facts["respond"], persona=persona, prefill=prefill),
            repeat=facts["iteration"],
            temperature=0.0 if forced else design().temperature,
            max_tokens=1 if forced and prefill else design().tokens,
            seed=self.settings.seed + facts["iteration"],
            top_logprobs=min(ALTERNATIVES, self.settings.top_logprobs) if forced else 0,
            meta=about(scenario, item.condition),
        )

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        """See `personae.studies.decisions.measures.estimates`."""
        from personae.studies.decisions import measures

        return measures.estimates(outcomes, self.settings)

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        """See `personae.studies.decisions.findings.findings`."""
        from personae.studies.decisions import findings

        return findings.findings(estimates, outcomes)

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        """See `personae.studies.decisions.figures.figures`."""
        from personae.studies.decisions import figures

        return figures.figures(estimates, outcomes)

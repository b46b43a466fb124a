"""The memory study (paper 002): bias told in passing, day by day, and what decisions come to be like."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from personae.memory.checkpoint import audited
from personae.memory.design import Arm, arms, plan_of
from personae.memory.exported import read_exported
from personae.memory.mmlu import read_questions
from personae.memory.options import MemoryOptions
from personae.memory.questions import DailyQuestion, drawn, questions
from personae.personas import PersonaSet, condition_id, system_prompt
from personae.studies.decisions.design import default_personas
from personae.study.base import Ask, Excerpt, Settings, Study
from personae.trusted import check_trusted
from personae.types import Condition, Estimate, Figure, Finding, Item, Outcome

if TYPE_CHECKING:
    import polars as pl

    from personae.memory.base import Memory
    from personae.memory.episode import Setup

SERVERS = ("letta",)
"""Memories that work on a server of its own."""


class Memories(Study):
    """One item is one episode: a memory, a rate of injection, a mitigation, a seed."""

    name = "memory.episode"
    version = 1
    title = "Bias in long-term memory"
    summary = (
        "Plays episodes of daily questions, some with a bias told in passing, to an agent with a long-term"
        " memory; audits its decisions every so many turns, and whether a guard on the memory stops what comes of it."
    )
    source = "Ma et al. 2026, How implicit bias accumulates and propagates in LLM long-term memory, sections 4 to 6"
    columns: tuple[str, ...] = ("memory", "injection", "injected", "mitigation", "turn")
    options = MemoryOptions

    def __init__(self, settings: Settings) -> None:
        from personae.memory.backends import memory

        super().__init__(settings)
        self.told = settings.of(MemoryOptions)
        self._played: Callable[[Memory], Memory] = lambda kept: kept
        self.plan = plan_of(settings)
        self.arms = tuple(arms(settings))
        for arm in self.arms:
            memory(arm.memory)  # a name that is none is said before anything is asked
        self.audited = audited(settings, self.name)
        self.columns = tuple(
            dict.fromkeys((*self.columns, *(name for one in self.audited for name in one.study.columns)))
        )
        own = settings.personas
        self.personas = None if own is None else PersonaSet.load(own, default_personas().wordings)

    def prepare(self) -> None:
        """Read the user's files, and see that every memory could be opened.

        An episode is played again also where it is only counted anew.
        """
        from personae.memory.backends import memory

        if not self.exported:
            drawn(self.bank, self.plan.turns, self.settings.seed)  # too few questions are said before any is asked
        for name in dict.fromkeys(arm.memory for arm in self.arms):
            _check_reached(name)
            memory(name).check()
        for one in self.audited:
            one.prepare()

    @cached_property
    def exported(self) -> tuple[str, ...]:
        """What the memory holds from the beginning: the texts of the user's file, where there is one."""
        path = self.told.exported
        return () if path is None else read_exported(path)

    @cached_property
    def bank(self) -> tuple[DailyQuestion, ...]:
        """The daily questions: our own, or those of the user's file."""
        path = self.told.questions
        return questions() if path is None else read_questions(path)

    def dry(self) -> Memories:
        """The same with memories that are not searched."""
        from personae.memory.unsearched import unsearched

        other = Memories(self.settings)
        other._played = unsearched
        return other

    def items(self) -> Iterator[Item]:
        """Seed by seed, every arm of it; the same seed asks the same questions in every arm."""
        for seed in range(self.plan.seeds):
            for arm in self.arms:
                for condition in self._conditions(seed):
                    yield Item(
                        study=self.name,
                        id=f"{arm.id}/{seed}/{condition_id(condition)}",
                        stimulus=f"episode:{seed}",
                        condition=condition,
                        facts={
                            "domain": arm.memory,
                            "memory": arm.memory,
                            "injection": arm.rate,
                            "injected": arm.inject,
                            "mitigation": arm.mitigation,
                            "iteration": seed,
                            "seed": self.settings.seed,
                            "respond": self.settings.respond,
                            "exported": self.told.exported is not None,
                        },
                    )

    def _conditions(self, turn: int) -> Iterator[Condition]:
        if self.personas is None:
            yield Condition()
            return
        wordings = self.personas.wording_ids
        for place, role in enumerate(self.personas.roles(users=True)):
            start = (turn + place) % len(wordings) if wordings else 0
            yield from self.personas.worded(role, wordings[start : start + 1])

    async def run(self, item: Item, ask: Ask) -> Outcome:
        """Play the episode.

        Its value is the change of the average GBV from the first audit to the last; where there is one audit alone, of
        an exported memory, the average GBV of that.
        """
        from personae.memory.backends import memory
        from personae.memory.episode import Episode

        _check_reached(item.facts["memory"])
        kept = self._played(memory(item.facts["memory"]))
        await kept.open()
        try:
            found = await Episode(self._setup(item), kept, ask).play()
        finally:
            await kept.close()
        from personae.memory.sets import average_change, average_variance, sets_of

        audits = [sets_of(audit["scores"]) for audit in found["audits"]]
        value = average_variance(audits[0]) if len(audits) == 1 else average_change(audits[0], audits[-1])
        if math.isnan(value):
            reason = "no matched set was answered for every group in the first audit and in the last"
            return Outcome(status="invalid", reason=reason, detail=found)
        return Outcome(status="answered", value=value, detail=found)

    def _setup(self, item: Item) -> Setup:
        from personae.memory.episode import Setup

        facts, settings = item.facts, self.settings
        seed = settings.seed + int(facts["iteration"])
        arm = Arm(
            memory=facts["memory"],
            rate=facts["injection"],
            inject=facts["injected"],
            mitigation=facts["mitigation"],
        )
        return Setup(
            arm=arm,
            tau=arm.tau(self.told.tau),
            exported=self.exported,
            audited=self.audited,
            plan=self.plan,
            questions=drawn(self.bank, self.plan.turns, seed) if self.plan.turns else (),
            seed=seed,
            condition=item.condition,
            persona=None if self.personas is None else system_prompt(item.condition, self.personas),
            respond=settings.respond,
            prefill=settings.prefill,
            generator=self.told.generator,
            auditor=self.told.auditor,
        )

    def excerpts(self, outcome: Mapping[str, Any]) -> Sequence[Excerpt]:
        """See `personae.memory.excerpts.excerpts`."""
        from personae.memory import excerpts

        return excerpts.excerpts(outcome)

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        """See `personae.memory.measures.estimates`."""
        from personae.memory import measures

        return measures.estimates(outcomes, self.settings)

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        """See `personae.memory.findings.findings`."""
        from personae.memory import findings

        return findings.findings(estimates, outcomes)

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        """See `personae.memory.figures.figures`."""
        from personae.memory import figures

        return figures.figures(estimates, outcomes)


def _check_reached(memory: str) -> None:
    """See that a memory whose server would be reached was named by the user, and not by a folder of somebody's."""
    if (kind := memory.partition("?")[0]) in SERVERS:
        check_trusted("--memory", kind, "this memory works on a server that is running")

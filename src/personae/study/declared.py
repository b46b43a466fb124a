"""A study that declares what it asks, how an answer counts and what is measured; the rest is every study's.

Subclasses say `stimuli`, `question`, `code` and `measures`. Conditions, wordings, repetitions, orders, forced choice,
comparing with the baseline, findings and figures come with it; any of them may be written otherwise.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import Struct

from personae.measure.declared import Mean, declared_estimates
from personae.personas import PersonaSet, Strict, chosen, condition_id, read_yaml, teller
from personae.study.base import Ask, Settings, Study
from personae.study.design import Spread, balanced, worded
from personae.study.questions import Asking, Picked, Question, Said
from personae.types import Estimate, Figure, Finding, Item, Outcome, Scale

if TYPE_CHECKING:
    import polars as pl

F = TypeVar("F", bound=Struct)


class Plan(Spread):
    """How much is asked at one scale, in one way of answering.

    ``iterations`` are repetitions of every question, ``per_domain`` how many stimuli of each domain are asked.
    """

    users: bool = False
    iterations: int = 1
    per_domain: int | None = None


class Plans(Strict):
    """Both ways of answering at one scale."""

    free: Plan
    forced: Plan


class Design(Strict):
    """The file ``study.yaml``."""

    scales: dict[Scale, Plans]


class Stimulus(Struct, Generic[F], frozen=True):
    """What is asked about.

    Attributes
    ----------
    id : str
        Unique within the study.
    facts : Struct
        All that the question and the coding need; JSON values only.
    cluster : str
        Stimuli that vary together, for the intervals; its id where nothing is given.
    domain : str
        By which it is counted among ``per_domain``, and shown.
    """

    id: str
    facts: F
    cluster: str = ""
    domain: str = ""


class Declared(Study, Generic[F]):
    """The base of such a study.

    Attributes
    ----------
    facts : type of Struct
        What a stimulus holds.
    measures : tuple of Mean or Share
    said : str
        The study in a sentence: "the bias benchmark".
    domains : mapping of str to str
        Domains in words, where their names are not.
    """

    facts: ClassVar[type[Struct]]
    measures: ClassVar[tuple[Mean, ...]]
    said: ClassVar[str]
    domains: ClassVar[Mapping[str, str]] = {}

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.forced = settings.respond == "forced"
        plans = self.design().scales[settings.scale]
        self.plan = plans.forced if self.forced else plans.free
        self.personas = chosen(self.own_personas(), settings.personas)
        self.system = teller(self.personas)

    @abstractmethod
    def stimuli(self) -> Iterator[Stimulus[F]]:
        """Everything that can be asked about, in a fixed order; a scale takes the first of each domain."""

    @abstractmethod
    def question(self, facts: F) -> Question:
        """The question about a stimulus."""

    @abstractmethod
    def code(self, facts: F, said: Any) -> Outcome:
        """What a pick (`Picked`) or a score (`Said`) counts; refusals and what cannot be read never come here."""

    def design(self) -> Design:
        """How much each scale asks: ``study.yaml`` beside the class."""
        return _design(self.folder() / "study.yaml")

    def own_personas(self) -> PersonaSet:
        """The personas where the user names none: ``personas.yaml`` beside the class."""
        return _personas(self.folder() / "personas.yaml")

    @classmethod
    def folder(cls) -> Path:
        """The folder that holds the study's files."""
        return Path(inspect.getfile(cls)).parent

    def items(self) -> Iterator[Item]:
        """Every stimulus and repetition under every condition; the conditions of one follow each other."""
        repeats = self.plan.iterations if self.settings.repeats is None else self.settings.repeats
        asked = list(self.asked())
        # The first order is drawn, so that each stands first equally often; repetitions go on from there.
        most = max((self.question(stimulus.facts).places for stimulus in asked), default=1)
        firsts = balanced(range(most), len(asked), self.settings.seed, self.name, "order")
        for turn, (stimulus, first) in enumerate(zip(asked, firsts, strict=True)):
            facts = msgspec.to_builtins(stimulus.facts)
            for repeat in range(repeats):
                design = {
                    "domain": stimulus.domain,
                    "repeat": repeat,
                    "turn": None if self.forced else first + repeat,
                    "respond": self.settings.respond,
                    "seed": self.settings.seed,
                }
                for condition in worded(self.personas, self.plan, turn + repeat):
                    yield Item(
                        study=self.name,
                        id=f"{stimulus.id}/{repeat}/{condition_id(condition)}",
                        stimulus=stimulus.cluster or stimulus.id,
                        condition=condition,
                        facts=facts | design,
                    )

    def asked(self) -> Iterator[Stimulus[F]]:
        """The stimuli that this scale asks."""
        counts: dict[str, int] = {}
        for stimulus in self.stimuli():
            counts[stimulus.domain] = counts.get(stimulus.domain, 0) + 1
            if self.plan.per_domain is None or counts[stimulus.domain] <= self.plan.per_domain:
                yield stimulus

    @cached_property
    def places(self) -> int:
        """In how many orders the options are shown; 1 where questions differ in that, or have no options."""
        known = {self.question(stimulus.facts).places for stimulus in self.asked()}
        return known.pop() if len(known) == 1 else 1

    async def run(self, item: Item, ask: Ask) -> Outcome:
        """Ask the question of the item and code what was said."""
        facts: Any = msgspec.convert(item.facts, self.facts)
        asking = Asking(
            item=item,
            ask=ask,
            system=self.system(item.condition),
            forced=self.forced,
            prefill=self.settings.prefill,
            top_logprobs=self.settings.top_logprobs,
            seed=self.settings.seed + item.facts["repeat"],
            turn=item.facts["turn"] or 0,
        )
        said: Picked | Said | Outcome = await self.question(facts).asked(asking)
        return said if isinstance(said, Outcome) else self.code(facts, said)

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        """Every declared measure, avoidance and the favour of a place."""
        return list(declared_estimates(self.name, outcomes, self.measures, self.places))

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        """See `personae.tell.standard.standard_findings`."""
        from personae.tell.standard import standard_findings

        return standard_findings(self, estimates, outcomes)

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        """See `personae.tell.standard.standard_figures`."""
        from personae.tell.standard import standard_figures

        return standard_figures(self, estimates, outcomes)


@cache
def _design(path: Path) -> Design:
    return read_yaml(path, Design)


@cache
def _personas(path: Path) -> PersonaSet:
    return PersonaSet.load(path)

"""What the three question types share: their items, their trials, and what the votes come to."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from msgspec.structs import replace

from personae.coding.text import LONGEST, TOO_LONG
from personae.studies.roleplay.added import read_capability, read_ratings
from personae.studies.roleplay.design import asked, number_asked
from personae.studies.roleplay.options import RolePlayOptions
from personae.studies.roleplay.oracles import read_answer
from personae.studies.roleplay.own import source
from personae.studies.roleplay.paper import Kind, paper_biased, paper_vote
from personae.studies.roleplay.prompts import conversation
from personae.studies.roleplay.votes import MISSING, TRIALS, Decision, Name, Vote, consistent, decide, settled
from personae.study.base import Ask, Settings, Study
from personae.types import Condition, Estimate, Figure, Finding, Item, Message, Outcome, Response, Scoring, Trial

if TYPE_CHECKING:
    import polars as pl

TEMPERATURE = 0.7
"""Of free answers: three trials say something only where they may differ. The paper states none."""

LABELS = {True: "biased", False: "unbiased"}

Facts = Mapping[str, Any]
Meta = dict[str, Any]


class Read(NamedTuple):
    """One answer, read: its vote, the text the published rule reads (None: nothing), and what judges said of it."""

    vote: Vote
    text: str | None
    judges: Mapping[str, list[int | None]] = {}
    asks_saved: int = 0


NOT_THERE = Read(MISSING, None)
UNJUDGED = Vote("unjudged", "no judge was given")


class RolePlay(Study):
    """Questions of one kind, each under its role and without it."""

    kind: ClassVar[Kind]
    max_tokens: int
    can_be_forced: ClassVar[bool] = True
    options = RolePlayOptions
    takes: ClassVar[frozenset[str]] = frozenset({"ratings", "capability"})

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        source(settings.personas)  # a file that does not fit is said before anything is asked
        self.forced = settings.respond == "forced"
        self.stop_early = settings.of(RolePlayOptions).stop_early

    def items(self) -> Iterator[Item]:
        """Every question under its role, then without; with ``repeats`` so often, one round after the other."""
        baseline = Condition()
        for iteration in range(self.settings.repeats or 1):
            suffix = f"/{iteration}" if iteration else ""
            for stimulus, role, facts in asked(self.settings, self.kind):
                facts["iteration"] = iteration
                condition = Condition(persona=role.id, persona_group=role.attribute)
                for name, one in ((f"{stimulus}/role{suffix}", condition), (f"{stimulus}/baseline{suffix}", baseline)):
                    yield Item(study=self.name, id=name, stimulus=stimulus, condition=one, facts=facts)

    def count(self) -> int:
        """Every question twice, each time; the bank need not be worded to be counted."""
        return 2 * (self.settings.repeats or 1) * number_asked(self.settings, self.kind)

    async def run(self, item: Item, ask: Ask) -> Outcome:
        """Ask the trials and let their votes decide; a recorded item is coded from what was recorded."""
        if item.facts.get("recorded"):
            answers = [await self.recorded(item, number, ask) for number in range(1, TRIALS + 1)]
        elif self.forced and self.can_be_forced:
            return await self.score(item, ask)
        else:
            answers = await self.asked(item, ask)
        return decided(self.kind, item.facts, answers, self.settings.scoring)

    async def asked(self, item: Item, ask: Ask) -> list[Read]:
        """Up to three trials, one after another: items run beside each other anyway.

        With ``stop_early`` the third is left out where it could not change the verdict. The sound reading decides that
        whatever the scoring, so that a run scored again awaits the same answers.
        """
        answers: list[Read] = []
        messages, meta = self.conversation(item), self.meta(item)
        for number in range(1, TRIALS + 1):
            if self.stop_early and settled([one.vote for one in answers]):
                break
            response = await ask(self.trial(item, messages, meta, number))
            answers.append(await self.vote(item, response, number, ask))
        return answers

    async def recorded(self, item: Item, number: int, ask: Ask) -> Read:
        """One recorded trial; one that was not recorded is a missing vote."""
        if number not in item.facts["trials"]:
            return NOT_THERE
        response = await ask(Trial(messages=(), step=f"trial/{number}"))
        return Read(self.read(item.facts, response), response.text)

    def trial(self, item: Item, messages: tuple[Message, ...], meta: Meta, number: int) -> Trial:
        """One trial of a question, answered in words."""
        return Trial(
            messages=messages,
            step=f"trial/{number}",
            temperature=TEMPERATURE,
            max_tokens=self.max_tokens,
            # Differs between trials, so that a server that honours it does not repeat itself.
            seed=self.settings.seed + TRIALS * item.facts["iteration"] + number - 1,
            meta=meta,
        )

    def conversation(self, item: Item) -> tuple[Message, ...]:
        """What is said in every trial."""
        return conversation(item.facts, not item.condition.baseline, self.question(item.facts))

    @abstractmethod
    def question(self, facts: Facts) -> str:
        """The question, to be answered in words."""

    @abstractmethod
    def meta(self, item: Item) -> Meta:
        """What a simulated respondent needs to know."""

    def read(self, facts: Facts, response: Response) -> Vote:
        """Read one answer; what only a judge can read is not judged yet."""
        return read_answer(facts, response) or UNJUDGED

    async def vote(self, item: Item, response: Response, number: int, ask: Ask) -> Read:
        """Read one answer, or have it judged."""
        return Read(self.read(item.facts, response), response.text)

    async def score(self, item: Item, ask: Ask) -> Outcome:
        """Ask for the probabilities of the options; for the kinds that offer some."""
        raise TypeError(f"{self.name} offers no options")

    def first_token(self, order: int, messages: tuple[Message, ...], meta: Meta) -> Trial:
        """A trial of which only the probabilities of the first token matter; `order` is that of the options."""
        return Trial(
            messages=messages,
            step="forced",
            repeat=order,
            temperature=0.0,
            max_tokens=1,
            top_logprobs=self.settings.top_logprobs,
            meta=meta,
        )

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        """See `personae.studies.roleplay.measures.estimates`."""
        from personae.studies.roleplay import measures

        given = self.settings
        return measures.estimates(
            outcomes,
            given,
            self.name,
            ratings=read_ratings(given.ratings) if given.ratings else None,
            capability=read_capability(given.capability) if given.capability else None,
        )

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        """See `personae.studies.roleplay.findings.findings`."""
        from personae.studies.roleplay import findings

        return findings.findings(self.name, estimates, outcomes)

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        """See `personae.studies.roleplay.figures.figures`."""
        from personae.studies.roleplay import figures

        return figures.figures(self.name, estimates, outcomes)


def decided(kind: Kind, facts: Facts, answers: Sequence[Read], scoring: Scoring = "sound") -> Outcome:
    """What the answers to one question come to; under ``scoring="paper"`` by the published rule."""
    sound = _sound(facts, answers)
    texts = [one.text for one in answers]
    if kind != "why" and any(text is not None and len(text) >= LONGEST for text in texts):
        return sound if scoring == "sound" else Outcome(status="truncated", reason=TOO_LONG, detail=sound.detail)
    if scoring == "paper":
        return as_paper(kind, facts, sound, texts)
    if facts.get("recorded"):
        return replace(sound, detail={**sound.detail, "paper_value": float(paper_biased(kind, texts))})
    return sound


class _Counted(NamedTuple):
    """What votes come to, whatever they picked."""

    decision: Decision
    votes: list[int | None]
    names: list[str]
    consistent: bool | None


@lru_cache(maxsize=4096)
def _counted(said: tuple[tuple[Name, str], ...]) -> _Counted:
    """Count votes by their names and reasons: there are few ways in which three can be put together."""
    votes = [Vote(name, why) for name, why in said]
    numbers = [None if vote.biased is None else int(vote.biased) for vote in votes]
    return _Counted(decide(votes), numbers, [vote.name for vote in votes], consistent(votes))


def _sound(facts: Facts, answers: Sequence[Read]) -> Outcome:
    counted = _counted(tuple([(one.vote.name, one.vote.why) for one in answers]))
    decision = counted.decision
    detail: dict[str, Any] = {
        "votes": counted.votes,
        "vote_status": counted.names,
        "consistent": counted.consistent,
        "asks_saved": TRIALS - len(answers),
        "flipped": facts["flipped"],
        "picked": None,
        "target": None,
    }
    if any(one.judges for one in answers):
        detail |= _judges(answers)
    if decision.biased is None:
        return Outcome(status=decision.status, reason=decision.reason, detail=detail)
    label = LABELS[decision.biased]
    picked = [one.vote.picked for one in answers if one.vote.name == label]
    detail["picked"] = picked[0] if len(set(picked)) == 1 else Counter(picked).most_common(1)[0][0]
    if decision.biased:
        detail["target"] = blamed(facts, detail["picked"])
    return Outcome(status="answered", value=float(decision.biased), label=label, detail=detail)


def _judges(answers: Sequence[Read]) -> dict[str, Any]:
    """Every vote of every judge, by trial, and the votes that were not asked for."""
    names = dict.fromkeys(name for one in answers for name in one.judges)
    return {
        "judges": {name: [one.judges.get(name, []) for one in answers] for name in names},
        "judge_asks_saved": sum(one.asks_saved for one in answers),
    }


def forced_outcome(
    facts: Facts, value: float, picked: str | None, target: str | None, detail: Mapping[str, Any]
) -> Outcome:
    """The outcome of an item answered by probabilities; `value` is that of a biased pick, `picked` the likelier."""
    biased = value > 0.5
    kept = {
        "votes": [],
        "vote_status": [],
        "consistent": None,
        "asks_saved": 0,
        "flipped": facts["flipped"],
        "picked": picked,
        "target": target if biased else None,
        **detail,
    }
    return Outcome(status="answered", value=value, label=LABELS[biased], detail=kept)


def blamed(facts: Facts, picked: str | None) -> str | None:
    """The group that a biased answer speaks badly of, where that is known."""
    if facts["kind"] != "choice":
        target: str | None = facts["target"]
        return target
    options = facts["options"]
    blames = facts.get("blames")
    return blames[options.index(picked)] if blames and picked in options else None


def as_paper(kind: Kind, facts: Facts, sound: Outcome, texts: Sequence[str | None]) -> Outcome:
    """Count by the published rule, where it applies: it knows no flipped question and no other order of options."""
    if facts["flipped"] or (kind == "choice" and facts["undecided"] != len(facts["options"]) - 1):
        reason = "the published rule knows no flipped question and no other order of options: ask at scale paper"
        return Outcome(status="invalid", reason=reason, detail=sound.detail)
    votes = [paper_vote(kind, text) for text in texts]
    if len(votes) < TRIALS and len(set(votes)) > 1:
        reason = "the published rule needs the third trial, which stopping early left out"
        return Outcome(status="invalid", reason=reason, detail=sound.detail)
    biased = votes[0] if len(votes) < TRIALS else paper_biased(kind, texts)
    detail = {
        **sound.detail,
        "votes": [int(vote) for vote in votes],
        "consistent": len(set(votes)) == 1 if len(votes) == TRIALS else None,
        "sound": sound.label or sound.status,
    }
    if biased != bool(sound.value):
        detail |= {"picked": None, "target": blamed(facts, None) if biased else None}
    return Outcome(status="answered", value=float(biased), label=LABELS[biased], detail=detail)


def about(item: Item, kind: str, options: Sequence[str], **more: Any) -> Meta:
    """What a simulated respondent needs to know of a trial."""
    condition = item.condition
    return {
        "kind": kind,
        "options": options,
        "stimulus": item.stimulus,
        "baseline": condition.persona is None,
        "persona": condition.persona,
        "persona_group": condition.persona_group,
        **more,
    }

"""An episode (paper 002, section 4.1): turns that are remembered, and audits that are not.

Everything that is asked goes through one durable ask, under a step of its own, so a broken-off episode is played again
from its stored answers until it comes to the first that is missing; its memory is rebuilt on the way and is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct

from personae.errors import PersonaeError
from personae.memory.answering import about as about_question
from personae.memory.answering import asked, read_answer, read_letters
from personae.memory.base import Exchange, Memory, digest
from personae.memory.checkpoint import Audited, audit
from personae.memory.design import MIXED, Arm, Plan, agent_texts, checkpoints, design
from personae.memory.gateway import scope
from personae.memory.guard import Guard, read_audit
from personae.memory.inject import DailyTurn, Injection, Injector
from personae.memory.notes import Note
from personae.memory.questions import DailyQuestion
from personae.memory.telling import as_context, texts
from personae.personas import conversation
from personae.studies.decisions.asking import about as about_scenario
from personae.studies.decisions.asking import messages as scenario_messages
from personae.studies.decisions.bank import Scenario, domains, matched_set
from personae.studies.decisions.prompts import described
from personae.study.base import Ask, together
from personae.study.scores import read_digit, read_said
from personae.types import Condition, Message, Outcome, Respond, Response, Trial

TOKENS = 512
LETTERS, DIGITS = 20, 20
"""Likeliest first tokens asked for where a letter or a digit is forced."""

Tagged = tuple[float | None, str]
"""How suspicious an auditor found a note, or why what it answered could not be read."""


class Setup(Struct, frozen=True, kw_only=True):
    """Everything an episode is played with, but its memory and its ask."""

    arm: Arm
    plan: Plan
    questions: tuple[DailyQuestion, ...]
    seed: int
    condition: Condition
    persona: str | None
    respond: Respond
    prefill: bool
    generator: str
    auditor: str
    tau: float
    exported: tuple[str, ...] = ()
    audited: tuple[Audited, ...] = ()

    @property
    def forced(self) -> bool:
        """Whether answers are read off the first token."""
        return self.respond == "forced"


class Episode:
    """One episode, to be played once.

    Parameters
    ----------
    setup : Setup
    memory : Memory
        Empty and open.
    ask : Ask
        The item's durable ask.
    """

    def __init__(self, setup: Setup, memory: Memory, ask: Ask) -> None:
        self.setup, self.ask = setup, ask
        self.memory: Memory = memory
        if setup.arm.kind in ("tag-write", "tag-recall"):
            when: Any = setup.arm.kind.removeprefix("tag-")
            self.memory = Guard(memory, self._audited, tau=setup.tau, when=when)
        inject = () if setup.arm.inject == MIXED else (setup.arm.inject,)
        injection = Injection(rate=setup.arm.rate, seed=setup.seed, domains=inject)
        self.injector = Injector(injection, setup.generator)
        self.turns: list[dict[str, Any]] = []
        self.audits: list[dict[str, Any]] = []
        self.biased: set[int] = set()
        self.injected: set[str] = set()
        self.held: dict[Note, list[int]] = {}
        self.shown: Counter[int] = Counter()
        self.tagged: dict[str, Tagged] = {}
        self.heard: dict[str, str] = {}

    async def play(self) -> dict[str, Any]:
        """Play every turn and every audit; what came of it is the detail of an outcome."""
        for number, text in enumerate(self.setup.exported, 1):
            await self.memory.write(Exchange(turn=number, user=text, agent=""))
        for turn in range(self.setup.plan.turns + 1):
            if turn:
                await self._day(turn)
            if turn in checkpoints(self.setup.plan):
                self.audits.append(await self._audit(turn))
        return {"turns": self.turns, "audits": self.audits, "memory": self._held(), "tagging": self._tagging()}

    def _held(self) -> list[dict[str, Any]]:
        """Every note that was in memory at an audit, at which, and with how many people the last one showed it."""
        return [
            {
                **msgspec.to_builtins(note),
                "biased": note.turn in self.biased,
                "at": turns,
                "recalled": self.shown[note.id],
            }
            for note, turns in self.held.items()
        ]

    async def _day(self, turn: int) -> None:
        """Ask one question, remember what was said."""
        question = self.setup.questions[turn - 1]
        daily = await self.injector.turn(turn, question, self.ask)
        if daily.mark is not None and not daily.failed:
            self.biased.add(turn)
            self.injected.add(daily.text)
        notes = await self.memory.recall(daily.text, self.setup.plan.notes)
        response = await self.ask(self._daily_trial(turn, question, daily, notes))
        outcome = self._read_daily(question, response)
        agent = outcome.label and f"{outcome.label}) {question.options[question.letters.index(outcome.label)]}"
        said = response.text.strip() if not self.setup.forced else agent or ""
        with scope(self.ask, f"memory/{turn}", seed=self.setup.seed, said=daily.text) as asked_in:
            written = await self.memory.write(Exchange(turn=turn, user=daily.text, agent=said))
        self.turns.append(
            {
                "turn": turn,
                "question": question.id,
                "subject": question.subject,
                "status": outcome.status,
                "right": outcome.value,
                "way": daily.way,
                "domain": daily.mark.domain if daily.mark else None,
                "failed": daily.failed,
                "stored": len(written.stored),
                "unread": list(asked_in.unread),
                "notes": written.after,
            }
        )

    def _daily_trial(self, turn: int, question: DailyQuestion, daily: DailyTurn, notes: Sequence[Note]) -> Trial:
        setup = self.setup
        text, begun = asked(daily.text, forced=setup.forced, prefill=setup.prefill)
        parts = (setup.persona, agent_texts().daily)
        return Trial(
            messages=conversation(self._system([part for part in parts if part], notes), text, begun),
            step=f"turn/{turn}",
            temperature=0.0 if setup.forced else design().temperature,
            max_tokens=1 if setup.forced and setup.prefill else TOKENS,
            seed=setup.seed,
            top_logprobs=LETTERS if setup.forced else 0,
            meta={**about_question(question), "baseline": setup.condition.baseline},
        )

    def _read_daily(self, question: DailyQuestion, response: Response) -> Outcome:
        if self.setup.forced and response.logprobs:
            return read_letters(question, response.logprobs[0].top)
        return read_answer(question, response)

    async def _audit(self, turn: int) -> dict[str, Any]:
        """Ask for every score with what the memory recalls; the memory must be the same after it as before."""
        before = await digest(self.memory)
        people = [
            scenario
            for one in domains()
            for number in range(one.sets if self.setup.plan.sets is None else min(self.setup.plan.sets, one.sets))
            for scenario in matched_set(one.domain, number)
        ]
        shown = [await self.memory.recall(described(scenario), self.setup.plan.notes) for scenario in people]
        self.shown = Counter(note.id for notes in shown for note in notes)
        trials = [self._audit_trial(turn, *pair) for pair in zip(people, shown, strict=True)]
        answers = await together(map(self.ask, trials))
        others = await self._others(turn)
        if await digest(self.memory) != before:
            raise PersonaeError(f"the memory {self.memory.name} was changed by the audit at turn {turn}")
        held = await self.memory.notes()
        for note in held:
            self.held.setdefault(note, []).append(turn)
        read = read_digit if self.setup.forced else read_said
        found = [read(answer) for answer in answers]
        return {
            "turn": turn,
            "digest": before,
            "notes": len(held),
            "shown_biased": sum(self._biased_in(notes) for notes in shown) / max(1, len(shown)),
            "recalled": self._recalled(shown),
            "scores": [
                [scenario.domain, scenario.number, scenario.group, outcome.value, outcome.status]
                for scenario, outcome in zip(people, found, strict=True)
            ],
            **({"studies": others} if others else {}),
        }

    async def _others(self, turn: int) -> dict[str, Any]:
        """What every other study that is audited comes to."""
        notes = self.setup.plan.notes
        return {
            one.study.name: await audit(one, self.ask, turn, self.memory, notes, self._with_persona)
            for one in self.setup.audited
        }

    def _audit_trial(self, turn: int, scenario: Scenario, notes: Sequence[Note]) -> Trial:
        setup = self.setup
        told = scenario_messages(scenario, setup.respond, persona=setup.persona, prefill=setup.prefill)
        system, *rest = told
        tagged = sum(note.tag is not None and note.turn in self.biased for note in notes)
        meta = {"shown": self._biased_in(notes), "tagged": tagged, "recalled": setup.plan.notes}
        return Trial(
            messages=(Message("system", self._system([system.content], notes)), *rest),
            step=f"audit/{turn}/{scenario.domain}/{scenario.number}/{scenario.group}",
            temperature=0.0 if setup.forced else design().temperature,
            max_tokens=1 if setup.forced and setup.prefill else TOKENS,
            seed=setup.seed,
            top_logprobs=DIGITS if setup.forced else 0,
            meta={**about_scenario(scenario, setup.condition), **meta},
        )

    def _with_persona(self, parts: Sequence[str], notes: Sequence[Note]) -> str:
        """The same for a study that knows nothing of this agent."""
        persona = self.setup.persona
        return self._system([*([persona] if persona else []), *parts], notes)

    def _system(self, parts: Sequence[str], notes: Sequence[Note]) -> str:
        """A system prompt with what stands in every one of the arm, and what the memory recalls."""
        told = list(parts)
        if self.setup.arm.kind == "static":
            told.append(texts().static)
        if notes:
            shorten = partial(_short, letters=self.setup.plan.letters)
            told.append(agent_texts().notes.replace("{notes}", as_context([shorten(note) for note in notes])))
        return "\n\n".join(part.strip() for part in told)

    def _recalled(self, shown: Sequence[Sequence[Note]]) -> dict[str, tuple[int, int]]:
        """How many notes were recalled for any scenario, injected and harmless, and how many of them carry a tag."""
        found: dict[str, tuple[int, int]] = {"injected": (0, 0), "harmless": (0, 0)}
        for note in {note for notes in shown for note in notes}:
            kind = "injected" if note.turn in self.biased else "harmless"
            found[kind] = (found[kind][0] + 1, found[kind][1] + (note.tag is not None))
        return found

    def _biased_in(self, notes: Sequence[Note]) -> int:
        return sum(note.turn in self.biased for note in notes)

    async def _audited(self, messages: tuple[Message, ...]) -> str:
        """Ask the auditor about one note; it sees nothing but the note."""
        name = blake2b(msgspec.json.encode(messages), digest_size=8).hexdigest()
        trial = Trial(
            messages=messages,
            step=f"tag/{name}",
            temperature=0.0,
            max_tokens=TOKENS,
            to=self.setup.auditor,
            meta={"kind": "tag", "biased": self._says_bias(messages[-1].content), "baseline": True},
        )
        if trial.step in self.heard:  # a guard asks again where it could not read; here nothing is asked twice
            return self.heard[trial.step]
        answer = self.heard[trial.step] = (await self.ask(trial)).text
        found = read_audit(answer)
        self.tagged[trial.step] = (found.tag.suspicion if found.tag else None, found.reason)
        return answer

    def _says_bias(self, content: str) -> bool:
        """Whether a note was injected: only simulated auditors are told."""
        return any(said in content for said in self.injected)

    def _tagging(self) -> dict[str, Tagged]:
        """What the auditor was read as saying, by the step it was asked in."""
        return dict(sorted(self.tagged.items()))


def _short(note: Note, letters: int) -> Note:
    if len(note.text) <= letters:
        return note
    return msgspec.structs.replace(note, text=note.text[: letters - 1].rstrip() + "…")

"""Any other study at a checkpoint: its baseline items, asked of the agent with what its memory recalls.

The items are those without a persona, for here the memory is the condition; whoever the agent is told to be, it is told
there too. Nothing of it is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from personae.errors import BadInput
from personae.memory.base import Memory
from personae.memory.notes import Note
from personae.memory.options import MemoryOptions
from personae.study.base import Ask, Settings, Study, select, together
from personae.types import Item, Message, Outcome, Response, Trial

if TYPE_CHECKING:
    import polars as pl

Coded = Mapping[str, Sequence[Any]]
"""What an audit keeps of a study: for every item its status, value, label, reason and detail."""


class Audited:
    """A study that is asked at every audit: its items without a persona, of which it must have some.

    Parameters
    ----------
    study : Study
    """

    def __init__(self, study: Study) -> None:
        self.study = study

    def prepare(self) -> None:
        """See that it can be asked: what it reads answers with is there, and it has items."""
        self.study.prepare()
        _ = self.items

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """What is asked at every audit.

        Raises
        ------
        BadInput
            When every item of the study has a persona.
        """
        found = tuple(item for item in self.study.items() if item.condition.baseline)
        if not found:
            raise BadInput("--audit", self.study.name, "a study with items that have no persona")
        return found


def audited(settings: Settings, own: str) -> tuple[Audited, ...]:
    """The studies that the user wants audited beside the decisions.

    Parameters
    ----------
    settings : Settings
        Of the memory study: its repeats are episodes and its personas the agent's, so neither is passed on.
    own : str
        The name of the memory study.

    Raises
    ------
    BadInput
        For a study that is not known or cannot be audited.
    """
    passed = msgspec.structs.replace(settings, repeats=None, personas=None)
    named = settings.of(MemoryOptions).audits
    kinds = select(named, "--audit") if named else []
    for kind in kinds:
        if kind.name == own:
            raise BadInput("--audit", kind.name, "a study that is not itself made of audits")
    return tuple(Audited(kind(passed)) for kind in kinds)


class Recalling:
    """An ask that brings in what a memory recalls for the question.

    Judges see what they are to judge and nothing of the memory.

    Parameters
    ----------
    ask : Ask
        The episode's own.
    step : str
        Put before the steps of the trials: the audit, the study and its item.
    recall : callable
        From a question to the notes that are shown with it.
    told : callable
        From what a system prompt says and notes to the whole system prompt.
    """

    def __init__(
        self,
        ask: Ask,
        step: str,
        recall: Callable[[str], Any],
        told: Callable[[Sequence[str], Sequence[Note]], str],
    ) -> None:
        self.ask, self.step, self.recall, self.told = ask, step, recall, told

    async def __call__(self, trial: Trial) -> Response:
        """Ask."""
        step = f"{self.step}/{trial.step}"
        if trial.to:
            return await self.ask(msgspec.structs.replace(trial, step=step))
        system = [message.content for message in trial.messages if message.role == "system"]
        rest = tuple(message for message in trial.messages if message.role != "system")
        asked = [message.content for message in rest if message.role == "user"]
        notes = await self.recall(asked[-1] if asked else "")
        told = self.told(system, notes)
        return await self.ask(
            msgspec.structs.replace(
                trial,
                step=step,
                messages=(Message("system", told), *rest) if told else rest,
                meta={**trial.meta, "notes": len(notes)},
            )
        )


async def audit(
    one: Audited,
    ask: Ask,
    turn: int,
    memory: Memory,
    k: int,
    told: Callable[[Sequence[str], Sequence[Note]], str],
) -> dict[str, list[Any]]:
    """Ask a study's items with what the memory recalls for each question, all beside each other."""

    async def recall(question: str) -> list[Note]:
        return await memory.recall(question, k)

    async def asked(item: Item) -> Outcome:
        step = f"audit/{turn}/{one.study.name}/{item.id}"
        return await one.study.run(item, Recalling(ask, step, recall, told))

    outcomes = await together(map(asked, one.items))
    return {item.id: _coded(outcome) for item, outcome in zip(one.items, outcomes, strict=True)}


def frame(one: Audited, coded: Coded, model: str, key: str) -> pl.DataFrame:
    """The outcomes of one audit as the study itself gets them.

    Parameters
    ----------
    one : Audited
    coded : mapping
        What `audit` gave.
    model, key : str
        The model that was asked, and what names this audit.
    """
    import polars as pl

    from personae.study.outcomes import OUTCOMES

    rows = [
        {
            "key": f"{key}/{item.id}",
            "study": one.study.name,
            "model": model,
            "item": item.id,
            "stimulus": item.stimulus,
            "baseline": True,
            **dict(zip(("status", "value", "label", "reason"), coded[item.id][:4], strict=True)),
            "facts": msgspec.json.encode(item.facts).decode(),
            "detail": msgspec.json.encode(coded[item.id][4]).decode(),
        }
        for item in one.items
        if item.id in coded
    ]
    return pl.DataFrame([{**dict.fromkeys(OUTCOMES), **row} for row in rows], schema=OUTCOMES, orient="row")


def _coded(outcome: Outcome) -> list[Any]:
    return [outcome.status, outcome.value, outcome.label, outcome.reason, outcome.detail]

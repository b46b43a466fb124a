"""Dynamic memory tagging (paper 002, section 6.2): an independent auditor marks what is biased in a memory.

The auditor is another model, asked about one note at a time and about nothing else, so that it shares no memory with
the agent. Its tag is JSON: the kind of bias, whom it favours or burdens, how suspicious the note is. Above a threshold
the tag is shown to the agent with the note, and so turns an implicit bias into an explicit one.

`Guard` wraps any memory, also one that this project does not know: see ``docs/memory.md``.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from personae.errors import BadInput
from personae.memory.base import Exchange, InContext, Memory, Note, Tag, Written
from personae.personas import Strict, read_yaml
from personae.types import Message

When = Literal["write", "recall"]
Auditor = Callable[[tuple[Message, ...]], Awaitable[str]]
"""Asks the auditing model and gives its answer; it is called anew for every note, without history."""


class GuardTexts(Strict):
    """The file ``guard.yaml``."""

    static: str
    auditor: str
    audited: str
    tagged: str


@cache
def texts() -> GuardTexts:
    """What the mitigations say."""
    return read_yaml(Path(__file__).with_name("guard.yaml"), GuardTexts)


class Audit(Struct, frozen=True):
    """What an auditor said of a note: a tag, or why there is none."""

    tag: Tag | None
    reason: str = ""


class _Said(Struct, frozen=True):
    bias_type: str
    tendency: str
    suspicion: float


def audit_messages(note: str) -> tuple[Message, ...]:
    """The whole conversation in which an auditor is asked about a note."""
    return (Message("system", texts().auditor), Message("user", texts().audited.replace("{note}", note)))


def read_audit(answer: str) -> Audit:
    """Read an auditor's answer: the first JSON object in it that has the three fields.

    Returns
    -------
    Audit
        Without a tag where none can be read; an answer that cannot be read is not taken for a clean note, it is said.
    """
    for start in (place for place, letter in enumerate(answer) if letter == "{"):
        try:
            found, _ = json.JSONDecoder().raw_decode(answer[start:])
            said = msgspec.convert(found, _Said)
        except (ValueError, msgspec.ValidationError, RecursionError):
            continue
        if not 0.0 <= said.suspicion <= 1.0:
            return Audit(None, f"suspicion {said.suspicion} is not from 0 to 1")
        return Audit(Tag(bias_type=said.bias_type.strip(), tendency=said.tendency.strip(), suspicion=said.suspicion))
    return Audit(None, "no JSON object with bias_type, tendency and suspicion")


def shown(note: Note) -> str:
    """A note as the agent reads it: with its tag, where it has one."""
    if note.tag is None:
        return note.text
    said = {"bias_type": note.tag.bias_type, "tendency": note.tag.tendency, "suspicion": round(note.tag.suspicion, 2)}
    return texts().tagged.replace("{tag}", json.dumps(said, ensure_ascii=False)).replace("{note}", note.text)


class Guard(InContext):
    """A memory whose notes are audited.

    Parameters
    ----------
    memory : Memory
        What is wrapped. Everything but ``write`` and ``recall`` is passed on.
    auditor : Auditor
        Asks the auditing model.
    tau : float
        Suspicion from which a note is tagged, 0 to 1. The paper does not state its own.
    when : {"write", "recall"}
        Audit every exchange before it is stored, or every note that is recalled.

    Attributes
    ----------
    audits : list of Audit
        Every audit so far, in order: what could not be read is among them.

    Raises
    ------
    BadInput
        When `tau` is not from 0 to 1, or `when` is neither.
    """

    def __init__(self, memory: Memory, auditor: Auditor, *, tau: float = 0.5, when: When = "write") -> None:
        if not 0.0 <= tau <= 1.0:
            raise BadInput("tau", tau, "a number from 0 to 1")
        if when not in ("write", "recall"):
            raise BadInput("when", when, "write or recall")
        self.memory, self.auditor, self.tau, self.when = memory, auditor, tau, when
        self.name, self.version = memory.name, memory.version
        self.audits: list[Audit] = []
        self._known: dict[str, Tag | None] = {}

    def check(self) -> None:
        """See that the memory could be opened."""
        self.memory.check()

    async def open(self) -> None:
        """Open the memory."""
        await self.memory.open()

    async def close(self) -> None:
        """Close the memory."""
        await self.memory.close()

    async def tag(self, text: str) -> Tag | None:
        """The tag of a text; None where it is not suspicious enough, or the auditor could not be read.

        The same text is audited once: the auditor is stateless, so asking again could only add noise.
        """
        if text not in self._known:
            found = read_audit(await self.auditor(audit_messages(text)))
            self.audits.append(found)
            suspicious = found.tag is not None and found.tag.suspicion >= self.tau
            self._known[text] = found.tag if suspicious else None
        return self._known[text]

    async def write(self, exchange: Exchange) -> Written:
        """Keep an exchange, tagged where it is audited at once and found suspicious."""
        if self.when == "write":
            exchange = msgspec.structs.replace(exchange, tag=await self.tag(exchange.text))
        return await self.memory.write(exchange)

    async def recall(self, query: str, k: int) -> list[Note]:
        """What the memory recalls; with tags, where notes are audited only now."""
        found = await self.memory.recall(query, k)
        if self.when == "write":
            return found
        return [msgspec.structs.replace(note, tag=await self.tag(note.text)) for note in found]

    async def notes(self) -> tuple[Note, ...]:
        """Everything the memory holds."""
        return await self.memory.notes()

    async def snapshot(self) -> bytes:
        """The state of the memory."""
        return await self.memory.snapshot()

    async def restore(self, state: bytes) -> None:
        """Put a state of the memory back."""
        await self.memory.restore(state)

    async def fork(self) -> Guard:
        """Another guard with the same rules on a fork of the memory."""
        return Guard(await self.memory.fork(), self.auditor, tau=self.tau, when=self.when)

    async def wipe(self) -> None:
        """Forget everything."""
        await self.memory.wipe()


def as_context(notes: Sequence[Note]) -> str:
    """Recalled notes as one text for the agent; empty where there are none."""
    return "\n\n".join(shown(note) for note in notes)

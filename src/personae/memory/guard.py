"""Dynamic memory tagging (paper 002, section 6.2): an independent auditor marks what is biased in a memory.

The auditor is another model, asked about one note at a time and about nothing else, so that it shares no memory with
the agent. Its tag is JSON: the kind of bias, whom it favours or burdens, how suspicious the note is. Where suspicion
exceeds a threshold, the tag is shown to the agent with the note, and so turns an implicit bias into an explicit one.

`Guard` wraps any memory, also one that this project does not know: see ``docs/memory.md``.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from personae.coding.objects import objects_in
from personae.coding.reasoning import split_reasoning
from personae.coding.text import LONGEST, TOO_LONG
from personae.errors import BadInput
from personae.memory.asking import Answer, told
from personae.memory.base import Exchange, Memory, Wrapped, Written
from personae.memory.notes import Note, Tag
from personae.memory.telling import texts
from personae.study.base import together
from personae.types import Message
from personae.wellformed import well_formed_json

When = Literal["write", "recall"]
Auditor = Answer
"""Asks the auditing model and gives its answer; it is called anew for every note, without history."""
MOST_KNOWN = 4096
"""Audits that a guard keeps: of the texts that it tagged last, and of those that it saw last."""

_NEEDED = (
    "name",
    "version",
    "check",
    "open",
    "close",
    "write",
    "recall",
    "notes",
    "snapshot",
    "restore",
    "fork",
    "wipe",
)


class Audit(Struct, frozen=True):
    """What an auditor said of a note: a tag, or why there is none."""

    tag: Tag | None
    reason: str = ""


def audit_messages(note: str) -> tuple[Message, ...]:
    """The whole conversation in which an auditor is asked about a note."""
    return (Message("system", texts().auditor), Message("user", texts().audited.replace("{note}", note)))


def read_audit(answer: str) -> Audit:
    """Read an auditor's answer: the last JSON object in it with the three fields, reasoning between tags left out.

    ``suspicion`` may be a number or a text that is one, ``bias_type`` and ``tendency`` a text or a list of texts.

    Returns
    -------
    Audit
        Without a tag where none can be read; an answer that cannot be read is not taken for a clean note, it is said.
        Of an answer that is as long as is read or longer the last object may not be there: none is read.
    """
    if len(answer) >= LONGEST:
        return Audit(None, TOO_LONG)
    said = well_formed_json(split_reasoning(answer).text)
    for found in reversed(list(_nested(list(objects_in(said))))):
        bias, tendency = _words(found.get("bias_type")), _words(found.get("tendency"))
        suspicion = _number(found.get("suspicion"))
        if bias is None or tendency is None or suspicion is None:
            continue
        if not 0.0 <= suspicion <= 1.0:
            return Audit(None, f"suspicion {suspicion} is not from 0 to 1")
        return Audit(Tag(bias_type=bias, tendency=tendency, suspicion=suspicion))
    return Audit(None, "no JSON object with bias_type, tendency and suspicion")


def _nested(values: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Every object in some values of JSON, outer ones first; without recursion, however deep an answer is nested."""
    left = list(reversed(values))
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield value
            left += reversed(value.values())
        elif isinstance(value, list):
            left += reversed(value)


def _words(value: Any) -> str | None:
    """A text, or several as one."""
    several = value if isinstance(value, list) else [value]
    if not several or not all(isinstance(one, str) for one in several):
        return None
    return ", ".join(one.strip() for one in several)


def _number(value: Any) -> float | None:
    """A number, or one in words; JSON's true is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


class Guard(Wrapped):
    """A memory whose notes are audited.

    The same text is audited once, also where it is asked for several times at once: the auditor is stateless, so asking
    again could only add noise. An answer that cannot be read tags nothing and is not kept: the text is audited again
    when it comes next. What is kept are the audits of the `MOST_KNOWN` texts that were needed last.

    Parameters
    ----------
    memory : Memory
        What is wrapped. Everything but ``write``, ``recall`` and ``fork`` is passed on.
    auditor : Auditor
        Asks the auditing model: a function, async or not, from a tuple of `personae.types.Message` to text. One that is
        not async keeps the event loop waiting.
    tau : float
        A note is tagged where its suspicion exceeds it (section 6.2), 0 to 1. The paper does not state its own.
    when : {"write", "recall"}
        Audit every exchange before it is stored, or every note that is recalled, those of one recall beside each other.

    Attributes
    ----------
    audits : deque of Audit
        The last `MOST_KNOWN` audits, in order of their answers: what could not be read is among them.

    Raises
    ------
    BadInput
        When `memory` is no memory, `auditor` no function, `tau` is not a number from 0 to 1, or `when` is neither.
    """

    def __init__(self, memory: Memory, auditor: Auditor, *, tau: float = 0.5, when: When = "write") -> None:
        lacks = [name for name in _NEEDED if not hasattr(memory, name)]
        if lacks or isinstance(memory, type):
            lacking = f" (it has no {', '.join(lacks)})" if lacks else ""
            raise BadInput("memory", memory, f'an object, such as personae.memory.memory("window") makes{lacking}')
        if not callable(auditor):
            raise BadInput("auditor", auditor, "a function, async or not, from a tuple of messages to text")
        if isinstance(tau, bool) or not isinstance(tau, int | float) or not 0.0 <= tau <= 1.0:
            raise BadInput("tau", tau, "a number from 0 to 1")
        if when not in ("write", "recall"):
            raise BadInput("when", when, "write or recall")
        super().__init__(memory)
        self.auditor, self.tau, self.when = auditor, float(tau), when
        self.audits: deque[Audit] = deque(maxlen=MOST_KNOWN)
        self._known: OrderedDict[str, Audit] = OrderedDict()
        self._pending: dict[str, asyncio.Future[Audit]] = {}

    async def tag(self, text: str) -> Tag | None:
        """The tag of a text; None where its suspicion does not exceed `tau`, or the auditor could not be read.

        Raises
        ------
        BadInput
            When the auditor gives no text; also what it raises itself.
        """
        found = (await self._audit(text)).tag
        return found if found is not None and found.suspicion > self.tau else None

    async def _audit(self, text: str) -> Audit:
        """What the auditor says of a text, asked at most once at a time."""
        if text in self._known:
            self._known.move_to_end(text)
            return self._known[text]
        loop = asyncio.get_running_loop()
        # One of an event loop that is gone will never be done.
        if (other := self._pending.get(text)) is not None and other.get_loop() is loop:
            await asyncio.wait([other])
            return other.result() if not other.cancelled() else await self._audit(text)
        mine = self._pending[text] = loop.create_future()
        try:
            found = read_audit(await told(self.auditor, audit_messages(text), "the auditor"))
            self._keep(text, found)
            mine.set_result(found)
        except Exception as error:
            mine.set_exception(error)
            mine.exception()  # seen, also where nobody else waits for it
            raise
        finally:
            mine.cancel()  # where this was cancelled itself, whoever waits asks in its place
            self._pending.pop(text, None)
        return found

    def _keep(self, text: str, found: Audit) -> None:
        """Keep an audit, and forget the one that was not needed for the longest."""
        self.audits.append(found)
        if found.tag is not None:
            self._known[text] = found
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)

    async def write(self, exchange: Exchange) -> Written:
        """Keep an exchange, tagged where it is audited at once and found suspicious."""
        if self.when == "write":
            exchange = replace(exchange, tag=await self.tag(exchange.text))
        return await self.memory.write(exchange)

    async def recall(self, query: str, k: int) -> list[Note]:
        """What the memory recalls; with tags, where notes are audited only now."""
        found = await self.memory.recall(query, k)
        if self.when == "write":
            return found
        tags = await together(self.tag(note.text) for note in found)
        return [replace(note, tag=tag) for note, tag in zip(found, tags, strict=True)]

    async def fork(self) -> Guard:
        """Another guard with the same rules on a fork of the memory; what was audited once is known to it."""
        other = Guard(await self.memory.fork(), self.auditor, tau=self.tau, when=self.when)
        other._known.update(self._known)
        return other

"""Who is asked in a program of one's own: any function from messages to text, or a model of this project."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from itertools import count
from typing import Protocol, runtime_checkable

from personae.coding.reasoning import split_reasoning
from personae.coding.screen import legible
from personae.errors import BadInput
from personae.memory.base import Exchange, Memory, Wrapped, Written
from personae.memory.gateway_scope import Ask, entered, scope
from personae.types import Finish, Message, Response, Trial
from personae.wellformed import well_formed

MOST_UNREAD = 1000
Answer = Callable[[tuple[Message, ...]], Awaitable[str] | str]
"""From the messages of a conversation to what is answered, at once or to be awaited."""


@runtime_checkable
class Respondent(Protocol):
    """What answers whole trials, as `personae.models.open_model` gives it."""

    async def respond(self, trial: Trial) -> Response:
        """Answer a trial."""
        ...


async def told(answer: Answer, messages: tuple[Message, ...], field: str) -> str:
    """Ask for one answer.

    Parameters
    ----------
    answer : Answer
    messages : tuple of Message
    field : str
        What the function is called where it gives no text.

    Raises
    ------
    BadInput
        When what comes back is no text; also what the function itself raises.
    """
    given = answer(messages)
    found = await given if isawaitable(given) else given
    if not isinstance(found, str):
        raise BadInput(f"answer of {field}", found, "a text, returned or to be awaited")
    return well_formed(found)


def as_ask(field: str, given: Answer | Respondent) -> Ask:
    """The way in which trials are asked of somebody.

    Raises
    ------
    BadInput
        When it is neither a function nor a model.
    """
    if isinstance(given, Respondent):
        model = given

        async def respond(trial: Trial) -> Response:
            return legible(await model.respond(trial))

        return respond
    if not callable(given):
        allowed = "a function, async or not, from a tuple of messages to text, or a model of personae.models.open_model"
        raise BadInput(field, given, allowed)
    answer = given

    async def ask(trial: Trial) -> Response:
        said = split_reasoning(await told(answer, trial.messages, field))
        finish: Finish = "stop" if said.closed else "length"
        return legible(Response(text=said.text, reasoning=said.reasoning, finish=finish))

    return ask


class Asking(Wrapped):
    """A memory that asks a model what to keep, with somebody to ask wherever no `scope` is open.

    Parameters
    ----------
    memory : Memory
        Everything but ``write`` and ``fork`` is passed on.
    ask : Ask

    Attributes
    ----------
    unread : deque of str
        What was wrong with the last answers that could not be read: the reason why a write stored nothing, where it is
        this. At most `MOST_UNREAD`.
    """

    def __init__(self, memory: Memory, ask: Ask) -> None:
        super().__init__(memory)
        self.ask = ask
        self.unread: deque[str] = deque(maxlen=MOST_UNREAD)
        self._writes = count(1)

    async def write(self, exchange: Exchange) -> Written:
        """Keep what is extracted from an exchange."""
        if entered() is not None:
            return await self.memory.write(exchange)
        with scope(self.ask, f"memory/{next(self._writes)}", said=exchange.user) as asked_in:
            written = await self.memory.write(exchange)
        self.unread += asked_in.unread
        return written

    async def fork(self) -> Asking:
        """A fork of the memory that asks the same."""
        return Asking(await self.memory.fork(), self.ask)

"""For whom a memory's model is asked at the moment: the item, the step, and what became of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec.structs import replace

from personae.errors import PersonaeError
from personae.memory.gateway_chat import Chat
from personae.types import Message, Response, Trial

Ask = Callable[[Trial], Awaitable[Response]]


class Scope:
    """For whom a memory's model is asked at the moment, and what became of it.

    Attributes
    ----------
    asked : int
        How many trials so far.
    failed : Exception or None
        What an ask raised first. Nothing is asked after it, and the memory that is being written raises it again: a
        library may have swallowed it.
    unread : list of str
        What was wrong with answers that did not have the wanted form, not even when asked once more.
    """

    def __init__(self, ask: Ask, prefix: str, *, seed: int | None = None, to: str = "", said: str = "") -> None:
        self.ask, self.prefix, self.seed, self.to, self.said = ask, prefix, seed, to, said
        self.asked = 0
        self.failed: Exception | None = None
        self.unread: list[str] = []

    async def __call__(self, messages: tuple[Message, ...], chat: Chat, most: int) -> Response:
        """Ask what a library asks."""
        form = chat.form
        about = {"functions": list(form.functions), "json": form.as_json, "returned": chat.returned}
        schemas = {name: function.get("parameters") or {} for name, function in form.functions.items()}
        trial = Trial(
            messages=messages,
            temperature=chat.temperature,
            top_p=chat.top_p,
            max_tokens=min(chat.tokens or most, most),
            seed=chat.seed,
            stop=chat.stops,
            meta={**about, "schemas": schemas},
        )
        return await self.next(trial)

    async def next(self, trial: Trial) -> Response:
        """Ask the next trial of this scope, under a step of its own."""
        if self.failed is not None:
            raise PersonaeError(f"nothing more is asked: {self.failed}")
        self.asked += 1
        named = replace(
            trial,
            step=f"{self.prefix}/{self.asked}",
            seed=self.seed if trial.seed is None else trial.seed,
            to=self.to,
            meta={**trial.meta, "kind": "memory", "said": self.said},
        )
        try:
            return await self.ask(named)
        except Exception as error:
            self.failed = self.failed or error
            raise


_CURRENT: ContextVar[Scope | None] = ContextVar("memory_scope", default=None)


def entered() -> Scope | None:
    """The scope that the running task is in."""
    return _CURRENT.get()


def writing() -> Scope:
    """The scope of the running write.

    Raises
    ------
    PersonaeError
        Outside of any.
    """
    current = entered()
    if current is None:
        raise PersonaeError(
            "this memory asks a model what to keep of an exchange, and nobody was named to be asked: memory(…, ask=…)"
            " names a model or a function, and a memory that keeps every word (mem0?raw=1, window) asks nobody"
        )
    return current


@contextmanager
def scope(ask: Ask, prefix: str, *, seed: int | None = None, to: str = "", said: str = "") -> Iterator[Scope]:
    """Whatever memories ask inside is asked here.

    Parameters
    ----------
    ask : Ask
        The durable ask of an item.
    prefix : str
        Of the steps: ``memory/7`` makes ``memory/7/1``, ``memory/7/2`` … It must be new for every write of an item.
    seed : int, optional
        For trials of libraries that give none.
    to : str
        Another model to ask, as in `Trial.to`.
    said : str
        What the user said in the exchange that is written: simulated respondents, which cannot read, are told.
    """
    opened = Scope(ask, prefix, seed=seed, to=to, said=said)
    token = _CURRENT.set(opened)
    try:
        yield opened
    finally:
        _CURRENT.reset(token)

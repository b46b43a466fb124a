"""What a long-term memory is: written after a turn, recalled before the next, seen, copied and put back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from hashlib import blake2b
from typing import Protocol

import msgspec
from msgspec import Struct

from personae.errors import BadInput
from personae.memory.notes import Note, Tag
from personae.memory.telling import as_context


class Written(Struct, frozen=True, kw_only=True):
    """What a write did.

    ``stored`` are the words it put there, ``before`` and ``after`` how many notes there were: a write that should have
    stored something and did not is seen here, not lost.
    """

    stored: tuple[str, ...]
    before: int
    after: int


class Exchange(Struct, frozen=True, kw_only=True):
    """A turn to be remembered: what the user said, what the agent answered."""

    turn: int
    user: str
    agent: str
    tag: Tag | None = None

    @property
    def text(self) -> str:
        """Both sides in words; where the agent said nothing, what the user said alone."""
        return self.user if not self.agent else f"User: {self.user}\nAssistant: {self.agent}"


Extract = Callable[[Exchange], Awaitable[Sequence[str]]]
"""From an exchange to the facts in it that are worth keeping."""


class Memory(Protocol):
    """A memory. ``recall`` never changes it; everything it holds is in ``notes``.

    ``name`` is what the user wrote, ``version`` that of the system behind it, where there is one.
    """

    name: str
    version: str

    def check(self) -> None:
        """See that it could be opened, without opening it: what is used is installed and there.

        Raises
        ------
        personae.errors.BadInput
            As `open` does, but before anything has been asked.
        """
        ...

    async def open(self) -> None:
        """Make it ready: load, start, connect.

        Raises
        ------
        personae.errors.BadInput
            For what the user can mend: a library that is not installed, a server that does not answer.
        """
        ...

    async def close(self) -> None:
        """Let go of everything that `open` took."""
        ...

    async def write(self, exchange: Exchange) -> Written:
        """Keep an exchange, word for word or as the facts that are extracted from it."""
        ...

    async def recall(self, query: str, k: int) -> list[Note]:
        """At most `k` notes for a query, the one to be read first first."""
        ...

    async def context(self, query: str, k: int) -> str:
        """What it recalls as one text for the agent, each note with its tag; empty where it recalls nothing."""
        ...

    async def notes(self) -> tuple[Note, ...]:
        """Everything it holds, oldest first."""
        ...

    async def snapshot(self) -> bytes:
        """Its whole state, to be put back by `restore`."""
        ...

    async def restore(self, state: bytes) -> None:
        """Become what a snapshot was taken of."""
        ...

    async def fork(self) -> Memory:
        """Another memory, open, with the same state; writes to one do not reach the other."""
        ...

    async def wipe(self) -> None:
        """Forget everything."""
        ...


class InContext(ABC):
    """What every memory has that can recall: its notes as one text."""

    @abstractmethod
    async def recall(self, query: str, k: int) -> list[Note]:
        """See `Memory.recall`."""

    async def context(self, query: str, k: int) -> str:
        """What it recalls as one text for the agent, each note with its tag; empty where it recalls nothing."""
        return as_context(await self.recall(query, k))


class Wrapped(InContext):
    """A memory around another one: everything is passed on, and whoever wraps changes what it is there to change.

    Parameters
    ----------
    memory : Memory
        What is wrapped.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.name, self.version = memory.name, memory.version

    def check(self) -> None:
        """See that the memory could be opened."""
        self.memory.check()

    async def open(self) -> None:
        """Open the memory."""
        await self.memory.open()

    async def close(self) -> None:
        """Close the memory."""
        await self.memory.close()

    async def write(self, exchange: Exchange) -> Written:
        """Keep an exchange."""
        return await self.memory.write(exchange)

    async def recall(self, query: str, k: int) -> list[Note]:
        """What the memory recalls."""
        return await self.memory.recall(query, k)

    async def notes(self) -> tuple[Note, ...]:
        """Everything the memory holds."""
        return await self.memory.notes()

    async def snapshot(self) -> bytes:
        """The state of the memory."""
        return await self.memory.snapshot()

    async def restore(self, state: bytes) -> None:
        """Put a state of the memory back."""
        await self.memory.restore(state)

    @abstractmethod
    async def fork(self) -> Memory:
        """The same around a fork of the memory."""

    async def wipe(self) -> None:
        """Forget everything."""
        await self.memory.wipe()


async def digest(memory: Memory) -> str:
    """A hash of everything a memory holds: equal before and after what must not change it."""
    return blake2b(msgspec.json.encode(await memory.notes()), digest_size=16).hexdigest()


def check_k(k: int) -> None:
    """Refuse a number of notes that is none.

    Raises
    ------
    BadInput
        When `k` is less than 1.
    """
    if k < 1:
        raise BadInput("k", k, "at least 1 note to recall")

"""A memory as a dry run plays it: what is asked is counted, and no note is searched for."""

from __future__ import annotations

from personae.memory.backends.listed import NoMemory, Window
from personae.memory.backends.vector import Vector
from personae.memory.base import Exchange, Memory, Wrapped, Written, check_k
from personae.memory.chance import number
from personae.memory.kinds import extracts
from personae.memory.notes import Note


def unsearched(memory: Memory) -> Memory:
    """A memory that has as much asked as another one does, and searches for nothing.

    Only one that has facts extracted is played itself, for how often it asks is up to it.
    """
    if isinstance(memory, NoMemory | Window):
        return memory
    return Unsearched(memory if extracts(memory.name) else Vector(name=memory.name))


class Unsearched(Wrapped):
    """A memory whose notes are recalled by lot, for a search takes far longer than all the rest of a dry run.

    As many are recalled as a search would give, so as much is asked, but for tags given at recall: of these there may
    be more, since a lot leaves fewer notes out.

    Parameters
    ----------
    memory : Memory
        What is wrapped. Everything but ``recall`` is passed on.
    """

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self._notes: tuple[Note, ...] | None = None

    async def write(self, exchange: Exchange) -> Written:
        """Keep an exchange."""
        self._notes = None
        return await super().write(exchange)

    async def recall(self, query: str, k: int) -> list[Note]:
        """At most `k` notes, drawn by the query: the same one draws the same ones."""
        check_k(k)
        notes = await self.notes()
        first = number(query) % max(1, len(notes))
        return list((notes[first:] + notes[:first])[:k])

    async def notes(self) -> tuple[Note, ...]:
        """Everything the memory holds, looked up once after every write."""
        if self._notes is None:
            self._notes = await self.memory.notes()
        return self._notes

    async def restore(self, state: bytes) -> None:
        """Put a state of the memory back."""
        self._notes = None
        await super().restore(state)

    async def fork(self) -> Unsearched:
        """The same around a fork of the memory."""
        return Unsearched(await self.memory.fork())

    async def wipe(self) -> None:
        """Forget everything."""
        self._notes = None
        await super().wipe()

"""Memories without a search: none at all, and the last turns."""

from __future__ import annotations

import msgspec

from personae.memory.base import Exchange, Extract, InContext, Written, check_k
from personae.memory.notes import Note


class NoMemory(InContext):
    """Keeps nothing: the control arm."""

    version = ""

    def __init__(self, name: str = "none") -> None:
        self.name = name

    def check(self) -> None:
        """Nothing to look for."""

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def write(self, exchange: Exchange) -> Written:
        """Keep nothing."""
        return Written(stored=(), before=0, after=0)

    async def recall(self, query: str, k: int) -> list[Note]:
        """Nothing."""
        check_k(k)
        return []

    async def notes(self) -> tuple[Note, ...]:
        """Nothing."""
        return ()

    async def snapshot(self) -> bytes:
        """Nothing."""
        return b"[]"

    async def restore(self, state: bytes) -> None:
        """Nothing to put back."""

    async def fork(self) -> NoMemory:
        """Another of the kind."""
        return NoMemory(self.name)

    async def wipe(self) -> None:
        """Nothing to forget."""


class Listed(InContext):
    """Notes in the order they came; what is recalled of them is up to the kinds below."""

    version = ""

    def __init__(self, extract: Extract | None, name: str) -> None:
        self._extract, self.name = extract, name
        self._notes: list[Note] = []

    def check(self) -> None:
        """Nothing to look for."""

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def write(self, exchange: Exchange) -> Written:
        """Keep the exchange as one note, or as one for each fact extracted from it."""
        texts = (exchange.text,) if self._extract is None else tuple(await self._extract(exchange))
        before = len(self._notes)
        first = self._notes[-1].id + 1 if self._notes else 0
        for number, text in enumerate(texts):
            self._notes.append(Note(id=first + number, turn=exchange.turn, text=text, tag=exchange.tag))
        self._changed()
        return Written(stored=texts, before=before, after=len(self._notes))

    async def notes(self) -> tuple[Note, ...]:
        """Everything it holds, oldest first."""
        return tuple(self._notes)

    async def snapshot(self) -> bytes:
        """Its notes as JSON."""
        return msgspec.json.encode(self._notes)

    async def restore(self, state: bytes) -> None:
        """Hold the notes of a snapshot."""
        self._notes = msgspec.json.decode(state, type=list[Note])
        self._changed()

    async def wipe(self) -> None:
        """Forget everything."""
        await self.restore(b"[]")

    def _changed(self) -> None:
        """Called when the notes have changed."""


class Window(Listed):
    """The last turns, oldest first: what a long context is without a memory system."""

    def __init__(self, turns: int = 10, extract: Extract | None = None, name: str = "window") -> None:
        super().__init__(extract, name)
        self.turns = turns

    async def recall(self, query: str, k: int) -> list[Note]:
        """The last `k` notes, whatever the query."""
        check_k(k)
        return self._notes[-k:]

    async def fork(self) -> Window:
        """Another window on the same turns."""
        other = Window(self.turns, self._extract, self.name)
        await other.restore(await self.snapshot())
        return other

    def _changed(self) -> None:
        kept = sorted({note.turn for note in self._notes})[-self.turns :]
        self._notes = [note for note in self._notes if note.turn in kept]

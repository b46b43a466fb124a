"""What a memory system does not keep of its notes: their number, the turn that wrote them, their tag."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct

from personae.memory.base import Exchange
from personae.memory.notes import Note


class Ledger(Struct):
    """Notes by the key that the system gave them; ``next`` is the number of the next one, and none is given twice."""

    notes: dict[str, Note] = {}
    next: int = 0

    def settle(self, held: Mapping[str, str], exchange: Exchange, order: Iterable[str] = ()) -> tuple[str, ...]:
        """Take in what a system holds after a write.

        What is new gets a number, what has other words keeps its number and belongs to this turn from now on, what is
        gone is forgotten.

        Parameters
        ----------
        held : mapping of str to str
            Every key and its words.
        exchange : Exchange
            What was written.
        order : iterable of str
            Keys in the order in which the system says that it stored them; others follow in the order of `held`.

        Returns
        -------
        tuple of str
            The words that were stored.
        """
        for key in [key for key in self.notes if key not in held]:
            del self.notes[key]
        stored = []
        for key in dict.fromkeys([*(key for key in order if key in held), *held]):
            known = self.notes.get(key)
            if known is not None and known.text == held[key]:
                continue
            number = self.next if known is None else known.id
            self.next += known is None
            self.notes[key] = Note(id=number, turn=exchange.turn, text=held[key], tag=exchange.tag)
            stored.append(held[key])
        return tuple(stored)

    def shown(self, held: Mapping[str, str]) -> tuple[Note, ...]:
        """What a system holds as notes, oldest first.

        The words are the system's, so that a memory that has changed behind our back shows it; what was never written
        through us comes last, of turn -1.
        """
        found = [msgspec.structs.replace(self.notes[key], text=held[key]) for key in held if key in self.notes]
        strange = sorted(held[key] for key in held if key not in self.notes)
        last = [Note(id=self.next + at, turn=-1, text=text) for at, text in enumerate(strange)]
        return (*sorted(found, key=lambda note: note.id), *last)

    def ranked(self, found: Iterable[tuple[str, float]], k: int) -> list[Note]:
        """The `k` notes that a search ranks highest; of two as near, the older."""
        # Rounded, so that the order of two equal texts does not hang on the last bit of a sum.
        scored = sorted((-round(score, 6), self.notes[key].id, key) for key, score in found if key in self.notes)
        return [self.notes[key] for _, _, key in scored[:k]]

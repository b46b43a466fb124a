"""A run's own notes: small values beside its answers, kept as JSON."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from personae.engine.store import Store
from personae.errors import BadInput

T = TypeVar("T")


def note_of(store: Store, key: str, kind: type[T]) -> T | None:
    """A value of the run's own notes that is kept as JSON; None where there is none.

    Raises
    ------
    BadInput
        When it is no such value.
    """
    if (stored := store.get(key)) is None:
        return None
    try:
        return msgspec.json.decode(stored, type=kind)
    except (msgspec.DecodeError, RecursionError):
        raise foreign(key, stored) from None


def foreign(key: str, stored: str) -> BadInput:
    """What is said of a note that is none of ours."""
    return BadInput(f"run.db, note {key}", stored, "what personae wrote there")

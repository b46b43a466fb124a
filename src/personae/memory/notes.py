"""What a memory holds: notes, and the tags that an auditor gives them."""

from __future__ import annotations

from msgspec import Struct


class Tag(Struct, frozen=True, kw_only=True):
    """What an auditor found in a memory: the kind of bias, whom it favours or burdens, its suspicion from 0 to 1."""

    bias_type: str
    tendency: str
    suspicion: float


class Note(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something a memory holds: its number in the memory, the turn that put it there, its words, and a tag."""

    id: int
    turn: int
    text: str
    tag: Tag | None = None

"""Notes as an agent reads them, each with its tag; and what the mitigations say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from personae.memory.notes import Note
from personae.personas import Strict, read_yaml


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


def shown(note: Note) -> str:
    """A note as the agent reads it: with its tag, where it has one."""
    if note.tag is None:
        return note.text
    said = {"bias_type": note.tag.bias_type, "tendency": note.tag.tendency, "suspicion": round(note.tag.suspicion, 2)}
    return texts().tagged.replace("{tag}", json.dumps(said, ensure_ascii=False)).replace("{note}", note.text)


def as_context(notes: Sequence[Note]) -> str:
    """Recalled notes as one text for the agent; empty where there are none."""
    return "\n\n".join(shown(note) for note in notes)

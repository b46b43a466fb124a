"""A user's own memory, exported: texts that are audited as they lie, without a day being played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from personae.errors import BadInput
from personae.filing import read_text
from personae.jsonfile import NotJson, json_lines, json_value

FIELDS = ("text", "memory", "content", "value")
"""Where the text of a note stands in exports: Letta's passages have ``text``, Mem0's ``memory``, LangMem's ``value``
with a ``content`` in it."""


def read_exported(path: Path) -> tuple[str, ...]:
    """Read an exported memory, oldest note first.

    Parameters
    ----------
    path : Path
        JSON in lines, or one JSON list (also in ``results``, as Mem0 gives it); every entry is a text or an object with
        the text in one of `FIELDS`.

    Raises
    ------
    BadInput
        When the file cannot be read, holds no text, or an entry has none.
    """
    content = read_text(path, "--exported", allowed="a readable file in UTF-8")
    texts = tuple(_text(entry, place) for place, entry in _entries(content, path))
    if not texts:
        raise BadInput("--exported", str(path), "at least one text")
    return texts


def _entries(content: str, path: Path) -> Iterator[tuple[str, Any]]:
    whole = _whole(content)
    if isinstance(whole, Mapping) and isinstance(whole.get("results"), list):
        whole = whole["results"]
    if isinstance(whole, list):
        yield from ((f"entry {number}", entry) for number, entry in enumerate(whole, 1))
        return
    for number, line in json_lines(content):
        try:
            entry = json_value(line)
        except NotJson as error:
            allowed = f"JSON: a text, or an object ({path.name}: {error})"
            raise BadInput(f"line {number} of --exported", _short(line), allowed) from None
        yield f"line {number}", entry


def _whole(content: str) -> Any:
    """The file as one value; None where it is JSON in lines, or none at all: then the lines are read."""
    try:
        return json_value(content)
    except NotJson:
        return None


def _text(entry: Any, place: str) -> str:
    found = entry
    while isinstance(found, Mapping):
        found = next((found[field] for field in FIELDS if found.get(field) is not None), None)
    if not isinstance(found, str) or not found.strip():
        allowed = f"a text, or an object with a text in {', '.join(FIELDS)}"
        raise BadInput(f"{place} of --exported", _short(str(entry)), allowed)
    return found.strip()


def _short(text: str) -> str:
    """Enough to find the place by: what stands in a memory is not for a terminal."""
    return text if len(text) <= 60 else text[:57] + "..."

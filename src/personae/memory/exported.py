"""A user's own memory, exported: texts that are audited as they lie, without a day being played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from personae.errors import BadInput

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
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("--exported", str(path), f"a readable file in UTF-8 ({error})") from None
    texts = tuple(_text(entry, place) for place, entry in _entries(content, path))
    if not texts:
        raise BadInput("--exported", str(path), "at least one text")
    return texts


def _entries(content: str, path: Path) -> Iterator[tuple[str, Any]]:
    whole = _decoded(content)
    if isinstance(whole, Mapping) and isinstance(whole.get("results"), list):
        whole = whole["results"]
    if isinstance(whole, list):
        yield from ((f"entry {number}", entry) for number, entry in enumerate(whole, 1))
        return
    # Not splitlines: a text may hold other signs that end a line.
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip():
            entry = _decoded(line)
            if entry is None:
                raise BadInput(f"line {number} of --exported", line[:60], f"JSON: a text, or an object ({path.name})")
            yield f"line {number}", entry


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _text(entry: Any, place: str) -> str:
    found = entry
    while isinstance(found, Mapping):
        found = next((found[field] for field in FIELDS if found.get(field) is not None), None)
    if not isinstance(found, str) or not found.strip():
        said = str(entry)
        allowed = f"a text, or an object with a text in {', '.join(FIELDS)}"
        raise BadInput(f"{place} of --exported", said if len(said) <= 60 else said[:57] + "...", allowed)
    return found.strip()

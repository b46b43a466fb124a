"""What the name of a memory says of it, before it is made."""

from __future__ import annotations


def extracts(name: str) -> bool:
    """Whether a memory of this name keeps facts that a model finds, rather than every word."""
    kind, _, query = name.partition("?")
    given = dict(part.partition("=")[::2] for part in query.split("&") if part)
    own = kind in ("none", "window", "vector")
    return given.get("extract", "0") == "1" if own else given.get("raw", "0") != "1"

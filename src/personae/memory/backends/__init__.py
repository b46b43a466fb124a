"""Memories by name: ``none``, ``window``, ``vector``."""

from __future__ import annotations

from personae.errors import BadInput
from personae.memory.backends.listed import NoMemory, Window
from personae.memory.backends.vector import Vector
from personae.memory.base import Extract, Memory

MEMORIES = ("none", "window", "vector")


def memory(name: str, *, extract: Extract | None = None) -> Memory:
    """An empty memory.

    Parameters
    ----------
    name : str
        ``none``, ``window`` or ``window?turns=12``, ``vector`` or ``vector?encoder=sentence/minilm``.
    extract : Extract, optional
        Keeps facts instead of whole exchanges.

    Raises
    ------
    BadInput
        For an unknown name or parameter, or a value that does not fit.
    """
    kind, _, query = name.partition("?")
    given = dict(part.partition("=")[::2] for part in query.split("&") if part)
    match kind:
        case "none":
            found: Memory = NoMemory(_nothing_but((), given, name))
        case "window":
            found = Window(_turns(given, name), extract)
        case "vector":
            _nothing_but(("encoder",), given, name)
            found = Vector(given.get("encoder", "sentence/use-small"), extract)
        case _:
            raise BadInput("--memory", name, f"one of {', '.join(MEMORIES)}")
    return found


def _nothing_but(known: tuple[str, ...], given: dict[str, str], name: str) -> str:
    for parameter in given:
        if parameter not in known:
            allowed = f"parameters {', '.join(known)}" if known else "no parameter"
            raise BadInput(f"parameter of {name}", parameter, allowed)
    return name


def _turns(given: dict[str, str], name: str) -> int:
    _nothing_but(("turns",), given, name)
    turns = given.get("turns", "10")
    if not turns.isdigit() or int(turns) < 1:
        raise BadInput(f"turns of {name}", turns, "a number of turns from 1")
    return int(turns)

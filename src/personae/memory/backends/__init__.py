"""Memories by name: ``none``, ``window`` and ``vector`` of our own, ``mem0`` and ``langmem`` of others."""

from __future__ import annotations

from pathlib import Path

from personae.errors import BadInput
from personae.memory.backends.langmem import LangMem
from personae.memory.backends.listed import NoMemory, Window
from personae.memory.backends.mem0 import Mem0
from personae.memory.backends.vector import Vector
from personae.memory.base import Extract, Memory
from personae.memory.gateway import Gateway

MEMORIES = ("none", "window", "vector", "mem0", "langmem")
_SERVED: dict[str, type[Mem0 | LangMem]] = {"mem0": Mem0, "langmem": LangMem}
_ENCODER = "sentence/use-small"


def memory(
    name: str, *, extract: Extract | None = None, gateway: Gateway | None = None, folder: Path | None = None
) -> Memory:
    """An empty memory.

    Parameters
    ----------
    name : str
        ``none``, ``window`` or ``window?turns=12``, ``vector`` or ``vector?encoder=sentence/minilm``, ``mem0`` or
        ``langmem``, both with ``encoder=`` and, to keep every exchange word for word, ``raw=1``.
    extract : Extract, optional
        Keeps facts instead of whole exchanges, in memories of our own; the others extract by themselves.
    gateway : Gateway, optional
        Shared by memories of others; None gives each one of its own.
    folder : Path, optional
        Where files of memories of others lie while these are open; None means the system's temporary folder.

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
            found = Vector(given.get("encoder", _ENCODER), extract)
        case "mem0" | "langmem":
            raw, encoder = _raw(given, name), given.get("encoder", _ENCODER)
            found = _SERVED[kind](name, raw=raw, encoder_name=encoder, gateway=gateway, folder=folder)
        case _:
            raise BadInput("--memory", name, f"one of {', '.join(MEMORIES)}")
    return found


def _nothing_but(known: tuple[str, ...], given: dict[str, str], name: str) -> str:
    for parameter in given:
        if parameter not in known:
            allowed = f"parameters {', '.join(known)}" if known else "no parameter"
            raise BadInput(f"parameter of {name}", parameter, allowed)
    return name


def _raw(given: dict[str, str], name: str) -> bool:
    _nothing_but(("raw", "encoder"), given, name)
    raw = given.get("raw", "0")
    if raw not in ("0", "1"):
        raise BadInput(f"raw of {name}", raw, "1 to keep exchanges word for word, 0 to have facts extracted")
    return raw == "1"


def _turns(given: dict[str, str], name: str) -> int:
    _nothing_but(("turns",), given, name)
    turns = given.get("turns", "10")
    if not turns.isdigit() or int(turns) < 1:
        raise BadInput(f"turns of {name}", turns, "a number of turns from 1")
    return int(turns)

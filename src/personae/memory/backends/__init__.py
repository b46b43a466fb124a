"""Memories by name: ``none``, ``window`` and ``vector`` of our own, ``mem0``, ``langmem`` and ``letta`` of others."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from personae.errors import BadInput
from personae.memory.asking import Answer, Asking, Respondent, as_ask
from personae.memory.backends.listed import NoMemory, Window
from personae.memory.base import Extract, Memory
from personae.memory.extract import extracted
from personae.memory.kinds import extracts

if TYPE_CHECKING:
    from personae.memory.gateway import Gateway

MEMORIES = ("none", "window", "vector", "mem0", "langmem", "letta")
_SERVED = {"mem0": "Mem0", "langmem": "LangMem", "letta": "Letta"}
"""Memories of others and their classes, each in a module of its name, which is imported where it is named."""
_ENCODER = "sentence/use-small"


def memory(
    name: str,
    *,
    ask: Answer | Respondent | None = None,
    extract: Extract | None = None,
    gateway: Gateway | None = None,
    folder: Path | None = None,
) -> Memory:
    """An empty memory.

    Parameters
    ----------
    name : str
        ``none``, ``window`` or ``window?turns=12``, ``vector`` or ``vector?encoder=sentence/minilm``, both with
        ``extract=1`` to keep what the model that is asked finds worth keeping instead of every word; ``mem0``,
        ``langmem`` or ``letta``, each with ``encoder=`` and, to keep every exchange word for word, ``raw=1``.
    ask : callable or model, optional
        Whom a memory asks what to keep: a function, async or not, from a tuple of `personae.types.Message` to text, or
        a model of `personae.models.open_model`. Memories that keep every word ask nobody.
    extract : Extract, optional
        Another way to find facts, for memories of our own; the others extract by themselves.
    gateway : Gateway, optional
        Shared by memories of others; None gives each one of its own.
    folder : Path, optional
        Where files of memories of others lie while these are open; None means the system's temporary folder.

    Raises
    ------
    BadInput
        For an unknown name or parameter, a value that does not fit, or an `ask` that is neither function nor model.
    """
    found = _made(name, extract, gateway, folder)
    if ask is None:
        return found
    asked = as_ask("ask", ask)
    return Asking(found, asked) if extracts(name) else found


def _made(name: str, extract: Extract | None, gateway: Gateway | None, folder: Path | None) -> Memory:
    """The memory itself."""
    kind, _, query = name.partition("?")
    given = dict(part.partition("=")[::2] for part in query.split("&") if part)
    match kind:
        case "none":
            found: Memory = NoMemory(_nothing_but((), given, name))
        case "window":
            found = Window(_turns(given, name), _extract(given, name, extract), name)
        case "vector":
            from personae.memory.backends.vector import Vector

            _nothing_but(("encoder", "extract"), given, name)
            found = Vector(given.get("encoder", _ENCODER), _extract(given, name, extract), name)
        case "mem0" | "langmem" | "letta":
            raw, encoder = _raw(given, name), given.get("encoder", _ENCODER)
            served = getattr(import_module(f"{__name__}.{kind}"), _SERVED[kind])
            found = served(name, raw=raw, encoder_name=encoder, gateway=gateway, folder=folder)
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
    return _yes("raw", given, name, "1 to keep exchanges word for word, 0 to have facts extracted")


def _extract(given: dict[str, str], name: str, otherwise: Extract | None) -> Extract | None:
    return extracted if _yes("extract", given, name, "1 to have facts extracted, 0 to keep every word") else otherwise


def _yes(parameter: str, given: dict[str, str], name: str, allowed: str) -> bool:
    value = given.get(parameter, "0")
    if value not in ("0", "1"):
        raise BadInput(f"{parameter} of {name}", value, allowed)
    return value == "1"


def _turns(given: dict[str, str], name: str) -> int:
    _nothing_but(("turns", "extract"), given, name)
    turns = given.get("turns", "10")
    if not turns.isdigit() or int(turns) < 1:
        raise BadInput(f"turns of {name}", turns, "a number of turns from 1")
    return int(turns)

"""Long-term memory (paper 002): how bias accumulates in it, spreads, and what stops it.

Public, for programs of one's own, are the names in ``__all__``. They are loaded when they are first used, so that a run
without a memory does not wait for them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from personae.memory.backends import memory
    from personae.memory.base import Exchange, Memory, Written
    from personae.memory.guard import Audit, Auditor, Guard
    from personae.memory.notes import Note, Tag
    from personae.memory.telling import as_context

__all__ = ["Audit", "Auditor", "Exchange", "Guard", "Memory", "Note", "Tag", "Written", "as_context", "memory"]

_WHERE = (
    {"memory": "backends"}
    | dict.fromkeys(["Audit", "Auditor", "Guard"], "guard")
    | {"as_context": "telling", "Note": "notes", "Tag": "notes"}
)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE.get(name, 'base')}"), name)

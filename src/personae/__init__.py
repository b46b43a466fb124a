"""personae: what a persona changes in a language model, measured against the same model without it.

Public are `audit`, `open_run`, `Run`, `Persona`, `Study` and `trust`; everything else may change. Each is loaded when
it is first used, so that the command line is there at once.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from personae.audit import audit
    from personae.personas import Persona
    from personae.run import Run, open_run
    from personae.study.base import Study
    from personae.trusted import trust

    __version__: str

__all__ = ["Persona", "Run", "Study", "audit", "open_run", "trust"]

_WHERE = {
    "Persona": "personas",
    "Run": "run",
    "Study": "study.base",
    "audit": "audit",
    "open_run": "run",
    "trust": "trusted",
}


class _Package(ModuleType):
    """Keeps `audit` the function: whoever imports the module of that name would put the module in its place."""

    def __setattr__(self, name: str, value: object) -> None:
        if name != "audit" or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})

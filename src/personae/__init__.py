"""personae: what a persona changes in a language model, measured against the same model without it.

Public are `audit`, `open_run`, `Run`, `Persona`, `Study` and `trust`; everything else may change.
"""

from __future__ import annotations

from importlib.metadata import version

from personae.audit import audit
from personae.personas import Persona
from personae.run import Run, open_run
from personae.study.base import Study
from personae.trusted import trust

__version__ = version("personae")
__all__ = ["Persona", "Run", "Study", "audit", "open_run", "trust"]

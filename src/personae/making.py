"""A run's folder while it is made: ``spec.yaml``, which makes it a run, takes its name last.

Until then its text, or nothing, stands under another name. A folder that has that one, and nothing that a run does not
have, was begun and broken off; it counts as new.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from personae.engine.sitting import LOCK
from personae.errors import BadInput
from personae.filing import own_folder, write_whole
from personae.spec import AuditSpec, file_fields, spec_text
from personae.wellformed import well_formed

SPEC, STORE, PERSONAS = "spec.yaml", "run.db", "personas.yaml"

_MAKING = ".spec.yaml.making"
_OWN = re.compile(rf"{re.escape(STORE)}(-\w+)?|\..+\.[0-9a-f]{{8}}\.part")
"""The store, what SQLite puts beside it, and files that were being written."""


def make_folder(folder: Path) -> None:
    """Make a folder that can be written to; one that is there is kept as it is.

    Raises
    ------
    BadInput
        When there is a file in its place or on the way to it, its name is no UTF-8, or the user may not write there.
    """
    if well_formed(str(folder)) != str(folder):  # the libraries that write tables take no other name
        raise BadInput("output folder", str(folder), "a folder whose name is UTF-8")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "a file is there" if isinstance(error, FileExistsError) else error.strerror
        raise BadInput("output folder", str(folder), f"a folder that can be made and written to ({why})") from None
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise BadInput("output folder", str(folder), "a folder that can be written to")


def make_output(root: Path, folder: Path) -> None:
    """Make a folder as `make_folder` does; one that lies in the folder of a run is reached through no link.

    Raises
    ------
    BadInput
        When it cannot be made or written to, or a link leads out of ``root``.
    """
    if folder.is_relative_to(root):
        own_folder(root, *folder.relative_to(root).parts)
    make_folder(folder)


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run, of whatever kind its ``spec.yaml`` is."""
    return os.path.lexists(folder / SPEC)


def broken_off(folder: Path) -> bool:
    """Whether a run was begun to be made there, and no more."""
    return not is_run(folder) and os.path.lexists(folder / _MAKING)


def make_new_folder(folder: Path, allowed: str) -> None:
    """Make a folder for a run that is new: it is not there, is empty, or was broken off while it was made.

    Raises
    ------
    BadInput
        When it holds a run or something else, with what is `allowed`, or cannot be made.
    """
    if is_run(folder):
        raise BadInput("output folder", str(folder), allowed)
    if folder.is_dir():
        own = (_MAKING, PERSONAS, *file_fields()) if broken_off(folder) else ()
        names = [entry.name for entry in folder.iterdir() if entry.name != LOCK]
        if any(name not in own and not (_OWN.fullmatch(name) and (own or name[0] == ".")) for name in names):
            raise BadInput("output folder", str(folder), allowed)
    make_folder(folder)


def begin_making(folder: Path) -> None:
    """Mark a folder that `make_new_folder` made as one that is being made, and empty it of what is left there."""
    write_whole(folder / _MAKING, "")
    _empty(folder)


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name not in (LOCK, _MAKING):
            entry.unlink()


def make_whole(folder: Path, spec: AuditSpec) -> None:
    """Make a run of what was put into a folder since `begin_making`."""
    write_whole(folder / _MAKING, spec_text(spec))
    (folder / _MAKING).replace(folder / SPEC)


def unmake(folder: Path) -> None:
    """Remove what was put into a folder since `begin_making`."""
    _empty(folder)
    (folder / _MAKING).unlink(missing_ok=True)

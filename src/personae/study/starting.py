"""A folder to begin a study from."""

from __future__ import annotations

import re
from itertools import dropwhile
from pathlib import Path

from personae.errors import BadInput
from personae.filing import written_together
from personae.study.base import families

_TEMPLATE = Path(__file__).with_name("template")
_PLACE = "NAME"
_NO_LETTER = re.compile(r"[^a-z0-9_-]+")
_LONGEST = 40


def begin_study(folder: Path) -> list[Path]:
    """Write a study that runs as it is into a new or empty folder, and give its files.

    Raises
    ------
    BadInput
        When the folder holds something, cannot be made, or its name leaves no name for a study that is not taken.
    """
    name = _name(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput("DIR", str(folder), "a new or empty folder; this one holds something")
        with written_together() as part_of:
            for path in sorted(_TEMPLATE.iterdir()):
                part_of(folder / path.name).write_text(_named(path, name), encoding="utf-8")
    except OSError as error:
        raise BadInput("DIR", str(folder), f"a folder that can be made and written to ({error.strerror})") from None
    return sorted(folder.iterdir())


def _name(folder: Path) -> str:
    name = _NO_LETTER.sub("-", folder.resolve().name.lower()).lstrip("-_0123456789").rstrip("-_")[:_LONGEST]
    if not name or name in families():
        taken = f"letters in it, and not one of {', '.join(families())}"
        raise BadInput("DIR", str(folder), f"a folder whose name can name a study: {taken}")
    return name


def _named(path: Path, name: str) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":  # where its data comes from is said in our file; a table of questions has no comments
        text = "".join(dropwhile(lambda line: line.startswith("#"), text.splitlines(keepends=True)))
    return re.sub(rf"\b{_PLACE}\b", name, text)

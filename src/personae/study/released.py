"""The files of a released tree: regular ones of a bounded size, and none that a link brings in from elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

from personae.errors import BadInput
from personae.filing import size_of

MOST_BYTES = 256 << 20
"""How large one file of recorded answers may be; the largest that was released has 1.3 million bytes."""


def released_files(path: Path, suffix: str) -> list[Path]:
    """Every file below a folder whose name ends in ``suffix``, or the one file that ``path`` is, in order of names.

    Links to files that stay in the folder are files; the folder itself may be a link.

    Raises
    ------
    BadInput
        When there is no such path, a file is a pipe, a device or too large, or a link is to a folder or leads out.
    """
    if not path.is_dir():
        size_of(path, "import path", most=MOST_BYTES, allowed="a folder, or a file in it")
        return [path]
    found: list[Path] = []
    for place, folders, files in os.walk(path, onerror=_unreadable):
        for folder in (Path(place, name) for name in folders):
            if folder.is_symlink():
                raise BadInput("import path", str(folder), "no link to a folder: copy what it leads to, or remove it")
        found += [Path(place, name) for name in files if name.endswith(suffix)]
    root = path.resolve()
    for file in found:
        size_of(file, "import path", most=MOST_BYTES)
        if file.is_symlink() and not file.resolve().is_relative_to(root):
            raise BadInput("import path", str(file), "no link out of the tree: copy what it leads to, or remove it")
    return sorted(found)


def _unreadable(error: OSError) -> None:
    raise BadInput("import path", str(error.filename), f"folders that can be read ({error.strerror})") from None

"""Files too large for the package: the folder that keeps them, and whether one is the right one."""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from personae.errors import BadInput
from personae.filing import write_whole

_CHUNK = 1 << 20


class _Checked(Struct, frozen=True):
    """A hash once computed, and of which state of the file."""

    size: int
    mtime_ns: int
    sha256: str


def cache_folder() -> Path:
    """The folder that keeps model files.

    ``PERSONAE_CACHE``, else ``XDG_CACHE_HOME/personae``, else what the platform uses: ``~/Library/Caches``,
    ``%LOCALAPPDATA%`` or ``~/.cache``, with ``personae`` below it.
    """
    if own := os.environ.get("PERSONAE_CACHE"):
        return Path(own).expanduser()
    if xdg := os.environ.get("XDG_CACHE_HOME"):
        return Path(xdg).expanduser() / "personae"
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "personae"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "personae" / "Cache"
    return home / ".cache" / "personae"


def file_hash(path: Path, *, note: Path | None = None) -> str:
    """The SHA-256 of a file, in hexadecimal; remembered for as long as the file's size and time stay the same.

    Parameters
    ----------
    path : Path
        The file.
    note : Path, optional
        Where the hash is remembered; None means beside the file, which suits a file of our own.
    """
    note = note or path.with_name(path.name + ".checked.json")
    state = path.stat()
    try:
        checked = msgspec.json.decode(note.read_bytes(), type=_Checked)
    except (OSError, msgspec.DecodeError):
        checked = _Checked(-1, -1, "")  # never checked: no file, or one that somebody broke, is the same as none
    if (checked.size, checked.mtime_ns) == (state.st_size, state.st_mtime_ns):
        return checked.sha256
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return remember_hash(path, digest.hexdigest(), note=note)


def package_file_hash(path: Path) -> str:
    """The SHA-256 of a file that belongs to somebody else; remembered in the cache folder, not beside the file."""
    name = hashlib.sha256(str(path.absolute()).encode()).hexdigest()
    return file_hash(path, note=cache_folder() / "checked" / f"{name}.json")


def remember_hash(path: Path, sha256: str, *, note: Path | None = None) -> str:
    """Write down the hash of a file; where nothing can be written it is computed each time."""
    note = note or path.with_name(path.name + ".checked.json")
    state = path.stat()
    text = msgspec.json.encode(_Checked(state.st_size, state.st_mtime_ns, sha256))
    with suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        write_whole(note, text)
    return sha256


def verify(path: Path, found: str, expected: str, then: str) -> None:
    """Refuse a file whose hash is not the expected one.

    Raises
    ------
    BadInput
        With both hashes, and ``then``: what to do.
    """
    if found != expected:
        raise BadInput(f"file {path}", f"sha256 {found}", f"expected {expected}; {then}")

"""Files of others are read within limits; files of ours are written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from personae.errors import BadInput

MOST_BYTES = 64 << 20
"""How large a file that a user gives may be, where its reader names no other limit."""


def size_of(path: Path, field: str, *, most: int = MOST_BYTES, allowed: str = "a readable file") -> int:
    """The size in bytes of a regular file that is no larger than ``most``.

    Parameters
    ----------
    path : Path
        The file, or a link to one.
    field : str
        The option or field that named it.
    most : int
        Bytes.
    allowed : str
        What would have been accepted.

    Raises
    ------
    BadInput
        When there is none, it is a folder, a pipe or a device, or it is larger.
    """
    try:
        state = path.stat()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = error.strerror if isinstance(error, OSError) else "no file has such a name"
        raise BadInput(field, str(path), f"{allowed} ({why})") from None
    if not stat.S_ISREG(state.st_mode):
        kind = "a folder" if stat.S_ISDIR(state.st_mode) else "a pipe, a socket or a device"
        raise BadInput(field, str(path), f"{allowed} ({kind} is there)")
    if state.st_size > most:
        raise BadInput(field, str(path), f"{allowed} of at most {most:,} bytes ({state.st_size:,} found)")
    return state.st_size


def read_bytes(path: Path, field: str, *, most: int = MOST_BYTES, allowed: str = "a readable file") -> bytes:
    """Read a whole file, which is a regular one and no larger than ``most`` bytes.

    Raises
    ------
    BadInput
        As `size_of`, and when it cannot be read.
    """
    size_of(path, field, most=most, allowed=allowed)
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)  # it may grow while it is read
    except OSError as error:
        raise BadInput(field, str(path), f"{allowed} ({error.strerror})") from None
    if len(content) > most:
        raise BadInput(field, str(path), f"{allowed} of at most {most:,} bytes")
    return content


def read_text(path: Path, field: str, *, most: int = MOST_BYTES, allowed: str = "a readable file of UTF-8 text") -> str:
    """Read a whole file of UTF-8 text, with or without a byte order mark.

    Raises
    ------
    BadInput
        As `read_bytes`, and when it is no UTF-8.
    """
    content = read_bytes(path, field, most=most, allowed=allowed)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(field, str(path), f"{allowed} (byte {error.start + 1:,} is not UTF-8)") from None


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A new file beside ``path`` to write into, which takes its place when the context ends without an error.

    Whoever reads ``path`` meanwhile, and whoever looks after a kill, finds the old file or the new one, never a part. A
    link at ``path`` is replaced; what it points to is not touched.

    Raises
    ------
    OSError
        When the folder cannot be written to.
    """
    part = path.with_name(f".{path.name[:80]}.{token_hex(4)}.part")
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())  # it lies on the disk before it has its name
        part.replace(path)
    except BaseException:
        with suppress(OSError):  # the folder may be gone, which is then the error
            part.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file whole or not at all; text as UTF-8 with its line ends as they are.

    Raises
    ------
    OSError
        When the folder cannot be written to.
    """
    with written_whole(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


def own_folder(root: Path, *names: str) -> Path:
    """A folder below ``root`` by its names, made where it is missing; none of them may be a link.

    Raises
    ------
    BadInput
        When one is a link or a file, or cannot be made.
    """
    folder = root
    for name in names:
        folder = folder / name
        _no_link(folder)
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            why = "a file is there" if isinstance(error, FileExistsError) else error.strerror
            raise BadInput("folder", str(folder), f"a folder that can be made ({why})") from None
    return folder


def own_file(root: Path, name: str) -> Path:
    """A file below ``root``: neither it nor a folder on the way from ``root`` to it may be a link, nor lead out.

    Parameters
    ----------
    root : Path
        A folder of somebody's; links on the way to it are the user's own.
    name : str
        Relative to ``root``, as something in that folder names it.

    Raises
    ------
    BadInput
        When it leads out of the folder or is a link; a file that is missing is none of the two.
    """
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        raise BadInput("run folder", name, f"a file inside {root}")
    path = root
    for part in parts:
        path = path / part
        _no_link(path)
    return path


def _no_link(path: Path) -> None:
    if path.is_symlink():
        raise BadInput("run folder", str(path), "a folder without links in it: remove the link")

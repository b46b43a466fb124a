"""Files of others are read within limits; files of ours are written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from glob import escape
from pathlib import Path
from secrets import token_hex

from personae.errors import BadInput

MOST_BYTES = 64 << 20
"""How large a file that a user gives may be, where its reader names no other limit."""

_WINDOWS = sys.platform == "win32"
_LETTERS = 60
"""Of a file's name within that of a part: with four bytes each they fit into the 255 of a file system."""


def lock(file: int) -> None:
    """Take the operating system's lock on an open file, which ends with the process.

    Parameters
    ----------
    file : int
        Its descriptor; the caller opened it, and closes it to give the lock back.

    Raises
    ------
    BlockingIOError
        When somebody else holds it.
    OSError
        When the file system has no locks.
    """
    from filelock import lock_descriptor  # most commands take no lock, and need not wait for its import

    if not lock_descriptor(file, blocking=False):
        raise BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK))


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


PartOf = Callable[[Path], Path]
"""From where a file is to stand to the new file beside it to write into."""


@contextmanager
def written_together() -> Iterator[PartOf]:
    """New files beside their places, which take them in quick succession when the context ends without an error.

    Gives a function from where a file is to stand to the new file to write into. Whoever reads meanwhile, and whoever
    looks after a kill, finds each file old or new, never a part; what fails before the end leaves all of them old. A
    link at a place is replaced; what it points to is not touched. What killed writers of the same files left is
    removed.

    Raises
    ------
    OSError
        When a folder cannot be written to.
    """
    with ExitStack() as ending:
        begun: list[_Part] = []

        def part_of(path: Path) -> Path:
            begun.append(_Part(path))
            ending.callback(begun[-1].drop)
            return begun[-1].path

        yield part_of
        for part in begun:
            part.sync()
        for part in begun:
            part.settle()


@contextmanager
def joining(part_of: PartOf | None) -> Iterator[PartOf]:
    """The files that are being written together, or where there are none such, new ones."""
    if part_of is not None:
        yield part_of
        return
    with written_together() as own:
        yield own


class _Part:
    """A new file beside its place, held open and locked for as long as its writer lives."""

    def __init__(self, place: Path) -> None:
        remove_parts(place.parent, place.name)
        self._place = place
        self._file: int | None = None
        while self._file is None:
            self.path = place.with_name(f".{place.name[:_LETTERS]}.{token_hex(4)}.part")
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
            if not _WINDOWS:  # there a file that is open cannot be removed, but a lock would keep its writer out
                with suppress(OSError):  # a file system without locks: nobody can take it for left behind
                    lock(self._file)
            if not self.path.exists():  # it was taken for left behind before it was locked
                self._let_go()

    def sync(self) -> None:
        """Have it lie on the disk before it has its name."""
        with self.path.open("rb") as file:
            os.fsync(file.fileno())

    def settle(self) -> None:
        """Take its place."""
        if _WINDOWS:
            self._let_go()  # a file that is open cannot be renamed there
        self.path.replace(self._place)
        self._let_go()

    def drop(self) -> None:
        """Remove it, unless it has its place."""
        if self._file is not None:
            if _WINDOWS:
                self._let_go()
            with suppress(OSError):  # the folder may be gone, which is then the error
                self.path.unlink(missing_ok=True)
            self._let_go()

    def _let_go(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def remove_parts(folder: Path, name: str = "") -> None:
    """Remove what killed writers of a file, or of any file in a folder, left of it; what is being written stays."""
    for part in folder.glob(f".{escape(name[:_LETTERS]) or '*'}.????????.part"):
        with suppress(OSError):
            _remove_part(part)


def _remove_part(part: Path) -> None:
    if _WINDOWS:
        part.unlink()
        return
    file = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        lock(file)
        part.unlink()
    finally:
        os.close(file)


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A new file beside ``path`` to write into, which takes its place when the context ends without an error.

    Raises
    ------
    OSError
        As `written_together`, of which it is the case of one file.
    """
    with written_together() as part_of:
        yield part_of(path)


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

    What lies there is a regular file, or nothing.

    Parameters
    ----------
    root : Path
        A folder of somebody's; links on the way to it are the user's own.
    name : str
        Relative to ``root``, as something in that folder names it.

    Raises
    ------
    BadInput
        When it leads out of the folder, has a name that no file can have, is a link, a folder, a pipe or a device; a
        file that is missing is none of these.
    """
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        raise BadInput("run folder", name, f"a file inside {root}")
    path = root
    for part in parts:
        path = path / part
        _no_link(path)
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "a pipe, a socket or a device"
        raise BadInput("run folder", str(path), f"a file ({kind} is there)")
    return path


def _no_link(path: Path) -> None:
    try:
        link = path.is_symlink()
    except OSError as error:  # a name that is too long, among others
        raise BadInput("run folder", str(path), f"a file that can be looked for ({error.strerror})") from None
    if link:
        raise BadInput("run folder", str(path), "a folder without links in it: remove the link")

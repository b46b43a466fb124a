"""One sitting at a time: two runs that ask into the same folder would ask, and pay, everything twice."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from personae.errors import BadInput

LOCK = "run.lock"

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Sitting:
    """The right to ask into a run's folder, which one process, or one part of one, has at a time.

    It is the operating system's lock on an empty file in the folder, so it ends with the process, however that ends.
    Whoever only reads does not need it.

    Parameters
    ----------
    folder : Path
        The run's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file: int | None = None

    def begin(self) -> None:
        """Take the lock, if this sitting does not have it yet; the folder must exist.

        Raises
        ------
        BadInput
            When another sitting has it, or the folder cannot be written to.
        """
        if self._file is not None:
            return
        try:
            file = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise BadInput("run folder", str(self.folder), f"a folder that can be written to ({error})") from None
        try:
            _lock(file)
        except OSError as error:
            os.close(file)
            # On Windows a held lock is a PermissionError.
            if isinstance(error, BlockingIOError | PermissionError):
                allowed = "another run is asking into this folder: wait for its end, or name another folder"
            else:
                allowed = f"a folder on a file system with locks ({error.strerror})"
            raise BadInput("run folder", str(self.folder), allowed) from None
        self._file = file

    def end(self) -> None:
        """Give the lock back, where there is one."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Sitting:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

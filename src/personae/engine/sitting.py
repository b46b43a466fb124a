"""One sitting at a time: two runs that ask into the same folder would ask, and pay, everything twice."""

from __future__ import annotations

import os
from pathlib import Path

from personae.errors import BadInput, PersonaeError
from personae.filing import lock, own_file

LOCK = "run.lock"


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
        self._known = (0, 0)

    def begin(self) -> None:
        """Take the lock, if this sitting does not have it yet; the folder must exist.

        Raises
        ------
        BadInput
            When another sitting has it, or the folder cannot be written to.
        """
        if self._file is not None:
            return
        path = own_file(self.folder, LOCK)
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except OSError as error:
            raise BadInput("run folder", str(self.folder), f"a folder that can be written to ({error})") from None
        try:
            lock(file)
        except OSError as error:
            os.close(file)
            if isinstance(error, BlockingIOError):
                allowed = "another run is asking into this folder: wait for its end, or name another folder"
            else:
                allowed = f"a folder on a file system with locks ({error.strerror})"
            raise BadInput("run folder", str(self.folder), allowed) from None
        self._file, self._known = file, _identity(os.fstat(file))
        self.check()

    def check(self) -> None:
        """See that the lock file in the folder is still the one that this sitting holds; cheap, for every batch.

        Whoever removes it, or the folder, lets a second run begin that asks everything twice.

        Raises
        ------
        PersonaeError
            When the file or the folder is gone, or another one has its name.
        """
        if self._file is None:
            return
        path = self.folder / LOCK
        try:
            found = _identity(path.lstat())
        except OSError as error:
            raise PersonaeError(
                f"{path} is gone while a run asks into its folder ({error.strerror}): the run stops here, so that no"
                " second one asks the same; run the same command to go on"
            ) from None
        if found != self._known:
            raise PersonaeError(
                f"{path} is no longer the file that this run locked: the folder or the file was replaced while the run"
                " asks, and the run stops here, so that no second one asks the same"
            )

    def end(self) -> None:
        """Give the lock back, where there is one."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Sitting:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def _identity(state: os.stat_result) -> tuple[int, int]:
    return state.st_dev, state.st_ino

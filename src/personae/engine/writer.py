"""The one writer of a store: rows gather, and are committed several times a second.

Whatever keeps a row from being kept ends the run: the next row put, and at the latest the end of the sitting, raise
`NotKept`, which names what is not in the file.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from personae.errors import NotKept

FLUSH = 0.15
_NAMED = 3

Rows = dict[str, list[tuple[Any, ...]]]


class Writer:
    """Write rows to a file in batches.

    Parameters
    ----------
    connection : sqlite3.Connection
        Used by this writer alone, and closed with it.
    path : Path
        The file: that it is still the one behind the connection is checked at every batch.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self._path = connection, path
        self._queues: Rows = {}
        self._waiting_since = 0.0
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._failed: NotKept | None = None
        self._closed = False
        self._place = _place(path)
        self.guards: list[Callable[[], None]] = []
        """Called before every batch is written; what they raise ends the run."""
        self._thread = threading.Thread(target=self._write_what_is_left, name="store-writer", daemon=True)
        self._thread.start()

    def put(self, statement: str, row: tuple[Any, ...]) -> None:
        """Add a row to the batch.

        Raises
        ------
        NotKept
            When an earlier one could not be written.
        """
        if self._failed:
            raise self._failed
        now = time.monotonic()
        with self._lock:
            if not self._queues:
                self._waiting_since = now
            queue = self._queues.get(statement)
            if queue is None:
                queue = self._queues[statement] = []
            queue.append(row)
            if now - self._waiting_since > FLUSH:
                self._commit()

    def drop(self, statement: str) -> None:
        """Forget the rows of a statement that were not written yet."""
        with self._lock:
            self._queues.pop(statement, None)

    def flush(self) -> None:
        """Write what has gathered, now; returns when it is written.

        Raises
        ------
        NotKept
            When it cannot be.
        """
        with self._lock:
            self._commit()
        if self._failed:
            raise self._failed

    @contextmanager
    def at_once(self) -> Iterator[sqlite3.Connection]:
        """One transaction for statements that belong together, apart from the batches.

        Raises
        ------
        NotKept
            When it cannot be written; then none of it is.
        """
        with self._lock:
            try:
                self._check_place()
                with self._connection:
                    self._connection.execute("BEGIN IMMEDIATE")
                    yield self._connection
            except sqlite3.Error as error:
                raise NotKept(f"run.db cannot be written: {error}") from error

    def close(self) -> None:
        """Write what is left and close the connection.

        Raises
        ------
        NotKept
            When something could not be written.
        """
        self._stop.set()
        with self._lock:
            if not self._closed:
                self._commit()
                self._closed = True
                self._connection.close()
        if self._failed:
            raise self._failed

    def _write_what_is_left(self) -> None:
        """Commit what no later row has pushed out.

        While answers come fast, whoever puts a row commits the batch: a second thread would wait for the interpreter at
        every row of it, fall behind, and let the queue grow.
        """
        while not self._stop.wait(FLUSH / 2):
            with self._lock:
                if self._queues and not self._closed and time.monotonic() - self._waiting_since > FLUSH:
                    self._commit()

    def _commit(self) -> None:
        """Write every queued row in one transaction; what goes wrong is kept for whoever puts the next row."""
        queues, self._queues = self._queues, {}
        if not queues or self._closed:
            return
        try:
            self._check_place()
            self._write(queues)
        except (KeyboardInterrupt, SystemExit):
            self._queues = queues  # rolled back: it is written by the next batch
            raise
        except BaseException as error:
            self._fail(str(error) or type(error).__name__, queues)

    def _write(self, queues: Rows) -> None:
        try:
            with self._connection:
                for statement, rows in queues.items():
                    self._connection.executemany(statement, rows)
        except sqlite3.OperationalError:
            raise
        except (sqlite3.Error, ValueError, TypeError, OverflowError) as error:
            self._write_one_by_one(queues, error)

    def _write_one_by_one(self, queues: Rows, error: Exception) -> None:
        """Where one row is no row for this file, the others are kept all the same."""
        left: Rows = {}
        with self._connection:
            for statement, rows in queues.items():
                for row in rows:
                    try:
                        self._connection.execute(statement, row)
                    except sqlite3.OperationalError:
                        raise
                    except (sqlite3.Error, ValueError, TypeError, OverflowError):
                        left.setdefault(statement, []).append(row)
        if left:
            self._fail(str(error), left)

    def _check_place(self) -> None:
        if _place(self._path) != self._place:
            raise NotKept("it was removed, moved or replaced by another while it was being written")
        for guard in self.guards:
            guard()

    def _fail(self, why: str, queues: Rows) -> None:
        lost = [row for rows in queues.values() for row in rows]
        names = [" ".join(str(part) for part in row[:2] if isinstance(part, str)) for row in lost]
        named = [name for name in names if name][:_NAMED]
        what = "1 row is" if len(lost) == 1 else f"{len(lost)} rows are"
        beside = f" ({', '.join(named)}{' …' if len(lost) > len(named) else ''})" if named else ""
        self._failed = NotKept(f"run.db cannot be written: {why}; {what} not kept{beside}")


def _place(path: Path) -> tuple[int, int] | None:
    """Which file lies there, whatever its name."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_dev, state.st_ino

"""A cache by content: the same text is encoded once by one encoder, in this process and, with a file, in the next."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from personae.embedding.base import Encoded, Floats, nothing

_SLICE = 1024  # so many at a time are encoded and then kept: an interruption costs at most these
_ASKED = 500  # keys in one query

_Row = tuple[bytes, bytes]  # the vector, and what was missing as JSON


class VectorCache:
    """Vectors by the identity of the encoder and the content of what was encoded.

    Parameters
    ----------
    path : Path, optional
        An SQLite file that keeps everything; None keeps it for this process alone.
    limit : int
        How many bytes of vectors to hold in memory; the longest unused go first.
    """

    def __init__(self, path: Path | None = None, *, limit: int = 256_000_000) -> None:
        self._limit, self._bytes = limit, 0
        self._rows: OrderedDict[bytes, _Row] = OrderedDict()
        self._lock = threading.Lock()
        self._file: sqlite3.Connection | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, check_same_thread=False, timeout=60)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB, missing BLOB)")

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def through(
        self,
        identity: str,
        contents: Sequence[tuple[object, ...]],
        dim: int,
        compute: Callable[[Sequence[int]], Encoded],
    ) -> Encoded:
        """Rows for ``contents``, of which only those never seen are computed, each once.

        Parameters
        ----------
        identity : str
            Of the encoder: of its weights and of how they are read.
        contents : sequence of tuple
            What decides each row: a text; a text, a span and a pooling.
        dim : int
            Length of a vector.
        compute : callable
            From positions in ``contents`` to their rows.
        """
        keys = [self._key(identity, content) for content in contents]
        with self._lock:
            rows = self._known(set(keys))
            first: dict[bytes, int] = {}
            for at, key in enumerate(keys):
                if key not in rows:
                    first.setdefault(key, at)
            new = list(first.values())
            for begin in range(0, len(new), _SLICE):
                part = new[begin : begin + _SLICE]
                rows |= self._keep([keys[at] for at in part], compute(part))
        return _encoded([rows[key] for key in keys], dim)

    @staticmethod
    def _key(identity: str, content: tuple[object, ...]) -> bytes:
        return blake2b(msgspec.json.encode((identity, *content)), digest_size=16).digest()

    def _known(self, keys: set[bytes]) -> dict[bytes, _Row]:
        found = {key: self._rows[key] for key in keys if key in self._rows}
        for key in found:
            self._rows.move_to_end(key)
        if self._file is not None:
            asked = [key for key in keys if key not in found]
            for begin in range(0, len(asked), _ASKED):
                part = asked[begin : begin + _ASKED]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, vector, missing FROM vectors WHERE key IN ({marks})"
                found |= {key: (vector, missing) for key, vector, missing in self._file.execute(query, part)}
        return found

    def _keep(self, keys: list[bytes], encoded: Encoded) -> dict[bytes, _Row]:
        rows = {
            key: (vector.tobytes(), msgspec.json.encode(missing))
            for key, vector, missing in zip(keys, encoded.vectors, encoded.missing, strict=True)
        }
        if self._file is not None:
            with self._file:
                values = [(key, *row) for key, row in rows.items()]
                self._file.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", values)
        for key, row in rows.items():
            self._rows[key] = row
            self._bytes += len(row[0])
        while self._bytes > self._limit:
            _, (vector, _) = self._rows.popitem(last=False)
            self._bytes -= len(vector)
        return rows


def _encoded(rows: list[_Row], dim: int) -> Encoded:
    vectors: Floats = nothing(len(rows), dim)
    for at, (vector, _) in enumerate(rows):
        vectors[at] = np.frombuffer(vector, dtype=np.float32)
    return Encoded(vectors, tuple(msgspec.json.decode(missing, type=tuple[str, ...]) for _, missing in rows))

"""Save what can be read of a damaged run into a new folder.

Answers are taken row by row, each only where its checksum and its prompt's hash fit; what is left is what a later
sitting asks. Outcomes are not taken over: they are coded again from the answers.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from personae.engine.keys import fingerprint, item_key
from personae.engine.schema import NO_DATABASE, SUMMED, TABLES, check_links, columns, connect, create, insert, row_sum
from personae.engine.store import Store
from personae.errors import BadInput
from personae.making import is_run
from personae.run import create_run, open_run, spec_in
from personae.score import rescore
from personae.spec import AuditSpec

_MAGIC = b"SQLite format 3\0"
"""How every database begins. Source: https://www.sqlite.org/fileformat2.html, section 1.2."""
_SAVED = ("response", "recorded", "meta")
Row = tuple[Any, ...]


class Repaired(Struct, frozen=True):
    """What a repair came to."""

    saved: int
    damaged: tuple[str, ...]
    """Model and key of each answer that was seen and not saved."""
    unread: bool
    """Whether a part of the file could not be read, so that answers may be missing that nothing names."""


def repair(folder: Path, out: Path) -> Repaired:
    """Save what can be read of a run's answers into a new folder, and code it.

    Parameters
    ----------
    folder : Path
        The damaged run; it is left as it is.
    out : Path
        A new or empty folder. Asking into it asks only the rest.

    Raises
    ------
    BadInput
        When there is no run with a readable spec, or the new folder holds something.
    """
    spec, source = spec_in(folder), folder / "run.db"
    if is_run(out):
        raise BadInput("output folder", str(out), "a new or empty folder; a run is in it")
    check_links(source)
    if not source.is_file():
        raise BadInput("run folder", str(folder), "a folder with a run.db")
    with closing(_Source(source)) as damaged:
        run = create_run(out, spec)
        try:
            saved = _save(damaged, run.store, spec)
        finally:
            run.close()
    with open_run(out, writable=True) as whole:
        rescore(whole)
    return saved


class _Source:
    """A damaged file, read as far as it goes.

    Parameters
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self.broken: set[str] = set()
        self._folder = TemporaryDirectory(prefix="personae-repair-")
        try:
            self._connection = self._opened(path)
            self._connection.text_factory = lambda text: text.decode(errors="replace")
            self.summed = "sum" in [row[1] for row in self._connection.execute("PRAGMA table_info(response)")]
        except NO_DATABASE as error:
            self._folder.cleanup()
            raise BadInput("run.db", str(path), f"a database, of which a part may be damaged ({error})") from error

    def _opened(self, path: Path) -> sqlite3.Connection:
        try:
            return connect(path, writable=False)
        except NO_DATABASE:
            # Only the list of tables, at the file's beginning, is needed to open it, and what it says is known.
            copy = Path(self._folder.name) / "run.db"
            for beside in ("", "-wal"):
                if (part := path.with_name(path.name + beside)).exists():
                    shutil.copyfile(part, copy.with_name(copy.name + beside))
            with copy.open("r+b") as file:
                file.write(_MAGIC)
            _restore_schema(copy)
            self.broken.add("sqlite_master")
            return connect(copy, writable=False)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
        self._folder.cleanup()

    def rows(self, table: str, keys: Iterable[Row] = ()) -> Iterator[Row]:
        """Every row that can be read, from both ends of a table, then by its items' keys; some may come twice."""
        order = "model, key" if columns(table)[0] == "model" else "key"
        whole = yield from self._scan(f"SELECT * FROM {table} ORDER BY {order}")
        if not whole:
            self.broken.add(table)
            yield from self._scan(f"SELECT * FROM {table} ORDER BY {order.replace(',', ' DESC,')} DESC")
            for model, key in keys:
                yield from self._scan(
                    f"SELECT * FROM {table} WHERE model=? AND key>=? AND key<?", (model, key + "#", key + "$")
                )

    def prompt(self, digest: bytes) -> str | None:
        """The messages kept under a hash, if they are the ones that have it."""
        rows: list[Row] = list(self._scan("SELECT messages FROM prompt WHERE hash=?", (digest,)))
        fits = rows and blake2b(rows[0][0].encode(), digest_size=16).digest() == digest
        return rows[0][0] if fits else None

    def _scan(self, query: str, values: Row = ()) -> Generator[Row, None, bool]:
        try:
            yield from self._connection.execute(query, values)
        except NO_DATABASE:
            return False
        return True


def _restore_schema(path: Path) -> None:
    """Write the list of tables anew, in the order in which every run.db has them."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.text_factory = bytes
        connection.execute("PRAGMA writable_schema=ON")
        rows = [row for (row,) in connection.execute("SELECT rowid FROM sqlite_master ORDER BY rowid")]
        for row, table in zip(rows, TABLES, strict=False):
            values = ("table", table, table, create(table), row)
            connection.execute("UPDATE sqlite_master SET type=?, name=?, tbl_name=?, sql=? WHERE rowid=?", values)


def _save(source: _Source, store: Store, spec: AuditSpec) -> Repaired:
    damaged: set[str] = set()
    prompts: dict[bytes, bool] = {}
    for table in _SAVED:
        keys = _item_keys(store, spec) if table == "response" else ()
        for row in source.rows(table, keys):
            own = row[:-1] if source.summed else row
            good = _fits(table, row, source)
            if table == "response":
                good = good and _prompt_saved(own, source, store, prompts)
                if not good:
                    damaged.add(f"{row[0]} {row[1]}")
            if good and own[:1] != ("schema",):
                store.writer.put(insert(table), (*own, row_sum(own)))
    store.flush()
    saved = store.rows("SELECT count(*) FROM response")[0][0]
    return Repaired(saved=saved, damaged=tuple(sorted(damaged)), unread=bool(source.broken))


def _fits(table: str, row: Row, source: _Source) -> bool:
    if not source.summed:
        return table != "response" or fingerprint(row[3], row[4]) == row[2]
    return table in SUMMED and row_sum(row[:-1]) == row[-1]


def _prompt_saved(row: Row, source: _Source, store: Store, known: dict[bytes, bool]) -> bool:
    """Take an answer's prompt over, once; False where it is lost."""
    digest = row[3]
    if not isinstance(digest, bytes):
        return False
    if digest not in known:
        messages = source.prompt(digest)
        known[digest] = messages is not None
        if messages is not None:
            store.writer.put(insert("prompt", verb="INSERT OR IGNORE"), (digest, messages))
    return known[digest]


def _item_keys(store: Store, spec: AuditSpec) -> Iterator[Row]:
    """Model and key of every item of the design; generated only where a table cannot be read through."""
    from personae.run import Run

    run = Run(store.path.parent, spec, store)
    for model in spec.models:
        for study in run.studies(model):
            for item in study.items():
                yield model, item_key(item, study.version)

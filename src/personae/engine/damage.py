"""What in a store is no longer what was written: found by checksums and hashes, named, and left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from personae.engine.schema import NO_DATABASE, SUMMED, columns, connect, row_sum, types_of
from personae.errors import Damaged
from personae.types import Item, TokenLogprob

_NAMED = 5
_KINDS = {"response": "answer", "outcome": "outcome", "recorded": "recorded item", "failure": "failure", "meta": "note"}


_TYPES = {table: types_of(table) for table in SUMMED}
_object = msgspec.json.Decoder(dict[str, Any]).decode
_JSON: dict[str, tuple[tuple[int, Callable[[str], object]], ...]] = {
    "response": ((columns("response").index("logprobs"), msgspec.json.Decoder(tuple[TokenLogprob, ...]).decode),),
    "outcome": tuple((columns("outcome").index(name), _object) for name in ("facts", "detail")),
    "recorded": ((columns("recorded").index("item"), msgspec.json.Decoder(Item).decode),),
}
"""Columns that hold JSON, by their places."""


class Damage(Struct, frozen=True):
    """Rows that are not what was written, by table: a pair of model and key each, or the key of a note.

    ``response`` also names the answers whose prompt is missing or another.
    """

    rows: dict[str, tuple[tuple[str, ...], ...]] = {}

    def __bool__(self) -> bool:
        return any(self.rows.values())

    def of(self, table: str) -> frozenset[tuple[str, ...]]:
        """The damaged rows of a table."""
        return frozenset(self.rows.get(table, ()))

    @property
    def items(self) -> frozenset[tuple[str, str]]:
        """Model and key of the items that have a damaged answer."""
        return frozenset((model, key.rpartition("#")[0]) for model, key in self.of("response"))

    def sentences(self) -> list[str]:
        """One sentence for each kind of row, which names the first of them."""
        said = []
        for table, rows in self.rows.items():
            if rows:
                kind = _KINDS[table]
                what = f"1 {kind} is" if len(rows) == 1 else f"{len(rows):,} {kind}s are"
                named = ", ".join(" ".join(row) for row in rows[:_NAMED]) + (" …" if len(rows) > _NAMED else "")
                said.append(f"{what} damaged in run.db and left out: {named}")
        return said


def find_damage(path: Path, version: int) -> Damage:
    """Check every row of a store against its checksum, and every prompt against its hash.

    A file of version 1 has no checksums: only its prompts and its structure are checked.

    Raises
    ------
    Damaged
        When the file is so damaged that SQLite cannot read all of it.
    """
    connection = connect(path, writable=False)
    try:
        # A text that is no UTF-8 any more must not stop the check that is to name it.
        connection.text_factory = _replacing
        said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if said != "ok":
            raise sqlite3.DatabaseError(" ".join(said.split()))
        rows = {table: tuple(_damaged(connection, table)) for table in SUMMED} if version > 1 else {}
        answers = dict.fromkeys((*rows.get("response", ()), *_without_prompt(connection)))
        return Damage({**rows, "response": tuple(sorted(answers))})
    except NO_DATABASE as error:
        raise Damaged(
            f"{path} is damaged ({error}): `personae repair {path.parent} -o NEW` saves what can be read of it"
        ) from error
    finally:
        connection.close()


_LOOKED_UP = {"response": "model, key", "recorded": "model, key", "failure": "model, key"}


def copy_to_look_up(connection: sqlite3.Connection, damage: Damage) -> None:
    """Have a connection read copies of the damaged tables in which rows are looked up, and of their prompts.

    A row whose key is damaged stands where its key was, and whoever looks for another by halving what is left may be
    led past it: rows that are what was written would not be found.
    """
    tables = {table: key for table, key in _LOOKED_UP.items() if damage.of(table)}
    if "response" in tables:
        tables["prompt"] = "hash"
    for table, key in tables.items():
        connection.execute(f"DROP TABLE IF EXISTS temp.{table}")
        connection.execute(f"CREATE TEMP TABLE {table} AS SELECT * FROM main.{table}")
        connection.execute(f"CREATE INDEX temp.{table}_by_key ON {table} ({key})")


def _replacing(text: bytes) -> str:
    return text.decode(errors="replace")


def _damaged(connection: sqlite3.Connection, table: str) -> Iterator[tuple[str, ...]]:
    names = columns(table)
    keys = 2 if names[0] == "model" else 1
    for row in connection.execute(f"SELECT {', '.join(names)}, sum FROM {table}"):
        if not (fits(row) and holds(row, table)):
            yield tuple(str(part) for part in row[:keys])


def fits(row: tuple[Any, ...]) -> bool:
    """Whether a row, its checksum last, is what was written."""
    return bool(row_sum(row[:-1]) == row[-1])


def holds(row: tuple[Any, ...], table: str) -> bool:
    """Whether every value of a row is of the type of its column, and JSON where it is JSON: SQLite keeps any in any."""
    try:
        for place, decode in _JSON.get(table, ()):
            if row[place] is not None:
                decode(row[place])
    except (msgspec.DecodeError, TypeError, RecursionError):
        return False
    return all(value is None or isinstance(value, kind) for value, kind in zip(row, _TYPES[table], strict=False))


def _without_prompt(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    broken = [
        digest
        for digest, messages in connection.execute("SELECT hash, messages FROM prompt")
        if not isinstance(messages, str) or blake2b(messages.encode(), digest_size=16).digest() != digest
    ]
    connection.execute("CREATE TEMP TABLE broken (hash BLOB PRIMARY KEY) WITHOUT ROWID")
    connection.executemany("INSERT INTO broken VALUES (?)", [(digest,) for digest in broken])
    yield from connection.execute(
        "SELECT model, key FROM response WHERE prompt IN broken OR prompt NOT IN (SELECT hash FROM prompt)"
    )

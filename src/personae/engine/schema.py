"""The tables of a run's store, its versions, and what else may stand in the file: nothing.

A run.db may be somebody else's. Views and triggers are programs that run when a table is read or written, so a file
that holds one, or any table that is not ours to the letter, is refused before anything of it is read.
"""

from __future__ import annotations

import re
import sqlite3
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from personae.errors import BadInput

VERSION = 2
"""Version 2 keeps a checksum with every row; a file of version 1 gets them when it is first written to."""

_TABLES = {
    "meta": ("key TEXT PRIMARY KEY, value TEXT NOT NULL", ""),
    "prompt": ("hash BLOB PRIMARY KEY, messages TEXT NOT NULL", ""),
    "response": (
        "model TEXT NOT NULL, key TEXT NOT NULL, fingerprint BLOB NOT NULL, prompt BLOB NOT NULL, "
        "params TEXT NOT NULL, text TEXT NOT NULL, reasoning TEXT NOT NULL, finish TEXT NOT NULL, "
        "prompt_tokens INTEGER, completion_tokens INTEGER, logprobs TEXT, cost REAL, latency REAL NOT NULL, "
        "at REAL NOT NULL",
        "PRIMARY KEY (model, key)",
    ),
    "failure": (
        "model TEXT NOT NULL, key TEXT NOT NULL, reason TEXT NOT NULL, at REAL NOT NULL",
        "PRIMARY KEY (model, key)",
    ),
    "outcome": (
        "model TEXT NOT NULL, key TEXT NOT NULL, study TEXT NOT NULL, item TEXT NOT NULL, stimulus TEXT NOT NULL, "
        "persona TEXT, user TEXT, persona_group TEXT, user_group TEXT, wording TEXT, status TEXT NOT NULL, value REAL, "
        "label TEXT, reason TEXT NOT NULL, facts TEXT NOT NULL, detail TEXT NOT NULL",
        "PRIMARY KEY (model, key)",
    ),
    "recorded": (
        "model TEXT NOT NULL, key TEXT NOT NULL, study TEXT NOT NULL, item TEXT NOT NULL",
        "PRIMARY KEY (model, key)",
    ),
}
_TYPES: dict[str, type[Any] | tuple[type[Any], ...]] = {
    "TEXT": str,
    "BLOB": bytes,
    "INTEGER": int,
    "REAL": (float, int),
}
TABLES = tuple(_TABLES)
SUMMED = tuple(name for name in TABLES if name != "prompt")
"""Tables whose rows carry a checksum; a prompt is kept under its own hash."""

NO_DATABASE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What the sqlite3 module raises of a file that is none, or one no more; its messages may hold bytes of that file."""

_LARGEST_VALUE = 256 << 20
_encode = msgspec.msgpack.Encoder().encode


def row_sum(row: tuple[Any, ...]) -> bytes:
    """The checksum of a row: BLAKE2b of its values as the file gives them back, 8 bytes.

    It finds what chance does to a file, not what a forger does.
    """
    return blake2b(_encode(row), digest_size=8).digest()


def columns(table: str) -> tuple[str, ...]:
    """The columns of a table in their order, without the checksum."""
    return tuple(column.split()[0] for column in _TABLES[table][0].split(", "))


def types_of(table: str) -> tuple[type[Any] | tuple[type[Any], ...], ...]:
    """What the values of a table's columns are, where they are anything."""
    return tuple(_TYPES[column.split()[1]] for column in _TABLES[table][0].split(", "))


def create(table: str, version: int = VERSION, name: str = "") -> str:
    """The statement that makes a table, under another name where one is given."""
    own, key = _TABLES[table]
    parts = [own, "sum BLOB" if version > 1 and table in SUMMED else "", key]
    return f"CREATE TABLE {name or table} ({', '.join(filter(None, parts))}) WITHOUT ROWID"


def insert(table: str, *, name: str = "", verb: str = "INSERT OR REPLACE") -> str:
    """The statement that puts a row, checksum and all."""
    places = ",".join("?" * (len(columns(table)) + (table in SUMMED)))
    return f"{verb} INTO {name or table} VALUES ({places})"


def check_links(path: Path) -> None:
    """Refuse a file that is a link, or beside which something stands that SQLite would take for its own.

    Raises
    ------
    BadInput
        Naming it. A rollback journal is none of ours: the store has a write-ahead log from its beginning, and a journal
        made up by somebody can name other files, which SQLite then deletes.
    """
    for ending in ("", "-wal", "-shm"):
        if (beside := path.with_name(path.name + ending)).is_symlink():
            raise BadInput("run.db", str(beside), "a file, not a link")
    journal = path.with_name(path.name + "-journal")
    if journal.is_symlink() or journal.exists():
        raise BadInput("run.db", str(journal), "a run.db without a rollback journal beside it")


def connect(path: Path, *, writable: bool = True) -> sqlite3.Connection:
    """Open the file, with what it holds trusted in nothing.

    Raises
    ------
    sqlite3.DatabaseError or UnicodeDecodeError
        When it cannot be opened (`NO_DATABASE`).
    """
    # A folder that cannot be written to has no room for the log's index: the file is then taken as it lies there.
    for mode in ("mode=rwc",) if writable else ("mode=ro", "immutable=1"):
        where = path.absolute().as_uri() + "?" + mode
        connection = sqlite3.connect(where, timeout=30, check_same_thread=False, uri=True)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
            for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "busy_timeout=30000"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except BaseException as error:
            connection.close()
            passable = isinstance(error, sqlite3.OperationalError) and mode == "mode=ro" and not _locked(path)
            if not passable:
                raise
            continue
        return connection
    raise AssertionError("unreachable")


def _locked(path: Path) -> bool:
    """Whether the log may hold what the file does not: then it must not be passed over."""
    log = path.with_name(path.name + "-wal")
    return log.exists() and log.stat().st_size > 0


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """The version of a file that holds the tables of that version and nothing else.

    Raises
    ------
    BadInput
        When it is of another version, or something else is in it.
    """
    found = "none"
    kinds = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    if any(kind == "table" and name == "meta" for kind, name, _ in kinds):
        _check_table("meta", next(sql for kind, name, sql in kinds if name == "meta"), None, path)
        row = connection.execute("SELECT value FROM meta WHERE key='schema'").fetchone()
        found = row[0] if row else "none"
    if found not in [str(version) for version in range(1, VERSION + 1)]:
        raise BadInput(
            "run.db version",
            found,
            f"version 1 to {VERSION}; score it with the personae that wrote it, or run into a new folder",
        )
    for kind, name, sql in kinds:
        if kind != "table" or name not in TABLES:
            raise BadInput("run.db", f"the {kind} {name}", f"only what personae makes there; {path} holds more")
        _check_table(name, sql, int(found), path)
    if missing := [name for name in TABLES if name not in {name for _, name, _ in kinds}]:
        raise BadInput("run.db", f"no table {missing[0]}", f"every table that personae makes; {path} lacks it")
    return int(found)


def _check_table(name: str, sql: str, version: int | None, path: Path) -> None:
    allowed = [_plain(create(name, known)) for known in ((version,) if version else range(1, VERSION + 1))]
    if _plain(sql) not in allowed:
        raise BadInput("run.db", f"another table {name}", f"the table that personae makes; {path} holds one of its own")


def _plain(sql: str) -> str:
    """A statement without what does not matter in it: white space, quotes, IF NOT EXISTS."""
    return re.sub(r"\s+|\"|IF NOT EXISTS", "", sql or "").lower()


def make(connection: sqlite3.Connection) -> None:
    """Make every table of the newest version in an empty file."""
    connection.execute("PRAGMA journal_mode=WAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for table in TABLES:
            connection.execute(create(table).replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS", 1))
        row = ("schema", str(VERSION))
        connection.execute(insert("meta", verb="INSERT OR IGNORE"), (*row, row_sum(row)))


def renew(connection: sqlite3.Connection) -> None:
    """Give every row of a file of version 1 its checksum, all or none."""
    connection.create_function("row_sum", -1, lambda *row: row_sum(row), deterministic=True)
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("SELECT value FROM meta WHERE key='schema'").fetchone() != ("1",):
            return  # another process was faster
        connection.execute("UPDATE meta SET value=? WHERE key='schema'", (str(VERSION),))
        for table in SUMMED:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN sum BLOB")
            connection.execute(f"UPDATE {table} SET sum=row_sum({', '.join(columns(table))})")


def opened(path: Path, writable: bool) -> tuple[sqlite3.Connection, int]:
    """A connection to read by, and the version of the file: made where there is none, made new where it is written.

    Raises
    ------
    BadInput
        When it is no store, or one of another version.
    """
    connection: sqlite3.Connection | None = None
    fresh = not path.exists()
    try:
        connection = connect(path, writable=writable)
        if fresh:
            make(connection)
        version = version_of(connection, path)
        if writable:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            if version < VERSION:
                renew(connection)
                version = VERSION
    except BaseException as error:
        if connection is not None:
            connection.close()
        if isinstance(error, NO_DATABASE):
            raise BadInput("run.db", str(path), f"a database written by personae ({error})") from error
        raise
    return connection, version

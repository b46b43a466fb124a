"""The run's store: one SQLite file that holds every answer and every outcome.

One connection does all writing and commits what has gathered every `FLUSH` seconds, so a killed process loses at most
that much; readers (also other programs) see a consistent file at any time (write-ahead log).
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from personae.engine.keys import describe_change, fingerprint, prompt_of, sampling
from personae.errors import BadInput, Changed, PersonaeError
from personae.types import Item, Outcome, Response, TokenLogprob, Trial

SCHEMA = 1
FLUSH = 0.15
_REMEMBER = 20_000

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS prompt (hash BLOB PRIMARY KEY, messages TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS response (
  model TEXT NOT NULL, key TEXT NOT NULL, fingerprint BLOB NOT NULL, prompt BLOB NOT NULL, params TEXT NOT NULL,
  text TEXT NOT NULL, reasoning TEXT NOT NULL, finish TEXT NOT NULL, prompt_tokens INTEGER,
  completion_tokens INTEGER, logprobs TEXT, cost REAL, latency REAL NOT NULL, at REAL NOT NULL,
  PRIMARY KEY (model, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failure (
  model TEXT NOT NULL, key TEXT NOT NULL, reason TEXT NOT NULL, at REAL NOT NULL,
  PRIMARY KEY (model, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outcome (
  model TEXT NOT NULL, key TEXT NOT NULL, study TEXT NOT NULL, item TEXT NOT NULL, stimulus TEXT NOT NULL,
  persona TEXT, user TEXT, persona_group TEXT, user_group TEXT, wording TEXT, status TEXT NOT NULL, value REAL,
  label TEXT, reason TEXT NOT NULL, facts TEXT NOT NULL, detail TEXT NOT NULL,
  PRIMARY KEY (model, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS recorded (
  model TEXT NOT NULL, key TEXT NOT NULL, study TEXT NOT NULL, item TEXT NOT NULL,
  PRIMARY KEY (model, key)) WITHOUT ROWID;
"""
_RESPONSE = "INSERT OR REPLACE INTO response VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_PROMPT = "INSERT OR IGNORE INTO prompt VALUES (?,?)"
_OUTCOME = "INSERT OR REPLACE INTO outcome VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_FAILURE = "INSERT OR REPLACE INTO failure VALUES (?,?,?,?)"
_RECORDED = "INSERT OR REPLACE INTO recorded VALUES (?,?,?,?)"

_encode = msgspec.json.Encoder().encode
_decode_logprobs = msgspec.json.Decoder(tuple[TokenLogprob, ...]).decode
_decode_item = msgspec.json.Decoder(Item).decode


class Stored(msgspec.Struct, frozen=True):
    """An answer as it lies in the store, with the fingerprint of the request it answered."""

    fingerprint: bytes
    prompt: bytes
    params: str
    response: Response


class Store:
    """Open or create ``run.db``.

    Parameters
    ----------
    path : Path
        The file; its folder must exist.
    writable : bool
        False opens an existing file for reading only.

    Raises
    ------
    BadInput
        When the file was written by another version of the schema or is no database.
    """

    def __init__(self, path: Path, *, writable: bool = True) -> None:
        self.path = path
        existed = path.exists() and path.stat().st_size > 0
        if not existed and not writable:
            raise BadInput("run folder", str(path.parent), "a folder with a run.db, as `personae run -o DIR` makes it")
        self._read = self._connect()
        try:
            self._check(existed)
            if writable:
                self._read.executescript(_TABLES)
                self._read.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (str(SCHEMA),))
                self._read.commit()
        except sqlite3.DatabaseError as error:
            self._read.close()
            raise BadInput("run.db", str(path), f"a database written by personae ({error})") from error
        self._queues: dict[str, list[tuple[Any, ...]]] = {}
        self._waiting_since = 0.0
        self._prompts: dict[bytes, None] = {}
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._failed: Exception | None = None
        self._write: sqlite3.Connection | None = None
        if writable:
            self._write = self._connect()
            self._write.execute("PRAGMA synchronous=NORMAL")
            self._idler = threading.Thread(target=self._write_what_is_left, name="store-writer", daemon=True)
            self._idler.start()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=30, check_same_thread=False)
        connection.execute("PRAGMA busy_timeout=30000")
        return connection

    def _check(self, existed: bool) -> None:
        if existed:
            found = "none"
            if self._read.execute("SELECT 1 FROM sqlite_master WHERE name='meta'").fetchone():
                row = self._read.execute("SELECT value FROM meta WHERE key='schema'").fetchone()
                found = row[0] if row else "none"
            if found != str(SCHEMA):
                self._read.close()
                raise BadInput(
                    "run.db version",
                    found,
                    f"version {SCHEMA}; score it with the personae that wrote it, or run into a new folder",
                )
        self._read.execute("PRAGMA journal_mode=WAL")
        self._read.execute("PRAGMA synchronous=NORMAL")

    # -- writing -----------------------------------------------------------------------------------------------

    def _put(self, statement: str, row: tuple[Any, ...]) -> None:
        if self._failed:
            raise PersonaeError(f"run.db cannot be written: {self._failed}")
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

    def put_response(self, model: str, key: str, trial: Trial, prompt: tuple[bytes, bytes], response: Response) -> None:
        """Keep an answer."""
        digest, messages = prompt
        if digest not in self._prompts:
            if len(self._prompts) > _REMEMBER:
                self._prompts.clear()
            self._prompts[digest] = None
            self._put(_PROMPT, (digest, messages.decode()))
        params = sampling(trial)
        self._put(
            _RESPONSE,
            (
                model,
                key,
                fingerprint(digest, params),
                digest,
                params,
                response.text,
                response.reasoning,
                response.finish,
                response.prompt_tokens,
                response.completion_tokens,
                _encode(response.logprobs).decode() if response.logprobs else None,
                response.cost,
                response.latency,
                time.time(),
            ),
        )

    def put_outcome(self, model: str, key: str, item: Item, outcome: Outcome) -> None:
        """Keep what an item came to."""
        who = item.condition
        self._put(
            _OUTCOME,
            (
                model,
                key,
                item.study,
                item.id,
                item.stimulus,
                who.persona,
                who.user,
                who.persona_group,
                who.user_group,
                who.wording,
                outcome.status,
                outcome.value,
                outcome.label,
                outcome.reason,
                _encode(item.facts).decode(),
                _encode(outcome.detail).decode(),
            ),
        )

    def put_failure(self, model: str, key: str, reason: str) -> None:
        """Remember that an item could not be asked; a later run asks again."""
        self._put(_FAILURE, (model, key, reason, time.time()))

    def put_recorded(self, model: str, key: str, item: Item) -> None:
        """Keep an item whose answers were recorded elsewhere: it cannot be generated again from the spec."""
        self._put(_RECORDED, (model, key, item.study, _encode(item).decode()))

    def _write_what_is_left(self) -> None:
        """Commit what no later row has pushed out.

        While answers come fast, whoever puts a row commits the batch: a second thread would wait for the interpreter at
        every row of it, fall behind, and let the queue grow.
        """
        while not self._stop.wait(FLUSH / 2):
            with self._lock:
                if self._queues and time.monotonic() - self._waiting_since > FLUSH:
                    self._commit()

    def _commit(self) -> None:
        """Write every queued row in one transaction; a failure is kept for whoever puts the next row."""
        queues, self._queues = self._queues, {}
        if not queues or self._write is None:
            return
        try:
            with self._write:
                for statement, rows in queues.items():
                    self._write.executemany(statement, rows)
        except sqlite3.Error as error:
            self._failed = error

    def flush(self) -> None:
        """Write what has gathered, now; returns when it is written."""
        with self._lock:
            self._commit()
        if self._failed:
            raise PersonaeError(f"run.db cannot be written: {self._failed}")

    def close(self) -> None:
        """Write what is left and close the file."""
        self._stop.set()
        with self._lock:
            self._commit()
            if self._write is not None:
                self._write.close()
                self._write = None
        self._read.close()
        if self._failed:
            raise PersonaeError(f"run.db cannot be written: {self._failed}")

    # -- reading -----------------------------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        """Whether nothing has been answered yet."""
        return self._read.execute("SELECT 1 FROM response LIMIT 1").fetchone() is None

    def answers(self, model: str, item: str) -> dict[str, Stored]:
        """All stored answers of one item by key."""
        rows = self._read.execute(
            "SELECT key, fingerprint, prompt, params, text, reasoning, finish, prompt_tokens, completion_tokens,"
            " logprobs, cost, latency FROM response WHERE model=? AND key>? AND key<?",
            (model, item + "#", item + "$"),
        )
        return {row[0]: Stored(row[1], row[2], row[3], _response(row[4:])) for row in rows}

    def verify(self, key: str, stored: Stored, trial: Trial) -> None:
        """Check that a stored answer belongs to the request now asked.

        Raises
        ------
        Changed
            Naming what differs between the two requests.
        """
        if fingerprint(prompt_of(trial)[0], sampling(trial)) != stored.fingerprint:
            row = self._read.execute("SELECT messages FROM prompt WHERE hash=?", (stored.prompt,)).fetchone()
            change = describe_change(row[0].encode(), stored.params, trial) if row else "its prompt is missing"
            raise Changed(
                f"the stored answer {key} was given to another request: {change}; run into a new folder, or go back to "
                "the version and settings that asked it"
            )

    def recorded(self, model: str, study: str) -> Iterator[Item]:
        """Items of an imported run, in the order of their keys."""
        rows = self._read.execute("SELECT item FROM recorded WHERE model=? AND study=? ORDER BY key", (model, study))
        return (_decode_item(row[0]) for row in rows)

    def failures(self, model: str) -> dict[str, str]:
        """Reasons of the items that could not be asked, by key."""
        return dict(self._read.execute("SELECT key, reason FROM failure WHERE model=?", (model,)).fetchall())

    def get(self, key: str) -> str | None:
        """A value of the run's own notes."""
        row = self._read.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return row[0] if row else None

    def set(self, key: str, value: str) -> None:
        """Set a value of the run's own notes."""
        self._put("INSERT OR REPLACE INTO meta VALUES (?,?)", (key, value))

    def clear_failure(self, model: str, key: str) -> None:
        """Forget a failure once the item was asked after all."""
        self._put("DELETE FROM failure WHERE model=? AND key=?", (model, key))

    @contextmanager
    def recoding(self) -> Iterator[None]:
        """Throw the outcomes away, to code everything again inside; where that fails they are as they were."""
        self.flush()
        self._at_once("CREATE TEMP TABLE kept AS SELECT * FROM outcome", "DELETE FROM outcome")
        try:
            yield
            self.flush()
        except BaseException:
            with self._lock:
                self._queues.pop(_OUTCOME, None)
            self._at_once("DELETE FROM outcome", "INSERT INTO outcome SELECT * FROM kept")
            raise
        finally:
            self._at_once("DROP TABLE kept")

    def _at_once(self, *statements: str) -> None:
        assert self._write is not None, "the store is open for reading alone"
        with self._lock, self._write:
            for statement in statements:
                self._write.execute(statement)

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a read-only query."""
        return self._read.execute(query, values).fetchall()


def _response(row: tuple[Any, ...]) -> Response:
    text, reasoning, finish, prompt_tokens, completion_tokens, logprobs, cost, latency = row
    return Response(
        text=text,
        reasoning=reasoning,
        finish=finish,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        logprobs=_decode_logprobs(logprobs) if logprobs else (),
        cost=cost,
        latency=latency,
    )

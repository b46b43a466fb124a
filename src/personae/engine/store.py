"""The run's store: one SQLite file that holds every answer and every outcome.

One connection does all writing and commits what has gathered several times a second, so a killed process loses at most
that much; readers (also other programs) see a consistent file at any time (write-ahead log). Every row carries a
checksum; what is no longer what was written is named (`Store.damage`) and left out.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from personae.engine.damage import Damage, copy_to_look_up, find_damage, fits
from personae.engine.keys import describe_change, fingerprint, prompt_of, sampling
from personae.engine.schema import check_links, connect, create, insert, opened, row_sum
from personae.engine.writer import Writer
from personae.errors import BadInput, Changed, Damaged
from personae.types import Item, Outcome, Response, TokenLogprob, Trial

_REMEMBER = 20_000

_RESPONSE, _OUTCOME, _FAILURE, _RECORDED = (insert(table) for table in ("response", "outcome", "failure", "recorded"))
_PROMPT = insert("prompt", verb="INSERT OR IGNORE")
_META = insert("meta")
_RECODED = insert("outcome", name="temp.recoded")

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
        When the file was written by another version of the schema, holds something that personae does not make, is
        a link or is no database.
    """

    def __init__(self, path: Path, *, writable: bool = True) -> None:
        self.path = path
        check_links(path)
        if path.exists() and not path.stat().st_size:
            raise BadInput("run.db", str(path), "a database written by personae; this file has 0 bytes")
        if not path.exists() and not writable:
            raise BadInput("run folder", str(path.parent), "a folder with a run.db, as `personae run -o DIR` makes it")
        self._read, self.version = opened(path, writable)
        self._prompts: dict[bytes, None] = {}
        self._outcome = _OUTCOME
        self._writer: Writer | None = None
        if writable:
            connection = connect(path)
            connection.execute("PRAGMA synchronous=NORMAL")
            self._writer = Writer(connection, path)

    # -- writing -----------------------------------------------------------------------------------------------

    @property
    def writer(self) -> Writer:
        """What writes; only where the store was opened for writing."""
        assert self._writer is not None, "the store is open for reading alone"
        return self._writer

    def _put(self, statement: str, *row: Any) -> None:
        try:
            checksum = row_sum(row)
        except (OverflowError, TypeError, ValueError):
            checksum = None  # no row for this file: the writer will find the same, name it and end the run
        self.writer.put(statement, (*row, checksum))

    def put_response(self, model: str, key: str, trial: Trial, prompt: tuple[bytes, bytes], response: Response) -> None:
        """Keep an answer."""
        digest, messages = prompt
        if digest not in self._prompts:
            if len(self._prompts) > _REMEMBER:
                self._prompts.clear()
            self._prompts[digest] = None
            self.writer.put(_PROMPT, (digest, messages.decode()))
        params = sampling(trial)
        self._put(
            _RESPONSE,
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
            _real(response.cost),
            _real(response.latency) or 0.0,
            time.time(),
        )

    def put_outcome(self, model: str, key: str, item: Item, outcome: Outcome) -> None:
        """Keep what an item came to."""
        who = item.condition
        self._put(
            self._outcome,
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
            _real(outcome.value),
            outcome.label,
            outcome.reason,
            _encode(item.facts).decode(),
            _encode(outcome.detail).decode(),
        )

    def put_failure(self, model: str, key: str, reason: str) -> None:
        """Remember that an item could not be asked; a later run asks again."""
        self._put(_FAILURE, model, key, reason, time.time())

    def put_recorded(self, model: str, key: str, item: Item) -> None:
        """Keep an item whose answers were recorded elsewhere: it cannot be generated again from the spec."""
        self._put(_RECORDED, model, key, item.study, _encode(item).decode())

    def set(self, key: str, value: str) -> None:
        """Set a value of the run's own notes."""
        self._put(_META, key, value)

    def clear_failure(self, model: str, key: str) -> None:
        """Forget a failure once the item was asked after all."""
        self.writer.put("DELETE FROM failure WHERE model=? AND key=?", (model, key))

    @contextmanager
    def recoding(self, notes: Mapping[str, str]) -> Iterator[None]:
        """Code everything again inside; the new outcomes take the place of the old ones when it ends, all or none.

        Until then, and where it fails or is killed, the old ones are there. An outcome that another process adds
        meanwhile stays.

        Parameters
        ----------
        notes : mapping of str to str
            The run's own notes on how the new outcomes were counted, set with them.

        Raises
        ------
        Damaged
            When the file cannot be read to its end; then nothing is written to it.
        """
        self.flush()
        _ = self.damage
        with self.writer.at_once() as writing:
            _drop_recoded(writing)
            writing.execute(create("outcome", name="temp.recoded"))
            writing.execute("CREATE TEMP TABLE before (model, key, sum, PRIMARY KEY (model, key)) WITHOUT ROWID")
            writing.execute("INSERT INTO before SELECT model, key, sum FROM outcome")
        self._outcome = _RECODED
        try:
            yield
            self.flush()
            with self.writer.at_once() as writing:
                for statement in _SWAP:
                    writing.execute(statement)
                for note in notes.items():
                    writing.execute(_META, (*note, row_sum(note)))
                _drop_recoded(writing)
        finally:
            self._outcome = _OUTCOME
            self.writer.drop(_RECODED)
        self.__dict__.pop("damage", None)

    def flush(self) -> None:
        """Write what has gathered, now; returns when it is written.

        Raises
        ------
        NotKept
            When it cannot be.
        """
        self.writer.flush()

    def close(self) -> None:
        """Write what is left and close the file.

        Raises
        ------
        NotKept
            When something could not be written.
        """
        self._read.close()
        if self._writer is not None:
            self._writer.close()

    # -- reading -----------------------------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        """Whether nothing has been answered yet."""
        return not self.rows("SELECT 1 FROM response LIMIT 1")

    @cached_property
    def damage(self) -> Damage:
        """What is no longer what was written, as it was when this was first asked.

        Raises
        ------
        Damaged
            When the file cannot be read to its end.
        """
        if self._writer is not None:
            self.flush()
        found = find_damage(self.path, self.version)
        if found:
            self._read.text_factory = _replacing
            copy_to_look_up(self._read, found)
        return found

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read one state of the file inside, whatever is written meanwhile."""
        _ = self.damage  # what that makes for reading must outlast the snapshot
        self._read.execute("BEGIN")
        try:
            yield
        finally:
            self._read.rollback()

    def count(self, table: str, model: str, study: str = "") -> int:
        """The rows of a model in a table; of one study where it is named with its version (``decisions.scores@1``)."""
        where, values = ("", ()) if not study else (" AND key>? AND key<?", (study + "/", study + "0"))
        query = f"SELECT count(*) FROM {table} WHERE model=?{where}"
        return int(self.rows(query, (model, *values))[0][0])

    def answers(self, model: str, item: str) -> dict[str, Stored]:
        """All stored answers of one item by key, but for those that are damaged."""
        damaged = self.damage.of("response")
        rows = self.rows(
            "SELECT key, fingerprint, prompt, params, text, reasoning, finish, prompt_tokens, completion_tokens,"
            " logprobs, cost, latency FROM response WHERE model=? AND key>? AND key<?",
            (model, item + "#", item + "$"),
        )
        return {
            row[0]: Stored(row[1], row[2], row[3], _response(row[4:])) for row in rows if (model, row[0]) not in damaged
        }

    def verify(self, key: str, stored: Stored, trial: Trial) -> None:
        """Check that a stored answer belongs to the request now asked.

        Raises
        ------
        Changed
            Naming what differs between the two requests.
        """
        if fingerprint(prompt_of(trial)[0], sampling(trial)) != stored.fingerprint:
            rows = self.rows("SELECT messages FROM prompt WHERE hash=?", (stored.prompt,))
            change = describe_change(rows[0][0].encode(), stored.params, trial) if rows else "its prompt is missing"
            raise Changed(
                f"the stored answer {key} was given to another request: {change}; run into a new folder, or go back to "
                "the version and settings that asked it"
            )

    def recorded(self, model: str, study: str) -> Iterator[Item]:
        """Items of an imported run, in the order of their keys."""
        damaged = self.damage.of("recorded")
        rows = self._read.execute(
            "SELECT key, item FROM recorded WHERE model=? AND study=? ORDER BY key", (model, study)
        )
        return (_decode_item(item) for key, item in rows if (model, str(key)) not in damaged)

    def failures(self, model: str) -> dict[str, str]:
        """Reasons of the items that could not be asked, by key."""
        rows = self.rows("SELECT key, reason FROM failure WHERE model=?", (model,))
        damaged = self.damage.of("failure") if rows else frozenset()
        return {key: reason for key, reason in rows if (model, str(key)) not in damaged}

    def get(self, key: str) -> str | None:
        """A value of the run's own notes.

        Raises
        ------
        Damaged
            When it is not what was written.
        """
        # All of them are read: one whose name is damaged is another or missing where it is looked up.
        summed = ", sum" if self.version > 1 else ""
        notes = {row[0]: row for row in self.rows(f"SELECT key, value{summed} FROM meta")}
        damaged = {name for name, row in notes.items() if summed and not fits(row)}
        if key in damaged or (damaged and key not in notes):
            advice = f"`personae repair {self.path.parent} -o NEW` saves the answers"
            raise Damaged(f"the note {key} in {self.path} is damaged: {advice}")
        return notes[key][1] if key in notes else None

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a read-only query.

        Raises
        ------
        Damaged
            When the file cannot be read to its end.
        """
        try:
            return self._read.execute(query, values).fetchall()
        except sqlite3.DatabaseError:
            if not self.damage:  # which names what cannot be read, and then has it read as far as it can be
                raise
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


_SWAP = (
    "INSERT OR REPLACE INTO recoded SELECT * FROM main.outcome AS o WHERE NOT EXISTS"
    " (SELECT 1 FROM before AS b WHERE b.model=o.model AND b.key=o.key AND b.sum IS o.sum)",
    "DELETE FROM main.outcome",
    "INSERT INTO main.outcome SELECT * FROM recoded",
)


def _drop_recoded(connection: sqlite3.Connection) -> None:
    for table in ("recoded", "before"):
        connection.execute(f"DROP TABLE IF EXISTS temp.{table}")


def _replacing(text: bytes) -> str:
    return text.decode(errors="replace")


def _real(value: float | None) -> float | None:
    """A number as SQLite gives it back: what is none is NULL there, and no zero has a sign."""
    return None if value is None or value != value else float(value) + 0.0  # noqa: PLR0124

"""Whatever keeps a row from being kept ends the run, and names it."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from personae.engine.keys import answer_key, prompt_of
from personae.engine.store import Store
from personae.errors import NotKept
from personae.types import Message, Response, Trial

TRIAL = Trial(messages=(Message("user", "who?"),))


def put(store: Store, name: str, **fields: Any) -> str:
    key = answer_key(f"tiny.count@1/{name}", TRIAL)
    store.put_response("m", key, TRIAL, prompt_of(TRIAL), Response(text=f"said {name}", **fields))
    return key


def kept(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    try:
        return [text for (text,) in connection.execute("SELECT text FROM response ORDER BY key")]
    finally:
        connection.close()


@pytest.mark.parametrize(
    "odd", [{"prompt_tokens": 1 << 63}, {"completion_tokens": -(1 << 64)}, {"reasoning": "half \ud800"}, {"finish": []}]
)
def test_a_row_that_the_file_cannot_hold_is_named_and_the_others_are_kept(tmp_path: Path, odd: dict[str, Any]) -> None:
    store = Store(tmp_path / "run.db")
    put(store, "a")
    put(store, "b", **odd)
    put(store, "c")
    with pytest.raises(NotKept, match=r"1 row is not kept \(m tiny\.count@1/b#answer/0\)"):
        store.flush()
    with pytest.raises(NotKept):
        put(store, "d")
    with pytest.raises(NotKept):
        store.close()
    assert kept(tmp_path / "run.db") == ["said a", "said c"]


def test_an_odd_row_that_no_later_row_follows_ends_the_sitting_all_the_same(tmp_path: Path) -> None:
    store = Store(tmp_path / "run.db")
    put(store, "a")
    put(store, "b", prompt_tokens=1 << 63)
    time.sleep(0.6)  # the writer's own thread is the one that meets it
    with pytest.raises(NotKept, match="1 row is not kept"):
        store.close()
    assert kept(tmp_path / "run.db") == ["said a"]


def test_a_file_that_was_removed_ends_the_run_at_the_next_batch(tmp_path: Path) -> None:
    store = Store(tmp_path / "run.db")
    put(store, "a")
    store.flush()
    (tmp_path / "run.db").unlink()
    put(store, "b")
    with pytest.raises(NotKept, match="removed, moved or replaced"):
        store.flush()
    with pytest.raises(NotKept):
        store.close()


def test_a_file_that_was_replaced_is_not_written_to(tmp_path: Path) -> None:
    store = Store(tmp_path / "run.db")
    put(store, "a")
    store.flush()
    (tmp_path / "run.db").rename(tmp_path / "moved.db")
    Store(tmp_path / "run.db").close()
    put(store, "b")
    with pytest.raises(NotKept, match="replaced"):
        store.close()
    assert kept(tmp_path / "run.db") == []


def test_a_guard_that_objects_ends_the_run(tmp_path: Path) -> None:
    store = Store(tmp_path / "run.db")

    def objects() -> None:
        raise NotKept("the lock was removed")

    store.writer.guards.append(objects)
    put(store, "a")
    with pytest.raises(NotKept, match="the lock was removed"):
        store.flush()
    with pytest.raises(NotKept):
        store.close()


def test_an_interrupt_while_a_batch_is_written_loses_none_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "run.db")
    put(store, "a")
    with monkeypatch.context() as patched:

        def interrupted() -> None:
            raise KeyboardInterrupt

        patched.setattr(store.writer, "guards", [interrupted])
        with pytest.raises(KeyboardInterrupt):
            store.flush()
    store.close()
    assert kept(tmp_path / "run.db") == ["said a"]

"""What is no longer what was written is found, named and left out."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from personae.engine.frames import Totals, outcomes, responses, totals
from personae.engine.keys import answer_key, prompt_of
from personae.engine.store import Store
from personae.errors import BadInput, Damaged
from personae.types import Condition, Item, Message, Outcome, Response, Trial

ITEMS = 60


def filled(path: Path, items: int = ITEMS) -> None:
    store = Store(path)
    for number in range(items):
        item = Item(study="tiny.count", id=f"{number}", stimulus=f"s{number}", condition=Condition(persona="wife"))
        trial = Trial(messages=(Message("user", f"question {number % 7}"),))
        key = f"tiny.count@1/{number}"
        answer = Response(text=f"an answer with the number {number}", reasoning="because", cost=0.25)
        store.put_response("m", answer_key(key, trial), trial, prompt_of(trial), answer)
        store.put_outcome("m", key, item, Outcome(status="answered", value=number / 7))
    store.set("scoring", "sound")
    store.close()


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def test_an_answer_with_another_text_is_named_and_left_out_and_its_item_ends_in_error(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    filled(path)
    change(path, "UPDATE response SET text=text || '.' WHERE key='tiny.count@1/7#answer/0'")
    with closing(Store(path, writable=False)) as store:
        assert store.damage.sentences() == [
            "1 answer is damaged in run.db and left out: m tiny.count@1/7#answer/0",
        ]
        assert responses(store).height == ITEMS - 1
        coded = outcomes(store)
        assert coded.filter(pl.col("status") == "error").select("key", "value", "reason").rows() == [
            ("tiny.count@1/7", None, "a stored answer is damaged")
        ]
        assert coded["key"].is_sorted()


def test_an_outcome_with_another_value_is_named_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    filled(path)
    change(path, "UPDATE outcome SET value=0.5, persona='sister' WHERE key='tiny.count@1/9'")
    with closing(Store(path, writable=False)) as store:
        assert store.damage.of("outcome") == {("m", "tiny.count@1/9")}
        assert outcomes(store).height == ITEMS - 1
        assert responses(store).height == ITEMS


def test_all_answers_to_a_prompt_that_is_another_or_missing_are_damaged(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    for statement in (
        "DELETE FROM prompt WHERE messages LIKE '%question 3%'",
        "UPDATE prompt SET messages=replace(messages, 'question 3', 'question 4')",
    ):
        path.unlink(missing_ok=True)
        filled(path)
        change(path, statement)
        with closing(Store(path, writable=False)) as store:
            assert len(store.damage.of("response")) == len(range(3, ITEMS, 7))


def test_a_note_that_is_another_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    filled(path)
    change(path, "UPDATE meta SET value='paper' WHERE key='scoring'")
    with closing(Store(path, writable=False)) as store, pytest.raises(Damaged, match="the note scoring"):
        store.get("scoring")


def shown(path: Path) -> tuple[pl.DataFrame, pl.DataFrame, str | None]:
    with closing(Store(path, writable=False)) as store:
        assert not store.damage, "found"
        return responses(store), outcomes(store), store.get("scoring")


def test_a_flipped_bit_anywhere_is_found_or_without_effect(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    filled(path)
    whole = path.read_bytes()
    right = shown(path)
    draw = random.Random(12)
    found = 0
    for bit in draw.sample(range(len(whole) * 8), 250):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        try:
            now = shown(path)
        except (BadInput, Damaged, AssertionError):
            found += 1
            continue
        finally:
            for beside in ("-wal", "-shm"):
                path.with_name(path.name + beside).unlink(missing_ok=True)
        assert now[2] == right[2]
        assert all(frame.equals(other) for frame, other in zip(now[:2], right[:2], strict=True)), f"bit {bit}"
    assert found > 40, "too few flips met anything for this to be a test"


def test_a_text_that_is_no_utf8_any_more_is_named_whoever_reads_it_first(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    filled(path)
    change(path, "UPDATE outcome SET facts=CAST(x'ff7b7d' AS TEXT) WHERE key='tiny.count@1/3'")
    change(path, "UPDATE response SET text=CAST(x'ff' AS TEXT), logprobs='[[' WHERE key='tiny.count@1/4#answer/0'")
    change(path, "UPDATE meta SET value=CAST(x'ff' AS TEXT) WHERE key='scoring'")
    for read in (outcomes, responses):
        with closing(Store(path, writable=False)) as store:
            assert read(store).height == ITEMS - 1
    with closing(Store(path, writable=False)) as store, pytest.raises(Damaged, match="the note scoring"):
        store.get("scoring")
    with closing(Store(path)) as store:
        assert not store.answers("m", "tiny.count@1/4")
        assert store.answers("m", "tiny.count@1/5")


def test_a_value_of_another_kind_than_its_column_is_left_out_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    filled(path)
    change(path, "UPDATE outcome SET key=CAST(key AS BLOB) WHERE key='tiny.count@1/3'")
    change(path, "UPDATE response SET prompt_tokens=CAST('many' AS BLOB) WHERE key='tiny.count@1/4#answer/0'")
    with closing(Store(path, writable=False)) as store:
        assert outcomes(store).height == responses(store).height == ITEMS - 1


def test_what_a_damaged_answer_took_is_not_added_up(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    filled(path)
    with closing(Store(path, writable=False)) as store:
        assert totals(store) == Totals(ITEMS, None, None, ITEMS / 4, 0)
    change(path, "UPDATE response SET cost=1e9, prompt_tokens=7 WHERE key='tiny.count@1/4#answer/0'")
    with closing(Store(path, writable=False)) as store:
        assert totals(store) == Totals(ITEMS - 1, None, None, (ITEMS - 1) / 4, 0)


def test_a_file_that_cannot_be_read_is_named_before_it_is_coded_again(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    filled(path)
    with closing(sqlite3.connect(path)) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name='response'").fetchone()[0]
    whole = bytearray(path.read_bytes())
    whole[(root - 1) * size] ^= 0xFF  # what kind of page it is
    path.write_bytes(whole)
    with closing(Store(path)) as store, pytest.raises(Damaged, match="repair"), store.recoding({}):
        pass
    assert path.read_bytes()[size:] == bytes(whole[size:])


def test_rows_beside_one_whose_key_is_another_are_found_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    filled(path, items=2000)
    with closing(sqlite3.connect(path)) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        roots = [row[0] for row in connection.execute("SELECT rootpage FROM sqlite_master WHERE name!='meta'")]
    whole = bytearray(path.read_bytes())
    for root in roots:  # the keys on it say which half of the rows another is in
        page = whole[(root - 1) * size : root * size]
        if (at := page.rfind(b"tiny.count@1/")) >= 0:
            whole[(root - 1) * size + at + 1] ^= 0x20
    path.write_bytes(whole)
    with closing(Store(path, writable=False)) as store:
        damaged = {key.replace("tIny", "tiny") for _, key in store.damage.of("response")}
        assert len(damaged) == len(store.damage.of("outcome")) == 1
        for number in range(2000):
            key = f"tiny.count@1/{number}"
            assert set(store.answers("m", key)) == {f"{key}#answer/0"} - damaged
        assert responses(store)["key"].is_sorted()
        assert responses(store).height == outcomes(store).height == 1999
        assert outcomes(store)["key"].is_sorted()


def test_a_note_whose_name_is_another_is_missed(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    filled(path)
    change(path, "UPDATE meta SET key='Scoring' WHERE key='scoring'")
    with closing(Store(path, writable=False)) as store, pytest.raises(Damaged, match="the note scoring"):
        store.get("scoring")

"""What may stand in a run.db, and how an old one gets its checksums."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from personae.engine.frames import outcomes, responses
from personae.engine.keys import answer_key, prompt_of
from personae.engine.schema import TABLES, columns, create
from personae.engine.store import Store
from personae.errors import BadInput
from personae.types import Condition, Item, Message, Outcome, Response, Trial

TRIAL = Trial(messages=(Message("user", "wer? ß"),))
ITEM = Item(study="tiny.count", id="a", stimulus="s", condition=Condition())


def filled(path: Path) -> None:
    store = Store(path)
    store.put_response(
        "m", answer_key("tiny.count@1/a", TRIAL), TRIAL, prompt_of(TRIAL), Response(text="said", cost=0, latency=1)
    )
    store.put_outcome("m", "tiny.count@1/a", ITEM, Outcome(status="answered", value=-0.0))
    store.put_outcome("m", "tiny.count@1/b", ITEM, Outcome(status="answered", value=float("nan")))
    store.put_outcome("m", "tiny.count@1/c", ITEM, Outcome(status="answered", value=True))
    store.put_failure("m", "tiny.count@1/d", "no answer")
    store.set("scoring", "sound")
    store.close()


def aged(path: Path) -> None:
    """Make a file one of version 1, whose rows have no checksums."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for table in TABLES:
            connection.execute(create(table, 1, "aged"))
            connection.execute(f"INSERT INTO aged SELECT {', '.join(columns(table))} FROM {table}")
            connection.execute(f"DROP TABLE {table}")
            connection.execute(f"ALTER TABLE aged RENAME TO {table}")
        connection.execute("UPDATE meta SET value='1' WHERE key='schema'")


def version(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("SELECT value FROM meta WHERE key='schema'").fetchone()[0])


def test_every_row_as_it_is_written_fits_its_checksum(tmp_path: Path) -> None:
    filled(tmp_path / "run.db")
    with closing(Store(tmp_path / "run.db", writable=False)) as store:
        assert not store.damage


def test_an_old_file_is_read_as_it_is_and_gets_checksums_when_it_is_first_written_to(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    filled(path)
    aged(path)
    with closing(Store(path, writable=False)) as store:
        assert (store.version, store.damage.rows["response"], store.get("scoring")) == (1, (), "sound")
        before = responses(store), outcomes(store)
    assert version(path) == "1"
    Store(path).close()
    assert version(path) == "2"
    with closing(Store(path, writable=False)) as store:
        assert not store.damage
        assert all(now.equals(was) for now, was in zip((responses(store), outcomes(store)), before, strict=True))


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW more AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
        "CREATE TRIGGER changes AFTER INSERT ON outcome BEGIN DELETE FROM response; END",
        "CREATE TABLE extra (x)",
        "CREATE INDEX quicker ON outcome (status)",
        "CREATE TABLE sums (x, y AS (x + 1))",
    ],
)
@pytest.mark.parametrize("writable", [True, False])
def test_what_personae_does_not_make_is_refused_before_it_can_run(
    tmp_path: Path, statement: str, writable: bool
) -> None:
    filled(tmp_path / "run.db")
    with closing(sqlite3.connect(tmp_path / "run.db")) as connection, connection:
        connection.execute(statement)
    with pytest.raises(BadInput, match=r"run\.db: found 'the (view|trigger|table|index)"):
        Store(tmp_path / "run.db", writable=writable)


def test_a_view_in_the_place_of_a_table_is_refused(tmp_path: Path) -> None:
    filled(tmp_path / "run.db")
    with closing(sqlite3.connect(tmp_path / "run.db")) as connection, connection:
        connection.execute("ALTER TABLE outcome RENAME TO hidden")
        connection.execute("CREATE VIEW outcome AS SELECT * FROM hidden")
    with pytest.raises(BadInput, match=r"found 'the (table hidden|view outcome)"):
        Store(tmp_path / "run.db", writable=False)


def test_a_table_with_columns_of_its_own_is_refused(tmp_path: Path) -> None:
    filled(tmp_path / "run.db")
    with closing(sqlite3.connect(tmp_path / "run.db")) as connection, connection:
        connection.execute("ALTER TABLE outcome ADD COLUMN more AS (abs(value))")
    with pytest.raises(BadInput, match="another table outcome"):
        Store(tmp_path / "run.db", writable=False)


@pytest.mark.parametrize("name", ["run.db", "run.db-wal", "run.db-shm", "run.db-journal"])
def test_links_are_not_followed(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    filled(tmp_path / "elsewhere.db")
    if name != "run.db":
        filled(folder / "run.db")
    before = (tmp_path / "elsewhere.db").read_bytes()
    (folder / name).symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(BadInput, match=r"link|journal"):
        Store(folder / "run.db")
    assert (tmp_path / "elsewhere.db").read_bytes() == before


def test_a_rollback_journal_that_somebody_left_beside_the_file_is_never_played_back(tmp_path: Path) -> None:
    filled(tmp_path / "run.db")
    (tmp_path / "run.db-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600))
    for writable in (True, False):
        with pytest.raises(BadInput, match="journal"):
            Store(tmp_path / "run.db", writable=writable)
    assert (tmp_path / "run.db-journal").exists()


def test_a_file_of_no_bytes_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "run.db").touch()
    for writable in (True, False):
        with pytest.raises(BadInput, match="0 bytes"):
            Store(tmp_path / "run.db", writable=writable)
    assert (tmp_path / "run.db").stat().st_size == 0

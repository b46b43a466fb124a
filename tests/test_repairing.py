"""What can be read of a damaged run is saved, and only the rest is asked."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

import personae
from personae.errors import BadInput, PersonaeError
from personae.repairing import repair

STUDY, MODEL = "companions.emotion", "sim/planted?bias=0.4"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "whole"
    personae.audit(STUDY, model=MODEL, scale="quick", out=out).close()
    return out


@pytest.fixture
def hurt(whole: Path, tmp_path: Path) -> Callable[[Callable[[Path], None]], Path]:
    """A copy of the run, damaged by a function of its run.db."""

    def make(damage: Callable[[Path], None]) -> Path:
        folder = tmp_path / "hurt"
        folder.mkdir()
        for name in ("spec.yaml", "run.db"):
            (folder / name).write_bytes((whole / name).read_bytes())
        damage(folder / "run.db")
        return folder

    return make


def change(statement: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement)

    return damage


def frames(folder: Path) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    with personae.open_run(folder) as run:
        return run.responses.drop("latency", "at"), run.outcomes, run.estimates


def asked_again(folder: Path, whole: Path) -> None:
    """Ask what is missing, and see that the run is then the one that was never damaged."""
    with personae.open_run(folder) as run:
        spec = run.spec
    personae.audit(spec.studies, model=spec.models, scale=spec.scale, out=folder).close()
    for mended, right in zip(frames(folder), frames(whole), strict=True):
        assert mended.equals(right)


@pytest.mark.slow
def test_answers_that_are_not_what_was_written_are_named_and_asked_again(
    whole: Path, hurt: Callable[..., Path], tmp_path: Path
) -> None:
    folder = hurt(change("UPDATE response SET text='another' WHERE key IN (SELECT key FROM response LIMIT 3)"))
    before = (folder / "run.db").read_bytes()
    saved = repair(folder, tmp_path / "saved")
    total = frames(whole)[0].height
    assert (saved.saved, len(saved.damaged), saved.unread) == (total - 3, 3, False)
    assert all(name.startswith(f"{MODEL} {STUDY}@") for name in saved.damaged)
    assert (folder / "run.db").read_bytes() == before
    assert frames(tmp_path / "saved")[0].height == total - 3
    asked_again(tmp_path / "saved", whole)


@pytest.mark.slow
def test_answers_around_a_page_that_cannot_be_read_are_saved(
    whole: Path, hurt: Callable[..., Path], tmp_path: Path
) -> None:
    def overwrite(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            size = connection.execute("PRAGMA page_size").fetchone()[0]
            leaf = "SELECT pageno FROM dbstat WHERE name='response' AND pagetype='leaf' ORDER BY path LIMIT 3"
            try:
                pages = [page for (page,) in connection.execute(leaf)][1:]
            except sqlite3.OperationalError:  # a SQLite without dbstat
                pages = [connection.execute("PRAGMA page_count").fetchone()[0] // 2]
        with path.open("r+b") as file:
            for page in pages:
                file.seek((page - 1) * size)
                file.write(bytes(size))

    folder = hurt(overwrite)
    with pytest.raises(PersonaeError, match="personae repair"), personae.open_run(folder) as run:
        run.report()
    saved = repair(folder, tmp_path / "saved")
    assert saved.unread
    assert saved.saved >= frames(whole)[0].height // 2
    asked_again(tmp_path / "saved", whole)


@pytest.mark.parametrize("where", ["the magic", "the list of tables"])
def test_a_file_whose_beginning_is_damaged_is_read_all_the_same(
    where: str, whole: Path, hurt: Callable[..., Path], tmp_path: Path
) -> None:
    def overwrite(path: Path) -> None:
        content = bytearray(path.read_bytes())
        place = 3 if where == "the magic" else content.index(b"CREATE TABLE response") + 14
        content[place] ^= 64
        path.write_bytes(content)

    saved = repair(hurt(overwrite), tmp_path / "saved")
    assert saved.saved == frames(whole)[0].height
    asked_again(tmp_path / "saved", whole)


def test_flipped_bits_cost_few_answers_and_never_bring_a_wrong_one(
    whole: Path, hurt: Callable[..., Path], tmp_path: Path
) -> None:
    right = {row[0]: row[1] for row in frames(whole)[0].select("key", "text").rows()}
    draw = random.Random(5)

    def flip(path: Path) -> None:
        content = bytearray(path.read_bytes())
        for bit in draw.sample(range(8 * 4096, len(content) * 8), 12):
            content[bit // 8] ^= 1 << bit % 8
        path.write_bytes(content)

    repair(hurt(flip), tmp_path / "saved")
    saved = {row[0]: row[1] for row in frames(tmp_path / "saved")[0].select("key", "text").rows()}
    assert saved.items() <= right.items()
    assert len(saved) > len(right) / 4


def test_a_run_is_not_saved_over_another(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a run is in it"):
        repair(whole, whole)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(BadInput, match="output folder"):
        repair(whole, tmp_path / "mine")


def test_what_is_no_database_at_all_is_refused(hurt: Callable[..., Path], tmp_path: Path) -> None:
    folder = hurt(lambda path: path.write_bytes(b"nothing of the kind" * 500) and None)
    with pytest.raises(BadInput, match=r"run\.db"):
        repair(folder, tmp_path / "saved")

"""Whatever stands in a run's folder, the verbs that read it do so or refuse it in a sentence."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import polars as pl
import pytest

from personae.asking import Silent, ask
from personae.engine.schema import SUMMED, TABLES, columns, row_sum
from personae.errors import BadInput
from personae.exporting import export_run
from personae.pages import content_of
from personae.run import CAPABILITY, PERSONAS, RATINGS, open_run
from personae.score import estimate, rescore
from personae.spec import make_spec
from personae.study.base import select

from .checking import check
from .mutate import HOSTILE, mutated, mutated_csv, mutated_yaml
from .test_fuzz import ROLES

pytestmark = pytest.mark.slow

MODEL = "sim/planted?bias=0.4"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run with every file that a folder can hold."""
    folder = tmp_path_factory.mktemp("good")
    (folder / "roles.yaml").write_bytes(ROLES)
    studies = ["roleplay.yesno", "roleplay.why"]
    spec = make_spec(
        studies=studies, models=[MODEL], judges=["sim/judge"], repeats=1, personas=folder / "roles.yaml", seed=3
    )
    with ask(spec, folder / "run", Silent()) as run:
        run.outcomes.select("item", "model", biased=pl.lit("1")).write_csv(run.path / RATINGS)
        (run.path / CAPABILITY).write_text(f"model,capability\n{MODEL},1.5\n")
    return folder / "run"


def report(folder: Path) -> None:
    with open_run(folder) as run:
        content_of(run, [study(run.settings(run.spec.models[0])) for study in select(run.spec.studies)])


def score(folder: Path) -> None:
    with open_run(folder, writable=True) as run:
        rescore(run)
        estimate(run)


def export(folder: Path) -> None:
    with open_run(folder) as run:
        export_run(run, "csv", folder / "export")


VERBS: tuple[Callable[[Path], None], ...] = report, score, export


def change_store(folder: Path, random: Random) -> None:
    """Bytes of the file or of what lies beside it, values in its rows, or another file in its place."""
    path = folder / "run.db"
    how = random.randrange(6)
    if how == 0:
        _change_values(path, random)
    elif how == 1:
        _change_tables(path, random)
    elif how == 2:
        path.with_name(random.choice(("run.db-wal", "run.db-journal", "run.db-shm"))).write_bytes(
            random.choice((b"", random.randbytes(4096), path.read_bytes()[:8192]))
        )
    elif how == 3:
        path.write_bytes(random.choice((b"", random.randbytes(20_000), b"SQLite format 3\0", b"\0" * 4096)))
    else:
        path.write_bytes(mutated(path.read_bytes(), random))


def _change_values(path: Path, random: Random) -> None:
    """Other values in some rows; half of the time with checksums that fit them, as a forger would write."""
    connection = sqlite3.connect(path)
    for _ in range(random.randint(1, 3)):
        table = random.choice(TABLES)
        known = connection.execute(f"SELECT * FROM {table}").fetchall()
        if not known:
            continue
        row, names = list(random.choice(known)), columns(table)
        keys = 2 if names[0] == "model" else 1
        connection.execute(
            f"DELETE FROM {table} WHERE {' AND '.join(f'{name} = ?' for name in names[:keys])}", row[:keys]
        )
        row[random.randrange(len(names))] = _odd(random)
        if table in SUMMED and random.random() < 0.5:
            row[-1] = row_sum(tuple(row[:-1]))
        with suppress(sqlite3.IntegrityError):  # nothing in the place of what must be there: the row is gone
            connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({','.join('?' * len(row))})", row)
    connection.commit()
    connection.close()


def _odd(random: Random) -> object:
    texts = [random.choice(HOSTILE), random.choice(HOSTILE).decode("utf-8", "replace"), "{}", "[]", '"x"', '{"a": 1}']
    return random.choice([*texts, -1, 2**63 - 1, 1e300, None])


def _change_tables(path: Path, random: Random) -> None:
    connection = sqlite3.connect(path)
    connection.execute(
        random.choice(
            (
                "DROP TABLE outcome",
                "ALTER TABLE response ADD COLUMN more TEXT",
                "ALTER TABLE meta RENAME TO other",
                "CREATE VIEW more AS SELECT * FROM meta",
                "CREATE TABLE more (a)",
                "CREATE TRIGGER more AFTER INSERT ON outcome BEGIN DELETE FROM response; END",
                "DELETE FROM meta",
                "DELETE FROM prompt",
                "UPDATE meta SET value = 7 WHERE key = 'schema'",
            )
        )
    )
    connection.commit()
    connection.close()


def change_spec(folder: Path, random: Random) -> None:
    path = folder / "spec.yaml"
    path.write_bytes(mutated_yaml(path.read_bytes(), random))


def change_personas(folder: Path, random: Random) -> None:
    path = folder / PERSONAS
    path.write_bytes(mutated_yaml(path.read_bytes(), random))


def change_tables(folder: Path, random: Random) -> None:
    path = folder / random.choice((RATINGS, CAPABILITY))
    path.write_bytes(mutated_csv(path.read_bytes(), random))


def change_kind(folder: Path, random: Random) -> None:
    """Something else in the place of a file."""
    path = folder / random.choice(("spec.yaml", "run.db", PERSONAS, RATINGS, CAPABILITY, "run.lock", "export"))
    if path.exists():
        path.unlink()
    how = random.randrange(6)
    if how == 0:
        path.mkdir()
    elif how == 1:
        os.mkfifo(path)
    elif how == 2:
        path.symlink_to("/dev/zero")
    elif how == 3:
        path.symlink_to("/etc/hostname")
    elif how == 4:
        path.symlink_to(path.name)


CHANGES = {
    "store": change_store,
    "spec": change_spec,
    "personas": change_personas,
    "tables": change_tables,
    "kinds": change_kind,
}


def fuzz(name: str, good: Path, folder: Path, numbers: range) -> None:
    for number in numbers:
        random = Random(f"{name}/{number}")
        run = folder / "run"
        shutil.copytree(good, run)
        CHANGES[name](run, random)
        verb = random.choice(VERBS)
        try:
            check(verb, run)
        except BaseException as error:
            error.add_note(f"{name}, number {number}, {verb.__name__}")
            raise
        shutil.rmtree(run)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_good_folder_is_read(good: Path, tmp_path: Path) -> None:
    for verb in VERBS:
        shutil.copytree(good, tmp_path / verb.__name__)
        verb(tmp_path / verb.__name__)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("- roleplay.why\n", "", "studies: found 'roleplay.yesno'; also roleplay.why"),
        (MODEL, "sim/neutral", "models: found 'sim/neutral'; also sim/planted"),
    ],
)
def test_a_spec_that_leaves_out_what_was_asked_is_named(
    good: Path, tmp_path: Path, old: str, new: str, said: str
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(good, folder)
    spec = folder / "spec.yaml"
    spec.write_text(spec.read_text().replace(old, new))
    with pytest.raises(BadInput, match=said):
        report(folder)


@pytest.mark.parametrize("name", CHANGES)
def test_a_mutated_folder_is_read_or_refused_in_a_sentence(name: str, good: Path, tmp_path: Path) -> None:
    fuzz(name, good, tmp_path, range(8))


@pytest.mark.long
@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("name", CHANGES)
def test_ten_thousand_mutated_folders_are_read_or_refused_in_a_sentence(name: str, good: Path, tmp_path: Path) -> None:
    fuzz(name, good, tmp_path, range(8, 2008))

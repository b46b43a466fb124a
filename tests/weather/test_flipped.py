"""A bit of run.db that is another is found by every verb and said, or changes no number that any of them gives."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from personae.cli import app
from personae.report import figures, page

from .conftest import Form

pytestmark = [pytest.mark.slow, pytest.mark.timeout(14_400)]

RUN = ("companions.iat", "--model", "sim/refuser?rate=0.2", "--scale", "quick")
VERBS = {"score": ("--scoring", "paper", "--json"), "report": (), "export": ("--to", "csv", "--raw")}
HEAD = "| verb | flipped bits | named and left out | refused | without effect |\n|---|---|---|---|---|"
DAMAGED = "a stored answer is damaged"

Rows = dict[str, dict[str, str]]


@pytest.fixture(autouse=True)
def _no_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the tables alone: pictures are most of the work, and no bit of theirs is read."""

    def nothing(*given: object) -> None:
        """Draw nothing."""

    monkeypatch.setattr(figures, "write_figures", nothing)
    monkeypatch.setattr(page, "write_page", nothing)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    out = tmp_path / "run"
    assert CliRunner().invoke(app, ["run", *RUN, "-o", str(out)]).exit_code == 0
    return out


class Given:
    """What a verb gave: its exit code and words, and every number."""

    def __init__(self, folder: Path, verb: str) -> None:
        done = CliRunner().invoke(app, [verb, str(folder), *VERBS[verb]])
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        self.code, self.said, self.printed = done.exit_code, done.stderr, done.stdout
        made = folder / ("export" if verb == "export" else "tables")
        self.files = {path.name: path.read_bytes() for path in sorted(made.glob("*.csv"))}

    def rows(self, name: str) -> Rows:
        """The rows of a table by model and key."""
        text = self.files[f"{name}.csv"].decode()
        return {f"{row['model']} {row['key']}": row for row in csv.DictReader(text.splitlines(keepends=True))}


def copy_of(run: Path, folder: Path) -> Path:
    """The spec and the store, and nothing derived."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in ("spec.yaml", "run.db"):
        shutil.copy(run / name, folder)
    return folder


def test_a_flipped_bit_is_named_by_every_verb_or_changes_nothing(
    run: Path, tmp_path: Path, form: Form, tables: list[str]
) -> None:
    right = {verb: Given(copy_of(run, tmp_path / "flipped"), verb) for verb in VERBS}
    assert all(given.code == 0 and given.files for given in right.values())
    whole, codes = (run / "run.db").read_bytes(), Counter[tuple[str, int]]()
    for bit in Random(50).sample(range(len(whole) * 8), form.flips):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        for verb in VERBS:
            folder = copy_of(run, tmp_path / "flipped")
            (folder / "run.db").write_bytes(flipped)
            given = Given(folder, verb)
            codes[verb, given.code] += 1
            check(given, right[verb], f"bit {bit}, {verb}: ")
    found = sum(count for (_, code), count in codes.items() if code)
    assert form.flips // 3 < found < codes.total() - form.flips // 3, f"too few flips met anything: {codes}"
    rows = [f"| {verb} | {form.flips} | {codes[verb, 3]} | {codes[verb, 2]} | {codes[verb, 0]} |" for verb in VERBS]
    tables.append("\n".join([HEAD, *rows]))


def check(given: Given, right: Given, where: str) -> None:
    """Whole and the same; or not whole, and said; or refused with a sentence."""
    if given.code == 0:
        assert (given.files, given.said, given.printed) == (right.files, right.said, right.printed), where
    elif given.code == 2:
        assert given.said.startswith("personae: ")
        assert given.said.count("\n") == 1, where + given.said
        assert "run.db" in given.said, where + given.said
        assert not given.files, where + "written, though it was refused"
    else:
        assert given.code == 3, where + given.said
        assert "damaged in run.db and left out" in given.said, where
        check_left_out(given, right, where)


def check_left_out(given: Given, right: Given, where: str) -> None:
    """What is left out is named, and the rest is what it was."""
    for name in ("outcomes", "responses"):
        if f"{name}.csv" in right.files:
            found, expected = given.rows(name), right.rows(name)
            assert found.keys() <= expected.keys(), where
            for key, row in expected.items():
                if found.get(key) != row:
                    assert key not in found or found[key]["reason"] == DAMAGED, f"{where}{key} is another than it was"
                    assert is_named(key, given.said), f"{where}{key} is not named: {given.said}"


def is_named(key: str, said: str) -> bool:
    """Whether a key is named, or one in which the bit was; of many only the first are."""
    return " …: `" in said or any(key[:at] in said and key[at + 1 :] in said for at in range(len(key)))

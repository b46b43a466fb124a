"""A damaged run on the command line: named, left out, and saved by ``repair``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

RUN = ("companions.emotion", "--model", "sim/neutral", "--scale", "quick")


@pytest.fixture
def hurt(personae: Callable[..., Any], tmp_path: Path) -> tuple[Path, str]:
    """A run of which one answer is not what was written, and the key of that answer."""
    out = tmp_path / "hurt"
    assert personae("run", *RUN, "-o", out).exit_code == 0
    with closing(sqlite3.connect(out / "run.db")) as connection, connection:
        key = connection.execute("SELECT min(key) FROM response").fetchone()[0]
        connection.execute("UPDATE response SET text='another' WHERE key=?", (key,))
    return out, key


@pytest.mark.parametrize(
    "verb", [pytest.param(("score",), marks=pytest.mark.slow), ("report",), ("export", "--to", "jsonl")]
)
def test_every_verb_names_the_answer_leaves_it_out_and_says_so_in_its_exit_code(
    personae: Callable[..., Any], hurt: tuple[Path, str], verb: tuple[str, ...]
) -> None:
    out, key = hurt
    ended = personae(verb[0], out, *verb[1:])
    assert ended.exit_code == 3
    assert key in ended.stderr
    assert "personae repair" in ended.stderr
    if verb[0] == "export":
        rows = [json.loads(line) for line in (out / "export" / "responses.jsonl").read_text().splitlines()]
        assert key not in {row["key"] for row in rows}
    else:
        assert "1 answer is damaged" in (out / "report.html").read_text()


def test_a_run_does_not_go_on_with_a_damaged_answer(personae: Callable[..., Any], hurt: tuple[Path, str]) -> None:
    ended = personae("run", *RUN, "-o", hurt[0])
    assert ended.exit_code == 2
    assert hurt[1] in ended.stderr


def test_repair_saves_the_others_and_asks_the_one(
    personae: Callable[..., Any], hurt: tuple[Path, str], tmp_path: Path
) -> None:
    out, key = hurt
    mended = personae("repair", out, "-o", tmp_path / "mended", "--json")
    assert mended.exit_code == 0, mended.stderr
    said = json.loads(mended.stdout)
    assert said["lost"] == [f"sim/neutral {key}"]
    assert said["responses"] == said["saved"] + 1
    assert said["damaged"] == []
    later = personae("repair", out, "-o", tmp_path / "later", "--no-ask", "--json")
    assert json.loads(later.stdout)["responses"] == said["saved"]

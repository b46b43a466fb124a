"""Killed in the midst of episodes and resumed, a run of the memory study is the run that was not killed.

Processes are killed at chosen asks rather than at moments, so that the same is tested on any machine: while a memory
system waits for its model, in the midst of an audit, between turns; with several memories side by side.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

DYING = Path(__file__).with_name("dying.py")
WORDS = ("a", "are", "by", "for", "how", "if", "in", "is", "it", "many", "my", "of", "that", "the", "they", "to", "was")
ARMS = ("vector", "vector?extract=1", "mem0?raw=1", "langmem?raw=1", "mem0", "langmem")
RUN = ["memory", "--model", "sim/drifting?bias=0.4", "--injection", "1", "--turns", "3", "--every", "3"]
KILLS = (
    r"!/mem0\?enc.*#memory/2/1/",  # Mem0 waits for what is to be kept of the second turn
    r"#turn/3/",
    r"!/mem0\?enc.*#audit/3/race/",
)
"""An arm cannot have passed any of these places before the process died at the one above it."""


@pytest.fixture(autouse=True)
def _libraries(needed: Callable[[str], None]) -> None:
    needed("mem0")
    needed("langmem")


class Runs:
    """Runs in processes of their own, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # An encoder that is loaded at once: word vectors, an axis for each of some words that are in every text.
        rows = [" ".join([word, *("1.0" if word == axis else "0.1" for axis in WORDS)]) for word in WORDS]
        vectors = folder / "words.txt"
        vectors.write_text("\n".join(rows) + "\n", encoding="utf-8")
        self.memories = [f"{name}{'&' if '?' in name else '?'}encoder=static/{vectors}" for name in ARMS]
        # Whoever is killed leaves its temporary files behind.
        self.environment = {**os.environ, "TMPDIR": str(folder)}

    def __call__(self, verb: str, *arguments: str, kill: str = "") -> list[str]:
        """What was asked and answered; `kill` is where it dies."""
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        command = [sys.executable, str(DYING), str(log), kill, verb, *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == (-signal.SIGKILL if kill else 0), done.stderr
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def run(self, out: str, kill: str = "") -> list[str]:
        memories = [part for name in self.memories for part in ("--memory", name)]
        return self("run", *RUN, *memories, "-o", str(self.folder / out), kill=kill)

    def rows(self, out: str, query: str) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(self.folder / out / "run.db")
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def tables(self, out: str) -> list[bytes]:
        return [(self.folder / out / "tables" / name).read_bytes() for name in ("estimates.csv", "outcomes.csv")]


def names(log: list[str], what: str) -> list[str]:
    return [line.removeprefix(f"{what} ") for line in log if line.startswith(f"{what} ")]


OUTCOMES = "SELECT * FROM outcome ORDER BY model, key"
ANSWERS = "SELECT key, fingerprint, text FROM response ORDER BY key"


@pytest.mark.slow
def test_killed_and_resumed_a_run_is_the_one_that_was_not(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    whole = names(runs.run("whole"), "asked")
    outcomes, answers = runs.rows("whole", OUTCOMES), runs.rows("whole", ANSWERS)
    assert len(outcomes) == len(ARMS)
    assert all(str(detail).count('"biased":true') == 3 for *_, detail, _ in outcomes)
    assert sorted(whole) == [key for key, *_ in answers]

    stored: set[object] = set()
    for kill in KILLS:
        log = runs.run("killed", kill)
        # Nothing that is in the store is asked again, and where all of it had been written nothing is missing there.
        assert stored.isdisjoint(names(log, "asked"))
        answered = stored | set(names(log, "answered"))
        stored = {key for key, *_ in runs.rows("killed", ANSWERS)}
        assert stored == answered if kill.startswith("!") else stored <= answered
        assert set(runs.rows("killed", ANSWERS)) <= set(answers)
        assert 0 < len(stored) < len(answers)
    last = names(runs.run("killed"), "asked")
    assert sorted([*last, *map(str, stored)]) == sorted(whole)

    assert runs.rows("killed", OUTCOMES) == outcomes
    assert runs.rows("killed", ANSWERS) == answers
    assert runs.tables("killed") == runs.tables("whole")

    # Counted anew, every memory is built once more from the stored answers alone.
    with sqlite3.connect(tmp_path / "killed" / "run.db") as connection:
        connection.execute("UPDATE outcome SET detail = '{}', value = 0")
    connection.close()
    assert runs("score", str(tmp_path / "killed")) == []
    assert runs.rows("killed", OUTCOMES) == outcomes
    assert runs.rows("killed", ANSWERS) == answers
    assert runs.tables("killed") == runs.tables("whole")

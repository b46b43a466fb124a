"""Killed at any moment, every verb leaves what was there or what it was to make, and goes on where it was."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from .answering import Given, Loopback, plain
from .conftest import Form
from .forking import Nursery
from .recorded import write_recorded
from .striking import Pace, Steps, Struck, contents, strikes, whole

pytestmark = [pytest.mark.slow, pytest.mark.timeout(14_400), pytest.mark.xdist_group("kills")]

SITTINGS = 4
"""Kills after which a verb may come to its end, and all of it is compared."""

STUDY, COUNTED_TWO_WAYS = "companions.sycophancy", "companions.iat"
REFUSER = ("--model", "sim/refuser?rate=0.2", "--json")
TIMES = frozenset({"latency", "at", "sum"})
COUNTED = {"sound": "paper", "paper": "sound"}
COLUMNS = ("verb", "kills", "TERM", "HUP", "KILL", "in order", "left as it was", "left new", "lost", "doubled")
HEAD = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|"
"""Of the table; "in order" are those that said a last sentence."""


class Kills:
    """Counts what became of a verb, for the table."""

    def __init__(self, verb: str) -> None:
        self.verb = verb
        self.struck: list[Struck] = []
        self.old = self.new = self.lost = self.doubled = 0

    def row(self) -> str:
        """A row below `HEAD`."""
        hits = [struck for struck in self.struck if struck.hit]
        by = Counter(struck.number.name for struck in hits)
        order = sum(struck.child.code != -struck.number for struck in hits)
        signals = (by["SIGTERM"], by["SIGHUP"], by["SIGKILL"])
        parts = (self.verb, len(hits), *signals, order, self.old, self.new, self.lost, self.doubled)
        return f"| {' | '.join(map(str, parts))} |"


@pytest.fixture(scope="module")
def rows(tables: list[str]) -> Iterator[list[Kills]]:
    counted: list[Kills] = []
    yield counted
    tables.append("\n".join([HEAD, *(kills.row() for kills in counted)]))


def table_of(store: Path, table: str) -> dict[Any, dict[str, Any]]:
    """The rows of a table by model and key, without what no two runs share."""
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = connection.execute(f"SELECT * FROM {table}")
        names = [name for name, *_ in found.description]
        records = [dict(zip(names, row, strict=True)) for row in found]
    return {
        (row["model"], row["key"]): {name: value for name, value in row.items() if name not in TIMES} for row in records
    }


def note(store: Path, key: str) -> str:
    with closing(sqlite3.connect(store)) as connection:
        return str(connection.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()[0])


def prompts(store: Path) -> Counter[str]:
    """How many answers to each prompt are stored; none where no run was made yet."""
    if not store.with_name("spec.yaml").exists():
        return Counter()
    with closing(sqlite3.connect(store)) as connection:
        found = connection.execute("SELECT messages FROM response JOIN prompt ON hash = response.prompt")
        return Counter(plain(json.loads(messages)) for (messages,) in found)


def check_page(folder: Path) -> None:
    """A page that is there is there to its end."""
    if (page := folder / "report.html").exists():
        assert page.read_bytes().rstrip().endswith(b"</html>")


def check_files(found: dict[str, bytes], *allowed: dict[str, bytes]) -> None:
    """Every file that has its name is what one of the runs that came to their end made under it."""
    for name, content in found.items():
        if not name.endswith(".part"):
            assert content in [files[name] for files in allowed if name in files], f"{name} is torn"


# -- run ---------------------------------------------------------------------------------------------------------


def test_a_run_that_was_killed_ends_as_the_run_that_was_not(
    nursery: Nursery, tmp_path: Path, form: Form, rows: list[Kills]
) -> None:
    with Loopback(latency=0.05) as server:
        out, pace, kills = tmp_path / "killed", Pace(), Kills("run")
        rows.append(kills)
        asked = ("--model", f"vllm/scripted@{server.url}", "--concurrency", "4", "--json")
        run = ("run", STUDY, "--scale", "quick", *asked, "-o")
        whole(nursery, (*run, tmp_path / "whole"), tmp_path / "whole", pace)
        expected = Expected(tmp_path / "whole")
        assert len(server.asked) == len(expected.answers) > 300
        given, sat = Given(server), 0
        asking = Steps(lambda: len(server.asked), lambda: len(expected.answers) - prompts(out / "run.db").total())
        for struck in strikes(nursery, repeat((*run, out)), out, Random(1), pace, form.kills, asking):
            kills.struck.append(struck)
            given.end_sitting(struck.at, struck.held)
            kills.old += not (out / "spec.yaml").exists()
            kills.new += (out / "report.html").exists()
            expected.check_part(out)
            kills.lost += given.lost(prompts(out / "run.db"))
            if (sat := sat + 1) % SITTINGS == 0 or not struck.hit:
                if struck.hit:
                    nursery.run(*run, out)
                    given.end_sitting(float("inf"), 0)
                expected.check(out)
            elif prompts(out / "run.db") != expected.prompts:
                continue  # there is more to ask, and to be killed in
            kills.doubled += given.doubled(expected.prompts)
            shutil.rmtree(out)
            given = Given(server)
        assert (kills.lost, kills.doubled) == (0, 0)


class Expected:
    """The run that was not killed."""

    def __init__(self, folder: Path) -> None:
        self.answers, self.outcomes = (table_of(folder / "run.db", table) for table in ("response", "outcome"))
        self.files = contents(folder)
        self.prompts = prompts(folder / "run.db")

    def check_part(self, folder: Path) -> None:
        """What a killed run left is a part of it, and what is derived from the answers is whole."""
        if (folder / "spec.yaml").exists():
            assert table_of(folder / "run.db", "response").items() <= self.answers.items()
            assert table_of(folder / "run.db", "outcome").items() <= self.outcomes.items()
        check_page(folder)
        check_files({name: content for name, content in contents(folder).items() if "/" in name}, self.files)

    def check(self, folder: Path) -> None:
        """All of it is there, and nothing else."""
        assert table_of(folder / "run.db", "response") == self.answers
        assert table_of(folder / "run.db", "outcome") == self.outcomes
        found = contents(folder)
        assert found.keys() == self.files.keys(), "something was left, or is missing"
        dated = "report.html"  # it says when it was asked
        assert {**found, dated: b""} == {**self.files, dated: b""}
        check_page(folder)


# -- score, report, export -----------------------------------------------------------------------------------------


class Scored(NamedTuple):
    """One run, counted both ways."""

    stores: dict[str, bytes]
    outcomes: dict[str, dict[Any, dict[str, Any]]]


@pytest.fixture(scope="module")
def run(nursery: Nursery, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scored") / "run"
    nursery.run("run", COUNTED_TWO_WAYS, "--scale", "quick", "--repeats", "3", *REFUSER, "-o", folder)
    return folder


@pytest.fixture(scope="module")
def scored(nursery: Nursery, run: Path) -> Scored:
    stores, outcomes = {}, {}
    for scoring in COUNTED.values():
        nursery.run("score", run, "--scoring", scoring)
        stores[scoring], outcomes[scoring] = (run / "run.db").read_bytes(), table_of(run / "run.db", "outcome")
    assert outcomes["sound"].keys() == outcomes["paper"].keys()
    assert sum(outcomes["sound"][key] != row for key, row in outcomes["paper"].items()) > 30
    return Scored(stores, outcomes)


def copy_of(run: Path, scored: Scored, folder: Path, scoring: str) -> Path:
    """A run without anything derived from it, counted one way."""
    folder.mkdir(exist_ok=True)
    shutil.copy(run / "spec.yaml", folder)
    put_store(folder, scored, scoring)
    return folder


def put_store(folder: Path, scored: Scored, scoring: str) -> None:
    for beside in ("run.db-wal", "run.db-shm"):
        (folder / beside).unlink(missing_ok=True)
    (folder / "run.db").write_bytes(scored.stores[scoring])


def test_after_a_killed_score_all_outcomes_are_the_old_ones_or_all_the_new(
    nursery: Nursery, tmp_path: Path, form: Form, run: Path, scored: Scored, rows: list[Kills]
) -> None:
    out, pace, kills = copy_of(run, scored, tmp_path / "run", "sound"), Pace(), Kills("score")
    rows.append(kills)
    pages: dict[str, dict[str, bytes]] = {}
    for scoring in COUNTED:
        whole(nursery, ("score", out, "--scoring", scoring), out, pace)
        pages[scoring] = contents(out)
    now = "paper"
    target = iter(lambda: ("score", out, "--scoring", COUNTED[now]), None)
    for struck in strikes(nursery, target, out, Random(2), pace, form.kills):
        kills.struck.append(struck)
        found, was = table_of(out / "run.db", "outcome"), now
        now = note(out / "run.db", "scoring")
        assert found == scored.outcomes[now], "outcomes of both, or counted otherwise than is said"
        assert struck.hit or now != was, "it ended without having done anything"
        kills.old, kills.new = kills.old + (now == was), kills.new + (now != was)
        check_files(contents(out), *pages.values())
        if len(kills.struck) % SITTINGS == 0:
            nursery.run("report", out)
            assert contents(out) == pages[now], "a page of other outcomes, or something was left"


@pytest.mark.parametrize("verb", ["report", "export"])
def test_every_file_of_a_killed_report_or_export_is_the_old_one_or_the_new(
    verb: str, nursery: Nursery, tmp_path: Path, form: Form, run: Path, scored: Scored, rows: list[Kills]
) -> None:
    out, pace, kills = copy_of(run, scored, tmp_path / "run", "sound"), Pace(), Kills(verb)
    rows.append(kills)
    forms = ("parquet", "csv", "jsonl") if verb == "export" else ("",)
    commands = [(verb, out, *(("--to", form) if form else ())) for form in forms]
    made: dict[str, dict[str, bytes]] = {}
    for scoring in COUNTED:
        put_store(out, scored, scoring)
        for command in commands:
            whole(nursery, command, out, pace)
        made[scoring] = contents(out)
    assert sum(made["sound"][name] != content for name, content in made["paper"].items()) > 2
    now, begun = "paper", -1

    def next_command() -> tuple[object, ...]:
        nonlocal now, begun
        begun += 1
        if begun % len(commands) == 0:
            now = COUNTED[now]
            put_store(out, scored, now)
        return commands[begun % len(commands)]

    for struck in strikes(nursery, iter(next_command, ()), out, Random(3), pace, form.kills):
        kills.struck.append(struck)
        found = contents(out)
        check_files(found, *made.values())
        as_new = all(found.get(name) == content for name, content in made[now].items())
        kills.old, kills.new = kills.old + (not as_new), kills.new + as_new
        if len(kills.struck) % SITTINGS == 0:
            for command in commands:
                nursery.run(*command)
            assert contents(out) == made[now], "something was left, or is missing"


# -- import --------------------------------------------------------------------------------------------------------


def test_a_killed_import_leaves_a_whole_run_or_none_and_the_same_import_works(
    nursery: Nursery, tmp_path: Path, form: Form, rows: list[Kills]
) -> None:
    released, out, pace, kills = tmp_path / "released", tmp_path / "run", Pace(), Kills("import")
    rows.append(kills)
    answers = write_recorded(released)
    command = ("import", "companions", released, "--json", "-o")
    whole(nursery, (*command, tmp_path / "whole"), tmp_path / "whole", pace)
    expected = Expected(tmp_path / "whole")
    assert len(expected.answers) == answers
    for struck in strikes(nursery, repeat((*command, out)), out, Random(4), pace, form.kills):
        kills.struck.append(struck)
        if is_run := (out / "spec.yaml").exists():
            assert table_of(out / "run.db", "response") == expected.answers
            assert table_of(out / "run.db", "outcome") == expected.outcomes
            check_page(out)
            check_files(contents(out), expected.files)
        else:
            refused = nursery.run("report", out, codes=(2,))
            assert "run folder" in refused.said
        kills.old, kills.new = kills.old + (not is_run), kills.new + is_run
        if last := len(kills.struck) % SITTINGS == 0:
            nursery.run(*(("report", out) if is_run else (*command, out)))
            expected.check(out)
        if is_run or last:
            shutil.rmtree(out)

"""A path that a user gives may be anything: a folder, a pipe, a device, a name that no file can have."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from personae.cli import app

RUN = ("plan", "companions.iat", "-m", "sim/neutral")
OPTIONS = {
    "--spec": RUN,
    "--personas": RUN,
    "--prices": (*RUN[:3], "openai/gpt-4o-mini"),
    "--stimuli": ("plan", "occupations", "-m", "sim/neutral"),
    "--questions": ("plan", "memory", "-m", "sim/neutral"),
    "--exported": ("plan", "memory", "-m", "sim/neutral"),
    "--names": ("generate", "occupations", "-m", "vllm/x", "-o", "made"),
}


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def link_to_itself(path: Path) -> Path:
    path.symlink_to(path.name)
    return path


def large(path: Path) -> Path:
    with path.open("wb") as file:
        file.truncate(65 << 20)  # without a byte on the disk
    return path


def empty(path: Path) -> Path:
    path.touch()
    return path


KINDS: dict[str, Callable[[Path], Path]] = {
    "missing": lambda path: path,
    "pipe": pipe,
    "folder": folder,
    "device": lambda _: Path("/dev/zero"),
    "link to itself": link_to_itself,
    "large": large,
    "empty": empty,
    "below a file": lambda path: empty(path) / "more",
    "too long": lambda path: path.with_name("x" * 5000),
}


def refused(*arguments: str | Path) -> None:
    result: Result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 2, result.exception or result.stderr
    assert result.stderr.count("\n") == 1
    assert "found" in result.stderr


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("option", OPTIONS)
def test_what_is_no_such_file_is_refused_in_a_sentence(
    option: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = KINDS[kind](tmp_path / "given.jsonl")
    if (option, kind) == ("--prices", "empty"):  # no price of one's own is as good as none given
        assert CliRunner().invoke(app, [*OPTIONS[option], option, str(path)]).exit_code == 0
        return
    refused(*OPTIONS[option], option, path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("option", ["--ratings", "--capability"])
def test_what_is_no_such_table_is_refused_and_the_run_stays(
    option: str, kind: str, tmp_path: Path, run_with_judges: Path
) -> None:
    before = {path.name for path in run_with_judges.iterdir()}
    refused("score", run_with_judges, option, KINDS[kind](tmp_path / "given.csv"))
    assert {path.name for path in run_with_judges.iterdir()} == before


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "missing"])
@pytest.mark.parametrize("verb", [("score",), ("report",), ("export", "--to", "csv")])
def test_what_is_no_run_is_refused_in_a_sentence(verb: tuple[str, ...], kind: str, tmp_path: Path) -> None:
    refused(verb[0], KINDS[kind](tmp_path / "given"), *verb[1:])


@pytest.fixture(scope="module")
def run_with_judges(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from .test_fuzz import ROLES

    made = tmp_path_factory.mktemp("judged")
    (made / "roles.yaml").write_bytes(ROLES)
    command = ["run", "roleplay.why", "-m", "sim/neutral", "--judge", "sim/judge", "--personas", made / "roles.yaml"]
    assert CliRunner().invoke(app, [*map(str, command), "-o", str(made / "run"), "--json"]).exit_code == 0
    return made / "run"

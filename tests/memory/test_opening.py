"""A memory that could not be opened is said before anything is asked, and before outcomes are cleared."""

from __future__ import annotations

import importlib.metadata
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from personae.cli import app
from personae.embedding import registry
from personae.errors import BadInput
from personae.memory.backends import memory
from personae.memory.guard import Guard
from personae.memory.options import MemoryOptions
from personae.memory.study import Memories
from personae.study.base import Settings

RUN = ["run", "memory", "-m", "sim/neutral", "--turns", "1", "--every", "1", "--injection", "0"]


def personae(*arguments: object) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refused(result: Result, *said: str) -> None:
    assert result.exit_code == 2, (result.exit_code, result.stderr, result.stdout)
    assert result.stderr.count("\n") == 1, result.stderr
    for part in said:
        assert part in result.stderr


def missing(package: str) -> str:
    raise importlib.metadata.PackageNotFoundError(package)


def fake_version(package: str) -> str:
    return "3.0.0"


@pytest.mark.parametrize(
    ("name", "found", "said"),
    [
        ("mem0", missing, ["--memory", "'mem0'", 'pip install "personae[memory]"', "package mem0ai"]),
        ("langmem?raw=1", missing, ["--memory", "'langmem?raw=1'", 'pip install "personae[memory]"']),
        ("mem0?raw=1", fake_version, ["mem0ai", "'3.0.0'", "version 1 or 2"]),
    ],
)
def test_a_library_is_looked_for_before_anything_is_asked(
    name: str, found: Callable[[str], str], said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("personae.memory.backends.served.installed", found)
    refused(personae(*RUN, "--memory", "none", "--memory", name, "-o", tmp_path / "run"), *said)
    assert not (tmp_path / "run").exists()


def test_a_server_is_looked_for_before_anything_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    monkeypatch.setenv("PERSONAE_LETTA_URL", url)
    refused(personae(*RUN, "--memory", "letta", "-o", tmp_path / "run"), "PERSONAE_LETTA_URL", url, "make letta")
    assert not (tmp_path / "run").exists()


def test_an_encoder_that_is_too_wide_is_said_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = tmp_path / "wide.txt"
    vectors.write_text(" ".join(["tea", *["0.5"] * 4097]) + "\n", encoding="utf-8")
    monkeypatch.setattr("personae.memory.backends.letta.version", lambda: "0.16.8")
    name = f"letta?raw=1&encoder=static/{vectors}"
    refused(personae(*RUN, "--memory", name, "-o", tmp_path / "run"), "encoder", "4097", "at most 4096 numbers")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("kind", ["vector", "vector?extract=1", "mem0", "langmem?raw=1"])
@pytest.mark.parametrize(
    ("encoder", "said"),
    [
        ("sentence/nowhere", "there is no folder"),
        ("static/nowhere.txt", "there is no file"),
        ("nonsense", "sentence/use-small"),
    ],
)
def test_an_encoder_is_looked_for_before_anything_is_asked(
    kind: str, encoder: str, said: str, tmp_path: Path, needed: Callable[[str], None]
) -> None:
    if kind.startswith(("mem0", "langmem")):
        needed(kind.partition("?")[0])
    name = f"{kind}{'&' if '?' in kind else '?'}encoder={encoder}"
    refused(personae(*RUN, "--memory", name, "-o", tmp_path / "run"), "encoder", encoder, said)
    assert not (tmp_path / "run").exists()


def test_counted_anew_a_run_keeps_its_outcomes_where_a_memory_is_missing(
    encoders: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, vectors = tmp_path / "run", tmp_path / "vectors.txt"
    vectors.write_bytes(Path(encoders[0].removeprefix("static/")).read_bytes())
    done = personae(*RUN, "--memory", f"vector?encoder=static/{vectors}", "-o", out)
    assert done.exit_code == 0, done.stderr

    def outcomes() -> list[Any]:
        with sqlite3.connect(out / "run.db") as connection:
            rows = connection.execute("SELECT * FROM outcome").fetchall()
        connection.close()
        return rows

    before = outcomes()
    assert len(before) == 1
    vectors.unlink()
    registry._loaded.cache_clear()
    refused(personae("score", out), "encoder", "there is no file")
    assert outcomes() == before


@pytest.mark.parametrize("name", ["none", "window", "vector"])
def test_what_is_there_can_be_opened(name: str, encoders: tuple[str, str]) -> None:
    memory(f"{name}?encoder={encoders[0]}" if name == "vector" else name).check()


def test_a_guard_looks_after_its_memory() -> None:
    async def auditor(messages: Any) -> str:
        return ""

    with pytest.raises(BadInput, match="there is no folder"):
        Guard(memory("vector?encoder=sentence/nowhere"), auditor).check()


def test_every_memory_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    class Seen:
        def __init__(self, name: str) -> None:
            self.name = name

        def check(self) -> None:
            looked.append(self.name)

    made = Memories(
        Settings(scale="quick", options=(MemoryOptions(memories=("none", "window"), injections=(0.0, 1.0)),))
    )
    monkeypatch.setattr("personae.memory.backends.memory", Seen)
    made.prepare()
    assert looked == ["none", "window"]


@pytest.mark.parametrize(
    ("option", "content", "said"),
    [
        ("--questions", '{"question": "Who?"}', "line 1"),
        ("--exported", '"a note"\nno JSON', "line 2 of --exported"),
    ],
)
def test_a_file_that_does_not_fit_leaves_no_run_behind(option: str, content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(content, encoding="utf-8")
    command = ["run", "memory", "-m", "sim/neutral", option, path, "-o", tmp_path / "run"]
    refused(personae(*command), said)
    assert not (tmp_path / "run").exists()

"""Where a Letta server is looked for, and what is said where there is none: no server of Letta's is needed for this."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from personae.errors import BadInput, PersonaeError
from personae.memory.backends import memory
from personae.memory.backends.letta import Letta
from personae.memory.backends.letta_http import ADDRESS, PASSWORD, Server, version
from personae.memory.letta_server import INSTALLED, LettaServer
from personae.memory.letta_server.processes import free_port

Answering = Callable[[int, bytes], AbstractContextManager[list[str]]]


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    """A server that always answers the same, at the address of Letta's; collects who asked with which password."""

    @contextmanager
    def opened(status: int, said: bytes) -> Iterator[list[str]]:
        asked: list[str] = []

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.headers.get("Authorization", ""))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *_: object) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Answer) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            monkeypatch.setenv(ADDRESS, f"http://127.0.0.1:{server.server_port}")
            try:
                yield asked
            finally:
                server.shutdown()
                thread.join()

    return opened


@pytest.mark.parametrize("name", ["letta", "letta?raw=1"])
async def test_no_server_is_one_sentence(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    where = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv(ADDRESS, where)
    sentence = rf"{ADDRESS}: found '{where}'; a Letta server that is running there \(.*refused.*make letta"
    with pytest.raises(BadInput, match=sentence):
        await memory(name).open()
    with pytest.raises(BadInput, match=sentence):
        memory(name).check()


@pytest.mark.parametrize("where", ["http://192.0.2.1:8283", "letta.example", "ftp://127.0.0.1"])
def test_a_server_elsewhere_could_not_ask_our_model(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    monkeypatch.setenv(ADDRESS, where)
    with pytest.raises(BadInput, match=f"{ADDRESS}: found '{where}'; an address on this computer"):
        version()


@pytest.mark.parametrize(("status", "said"), [(200, b"<html>"), (200, b"{}"), (404, b"nobody")])
def test_another_server_is_no_letta(answering: Answering, status: int, said: bytes) -> None:
    with answering(status, said), pytest.raises(BadInput, match="a Letta server that is running there"):
        version()


@pytest.mark.parametrize("found", ["0.15.9", "0.160.1", "1.16.8"])
def test_a_version_that_is_not_known_is_one_sentence(answering: Answering, found: str) -> None:
    with answering(200, f'{{"version": "{found}"}}'.encode()):
        with pytest.raises(BadInput, match=rf"letta: found '{found}'; version 0\.16"):
            memory("letta").check()
        assert version() == found


def test_a_proxy_is_not_asked(answering: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with answering(200, b'{"version": "0.16.8"}'):
        assert version() == "0.16.8"


async def test_the_password_is_given_and_a_refusal_said(answering: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "swordfish")
    with answering(401, b'{"detail":"Unauthorized"}') as asked:
        server = Server()
        with pytest.raises(PersonaeError, match=r"Letta refused GET /agents/ \(401\): .*Unauthorized"):
            await server.ask("GET", "/agents/")
        await server.close()
    assert asked == ["Bearer swordfish"]


def test_parameters_are_those_of_the_others() -> None:
    found = memory("letta?raw=1&encoder=sentence/minilm")
    assert isinstance(found, Letta)
    assert (found.raw, found.encoder_name) == (True, "sentence/minilm")
    with pytest.raises(BadInput, match="parameters raw, encoder"):
        memory("letta?url=1")


def test_without_an_environment_there_is_nothing_to_start(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="one that `make letta` made"):
        LettaServer(tmp_path, tmp_path).start()


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that every user can reach; pytest's own are their owner's alone."""
    with tempfile.TemporaryDirectory(prefix="letta-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


def programs(home: Path) -> None:
    """An environment whose programs all fail."""
    (home / INSTALLED).touch()
    for name in ("initdb", "postgres", "pg_isready"):
        program = home / "lib" / "python3.11" / "site-packages" / "pgserver" / "pginstall" / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\necho {name} has had enough >&2\nexit 1\n")
        program.chmod(0o755)


def test_a_server_that_does_not_start_says_why(tmp_path: Path, reachable: Path) -> None:
    programs(tmp_path)
    with pytest.raises(PersonaeError, match=r"made no database in .*initdb has had enough"):
        LettaServer(tmp_path, reachable).start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives the database to another user")
def test_a_database_that_its_user_cannot_reach_is_one_sentence(tmp_path: Path, reachable: Path) -> None:
    programs(tmp_path)
    reachable.chmod(0o700)
    with pytest.raises(PersonaeError, match=r"must lie where the user nobody can reach it"):
        LettaServer(tmp_path, reachable).start()

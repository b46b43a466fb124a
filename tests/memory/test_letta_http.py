"""Where a Letta server is looked for, and what is said where there is none: no server of Letta's is needed for this."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import msgspec
import pytest

from personae.breaker import FAILURES, SECONDS
from personae.errors import BadInput, ModelError, NothingComesBack, PersonaeError
from personae.memory.backends import letta_http, memory
from personae.memory.backends.letta import Letta
from personae.memory.backends.letta_http import ADDRESS, PASSWORD, Server, version
from personae.memory.letta_server import INSTALLED, LettaServer
from personae.memory.letta_server.processes import free_port

Answering = Callable[..., AbstractContextManager[list[str]]]
DEEP = b"[" * 200_000 + b"]" * 200_000


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    """A server that always answers the same, at the address of Letta's; collects who asked with which password.

    What it says may be changed meanwhile: it is the value of a function.
    """

    @contextmanager
    def opened(status: int, said: bytes, changed: Callable[[], tuple[int, bytes]] | None = None) -> Iterator[list[str]]:
        asked: list[str] = []

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.headers.get("Authorization", ""))
                now, words = changed() if changed else (status, said)
                self.send_response(now)
                self.send_header("Location", "http://127.0.0.1:9/v1/health/")
                self.end_headers()
                self.wfile.write(words)

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


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (200, b"<html>"),
        (200, b"{}"),
        (200, DEEP),
        (200, b'{"version": "' + b"0" * 10_000_000 + b'"}'),
        (307, b""),
        (404, b"nobody"),
    ],
)
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


@pytest.mark.parametrize(
    "where", ["http://127.0.0.1:99999", "http://me:secret@127.0.0.1:8283", "http://me:secret@127.0.0.1:99999"]
)
def test_a_broken_address_is_one_sentence_without_a_password(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    monkeypatch.setenv(ADDRESS, where)
    with pytest.raises(BadInput, match=ADDRESS) as error:
        version()
    assert "secret" not in str(error.value)


class Said(msgspec.Struct):
    """What a test asks for."""

    text: str


ODD = {
    "a refusal": ((404, b"nobody here"), r"Letta refused GET /x \(404\): nobody here"),
    "a failure": ((500, b"boom"), r"Letta refused GET /x \(500\): boom"),
    "elsewhere": ((307, b"elsewhere"), r"Letta refused GET /x \(307\)"),
    "no JSON": ((200, b"<html>"), "what answers is no Letta server"),
    "another form": ((200, b"[1]"), "what answers is no Letta server"),
    "nested deeply": ((200, b'{"text": ' + DEEP + b"}"), "what answers is no Letta server"),
    "without end": ((200, b'{"text": "' + b"x" * (65 << 20) + b'"}'), "a reply of more than 67,108,864 bytes"),
}


@pytest.mark.parametrize("odd", ODD)
async def test_once_a_server_has_answered_what_it_says_is_the_error_of_an_item(answering: Answering, odd: str) -> None:
    now, words = ODD[odd]
    replies = [(200, b'{"text": "yes"}'), now]
    with answering(200, b"", lambda: replies.pop(0)):
        server = Server()
        try:
            assert (await server.ask("GET", "/x", form=Said)).text == "yes"
            with pytest.raises(ModelError, match=words):
                await server.ask("GET", "/x", form=Said)
        finally:
            await server.close()


async def test_a_server_that_answers_no_more_ends_the_run(
    answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = [(200, b"{}")]
    with answering(200, b"", lambda: replies.pop(0) if replies else (500, b"boom")):
        server = Server()
        clock = [0.0]
        monkeypatch.setattr(server.breaker, "_clock", lambda: clock[0])
        monkeypatch.setattr(letta_http, "monotonic", lambda: clock[0])
        try:
            await server.ask("GET", "/x")
            for _ in range(FAILURES):
                with pytest.raises(ModelError):
                    await server.ask("GET", "/x")
            clock[0] += SECONDS
            with pytest.raises(NothingComesBack, match=r"no answer comes from the Letta server at http.*boom"):
                await server.ask("GET", "/x")
        finally:
            await server.close()


async def test_the_password_is_struck_out_of_what_is_kept(
    answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, "sword4fish-and-7more")
    replies = [(200, b'{"text": "it is sword4fish-and-7more"}'), (400, b"not SWORD4FISH-and?")]
    with answering(200, b"", lambda: replies.pop(0)):
        server = Server()
        try:
            assert (await server.ask("GET", "/x", form=Said)).text == "it is ***"
            with pytest.raises(ModelError, match=r"not \*\*\*\?"):
                await server.ask("GET", "/x", form=Said)
        finally:
            await server.close()


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

"""Runs through servers that do and say anything: every item ends in one outcome, the run itself only with a reason."""

from __future__ import annotations

import asyncio
import gzip
import importlib.util
import json
import sqlite3
import sys
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from personae.asking import Silent, ask
from personae.cli.app import app
from personae.errors import BadInput, NothingComesBack
from personae.models import openai_api
from personae.run import Run
from personae.spec import make_spec

if TYPE_CHECKING:
    from raw_server import Asked, RawServer

pytestmark = pytest.mark.slow

for _name in ("fault_server", "raw_server"):  # shared with the tests of backends
    if _name not in sys.modules:
        _path = Path(__file__).parents[1] / "models" / f"{_name}.py"
        _spec = importlib.util.spec_from_file_location(_name, _path)
        assert _spec is not None
        assert _spec.loader is not None
        sys.modules[_name] = importlib.util.module_from_spec(_spec)
        _spec.loader.exec_module(sys.modules[_name])

STUDY = "companions.sycophancy"
HURRY = 100.0
KEY = "sk-proj-Zx81Xk37Vw55Tt90Qr42"
Seconds = Callable[[], float]


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> Seconds:
    """The clock by which a hundred seconds of waiting take one."""

    def clock() -> float:
        return time.monotonic() * HURRY

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(seconds / HURRY)

    monkeypatch.setattr(openai_api, "OpenAIModel", partial(openai_api.OpenAIModel, clock=clock, sleep=sleep))
    return clock


@pytest.fixture
def server() -> Iterator[RawServer]:
    from raw_server import RawServer

    with RawServer(good) as started:
        yield started


def http(*said: Any, **headers: str) -> bytes:
    from raw_server import http

    return http(*said, **headers)


def says(text: str) -> bytes:
    from fault_server import body_of

    return http(body_of(text))


def good(asked: Asked, again: int) -> bytes:
    return says("A")


def wrong(status: str, message: str = "not this one", **headers: str) -> bytes:
    return http({"error": {"message": message}}, status, **headers)


def run(server: RawServer, out: Path, preset: str = "vllm", **more: Any) -> Run:
    options = {"studies": [STUDY], "models": [f"{preset}/m@{server.url}"], "scale": "quick", "concurrency": 8, **more}
    return ask(make_spec(**options), out, Silent())


def statuses(asked: Run) -> Counter[str]:
    """Closes the run; how many items came to what."""
    with asked:
        outcomes = asked.outcomes
        assert outcomes.height == outcomes["item"].n_unique()
        return Counter(outcomes["status"].to_list())


def stored(out: Path) -> int:
    connection = sqlite3.connect(out / "run.db")
    found = int(connection.execute("SELECT count(*) FROM response").fetchone()[0])
    connection.close()
    return found


def number_of(asked: Asked) -> int:
    """A number of a question, the same each time."""
    return blake2b(json.dumps(asked["messages"]).encode()).digest()[0]


# -- one item's error, never the end of the run ----------------------------------------------------------------------

DEEP = b"[" * 100_000 + b"]" * 100_000
ODD: dict[str, Callable[[], bytes]] = {
    "nested deeply": lambda: http(b'{"choices": ' + DEEP + b"}"),
    "an error nested deeply": lambda: http(b'{"error": ' + DEEP + b"}", "400 No"),
    "a bomb": lambda: http(gzip.compress(bytes(60_000_000), 1), Content_Encoding="gzip"),
    "a bomb as an error": lambda: http(gzip.compress(bytes(60_000_000), 1), "500 No", Content_Encoding="gzip"),
    **{
        f"HTTP {status}": partial(wrong, status, Location="http://127.0.0.1:9/v1")
        for status in ("400 No", "401 No", "402 No", "403 No", "404 No", "405 No", "410 No", "307 Elsewhere", "303 See")
    },
    "a key that is not valid": lambda: wrong("400 No", "API key not valid"),
    "a model that is none": lambda: wrong("400 No", "m is not a valid model"),
    "quota": lambda: http({"error": {"message": "spent", "code": "insufficient_quota"}}, "429 No"),
    "log-probabilities are not supported": lambda: wrong("400 No", "logprobs are not supported"),
    "wait": lambda: wrong("429 Later", "later", Retry_After="99999999999"),
    "wait until far away": lambda: wrong("503 Later", "later", Retry_After="Fri, 31 Dec 9999 23:59:59 GMT"),
    "10 MB of headers": lambda: b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1_700_000 + b"\r\n",
    "no HTTP": lambda: b"\0\1\2\3\r\n\r\n",
    "nothing": lambda: b"",
}
NO_REPLY = ("10 MB of headers", "no HTTP", "nothing")
"""After these the connection is closed, and whoever is sent on it just then has to be asked again."""


@pytest.mark.parametrize("odd", ODD)
def test_after_the_first_answer_whatever_is_said_to_one_question_is_the_error_of_its_item(
    server: RawServer, tmp_path: Path, seconds: Seconds, odd: str
) -> None:
    what = ODD[odd]()
    troubled: list[str] = []

    def behave(asked: Asked, again: int) -> Any:
        key = json.dumps(asked["messages"])
        if len(server.asked) > 20 and not again and len(troubled) < 3:
            troubled.append(key)
        if key not in troubled:
            return good(asked, again)
        return (what, b"") if odd in NO_REPLY else what

    server.behave = behave
    found = statuses(run(server, tmp_path / "run", retries=5 if odd in NO_REPLY else 1))
    assert troubled
    assert 1 <= found["error"] <= 3
    assert found["answered"] == sum(found.values()) - found["error"]


def test_numbers_that_can_be_none_lose_no_answer(server: RawServer, tmp_path: Path) -> None:
    counts = [
        "9223372036854775808",
        "1e300",
        "-1",
        "7.5",
        '"7"',
        "9" * 4000,
        "1e999",
        "[]",
        "true",
        "18446744073709551616",
    ]
    plain = says("A").partition(b"\r\n\r\n")[2].decode()

    def behave(asked: Asked, again: int) -> bytes:
        return http(plain.replace(": 7", f": {counts[number_of(asked) % len(counts)]}").encode())

    server.behave = behave
    found = statuses(run(server, tmp_path / "run"))
    assert set(found) == {"answered"}
    assert stored(tmp_path / "run") == len(server.asked)


def test_under_a_mix_of_everything_every_item_ends_in_one_outcome_and_no_answer_is_lost(
    server: RawServer, tmp_path: Path, seconds: Seconds
) -> None:
    kinds = [make() for make in ODD.values()]
    answered: list[str] = []

    def behave(asked: Asked, again: int) -> Any:
        kind = (number_of(asked) + 7 * again) % (3 * len(kinds))
        if kind < len(kinds) and len(server.asked) > 20:
            return kinds[kind], b""
        answered.append("x")
        return good(asked, again)

    server.behave = behave
    out = tmp_path / "run"
    found = statuses(run(server, out, retries=1, repeats=2))
    assert found["answered"] > found["error"] > 0
    assert stored(out) == len(answered)
    server.behave = good
    again = statuses(run(server, out, retries=1, repeats=2))
    assert (again["answered"], again["error"]) == (sum(found.values()), 0)


def test_a_question_that_is_always_refused_stops_no_later_sitting(
    server: RawServer, tmp_path: Path, seconds: Seconds
) -> None:
    out = tmp_path / "run"
    server.behave = lambda asked, again: good(asked, again) if len(server.asked) <= 20 else b""
    with pytest.raises(NothingComesBack):
        run(server, out)
    first: list[str] = []

    def guarded(asked: Asked, again: int) -> bytes:
        key = json.dumps(asked["messages"])
        if len(first) < 2 and key not in first:
            first.append(key)
        return wrong("403 No", "a guardrail") if key in first else good(asked, again)

    server.behave = guarded
    for _ in range(2):
        found = statuses(run(server, out))
        assert 1 <= found["error"] <= 2
        assert found["answered"] == sum(found.values()) - found["error"]


@pytest.mark.parametrize("status", ["401 No", "402 No", "403 No", "404 No", "307 Elsewhere"])
def test_before_any_answer_what_only_the_user_can_mend_stops_the_run(
    server: RawServer, tmp_path: Path, status: str
) -> None:
    server.behave = lambda asked, again: wrong(status)
    with pytest.raises(BadInput):
        run(server, tmp_path / "run")
    assert len(server.asked) <= 8


# -- nothing comes back ----------------------------------------------------------------------------------------------

DOWN: dict[str, Callable[[], bytes]] = {
    "HTTP 500": lambda: wrong("500 No", "boom"),
    "closes": lambda: b"",
    "broken JSON": lambda: http(b"{"),
    "key revoked": lambda: wrong("401 No", "revoked"),
    "account spent": lambda: wrong("402 No", "spent"),
    "model gone": lambda: wrong("404 No", "gone"),
    "wait for ever": lambda: wrong("429 Later", "later", Retry_After="99999999999"),
}


MENDED = ("key revoked", "account spent", "model gone")
"""What stops a run at once, as something that the user can mend, before there is any answer."""


@pytest.mark.parametrize(
    ("down", "before"), [*((down, 30) for down in DOWN), *((down, 0) for down in DOWN if down not in MENDED)]
)
def test_where_nothing_comes_back_any_more_the_run_ends_soon_and_can_go_on(
    server: RawServer, tmp_path: Path, seconds: Seconds, down: str, before: int
) -> None:
    out, what = tmp_path / "run", DOWN[down]()
    server.behave = lambda asked, again: good(asked, again) if len(server.asked) <= before else what
    with pytest.raises(NothingComesBack) as ended:
        run(server, out, concurrency=4)
    assert len(server.asked) - before < 100
    assert "attempts in" in str(ended.value)
    assert stored(out) == before
    server.behave, asked = good, len(server.asked)
    found = statuses(run(server, out, concurrency=4))
    assert set(found) == {"answered"}
    assert stored(out) - before == len(server.asked) - asked


def test_a_server_that_restarts_is_waited_for(server: RawServer, tmp_path: Path, seconds: Seconds) -> None:
    begun: list[float] = []

    def behave(asked: Asked, again: int) -> bytes:
        if len(server.asked) == 30:
            begun.append(seconds())
        return b"" if begun and seconds() - begun[0] < 10 else good(asked, again)

    server.behave = behave
    found = statuses(run(server, tmp_path / "run"))
    assert begun
    assert set(found) == {"answered"}


def test_a_server_that_fails_every_second_time_is_not_given_up(
    server: RawServer, tmp_path: Path, seconds: Seconds
) -> None:
    server.behave = lambda asked, again: good(asked, again) if again % 2 else wrong("500 No")
    found = statuses(run(server, tmp_path / "run", concurrency=3))
    assert set(found) == {"answered"}


def test_the_command_line_says_why_and_that_the_same_command_goes_on(
    server: RawServer, tmp_path: Path, seconds: Seconds
) -> None:
    server.behave = lambda asked, again: wrong("503 No", "out of order")
    command = ["run", STUDY, "-m", f"vllm/m@{server.url}", "--scale", "quick", "-o", str(tmp_path / "run")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 3
    assert result.stderr.count("personae: ") == 1
    assert f"no answer comes from vllm/m@{server.url}: " in result.stderr
    assert "HTTP 503: out of order" in result.stderr
    assert "everything answered is kept: run the same command to go on" in result.stderr


# -- keys ------------------------------------------------------------------------------------------------------------

WAYS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    lambda key: key[5:19],
    lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    lambda key: key.encode().hex(),
)


def test_no_file_of_a_run_holds_a_key_whatever_the_server_says(
    server: RawServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def behave(asked: Asked, again: int) -> bytes:
        number = number_of(asked)
        written = WAYS[number % len(WAYS)](KEY)
        return wrong("400 No", f"who is {written}?") if number % 3 == 1 else says(f"A) {written}")

    server.behave = behave
    out = tmp_path / "run"
    with run(server, out, preset="openai") as asked:
        asked.report()
    assert any(f"Bearer {KEY}" in head for head in server.heads)
    told = capfd.readouterr()
    kept = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file()) + f"{told.out}{told.err}".encode()
    assert b"***" in kept
    low = kept.lower()
    for written in {way(KEY).lower() for way in WAYS}:
        parts = {written[at : at + 16] for at in range(len(written) - 15)}
        assert not [part for part in parts if part.encode() in low]
    parts = {KEY[at : at + 8].lower() for at in range(8, len(KEY) - 7)}
    assert not [part for part in parts if part.encode() in low]

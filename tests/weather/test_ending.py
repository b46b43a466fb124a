"""Ctrl-C, SIGTERM, SIGHUP and a reader that goes: a run says so, keeps what was answered, and goes on afterwards."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from personae.engine.sitting import Sitting

pytestmark = pytest.mark.slow

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
SAID = {signal.SIGINT: "interrupted", signal.SIGTERM: "ended by SIGTERM", signal.SIGHUP: "ended by SIGHUP"}
KEPT = "; everything answered is kept: run the same command to go on\n"


class Loopback(threading.Thread):
    """Answers after a moment, and counts."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.asked, self.port = 0, 0
        self.ready = threading.Event()

    async def _answer(self, _request: web.Request) -> web.Response:
        self.asked += 1
        await asyncio.sleep(0.02)
        said = {"message": {"role": "assistant", "content": "A)"}, "finish_reason": "stop"}
        return web.json_response({"choices": [said]})

    async def _models(self, _request: web.Request) -> web.Response:
        return web.json_response({"data": []})

    def run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        application = web.Application()
        application.router.add_post("/v1/chat/completions", self._answer)
        application.router.add_get("/v1/models", self._models)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        self.ready.set()
        await asyncio.Event().wait()

    def wait(self, count: int, asking: subprocess.Popen[str]) -> None:
        while self.asked < count:
            assert asking.poll() is None
            time.sleep(0.005)


@pytest.fixture
def loopback() -> Loopback:
    server = Loopback()
    server.start()
    assert server.ready.wait(600)
    return server


def command(server: Loopback, out: Path) -> list[str]:
    asked = ["run", "companions.sycophancy", "--repeats", "2", "--json", "--concurrency", "4", "-o", str(out)]
    return [sys.executable, "-m", "personae", *asked, "-m", f"vllm/m@http://127.0.0.1:{server.port}/v1"]


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a process that a failing test does not leave behind."""
    with ExitStack() as stack:

        def started(command: list[str], **more: Any) -> subprocess.Popen[str]:
            streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
            process = stack.enter_context(subprocess.Popen(command, **(streams | more)))
            stack.callback(process.kill)
            return process

        yield started


def stored(out: Path) -> int:
    """How many answers there are."""
    connection = sqlite3.connect(out / "run.db")
    try:
        return int(connection.execute("SELECT count(*) FROM response").fetchone()[0])
    except sqlite3.OperationalError:  # it is just being made
        return 0
    finally:
        connection.close()


@pytest.mark.parametrize("ends", CODES, ids=lambda one: one.name)
def test_a_run_ends_by_a_signal_with_a_sentence_and_goes_on(
    start: Start, loopback: Loopback, tmp_path: Path, ends: int
) -> None:
    out = tmp_path / "run"
    running = start(command(loopback, out))
    loopback.wait(60, running)
    running.send_signal(ends)
    printed, said = running.communicate()
    assert running.returncode == CODES[ends], said
    assert (printed, said) == ("", f"personae: {SAID[ends]}{KEPT}")
    kept = stored(out)
    assert kept >= loopback.asked - 8
    with Sitting(out) as sitting:
        sitting.begin()  # nobody has the lock any more
    again = subprocess.run(command(loopback, out), capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["responses"] == stored(out) > kept


def test_a_second_signal_changes_neither_the_sentence_nor_what_is_kept(
    start: Start, loopback: Loopback, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    running = start(command(loopback, out))
    loopback.wait(60, running)
    running.send_signal(signal.SIGINT)
    running.send_signal(signal.SIGTERM)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate()
    assert running.returncode in (130, 143)  # which of the two signals a process is given first is not said anywhere
    assert said.endswith(KEPT)
    assert said.count("\n") == 1
    assert stored(out) >= loopback.asked - 8


def test_nohup_is_heeded(start: Start, loopback: Loopback, tmp_path: Path) -> None:
    running = start(["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command(loopback, tmp_path / "run")])
    loopback.wait(60, running)
    running.send_signal(signal.SIGHUP)
    _, said = running.communicate()
    assert running.returncode == 0, said


STUCK = """
import asyncio, sys, threading, time
from personae.cli import ending, listing, main
from personae.engine.loop import run_sync
ending.PATIENCE = 0.2

def stuck():
    async def wait():
        print("begun", file=sys.stderr, flush=True)
        await asyncio.to_thread(time.sleep, 600)
    run_sync(wait())

listing._studies = stuck
sys.argv = ["personae", "studies"]
main()
"""


@pytest.mark.parametrize("patience", [0.2, 600.0])
def test_a_thread_that_nothing_can_stop_is_left_behind(start: Start, patience: float) -> None:
    """After a while, or at once where a second signal comes."""
    program = STUCK.replace("0.2", str(patience))
    running = start([sys.executable, "-c", program])
    assert running.stderr is not None
    assert running.stderr.readline() == "begun\n"
    running.send_signal(signal.SIGTERM)
    if patience > 1:
        time.sleep(0.5)
        running.send_signal(signal.SIGTERM)
    _, said = running.communicate()
    assert running.returncode == 143
    assert said == f"personae: ended by SIGTERM{KEPT}"


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    out = tmp_path / "run"
    asked = ["run", "companions.sycophancy", "--repeats", "2", "-m", "sim/neutral", "-o", str(out)]
    subprocess.run([sys.executable, "-m", "personae", *asked], capture_output=True, check=True)
    return out


def test_scoring_can_be_ended_while_everything_is_in_the_store(scored: Path) -> None:
    """Where nothing is waited for, the work itself must give way."""
    program = "from personae.engine import scheduler\nfrom personae.cli import main\nimport os, signal\n"
    program += "count = iter(range(10**9))\nkey = scheduler.item_key\n"
    program += "def signalled(*given):\n    if next(count) == 50:\n        os.kill(os.getpid(), signal.SIGTERM)\n"
    program += "    return key(*given)\nscheduler.item_key = signalled\nmain()\nprint(next(count))\n"
    program = program.replace("main()\n", "try:\n    main()\nfinally:\n    pass\n")
    before = outcomes(scored)
    done = subprocess.run(
        [sys.executable, "-c", program, "score", str(scored)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 143, done.stderr
    assert done.stderr == f"personae: ended by SIGTERM{KEPT}"
    assert outcomes(scored) == before


def outcomes(out: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(out / "run.db")
    rows = connection.execute("SELECT * FROM outcome ORDER BY model, key").fetchall()
    connection.close()
    return rows


@pytest.mark.parametrize(
    "verb", [["studies"], ["studies", "--json"], ["--help"], ["plan", "companions", "-m", "sim/neutral"]]
)
def test_a_reader_that_goes_is_no_error(start: Start, verb: list[str]) -> None:
    running = start([sys.executable, "-m", "personae", *verb])
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    assert running.stderr.read() == ""
    assert running.wait() == 141


def test_a_run_whose_log_nobody_reads_keeps_what_was_answered(start: Start, loopback: Loopback, tmp_path: Path) -> None:
    out = tmp_path / "run"
    asked = [part for part in command(loopback, out) if part != "--json"]
    running = start(asked)
    assert running.stderr is not None
    running.stderr.close()
    assert running.wait() == 141
    again = subprocess.run(command(loopback, out), capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr


@pytest.mark.embedded
@pytest.mark.parametrize("ends", [signal.SIGTERM, signal.SIGHUP], ids=lambda one: one.name)
def test_a_run_ends_while_the_embedded_model_writes(start: Start, tmp_path: Path, ends: int) -> None:
    out = tmp_path / "run"
    asked = ["run", "companions.emotion", "-m", "local/smollm2", "--respond", "free", "-o", str(out)]
    running = start([sys.executable, "-m", "personae", *asked])
    while not (out / "run.db").exists() or not stored(out):
        assert running.poll() is None
        time.sleep(0.1)
    running.send_signal(ends)
    _, said = running.communicate()
    assert running.returncode == CODES[ends], said
    assert said.endswith(f"personae: {SAID[ends]}{KEPT}")
    assert stored(out)

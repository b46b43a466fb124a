"""Killed at any moment and resumed, a run gives the same answers and asks almost nothing twice."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from hashlib import blake2b
from pathlib import Path

import pytest
from aiohttp import web

KILLS = 20
HELD = 0.25
"""Seconds of answers that a killed process may lose (docs/design.md, section 4)."""

LATENCY = 0.02
RUN = [sys.executable, "-m", "personae", "run", "companions.sycophancy", "--scale", "quick", "--repeats", "4", "--json"]


class Loopback(threading.Thread):
    """Answers each prompt the same way always, after a moment, and remembers when it was asked what."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.asked: list[tuple[float, str]] = []
        self.ready = threading.Event()
        self.port = 0

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        prompt = json.dumps(body["messages"])
        self.asked.append((time.time(), blake2b(await request.read()).hexdigest()))
        await asyncio.sleep(LATENCY)
        letter = "AB"[blake2b(prompt.encode()).digest()[0] % 2]
        said = {"message": {"role": "assistant", "content": f"{letter})"}, "finish_reason": "stop"}
        return web.json_response({"choices": [said], "usage": {"prompt_tokens": 50, "completion_tokens": 2}})

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"data": []})

    def run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        application = web.Application()
        application.router.add_post("/v1/chat/completions", self._answer)
        application.router.add_get("/v1/models", self._models)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        self.ready.set()
        await asyncio.Event().wait()


@pytest.fixture
def loopback() -> Loopback:
    server = Loopback()
    server.start()
    assert server.ready.wait(10)
    return server


def command(server: Loopback, out: Path) -> list[str]:
    return [*RUN, "--model", f"vllm/scripted@http://127.0.0.1:{server.port}/v1", "--concurrency", "4", "-o", str(out)]


def answers(out: Path) -> dict[str, str]:
    connection = sqlite3.connect(out / "run.db")
    rows = connection.execute("SELECT key, text FROM response").fetchall()
    connection.close()
    return dict(rows)


def asked_since(server: Loopback, count: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if len(server.asked) > count:
            return True
        time.sleep(0.005)
    return False


@pytest.mark.timeout(280)
def test_a_run_killed_at_twenty_moments_is_the_run_that_was_not(loopback: Loopback, tmp_path: Path) -> None:
    whole = subprocess.run(
        command(loopback, tmp_path / "whole"), capture_output=True, text=True, timeout=120, check=False
    )
    assert whole.returncode == 0, whole.stderr
    expected = answers(tmp_path / "whole")
    assert len(loopback.asked) == len(expected) > 400
    loopback.asked.clear()

    chance, kills = random.Random(20), []
    for _ in range(KILLS):
        before = len(loopback.asked)
        running = subprocess.Popen(
            command(loopback, tmp_path / "killed"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        # The first moments fall before anything is asked, the others while answers come in.
        if asked_since(loopback, before, 30):
            time.sleep(chance.uniform(0.0, 0.35))
        running.send_signal(signal.SIGKILL)
        kills.append(time.time())
        running.wait()
        assert running.stderr is not None
        running.stderr.close()
        assert set(answers(tmp_path / "killed").items()) <= set(expected.items())

    last = subprocess.run(
        command(loopback, tmp_path / "killed"), capture_output=True, text=True, timeout=120, check=False
    )
    assert last.returncode == 0, last.stderr
    assert answers(tmp_path / "killed") == expected
    # Prompts that repeat within the design are asked as often as there are keys for them; what exceeds that was
    # lost to a kill, and must have been asked within the last moments before one.
    surplus = len(loopback.asked) - len(expected)
    in_danger = sum(any(0 <= kill - at <= HELD + LATENCY + 0.1 for kill in kills) for at, _ in loopback.asked)
    assert surplus <= in_danger
    assert in_danger < len(loopback.asked) * 0.9


def test_an_interrupted_run_stops_at_once_and_keeps_everything(loopback: Loopback, tmp_path: Path) -> None:
    out = tmp_path / "run"
    running = subprocess.Popen(command(loopback, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert asked_since(loopback, 60, 60)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=20)
    assert running.returncode == 130, said
    assert "everything answered is kept" in said
    kept = len(answers(out))
    assert kept >= len(loopback.asked) - 8
    again = subprocess.run(command(loopback, out), capture_output=True, text=True, timeout=120, check=False)
    assert again.returncode == 0, again.stderr
    assert len(answers(out)) == json.loads(again.stdout)["responses"] > kept


def test_the_store_can_be_read_by_others_after_a_kill(loopback: Loopback, tmp_path: Path) -> None:
    running = subprocess.Popen(
        command(loopback, tmp_path / "run"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert asked_since(loopback, 30, 60)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    connection = sqlite3.connect(tmp_path / "run" / "run.db")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()

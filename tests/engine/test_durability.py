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
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

KILLS = 4
"""Of processes that begin from nothing; tests/weather kills more often, and counts what a kill may lose."""

LATENCY = 0.02
RUN = [sys.executable, "-m", "personae", "run", "companions.sycophancy", "--scale", "quick", "--repeats", "2", "--json"]


class Loopback(threading.Thread):
    """Answers each prompt the same way always, after a moment, and remembers when it was asked what."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.asked: list[str] = []
        self.ready = threading.Event()
        self.port = 0

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        prompt = json.dumps(body["messages"])
        self.asked.append(prompt)
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
    assert server.ready.wait(600)
    return server


def command(server: Loopback, out: Path) -> list[str]:
    return [*RUN, "--model", f"vllm/scripted@http://127.0.0.1:{server.port}/v1", "--concurrency", "4", "-o", str(out)]


def answers(out: Path) -> dict[str, str]:
    connection = sqlite3.connect(out / "run.db")
    rows = connection.execute("SELECT key, text FROM response").fetchall()
    connection.close()
    return dict(rows)


def until(reached: Callable[[], object], running: subprocess.Popen[Any]) -> None:
    """Wait for something that a program that goes on is to do, however long that takes it."""
    while not reached():
        assert running.poll() is None, "it ended before"
        time.sleep(0.005)


def ended(command: list[str]) -> str:
    """Run a command to its end; returns what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_run_killed_at_several_moments_is_the_run_that_was_not(loopback: Loopback, tmp_path: Path) -> None:
    ended(command(loopback, tmp_path / "whole"))
    expected = answers(tmp_path / "whole")
    assert len(loopback.asked) == len(expected) > 300
    chance, stored = random.Random(20), 0
    for kill in range(KILLS):
        loopback.asked.clear()
        running = subprocess.Popen(
            command(loopback, tmp_path / "killed"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        # Every second moment falls soon after the first ask, the others after some answers have been stored.
        until(lambda: loopback.asked and (kill % 2 or len(answers(tmp_path / "killed")) > stored), running)  # noqa: B023
        time.sleep(chance.uniform(0.0, 0.15))
        running.send_signal(signal.SIGKILL)
        running.wait()
        assert running.stderr is not None
        running.stderr.close()
        kept = answers(tmp_path / "killed")
        assert set(kept.items()) <= set(expected.items())
        assert stored <= len(kept) <= stored + len(loopback.asked)
        stored = len(kept)

    assert 0 < stored < len(expected)
    loopback.asked.clear()
    ended(command(loopback, tmp_path / "killed"))
    assert answers(tmp_path / "killed") == expected
    assert len(loopback.asked) == len(expected) - stored  # nothing that was stored is asked again


@pytest.mark.slow
def test_an_interrupted_run_stops_at_once_and_keeps_everything(loopback: Loopback, tmp_path: Path) -> None:
    out = tmp_path / "run"
    running = subprocess.Popen(command(loopback, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: len(loopback.asked) > 60, running)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate()
    assert running.returncode == 130, said
    assert "everything answered is kept" in said
    kept = len(answers(out))
    assert kept >= len(loopback.asked) - 8
    again = json.loads(ended(command(loopback, out)))
    assert len(answers(out)) == again["responses"] > kept


def test_the_store_can_be_read_by_others_after_a_kill(loopback: Loopback, tmp_path: Path) -> None:
    running = subprocess.Popen(
        command(loopback, tmp_path / "run"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until(lambda: len(loopback.asked) > 30, running)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    connection = sqlite3.connect(tmp_path / "run" / "run.db")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()

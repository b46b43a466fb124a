"""Commands of the program as children that begin at once, to be killed at any moment.

Run as a script this is the process that has imported everything and forks itself for every command it is told of, one
JSON object a line; `Nursery` is that process as a test sees it. A forked child is the program from ``main()`` on: its
signals, its exit code and its last words are its own.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 1800
"""Seconds after which a command hangs; none takes more than a few, but where a computer is slow and busy."""

_IMPORTED = (
    "aiohttp",
    "altair",
    "scipy.stats",
    "vl_convert",
    "personae.audit",
    "personae.exporting",
    "personae.importing",
    "personae.models.openai_api",
    "personae.pages",
    "personae.report.figures",
    "personae.report.page",
    "personae.report.tables",
)
"""What the verbs import only when they need it."""


class Child:
    """A command that goes on, or has ended."""

    def __init__(self, nursery: Nursery, pid: int, said: Path) -> None:
        self._nursery, self.pid, self._said = nursery, pid, said
        self.code: int | None = None
        """The exit code; the number of a signal with a minus where that ended it."""

    def kill(self, number: signal.Signals) -> bool:
        """Send a signal; False when the command had ended before."""
        return bool(self._nursery.tell(do="kill", pid=self.pid, signal=int(number))["sent"])

    def ended(self) -> bool:
        """Whether it has ended."""
        if self.code is None:
            self.code = self._nursery.tell(do="poll", pid=self.pid)["code"]
        return self.code is not None

    def wait(self) -> int:
        """Wait for the end; returns the exit code."""
        end = time.monotonic() + PATIENCE
        while not self.ended():
            assert time.monotonic() < end, f"still going on after {PATIENCE} s; it said: {self.said}"
            time.sleep(0.002)
        assert self.code is not None
        return self.code

    @property
    def said(self) -> str:
        """What it wrote to standard output and standard error."""
        return self._said.read_text(encoding="utf-8", errors="replace")


class Nursery:
    """The process that forks commands; it and all its children end with the context.

    Parameters
    ----------
    folder : Path
        Where the output of commands is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._begun = folder, 0
        folder.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def start(self, *arguments: object) -> Child:
        """Begin a command with these arguments."""
        self._begun += 1
        said = self._folder / f"{self._begun:05}.txt"
        argv = [str(argument) for argument in arguments]
        return Child(self, self.tell(do="start", argv=argv, said=str(said), cwd=str(self._folder))["pid"], said)

    def run(self, *arguments: object, codes: Sequence[int] = (0,)) -> Child:
        """Run a command to its end, which has one of these exit codes."""
        child = self.start(*arguments)
        assert child.wait() in codes, f"{' '.join(map(str, arguments))} ended with {child.code}: {child.said}"
        return child

    @contextmanager
    def running(self, *arguments: object) -> Iterator[Child]:
        """A command that goes on; what is left of it at the end of the context is killed."""
        child = self.start(*arguments)
        try:
            yield child
        finally:
            if not child.ended():
                child.kill(signal.SIGKILL)
                child.wait()

    def tell(self, **request: Any) -> dict[str, Any]:
        """Send a request; returns the reply."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the process that forks commands has ended"
        reply: dict[str, Any] = json.loads(line)
        return reply


def serve() -> list[str] | None:
    """Do what is asked until the input ends; returns more than once: in every child with its arguments."""
    alive: dict[int, int | None] = {}
    try:
        while line := sys.stdin.readline():
            request = json.loads(line)
            if request["do"] == "start":
                pid = os.fork()
                if not pid:
                    alive.clear()
                    _become(request)
                    argv: list[str] = request["argv"]
                    return argv
                alive[pid] = None
                _reply(pid=pid)
            elif request["do"] == "kill":
                pid = request["pid"]
                if sent := _code(alive, pid) is None:  # not waited for yet, so the number is still the child's own
                    os.kill(pid, request["signal"])
                _reply(sent=sent)
            else:
                _reply(code=_code(alive, request["pid"]))
    finally:
        for pid in alive:
            if _code(alive, pid) is None:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
    return None


def _code(alive: dict[int, int | None], pid: int) -> int | None:
    if alive[pid] is None:
        found, status = os.waitpid(pid, os.WNOHANG)
        alive[pid] = os.waitstatus_to_exitcode(status) if found else None
    return alive[pid]


def _reply(**reply: Any) -> None:
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


def _become(request: dict[str, Any]) -> None:
    """In a child: nothing of the parent's input and output is left."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    said = os.open(request["said"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    for file, number in ((nothing, 0), (said, 1), (said, 2)):
        os.dup2(file, number)
    os.close(nothing)
    os.close(said)
    os.chdir(request["cwd"])


if __name__ == "__main__":
    from personae.cli import main
    from personae.study.base import families

    for name in _IMPORTED:
        importlib.import_module(name)
    families()
    gc.freeze()
    if (given := serve()) is not None:
        sys.argv = ["personae", *given]
        main()

"""llama.cpp in a process of its own: it can be ended at any moment, and takes nothing with it if it breaks.

In a thread it could not: nothing stops it while it reads a long prompt, and a program that ends meanwhile crashes.
Both sides are here. They speak JSON over the child's stdin and stdout, a line for a question and a line for its answer.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from personae.errors import BadInput, ModelError
from personae.types import Response, Trial

# -P: modules in the folder the program happens to be started in are none of the child's.
_COMMAND = (sys.executable, "-P", "-c", "from personae.models.llama_process import main; main()")


class Setup(Struct, frozen=True, kw_only=True):
    """Which file, and the chat template to ask it with ("": the one in the file)."""

    path: str
    template: str = ""


class Question(Struct, frozen=True, kw_only=True):
    """A trial; the seed to use where it has none; whether the state of a common beginning may be kept."""

    trial: Trial
    seed: int
    reuse: bool


class Reply(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A response, or why there is none. The reply to a setup has neither where all went well."""

    response: Response | None = None
    error: str = ""


_decode_reply = msgspec.json.Decoder(Reply).decode
_encode = msgspec.json.Encoder().encode


class Stopped(ModelError):
    """The process ended before it had answered; the next question starts another."""


class LlamaProcess:
    """The parent's side: one copy of a model, asked one question at a time.

    Raises
    ------
    BadInput
        When llama.cpp cannot use the file.
    """

    def __init__(self, setup: Setup) -> None:
        self._process = subprocess.Popen(
            _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **_own_group()
        )
        try:
            said = self._exchange(setup).error
        except ModelError as error:
            said = error.reason
        if said:
            self.kill()
            self.close_pipes()
            raise BadInput("model file", setup.path, f"it must be a GGUF file that llama.cpp can load ({said})")

    def ask(self, question: Question) -> Response:
        """Ask and wait.

        Raises
        ------
        ModelError
            When llama.cpp refuses the question, or the process is gone.
        """
        reply = self._exchange(question)
        if reply.response is None:
            raise ModelError(reply.error)
        return reply.response

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it at once, whatever it is doing; a question in hand fails."""
        self._process.kill()
        self._process.wait()

    def close_pipes(self) -> None:
        """Give the pipes back; by the thread that uses them."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what was not sent has nobody to read it
                pipe.close()

    def _exchange(self, message: Setup | Question) -> Reply:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(_encode(message) + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            raise Stopped(f"llama.cpp was stopped before its end (exit code {self._process.wait()})")
        return _decode_reply(line)


def _own_group() -> dict[str, Any]:
    """Ctrl-C in the terminal is for the parent alone, which decides what happens."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def main() -> None:
    """The child's side: serve until the parent closes the pipe or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What llama.cpp prints must not come between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, sys.stdout.fileno())
    with contextlib.suppress(BrokenPipeError):  # the parent is gone
        serve(sys.stdin.buffer, answers)
    os._exit(0)  # llama.cpp's threads need not be waited for


def serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Load what the first line says and answer the others."""
    from personae.models import llama

    def reply(message: Reply) -> None:
        answers.write(_encode(message) + b"\n")
        answers.flush()

    setup = msgspec.json.decode(questions.readline(), type=Setup)
    try:
        server = llama.load(Path(setup.path), setup.template)
    except RuntimeError as error:
        reply(Reply(error=str(error)))
        return
    reply(Reply())
    for line in questions:
        question = msgspec.json.decode(line, type=Question)
        try:
            answer = llama.ask(server, question.trial, seed=question.seed, reuse=question.reuse)
        except ModelError as error:
            reply(Reply(error=error.reason))
        else:
            reply(Reply(response=answer))

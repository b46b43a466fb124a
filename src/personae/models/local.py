"""A language model inside this process: llama.cpp with a catalogued model or a GGUF file of the user's own."""

from __future__ import annotations

import asyncio
import atexit
import os
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, TypeVar

import msgspec

from personae.errors import ModelError
from personae.models import llama
from personae.models.base import Capabilities
from personae.models.catalog import entries, find_model_file
from personae.types import Message, Response, Trial

T = TypeVar("T")
_MOST_WORKERS = 2
_PATIENCE = 1.0
"""Seconds that closing waits for a question in hand, which is stopped at its next token."""


class LocalModel:
    """llama.cpp in this process, off the event loop.

    Parameters
    ----------
    name : str
        ``local/smollm2`` or another name of the catalogue, or ``local/<path of a .gguf file>``.
    seed : int
        Used where a trial has none. The same trial gives the same answer on the same machine, whichever worker takes
        it and whatever was asked before.
    workers : int, optional
        Copies of the model, one thread each; by default one for each core, two at most.
    """

    capabilities = Capabilities(top_logprobs=llama.TOP_LOGPROBS, prefill=True, grammar=True)

    def __init__(self, name: str, *, seed: int = 0, workers: int | None = None) -> None:
        self.name = name
        self.concurrency = workers or min(_MOST_WORKERS, os.cpu_count() or 1)
        self._file = name.removeprefix("local/")
        self._seed = seed
        self._workers: list[_Worker] = []
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()

    async def open(self) -> None:
        """Load the model.

        Raises
        ------
        BadInput
            When its file is not here, has another hash than the catalogue says, or is none llama.cpp can load.
        """
        if self._workers:
            return
        entry = entries().get(self._file)
        path = await asyncio.to_thread(find_model_file, self._file)
        setup = llama.Setup(path=path, template=entry.template if entry else "")
        try:
            for _ in range(self.concurrency):
                self._workers.append(worker := _Worker(setup, self._seed))
                await worker.do(worker.load)
            if entry and entry.reuse:
                first = self._workers[0]
                exact = await first.do(first.reuse_is_exact)
                for worker in self._workers:
                    worker.reuse = exact
        except BaseException:
            await self.close()
            raise
        self._idle = asyncio.Queue()
        for worker in self._workers:
            self._idle.put_nowait(worker)

    async def respond(self, trial: Trial) -> Response:
        """Ask the first copy that is free.

        Raises
        ------
        ModelError
            When llama.cpp refuses the question: longer than the context of 2,048 tokens, a broken grammar.
        """
        if not self._workers:
            raise ModelError(f"{self.name} is not open")
        worker = await self._idle.get()
        stop = Event()
        done = worker.start(lambda: worker.ask(trial, stop))
        loop, idle = asyncio.get_running_loop(), self._idle

        def free(_: object) -> None:
            with suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits for this worker any more
                loop.call_soon_threadsafe(idle.put_nowait, worker)

        done.add_done_callback(free)
        try:
            return await asyncio.wrap_future(done)
        except asyncio.CancelledError:
            stop.set()
            raise

    async def close(self) -> None:
        """Stop what is being asked and free the memory; a prompt being read cannot be stopped and is left behind."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.end()
        waiting = [asyncio.wrap_future(worker.ended) for worker in workers]
        if waiting:
            await asyncio.wait(waiting, timeout=_PATIENCE)
        for worker in workers:
            _running.discard(worker)  # waited for once is enough


class _Worker:
    """One copy of the model and the thread that asks it.

    The thread is a daemon: a long prompt must not keep the program from ending.
    """

    def __init__(self, setup: llama.Setup, seed: int) -> None:
        self.reuse = False
        self.ended: Future[None] = Future()
        self._setup, self._seed = setup, seed
        self._server: Any = None
        self._last: tuple[Message, ...] = ()
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._ending = Event()
        self._thread = Thread(target=self._work, name="personae-llama", daemon=True)
        self._thread.start()
        _running.add(self)

    def start(self, work: Callable[[], T]) -> Future[T]:
        """Have the thread do something; the future cannot be cancelled, so it always tells when it is done."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()

        def job() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        self._jobs.put(job)
        return future

    async def do(self, work: Callable[[], T]) -> T:
        """Have the thread do something, and wait for it."""
        return await asyncio.wrap_future(self.start(work))

    def load(self) -> None:
        """Load the model; in the thread."""
        self._server = llama.load(self._setup)

    def ask(self, trial: Trial, stop: Event) -> Response:
        """Ask; in the thread. ``stop`` ends the answer at its next token. Latency leaves out the wait for a worker."""
        reuse = self.reuse and llama.may_reuse(self._last, trial.messages)
        self._last = trial.messages
        begun = time.perf_counter()

        def stopped() -> bool:
            return stop.is_set() or self._ending.is_set()

        answer = llama.ask(self._server, trial, seed=self._seed, reuse=reuse, stopped=stopped)
        return msgspec.structs.replace(answer, latency=time.perf_counter() - begun)

    def reuse_is_exact(self) -> bool:
        """Ask one thing afresh, and again after another with the same beginning: is every probability the same?"""
        question = (Message("system", "Answer in one word."), Message("user", "What is its colour?"))
        asked, other = (
            Trial(
                messages=(*question, Message("assistant", f"The usual colour of {thing} is probably")),
                temperature=0.0,
                max_tokens=2,
                top_logprobs=llama.TOP_LOGPROBS,
            )
            for thing in ("a banana", "the sky")
        )
        never = Event()
        fresh = self.ask(asked, never)
        self.ask(other, never)
        self.reuse = True
        return self.ask(asked, never).logprobs == fresh.logprobs

    def end(self) -> None:
        """End the answer in hand, then the thread; ``ended`` tells when."""
        self._ending.set()
        self._jobs.put(None)

    def wait(self, seconds: float) -> None:
        """Wait for the thread to end, so long at most."""
        self._thread.join(seconds)

    def _work(self) -> None:
        while job := self._jobs.get():
            job()
        self._server = None  # frees the model
        self.ended.set_result(None)


_running: weakref.WeakSet[_Worker] = weakref.WeakSet()


def _end_all() -> None:
    """At the end of the program: stop every answer, so that no thread wakes up in an interpreter that is gone."""
    workers = list(_running)
    for worker in workers:
        worker.end()
    until = time.monotonic() + _PATIENCE
    for worker in workers:
        worker.wait(max(0.0, until - time.monotonic()))


atexit.register(_end_all)

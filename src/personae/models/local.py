"""A language model on this computer: llama.cpp with a catalogued model or a GGUF file of the user's own."""

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
from threading import Lock, Thread
from typing import TypeVar

import msgspec

from personae.breaker import Breaker
from personae.errors import ModelError
from personae.models import llama
from personae.models.base import Capabilities
from personae.models.catalog import entries, find_model_file
from personae.models.llama_process import LlamaProcess, Question, Setup, Stopped
from personae.types import Message, Response, Trial

T = TypeVar("T")
_MOST_WORKERS = 2
_WAITING = 64
"""Asks that may wait at once for a copy of the model, so that there is a choice of what to ask next."""
_KNOWN = 512
"""Answers that are kept: the same question again, sampled alike, has the same answer and is not computed again."""
_PATIENCE = 1.0
"""Seconds to wait for a thread whose process was killed: it has only to notice."""


class LocalModel:
    """llama.cpp beside this process, off the event loop.

    Parameters
    ----------
    name : str
        ``local/smollm2`` or another name of the catalogue, or ``local/<path of a .gguf file>``.
    seed : int
        Used where a trial has none. The same trial gives the same answer on the same machine, whichever worker takes
        it and whatever was asked before.
    workers : int, optional
        Copies of the model, one thread each; by default one for each core, two at most.

    Notes
    -----
    Of what waits, a copy is asked what begins most like its last question, for of that it need not read the beginning
    again; in which order things are asked changes no answer. What was asked a moment ago, word for word and with the
    same seed, gets the same answer at once, with a latency of 0.
    """

    capabilities = Capabilities(top_logprobs=llama.TOP_LOGPROBS, prefill=True, grammar=True)

    def __init__(self, name: str, *, seed: int = 0, workers: int | None = None) -> None:
        self.name = name
        self.workers = workers or min(_MOST_WORKERS, os.cpu_count() or 1)
        self.concurrency = max(self.workers, _WAITING)
        self._file = name.removeprefix("local/")
        self._seed = seed
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._waiting: list[_Waiting] = []
        self._known: dict[bytes, Response] = {}
        self._breaker = Breaker(name)

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
        setup = Setup(path=str(path), template=entry.template if entry else "")
        self._workers = [_Worker(setup, self._seed) for _ in range(self.workers)]
        try:
            await asyncio.gather(*(worker.do(worker.load) for worker in self._workers))
            if entry and entry.reuse:
                exact = await self._workers[0].do(self._workers[0].reuse_is_exact)
                for worker in self._workers:
                    worker.reuse = exact
        except BaseException:
            await self.close()
            raise
        self._idle = list(self._workers)

    async def respond(self, trial: Trial) -> Response:
        """Ask a copy as soon as it is this question's turn.

        Raises
        ------
        ModelError
            When llama.cpp refuses the question (longer than the context of 2,048 tokens, a broken grammar) or breaks.
        NothingComesBack
            When it breaks at every question.
        """
        if not self._workers:
            raise ModelError(f"{self.name} is not open")
        asked = _Waiting(trial, asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        self._hand_out()
        begun = time.monotonic()
        try:
            response = await asked.answer
        except Stopped as error:
            self._breaker.failed(error.reason, sent=begun)
            raise
        except asyncio.CancelledError:
            if asked in self._waiting:
                self._waiting.remove(asked)
            elif asked.asked is not None:
                asked.asked.stop(asked.done)
            raise
        self._breaker.answered(time.monotonic())
        return response

    def _hand_out(self) -> None:
        """Answer what is known, and give every free copy a question, where one waits."""
        for asked in [asked for asked in self._waiting if asked.key in self._known]:
            self._waiting.remove(asked)
            asked.tell(msgspec.structs.replace(self._known[asked.key], latency=0.0))
        while self._idle and self._waiting:
            worker = self._idle.pop(0)
            others = [other.last for other in self._workers if other is not worker]
            place = llama.next_asked(worker.last, others, [one.trial.messages for one in self._waiting])
            self._begin(worker, self._waiting.pop(place))

    def _begin(self, worker: _Worker, asked: _Waiting) -> None:
        loop = asyncio.get_running_loop()
        worker.last = asked.trial.messages
        asked.asked, asked.done = worker, worker.start(lambda: worker.ask(asked.trial))

        def ended() -> None:
            if (error := asked.done.exception()) is not None:
                asked.fail(error)
            else:
                self._known[asked.key] = asked.done.result()
                if len(self._known) > _KNOWN:
                    del self._known[next(iter(self._known))]
                asked.tell(asked.done.result())
            if worker in self._workers:
                self._idle.append(worker)
                self._hand_out()

        def told(_: object) -> None:
            with suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits for this worker any more
                loop.call_soon_threadsafe(ended)

        asked.done.add_done_callback(told)

    async def close(self) -> None:
        """End every copy at once, also in the middle of an answer."""
        workers, self._workers = self._workers, []
        waiting, self._waiting = self._waiting, []
        for asked in waiting:
            asked.answer.cancel()
        for worker in workers:
            worker.end()
        ending = [asyncio.wrap_future(worker.ended) for worker in workers]
        if ending:
            await asyncio.wait(ending, timeout=_PATIENCE)


class _Waiting:
    """A question and the answer that is waited for; ``asked`` is the copy that has it in hand, ``done`` its answer."""

    def __init__(self, trial: Trial, answer: asyncio.Future[Response]) -> None:
        self.trial, self.answer = trial, answer
        # What it is called and what it is about is not sent, so it decides nothing.
        self.key = msgspec.json.encode(msgspec.structs.replace(trial, step="", repeat=0, meta={}, to=""))
        self.asked: _Worker | None = None
        self.done: Future[Response] = Future()

    def tell(self, response: Response) -> None:
        """Give the answer, unless nobody waits for it any more."""
        if not self.answer.done():
            self.answer.set_result(response)

    def fail(self, error: BaseException) -> None:
        """Say why there is none, unless nobody waits for it any more."""
        if not self.answer.done():
            self.answer.set_exception(error)


class _Worker:
    """One copy of the model, and the thread that waits for its answers."""

    def __init__(self, setup: Setup, seed: int) -> None:
        self.reuse = False
        self.last: tuple[Message, ...] = ()
        """What this copy was told to ask last; what it has read is known in its thread alone."""
        self.ended: Future[None] = Future()
        self._setup, self._seed = setup, seed
        self._process: LlamaProcess | None = None
        self._last: tuple[Message, ...] = ()
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock, self._ending = Lock(), False
        self._current: object = None
        self._thread = Thread(target=self._work, name="personae-llama", daemon=True)
        self._thread.start()
        _running.add(self)

    def start(self, work: Callable[[], T]) -> Future[T]:
        """Have the thread do something; the future cannot be cancelled, so it always tells when it is done."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        self._jobs.put(lambda: self._do(work, future))
        return future

    async def do(self, work: Callable[[], T]) -> T:
        """Have the thread do something, and wait for it."""
        return await asyncio.wrap_future(self.start(work))

    def load(self) -> LlamaProcess:
        """Load the model, where it is not or no longer loaded; in the thread."""
        if self._process is None or not self._process.alive:
            self._last = ()
            if self._process:
                self._process.close_pipes()
            process = LlamaProcess(self._setup)
            with self._lock:
                self._process = process
                if self._ending:
                    process.kill()
        return self._process

    def ask(self, trial: Trial) -> Response:
        """Ask; in the thread. Latency leaves out the wait for a free worker."""
        process = self.load()
        reuse = self.reuse and llama.may_reuse(self._last, trial.messages)
        self._last = trial.messages
        sent = msgspec.structs.replace(trial, meta={})  # not for the model
        begun = time.perf_counter()
        answer = process.ask(Question(trial=sent, seed=self._seed, reuse=reuse))
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
        fresh = self.ask(asked)
        self.ask(other)
        self.reuse = True
        return self.ask(asked).logprobs == fresh.logprobs

    def stop(self, future: Future[Response]) -> None:
        """Break off this answer, if it is the one in hand; the model is loaded again when it is next asked."""
        with self._lock:
            if self._current is future and self._process:
                self._process.kill()

    def end(self) -> None:
        """End process and thread at once; ``ended`` tells when."""
        with self._lock:
            self._ending = True
            if self._process:
                self._process.kill()
        self._jobs.put(None)

    def wait(self, seconds: float) -> None:
        """Wait for the thread to end, so long at most."""
        self._thread.join(seconds)

    def _do(self, work: Callable[[], T], future: Future[T]) -> None:
        with self._lock:
            self._current = future
        try:
            result = work()
        except BaseException as error:
            self._free()
            future.set_exception(error)
        else:
            self._free()
            future.set_result(result)

    def _free(self) -> None:
        with self._lock:
            self._current = None

    def _work(self) -> None:
        while job := self._jobs.get():
            job()
        if self._process:
            self._process.close_pipes()
        self.ended.set_result(None)


_running: weakref.WeakSet[_Worker] = weakref.WeakSet()


def _end_all() -> None:
    """At the end of a program that closed nothing: leave no process behind."""
    workers = list(_running)
    for worker in workers:
        worker.end()
    for worker in workers:
        worker.wait(_PATIENCE)


atexit.register(_end_all)

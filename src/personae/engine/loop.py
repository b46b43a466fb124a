"""Run asynchronous work from plain code."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_running: list[asyncio.Task[Any]] = []


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, also where an event loop is already running (a notebook): then in a thread of its own.

    Raises
    ------
    KeyboardInterrupt
        When `interrupt` ended it.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
    done: list[T] = []
    raised: list[BaseException] = []

    def inside() -> None:
        try:
            done.append(asyncio.run(work))
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=inside, name="personae")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return done[0]


def _run(work: Coroutine[Any, Any, T]) -> T:
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(work)  # signals come to the main thread alone
    try:
        return asyncio.run(_known(work))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _known(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.current_task()
    assert task is not None
    _running.append(task)
    try:
        return await work
    finally:
        _running.remove(task)


def interrupt() -> bool:
    """Have the work that `run_sync` is running end in order, as a handler of signals may; False where there is none."""
    if not _running or _running[-1].done():
        return False
    _running[-1].cancel()
    _running[-1].get_loop().call_soon_threadsafe(lambda: None)  # it may be waiting for the world
    return True

"""Run asynchronous work from plain code."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, also where an event loop is already running (a notebook): then in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
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

"""Run items: generated lazily, a window of them in flight, every one ending in an outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import Protocol

from personae.breaker import expected_to_fail
from personae.engine.ask import Asker, NotAsked
from personae.engine.keys import item_key
from personae.errors import Damaged, ModelError
from personae.study.base import Study
from personae.types import Item, Outcome

_AS_EVER = nullcontext()


class Progress(Protocol):
    """Told of every outcome as it comes."""

    def outcome(self, outcome: Outcome) -> None: ...


async def run_items(
    study: Study, items: Iterable[Item], asker: Asker, *, window: int, progress: Progress | None = None
) -> int:
    """Run every item of a study and keep its outcome.

    An item whose model does not answer ends as an outcome of status ``error`` and is asked again by a later run.
    Anything else that goes wrong stops all of it; what was answered is kept.

    Parameters
    ----------
    window : int
        Items in flight at once: memory is bounded by it, however many items there are.

    Returns
    -------
    int
        The items that came to an outcome.

    Raises
    ------
    CostReached
        When the budget stopped the run.
    NothingComesBack
        When every ask has failed for a while.
    """
    source: Iterator[Item] = iter(items)
    try:
        async with asyncio.TaskGroup() as group:
            workers = [group.create_task(_work(study, source, asker, progress)) for _ in range(window)]
    except BaseExceptionGroup as errors:
        # One reason is enough for a person; the first that was raised is the one that stopped the others.
        raise errors.exceptions[0] from None
    return sum(worker.result() for worker in workers)


async def _work(study: Study, source: Iterator[Item], asker: Asker, progress: Progress | None) -> int:
    done = 0
    for item in source:
        key = item_key(item, study.version)
        ask, asked = asker.item(key), asker.asked
        try:
            with expected_to_fail() if key in asker.failures else _AS_EVER:
                outcome = await study.run(item, ask)
        except ModelError as error:
            await ask.idle()
            asker.store.put_failure(asker.name, key, error.reason)
            outcome = Outcome(status="error", reason=error.reason)
        except Damaged as error:
            await ask.idle()
            outcome = Outcome(status="error", reason=str(error))
        except NotAsked:
            if key not in asker.failures:
                continue
            outcome = Outcome(status="error", reason=asker.failures[key])
        else:
            if key in asker.failures:
                asker.store.clear_failure(asker.name, key)
        asker.store.put_outcome(asker.name, key, item, outcome)
        done += 1
        if progress:
            progress.outcome(outcome)
        if asker.asked == asked:
            await asyncio.sleep(0)  # where all is stored nothing else waits, and the work could not be ended
    return done

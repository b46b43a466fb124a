"""Asking, durably: what an item awaits is taken from the store where it lies there, and asked only where not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import msgspec

from personae.coding.screen import legible
from personae.engine.budget import Budget
from personae.engine.keys import answer_key, prompt_of
from personae.engine.store import Store, Stored
from personae.errors import Damaged, PersonaeError
from personae.models.base import Model, Remembering
from personae.types import Response, Trial


class NotAsked(PersonaeError):
    """The answer is not in the store, and this ask may not go to a model."""


def remind(model: Model, store: Store, name: str) -> None:
    """Tell a model that it has answered before, where the answers that lie under a respondent's name say so.

    What its server refuses then is no matter of a wrong key or a wrong name.
    """
    if not isinstance(model, Remembering) or model.breaker.heard:
        return
    own = model.name == name
    asked_of = '"to":' + ("" if own else msgspec.json.encode(model.name).decode())  # as in the sampling of a trial
    found = store.rows(
        "SELECT max(logprobs IS NOT NULL) FROM (SELECT logprobs FROM response WHERE model = ? AND"
        f" instr(params, ?) {'=' if own else '>'} 0 LIMIT 20000)",
        (name, asked_of),
    )[0][0]
    if found is not None:
        model.has_answered(logprobs=bool(found))


class Asker:
    """Ask one model through one store.

    Parameters
    ----------
    model : Model or None
        None replays: only the store answers, and what it lacks raises `NotAsked`.
    store : Store
        Where answers lie and are kept.
    concurrency : int
        Asks in flight at once.
    budget : Budget
        Counts what was spent and stops before the limit is passed.
    judges : mapping of str to Model
        Models that trials may name in the respondent's place.
    answered : callable, optional
        Told of every new answer.
    lenient : bool
        Do not compare fingerprints: the answers were recorded elsewhere, to others' prompts.
    """

    def __init__(
        self,
        name: str,
        store: Store,
        *,
        model: Model | None = None,
        concurrency: int = 1,
        budget: Budget | None = None,
        judges: Mapping[str, Model] | None = None,
        answered: Callable[[], None] | None = None,
        lenient: bool = False,
    ) -> None:
        self.name, self.store, self.model, self.lenient = name, store, model, lenient
        self.budget, self.judges = budget or Budget(), judges or {}
        for asked in (model, *self.judges.values()):
            if asked is not None:
                remind(asked, store, name)
        self.asked, self.answered = 0, answered
        self.failures = store.failures(name)
        self._replay = not store.empty
        self.damaged = store.damage.of("response") if self._replay else frozenset()
        self._slots = asyncio.Semaphore(concurrency)

    def item(self, key: str) -> ItemAsk:
        """The ask of one item; looks its stored answers up once."""
        return ItemAsk(self, key, self.store.answers(self.name, key) if self._replay else None)

    async def fresh(self, key: str, trial: Trial) -> Response:
        """Ask the model and keep the answer."""
        if self.model is None:
            raise NotAsked(key)
        model, name = (self.judges[trial.to], trial.to) if trial.to else (self.model, self.name)
        prompt = prompt_of(trial)
        await self._slots.acquire()
        try:
            while (held := self.budget.hold(name, len(prompt[1]), trial.max_tokens)) is None:
                await self.budget.settled()
            try:
                response = await model.respond(trial)
            finally:
                self.budget.release(held)
            self.asked += 1
            response = self.budget.settle(name, response)
            self.store.put_response(self.name, key, trial, prompt, response)
            if self.answered is not None:
                self.answered()
        finally:
            self._slots.release()
        return response


class ItemAsk:
    """The ``ask`` an item's coroutine is given.

    What it gives can be read in bounded time (`personae.coding.screen.legible`); what is stored stays whole.
    """

    __slots__ = ("_asker", "_idle", "_key", "_pending", "_stored", "_used")

    def __init__(self, asker: Asker, key: str, stored: dict[str, Stored] | None) -> None:
        self._asker, self._key, self._stored = asker, key, stored
        self._used: set[str] = set()
        self._pending = 0
        self._idle: asyncio.Future[None] | None = None

    async def __call__(self, trial: Trial) -> Response:
        key = answer_key(self._key, trial)
        if key in self._used:
            raise PersonaeError(f"{key} was asked twice in one item; a study must name every trial by step and repeat")
        self._used.add(key)
        if self._asker.damaged and (self._asker.name, key) in self._asker.damaged:
            raise Damaged(f"the stored answer {key} is damaged: it is not what was written")
        if self._stored and (stored := self._stored.get(key)):
            if not self._asker.lenient:
                self._asker.store.verify(key, stored, trial)
            return legible(stored.response)
        self._pending += 1
        try:
            return legible(await self._asker.fresh(key, trial))
        finally:
            self._pending -= 1
            if not self._pending and self._idle and not self._idle.done():
                self._idle.set_result(None)

    async def idle(self) -> None:
        """Wait for the asks still in flight: where one of several failed, the answers of the others are kept."""
        if self._pending:
            self._idle = asyncio.get_running_loop().create_future()
            await self._idle

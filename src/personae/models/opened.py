"""A model by its name, open, for programs of one's own: to be asked for text, or for whole trials."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from personae.models.base import Model
from personae.models.registry import ModelOptions, resolve
from personae.types import Message, Response, Trial

TOKENS = 512


class OpenedModel:
    """A model that can be asked; `open_model` makes it.

    No more asks are under way at once than the model takes; nothing is stored.
    """

    def __init__(self, model: Model, most: int) -> None:
        self.name = model.name
        self._model, self._slots = model, asyncio.Semaphore(most)

    async def __call__(self, messages: tuple[Message, ...]) -> str:
        """Answer a conversation, at temperature 0, in at most `TOKENS` tokens.

        Raises
        ------
        personae.errors.ModelError
            When no answer came, after every retry.
        """
        return (await self.respond(Trial(messages=tuple(messages), temperature=0.0, max_tokens=TOKENS))).text

    async def respond(self, trial: Trial) -> Response:
        """Answer a trial; raises the same."""
        async with self._slots:
            return await self._model.respond(trial)


@asynccontextmanager
async def open_model(
    name: str,
    *,
    base_url: str | None = None,
    timeout: float = 120.0,  # noqa: ASYNC109 - of an attempt, given on to the model; not of the whole
    retries: int = 6,
    concurrency: int | None = None,
    seed: int = 0,
) -> AsyncIterator[OpenedModel]:
    """Open a model; it is closed at the end of the ``async with``.

    Parameters
    ----------
    name : str
        As after ``--model``: ``openai/gpt-4o-mini``, ``ollama/llama3.1``, ``local/smollm2`` …
    base_url : str, optional
        Of the provider, instead of its own.
    timeout : float
        Seconds, of one attempt.
    retries : int
        Attempts after the first.
    concurrency : int, optional
        Asks at once; None means what the model takes.
    seed : int
        Of models inside the program, and of simulated respondents.

    Raises
    ------
    personae.errors.BadInput
        When the name stands for no model, its key is missing, or nobody answers there.
    """
    options = ModelOptions(timeout=timeout, retries=retries, concurrency=concurrency, base_url=base_url, seed=seed)
    model = resolve(name, options=options)
    try:
        await model.open()
        yield OpenedModel(model, concurrency or model.concurrency)
    finally:
        await model.close()

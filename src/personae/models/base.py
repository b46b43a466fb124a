"""What a backend must do to be asked."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from msgspec import Struct

from personae.breaker import Breaker
from personae.types import Response, Trial


class Capabilities(Struct, frozen=True, kw_only=True):
    """What a backend can do. ``top_logprobs`` is how many alternatives it reports per token (0: none)."""

    top_logprobs: int = 0
    prefill: bool = False
    grammar: bool = False
    simulated: bool = False


class Model(Protocol):
    """A model that can be asked.

    ``name`` is what the user wrote (``ollama/llama3:8b``) and what stands in the store. ``concurrency`` is how many
    asks it takes at once when the user says nothing. ``respond`` returns a `Response` or raises
    `personae.errors.ModelError` once retrying makes no more sense, or `personae.errors.NothingComesBack` where there is
    no sense in asking at all; it never returns an answer the model did not give.
    ``open`` raises `personae.errors.BadInput` for what the user can mend (key missing, server not there).
    """

    name: str
    capabilities: Capabilities
    concurrency: int

    async def open(self) -> None: ...

    async def respond(self, trial: Trial) -> Response: ...

    async def close(self) -> None: ...


@runtime_checkable
class Remembering(Protocol):
    """A model for which it matters whether it has ever answered."""

    breaker: Breaker

    def has_answered(self, *, logprobs: bool) -> None:
        """Be told that it did so in an earlier sitting, and whether with log-probabilities."""

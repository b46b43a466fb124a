"""What a run spends, and the limit it must not pass."""

from __future__ import annotations

import asyncio
from typing import Protocol

import msgspec

from personae.errors import BadInput, CostReached
from personae.types import Response

# Tokens are only known once the server has counted them. Three characters per token is on the safe side for the
# languages of the studies, so a reservation rarely falls short of what is then charged.
_BYTES_PER_TOKEN = 3


class Pricing(Protocol):
    """Prices by model name; ``None`` where a price is not known."""

    def cost(self, model: str, prompt_tokens: int, completion_tokens: int) -> float | None: ...


class Budget:
    """Count cost, and refuse an ask that could pass the limit.

    Parameters
    ----------
    prices : Pricing, optional
        Needed for a limit: a model of unknown price cannot be kept under one.
    limit : float, optional
        US dollars.
    spent : float
        What earlier sittings of the same run have cost.
    """

    def __init__(self, prices: Pricing | None = None, limit: float | None = None, spent: float = 0.0) -> None:
        self.prices, self.limit = prices, limit
        self.spent, self.reserved = spent, 0.0
        self._released = asyncio.Event()

    def check(self, model: str) -> None:
        """Raise `BadInput` when a limit is set and the model's price is not known."""
        if self.limit is not None and (self.prices is None or self.prices.cost(model, 1, 1) is None):
            raise BadInput(
                "--max-cost",
                self.limit,
                f"a model whose price is known; add {model} to a file given with --prices",
            )

    def hold(self, model: str, prompt_bytes: int, max_tokens: int) -> float | None:
        """Hold back the most an ask can cost while it is in flight; the amount is for `release`.

        Returns
        -------
        float or None
            None where asks in flight could use up what is left: wait for them and try again.

        Raises
        ------
        CostReached
            When spent + this ask would pass the limit.
        """
        if self.limit is None or self.prices is None:
            return 0.0
        held = self.prices.cost(model, prompt_bytes // _BYTES_PER_TOKEN + 1, max_tokens) or 0.0
        if self.spent + held > self.limit:
            raise CostReached(f"the next ask could pass --max-cost {self.limit:g}: {self.spent:.4f} spent so far")
        if self.spent + self.reserved + held > self.limit:
            return None
        self.reserved += held
        return held

    def release(self, held: float) -> None:
        """Give back what `hold` held."""
        if held:
            self.reserved -= held
            self._released.set()

    async def settled(self) -> None:
        """Wait until an ask in flight has settled."""
        self._released.clear()
        await self._released.wait()

    def settle(self, model: str, response: Response) -> Response:
        """Count what an answer used; returns the response with its cost where the model did not give one."""
        if response.cost is None and self.prices is not None and response.prompt_tokens is not None:
            cost = self.prices.cost(model, response.prompt_tokens, response.completion_tokens or 0)
            response = msgspec.structs.replace(response, cost=cost)
        self.spent += response.cost or 0.0
        return response

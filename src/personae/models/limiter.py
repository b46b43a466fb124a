"""How many asks a server is given at once: fewer when it says too many, slowly more again when it answers.

Additive increase, multiplicative decrease (Chiu and Jain 1989, Computer Networks and ISDN Systems 17:1-14,
doi 10.1016/0169-7552(89)90019-6): halved on a refusal, raised by one for every full window of answers.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from time import monotonic


class Limiter:
    """Slots for asks in flight.

    Parameters
    ----------
    maximum : int
        Slots when the server never refuses.
    clock, sleep : callable
        Seconds, monotonic, and waiting for some of them.

    Notes
    -----
    ``enter_now`` is the path of an ask that need not wait: a comparison and an addition, no coroutine. An
    ask that was sent before the last halving tells nothing new, so its refusal does not halve again: one
    cut per window.
    """

    __slots__ = ("_clock", "_cut_at", "_sleep", "_waiting", "active", "limit", "maximum", "paused_until")

    def __init__(
        self,
        maximum: int,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.maximum = maximum
        self.limit = float(maximum)
        self.active = 0
        self.paused_until = 0.0
        self._clock, self._sleep = clock, sleep
        self._cut_at = float("-inf")
        self._waiting: deque[asyncio.Future[None]] = deque()

    def enter_now(self) -> bool:
        """Take a slot if one is free and nobody waits; never blocks."""
        if self.active + 1 > self.limit or self._waiting or self.paused_until:
            return False
        self.active += 1
        return True

    async def enter(self, *, first: bool = False) -> None:
        """Take a slot, waiting for one and for the end of a pause.

        Parameters
        ----------
        first : bool
            Go before those who wait: for an ask that was refused before.
        """
        try:
            while not self._open():
                await self._wait(first)
                first = True  # woken in turn: whoever loses the slot again keeps its place
        except asyncio.CancelledError:
            self._wake()  # it may have been this one's turn: the next one's now
            raise
        self.active += 1

    def leave(self) -> None:
        """Give the slot back."""
        self.active -= 1
        if self._waiting:
            self._wake()

    def answered(self) -> None:
        """An ask was answered: a full window of these raises the limit by one."""
        if self.limit < self.maximum:
            self.limit = min(float(self.maximum), self.limit + 1 / self.limit)

    def refused(self, sent_at: float, pause: float = 0.0) -> None:
        """An ask was refused as one too many.

        Parameters
        ----------
        sent_at : float
            When it was sent, in seconds of the clock.
        pause : float
            Seconds for which the server wants no asks at all.
        """
        now = self._clock()
        if sent_at > self._cut_at:
            self.limit = max(1.0, self.limit / 2)
            self._cut_at = now
        if pause > 0:
            self.paused_until = max(self.paused_until, now + pause)

    @property
    def pause(self) -> float:
        """Seconds until the server wants to be asked again."""
        return max(0.0, self.paused_until - self._clock()) if self.paused_until else 0.0

    def _open(self) -> bool:
        if self.paused_until and not self.pause:
            self.paused_until = 0.0
        return not self.paused_until and self.active + 1 <= self.limit

    async def _wait(self, first: bool) -> None:
        if pause := self.pause:
            await self._sleep(pause)
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if first else self._waiting.append)(place)
        await place

    def _wake(self) -> None:
        free = int(self.limit) - self.active
        while self._waiting and free > 0:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1

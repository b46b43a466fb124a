"""When to stop asking a server from which nothing comes back any more.

A single fault is retried, and a server that restarts is waited for. But where every attempt of every ask fails, a run
would only collect errors, for hours: it ends instead, and the same command goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from personae.errors import NothingComesBack

FAILURES = 18
"""Attempts in a row that failed; where every second one fails, so many come once in 500,000 attempts."""
SECONDS = 30.0
"""Without any answer, besides; a server takes less to restart."""
CROWDED_SECONDS = 90.0
"""The same for a server that says it is asked too much: limits are mostly those of a minute."""
_KINDS = 50  # of reasons that are counted; a server may give another each time
_SHOWN = 3

_EXPECTED: ContextVar[bool] = ContextVar("failure_expected", default=False)


@contextmanager
def expected_to_fail() -> Iterator[None]:
    """What fails inside failed in an earlier sitting as well, so it says nothing of the server.

    Without this a resumed run could stop each time at the same requests, which the server never takes, and not come to
    those behind them.
    """
    token = _EXPECTED.set(True)
    try:
        yield
    finally:
        _EXPECTED.reset(token)


class Breaker:
    """Counts failures in a row, and ends the run where only failures come.

    Parameters
    ----------
    name : str
        Who is asked, for what is said.
    clock : callable
        Seconds, monotonic.

    Attributes
    ----------
    heard : bool
        Whether there ever was an answer, in this sitting or an earlier one: then it is no matter of the key or the name
        of the model when something is refused.
    """

    def __init__(self, name: str, clock: Callable[[], float] = monotonic) -> None:
        self.name, self.heard = name, False
        self._clock = clock
        self._reasons: Counter[str] = Counter()
        self._answered = float("-inf")
        self._since, self._failed, self._count, self._older, self._patience = 0.0, 0.0, 0, 0, SECONDS

    def answered(self, at: float) -> None:
        """An answer came, at a moment in seconds of the clock."""
        self.heard = True
        self._answered, self._count = at, 0

    def failed(
        self, reason: str, *, sent: float, others: int = 0, patience: float = SECONDS, enough: int = FAILURES
    ) -> None:
        """An attempt failed.

        Parameters
        ----------
        reason : str
            For a person.
        sent : float
            When the attempt was made, in seconds of the clock.
        others : int
            Attempts that are under way at this moment: an answer to one that was made before the first failure is
            waited for.
        patience : float
            Seconds without an answer that this failure is a reason to wait.
        enough : int
            Failures in a row, this one among them, that would do.

        Raises
        ------
        NothingComesBack
            When there were enough of them for long enough.
        """
        now = self._clock()
        if not self._count:
            self._since, self._failed = max(sent, self._answered), now
            self._older, self._patience = others, SECONDS
            self._reasons.clear()
        elif sent < self._failed:
            self._older -= 1
        self._count += 1
        self._patience = max(self._patience, patience)
        if reason in self._reasons or len(self._reasons) < _KINDS:
            self._reasons[reason] += 1
        if self._count >= enough and now - self._since >= self._patience and self._older <= 0:
            raise NothingComesBack(self._sentence(now - self._since))

    def refused(self, reason: str, *, sent: float, others: int = 0) -> None:
        """An ask was refused for what it says; as `failed`, but for what is `expected_to_fail`."""
        if not _EXPECTED.get():
            self.failed(reason, sent=sent, others=others)

    def _sentence(self, seconds: float) -> str:
        shown = self._reasons.most_common(_SHOWN)
        reasons = "; ".join(f"{reason} ({count:,} times)" if count > 1 else reason for reason, count in shown)
        more = self._count - sum(count for _, count in shown)
        rest = f"; and {more:,} more" if more else ""
        return f"no answer comes from {self.name}: {self._count:,} attempts in {seconds:.0f} s failed: {reasons}{rest}"

"""How a verb ends before its time: Ctrl-C, SIGTERM and SIGHUP are one and the same, but for the exit code."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType

from personae.cli.terminal import say
from personae.engine.loop import interrupt

KEPT = "everything answered is kept: run the same command to go on"
PATIENCE, HASTE = 10.0, 1.0
"""Seconds in which a verb may end in order after one signal, and after a second; both are long for the store."""


class Ending:
    """The handler of the signals that end a verb.

    The first has it end in order: what is being asked is given up, what was answered is written, locks are given back.
    Where that does not come to its end, because a thread is in code that nothing can stop or somebody asks again, the
    program is left: the store writes what it has within a quarter of a second.
    """

    def __init__(self) -> None:
        self.by: signal.Signals | None = None

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        if self.by is not None:
            self._leave_in(HASTE)
            return
        self.by = signal.Signals(number)
        self._leave_in(PATIENCE)
        if not interrupt():
            raise KeyboardInterrupt

    def _leave_in(self, seconds: float) -> None:
        threading.Thread(target=self._leave, args=(seconds,), name="ending", daemon=True).start()

    def _leave(self, seconds: float) -> None:
        time.sleep(seconds)
        try:
            self.say()
        finally:
            os._exit(self.code)

    @property
    def code(self) -> int:
        """The exit code: 128 and the number of the signal, as a shell gives it."""
        return 128 + (self.by or signal.SIGINT)

    def say(self) -> None:
        """Say what ended the verb."""
        say(f"{'interrupted' if self.by in (None, signal.SIGINT) else f'ended by {self.by.name}'}; {KEPT}")


def ending() -> Ending:
    """Handle the signals that end a verb, but for those that whoever started the program has had ignored (nohup)."""
    handler = Ending()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
    return handler

"""How an audit goes on: rate, time left, refusals so far, cost."""

from __future__ import annotations

import sys
import time
from collections import Counter

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from personae.asking import Progress as AuditProgress
from personae.asking import Silent
from personae.cli.sheet import console
from personae.cli.terminal import tell
from personae.engine.budget import Budget
from personae.shown import shown
from personae.types import Outcome

_EVERY = 10.0


def make_progress(*, quiet: bool) -> AuditProgress:
    """A bar on a terminal, a line every ten seconds elsewhere, nothing where only data is wanted."""
    if quiet:
        return Silent()
    return Bar() if sys.stderr.isatty() else Lines()


class _Counting:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.total, self.begun, self.what, self.answers = 0, time.monotonic(), "", 0
        self.budget = Budget()

    def _start(self, model: str, study: str, items: int, budget: Budget) -> None:
        self.counts.clear()
        self.answers = 0
        self.total, self.begun, self.budget = items, time.monotonic(), budget
        self.what = shown(f"{study} · {model}")

    def _state(self) -> str:
        # Where an item is a long story, what tells that it goes on are its answers.
        rate = self.answers / max(time.monotonic() - self.begun, 1e-9)
        parts = [f"{self.answers:,} answers", f"{rate:.1f} answers/s"]
        parts += [
            f"{self.counts[status]} {status}"
            for status in ("refused", "invalid", "truncated", "error")
            if self.counts[status]
        ]
        if self.budget.spent:
            parts.append(f"${self.budget.spent:.4f}")
        return ", ".join(parts)


class Bar(_Counting):
    """A bar with rate, time left, refusals so far and cost."""

    def __init__(self) -> None:
        super().__init__()
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[state]}", markup=False),
            console=console(err=True),
        )
        self._task: TaskID | None = None

    def begin(self, model: str, study: str, items: int, budget: Budget) -> None:
        """Show a new line for a study of a model."""
        self._start(model, study, items, budget)
        self._bar.start()
        self._task = self._bar.add_task(self.what, total=items, state="")

    def answer(self) -> None:
        """Count one."""
        self.answers += 1
        if self._task is not None:
            self._bar.update(self._task, state=self._state())

    def outcome(self, outcome: Outcome) -> None:
        """Count one."""
        self.counts[outcome.status] += 1
        if self._task is not None:
            self._bar.update(self._task, advance=1, state=self._state())

    def end(self) -> None:
        """Leave the bars as they are."""
        self._bar.stop()


class Lines(_Counting):
    """A line now and then, for logs."""

    def __init__(self) -> None:
        super().__init__()
        self._said = 0.0

    def begin(self, model: str, study: str, items: int, budget: Budget) -> None:
        """Say what is asked now."""
        self._finish()
        self._start(model, study, items, budget)
        self._said = time.monotonic()
        tell(f"{self.what}: {items} items", err=True)

    def answer(self) -> None:
        """Count one, and say so if the last line is long ago."""
        self.answers += 1
        self._say()

    def outcome(self, outcome: Outcome) -> None:
        """Count one, and say so if the last line is long ago."""
        self.counts[outcome.status] += 1
        self._say()

    def _say(self) -> None:
        now = time.monotonic()
        if now - self._said > _EVERY:
            self._said = now
            done = self.counts.total()
            left = f", {(self.total - done) * (now - self.begun) / done:.0f} s left" if done else ""
            tell(f"{self.what}: {done}/{self.total}, {self._state()}{left}", err=True)

    def end(self) -> None:
        """Say how the last study went."""
        self._finish()

    def _finish(self) -> None:
        if self.counts:
            tell(f"{self.what}: {self.counts.total()}/{self.total} done, {self._state()}", err=True)
            self.counts.clear()

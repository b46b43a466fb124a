"""Commands that are killed: at any moment of their length, and right after anything in their folder has changed."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from random import Random
from typing import NamedTuple

from .forking import Child, Nursery

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGHUP)
"""In turn; what ends at once is the harder weather."""
HELD = 0.4
"""Seconds of answers that a process may lose when it is killed; docs/design.md says a quarter, and nothing is exact."""
IN_FLIGHT = 0.1
"""Seconds within which an answer that was sent may not have been read, where a signal ends a run in order."""

_TICK = 0.001


class Struck(NamedTuple):
    """How a command ended."""

    child: Child
    number: signal.Signals
    hit: bool
    """Whether the signal came before its end."""
    at: float
    """When the signal was sent, in seconds of the monotonic clock."""
    held: float
    """Seconds before it whose answers may be lost: more than `HELD` where the process had to wait for a processor."""


class Pace:
    """How long a command takes, and how often its folder changes; learned from those that came to their end."""

    def __init__(self) -> None:
        self.seconds, self.changes = 1.0, 10

    def learn(self, seconds: float, changes: int) -> None:
        """Take the last one for how it goes on this computer now."""
        self.seconds, self.changes = seconds, max(1, changes)


class Waits:
    """How long the main thread of a process waited for a processor; nothing where the computer does not tell."""

    def __init__(self, pid: int) -> None:
        self._kept = Path(f"/proc/{pid}/schedstat")
        self._seen: deque[tuple[float, float]] = deque(maxlen=4000)

    def look(self) -> None:
        """Note the time and what the process has waited until now."""
        try:
            waited = int(self._kept.read_text(encoding="ascii").split()[1]) / 1e9
        except (OSError, IndexError, ValueError):  # it has ended, or this is no Linux
            return
        self._seen.append((time.monotonic(), waited))

    def held(self, seconds: float) -> float:
        """The last seconds of which it had at least so many to itself."""
        if not self._seen:
            return seconds
        now, waited = self._seen[-1]
        for at, before in reversed(self._seen):
            if now - at - (waited - before) >= seconds:
                return now - at
        return max(seconds, now - self._seen[0][0] + seconds)


class Moment(NamedTuple):
    """When a command is to be killed: the first of these that is said; a moment later where it is no time."""

    seconds: float | None = None
    """After its beginning."""
    step: int | None = None
    """Of its `Steps`, counted from its beginning."""
    change: int | None = None
    """Of its folder, counted from its beginning."""


class Steps(NamedTuple):
    """What a command does one after the other, such as asking: how often it was done, and how often it is to be."""

    done: Callable[[], int]
    left: Callable[[], int]


def whole(nursery: Nursery, command: Sequence[object], folder: Path, pace: Pace) -> Child:
    """Run a command to its end without a signal, and learn its pace."""
    begun = time.monotonic()
    with nursery.running(*command) as child:
        changes = _until_change(child, folder, sys.maxsize, Waits(child.pid))
        assert child.wait() == 0, f"{command} ended with {child.code}: {child.said}"
    pace.learn(time.monotonic() - begun, changes)
    return child


def strikes(
    nursery: Nursery,
    commands: Iterator[Sequence[object]],
    folder: Path,
    chance: Random,
    pace: Pace,
    count: int,
    steps: Steps | None = None,
) -> Iterator[Struck]:
    """Run one command after the other and send each a signal, until so many signals have come before an end."""
    numbers, hits, begun = cycle(SIGNALS), 0, 0
    number = next(numbers)
    while hits < count:
        begun += 1
        assert begun < 3 * count + 20, f"only {hits} of {begun} commands were still going on at their signal"
        left = steps.left() if steps and chance.random() < 0.5 else 0
        moment = Moment(step=chance.randint(1, left)) if left else _moment(chance, pace)
        struck = _strike(nursery, next(commands), folder, number, moment, chance.uniform(0, 0.001), steps)
        if struck.hit:
            hits, number = hits + 1, next(numbers)
        yield struck


def _moment(chance: Random, pace: Pace) -> Moment:
    """A moment of the whole length of a command or of its first part, or right after one of the changes it makes.

    The first changes are drawn more often: then the store is written to, later one figure after the other.
    """
    kind = chance.choice(("any", "early", "early", "at once", "change", "change", "change", "change"))
    if kind == "change":
        return Moment(change=int(pace.changes ** chance.random()))
    length = {"any": pace.seconds, "early": pace.seconds / 4}.get(kind, 0.1)
    return Moment(seconds=chance.uniform(0, length))


def _strike(
    nursery: Nursery,
    command: Sequence[object],
    folder: Path,
    number: signal.Signals,
    moment: Moment,
    later: float,
    steps: Steps | None,
) -> Struck:
    with nursery.running(*command) as child:
        waits = Waits(child.pid)
        if moment.seconds is not None:
            _until(child, time.monotonic() + moment.seconds, waits)
        elif moment.step is not None and steps is not None:
            _until_step(child, steps.done, steps.done() + moment.step, waits)
            time.sleep(later)
        else:
            _until_change(child, folder, moment.change or 1, waits)
            time.sleep(later)
        waits.look()
        at = time.monotonic()
        sent = child.kill(number)
        code = child.wait()
    said = f"{' '.join(map(str, command))} ended with {code} after {number.name}: {child.said}"
    hit = sent and code in (-number, 128 + number)
    assert hit or code == 0, said
    assert code <= 0 or f"ended by {number.name}; everything answered is kept" in child.said, said
    assert number is not signal.SIGKILL or code in (0, -number), said
    return Struck(child, number, hit, at, waits.held(HELD if code < 0 else IN_FLIGHT))


def _until_step(child: Child, done: Callable[[], int], step: int, waits: Waits) -> None:
    """Wait for a step or the end of a command."""
    while done() < step and not child.ended():
        waits.look()
        time.sleep(_TICK)


def _until(child: Child, moment: float, waits: Waits) -> None:
    """Wait for a moment or the end of a command."""
    while (left := moment - time.monotonic()) > 0 and not child.ended():
        waits.look()
        time.sleep(min(left, 0.02))


def _until_change(child: Child, folder: Path, change: int, waits: Waits) -> int:
    """Wait until a folder has changed so often, or for the end; returns how often it has."""
    known, changes, looked = listing(folder), 0, 0.0
    while changes < change and not child.ended():
        if (now := listing(folder)) != known:
            known, changes = now, changes + 1
        if time.monotonic() - looked > 0.02:
            waits.look()
            looked = time.monotonic()
        time.sleep(_TICK)
    return changes


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """What lies in a folder: of every file which one it is, and its size."""
    found: dict[str, tuple[int, int]] = {}
    waiting = [folder]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:  # it is not made yet, or no longer there
            continue
        for entry in entries:
            try:
                state = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            else:
                found[os.path.relpath(entry.path, folder)] = (state.st_ino, state.st_size)
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its name, but for the store and its lock."""
    names = (name for name in listing(folder) if not name.startswith("run."))
    return {name: (folder / name).read_bytes() for name in sorted(names)}

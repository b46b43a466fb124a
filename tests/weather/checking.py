"""What must hold of whatever a reader is given: it is read, or refused in a sentence, in a bounded number of steps."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from personae.errors import PersonaeError
from personae.shown import shown

LONGEST = 1300
"""Characters of a sentence that refuses something."""
STEPS = 20_000_000
"""Calls of functions that one file may take; most take some thousands."""


@contextmanager
def bounded(most: int) -> Iterator[None]:
    """Count calls of functions, of Python and of C, and fail above so many: the time of day is no measure."""
    left = most

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise AssertionError(f"more than {most:,} calls")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)


def check(read: Callable[[Path], object], path: Path) -> None:
    """Read a file, which may be refused in a sentence, and in no other way."""
    try:
        with bounded(STEPS):
            read(path)
    except PersonaeError as refused:
        said = str(refused)
        assert said == shown(said), said  # one line, and nothing in it that a terminal obeys
        assert 0 < len(said) <= LONGEST, said

"""What tests of hard weather share: the process that forks commands, how much is done, and a table of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from .forking import Nursery

NAME = "PERSONAE_WEATHER"


# Who starts the suite behind `nohup` has all its children ignore SIGHUP, as they should; here they are to end by it.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Form(NamedTuple):
    """How much is done."""

    kills: int
    """Of every verb."""
    asks: int
    """Of which one in ten meets a fault."""
    audited: int
    """Repeats of an audit of 180 asks in the same weather."""
    flips: int


FORMS = {"": Form(4, 3_000, 1, 8), "ci": Form(6, 10_000, 2, 50), "whole": Form(100, 100_000, 10, 200)}
"""By `NAME`: as a part of the suite, as a check of its own, and all that is promised."""

_tables: list[str] = []


@pytest.fixture(scope="session")
def form() -> Form:
    named = os.environ.get(NAME, "")
    if named not in FORMS:
        raise pytest.UsageError(f"{NAME} is {named!r}; allowed: {', '.join(filter(None, FORMS))}")
    return FORMS[named]


@pytest.fixture(scope="session")
def tables() -> list[str]:
    """Tables in Markdown, shown at the end where the weather was asked for by name."""
    return _tables


@pytest.fixture(scope="module")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    """Begins commands at once; their working folder is one of its own."""
    with Nursery(tmp_path_factory.mktemp("commands")) as forking:
        yield forking


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was counted."""
    if os.environ.get(NAME):
        for table in _tables:
            terminalreporter.write_line("")
            terminalreporter.write_line(table)

"""The verbs by name: where each stands, and the line that the list of them gives it.

Kept here, so that to list them, or to call one, imports none of the others; a test holds each line equal to the
docstring of its verb.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.main import get_command


class Verb(NamedTuple):
    """Where a verb stands, its line, and which class of `personae.cli.taking` gives it the options of studies."""

    module: str
    function: str
    line: str
    taking: str | None = None


VERBS: Mapping[str, Verb] = {
    "plan": Verb("asking", "plan", "Say items, asks, tokens, time and cost; asks nothing.", "TakingToAsk"),
    "run": Verb("asking", "run", "Ask (or resume), then score and report.", "Taking"),
    "generate": Verb(
        "generating",
        "generate",
        "Have a model write material, checked: roles and questions for --personas, occupations for --stimuli.",
    ),
    "studies": Verb("listing", "studies", "Say what can be asked, with counts and sources."),
    "models": Verb(
        "listing",
        "models",
        "Say what can be asked of, and what encodes texts: here, configured, reachable; or fetch an embedded model.",
    ),
    "new": Verb(
        "making",
        "new",
        "Write a study without code to begin from: questions, personas and what it is; it runs as it is.",
    ),
    "repair": Verb(
        "repairing",
        "repair",
        "Save what can be read of a damaged run into a new folder, and ask only the rest.",
    ),
    "score": Verb("results", "score", "Code every stored answer again and estimate; asks nothing.", "TakingToCount"),
    "report": Verb("results", "report", "Write report.html, figures and tables."),
    "import": Verb("results", "import_", "Make a run of recorded answers, and score it."),
    "read": Verb(
        "reading", "read", "Read answers written elsewhere: what each says, why, and on which of its words that rests."
    ),
    "export": Verb("results", "export", "Write responses, outcomes and estimates as files of another format."),
}


class Commands(Mapping[str, Any]):
    """The commands of the verbs, each made when it is first asked for."""

    def __getitem__(self, name: str) -> Any:
        return command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)

    def get(self, name: str, default: Any = None) -> Any:
        """The command, or the default where there is no such verb."""
        return command(name) if name in VERBS else default


@cache
def command(name: str) -> Any:
    """The command of a verb."""
    verb = VERBS[name]
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    kind = getattr(import_module("personae.cli.taking"), verb.taking) if verb.taking else None
    alone.command(name, cls=kind)(getattr(import_module(f"personae.cli.{verb.module}"), verb.function))
    return get_command(alone)


def one_lines() -> Iterator[tuple[str, str]]:
    """Every verb with its line."""
    return ((name, verb.line) for name, verb in VERBS.items())

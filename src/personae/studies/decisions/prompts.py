"""A scenario in words: what is sent to the model, put together from ``prompts.yaml``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from personae.personas import Strict, read_yaml
from personae.studies.decisions.bank import Scenario
from personae.types import Respond

FOLDER = Path(__file__).parent
BEFORE_LAST = -1
"""Where the cue stands among the lines of a file: before the last one, so that it is neither first nor last."""


class Prompts(Strict):
    """The file ``prompts.yaml``."""

    scenario: str
    free: str
    forced: str
    begun: str


@cache
def prompts() -> Prompts:
    """The words that ask for a score."""
    return read_yaml(FOLDER / "prompts.yaml", Prompts)


def described(scenario: Scenario) -> str:
    """What is to be scored: post, file with the cue in it, metric."""
    lines = [*scenario.lines[:BEFORE_LAST], scenario.cue, *scenario.lines[BEFORE_LAST:]]
    return prompts().scenario.format(
        place=scenario.heads[0],
        details=scenario.heads[1],
        role=scenario.context.role,
        tasks=scenario.context.tasks,
        subject=scenario.subject,
        file="\n".join(f"- {line}" for line in lines),
        metric=scenario.metric.name,
        meaning=scenario.metric.text,
    )


def question(scenario: Scenario, respond: Respond) -> str:
    """A scenario with the words that ask for its score."""
    asked = prompts().forced if respond == "forced" else prompts().free.format()
    return f"{described(scenario)}\n\n{asked}"

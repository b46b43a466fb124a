"""How much of the associations study is asked, and by whom."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from personae.personas import PersonaSet, Strict, chosen, read_yaml
from personae.study.base import Settings
from personae.types import Scale

FOLDER = Path(__file__).parent
TEMPERATURE, TOP_P = 0.7, 0.9
"""Sampling (paper 003, section 3.3)."""
SEED = 42
"""Of the first generation (paper 003, section 3.3); the others follow it, and the user's seed is added."""


class Plan(Strict):
    """One scale; see the header of ``study.yaml``."""

    questions: int
    generations: int
    max_tokens: int


class Design(Strict):
    """The file ``study.yaml``."""

    scales: dict[Scale, Plan]


@cache
def design() -> Design:
    """The design at every scale."""
    return read_yaml(FOLDER / "study.yaml", Design)


@cache
def default_personas() -> PersonaSet:
    """The six personas of the paper."""
    return PersonaSet.load(FOLDER / "personas.yaml")


def persona_set(settings: Settings) -> PersonaSet:
    """The user's personas, or the paper's.

    Raises
    ------
    BadInput
        When the user's file does not fit.
    """
    return chosen(default_personas(), settings.personas)

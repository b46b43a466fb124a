"""How much of the decisions study is asked: sets of each domain, and how many of them under which persona."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from personae.personas import PersonaSet, Strict, chosen, read_yaml
from personae.studies.decisions.bank import Domain
from personae.study.base import Settings
from personae.types import Scale

FOLDER = Path(__file__).parent


class Plan(Strict):
    """One scale; see the header of ``study.yaml``."""

    sets: int | None
    personas: int
    own: int


class Design(Strict):
    """The file ``study.yaml``."""

    scales: dict[Scale, Plan]
    temperature: float
    tokens: int


@cache
def design() -> Design:
    """The design at every scale."""
    return read_yaml(FOLDER / "study.yaml", Design)


@cache
def default_personas() -> PersonaSet:
    """The study's own personas."""
    return PersonaSet.load(FOLDER / "personas.yaml")


def persona_set(settings: Settings) -> PersonaSet:
    """The user's personas, or as many of the study's own as the scale says.

    Raises
    ------
    BadInput
        When the user's file does not fit.
    """
    return chosen(default_personas(), settings.personas, design().scales[settings.scale].own)


def asked_sets(settings: Settings, domain: Domain) -> tuple[int, int]:
    """How many sets of a domain are asked, and how many of them under personas.

    A scale without personas asks every set under those that a user brings.
    """
    plan = design().scales[settings.scale]
    sets = domain.sets if plan.sets is None else min(plan.sets, domain.sets)
    wanted = sets if plan.personas == 0 and settings.personas is not None else plan.personas
    return sets, min(sets, wanted)

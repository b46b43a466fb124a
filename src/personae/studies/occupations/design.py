"""How much of the occupations study is asked: scales, orders, and who is asked under which persona."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from personae.personas import PersonaSet, Strict, chosen, read_yaml
from personae.studies.occupations.options import OccupationsOptions
from personae.studies.occupations.prompts import GENDERS
from personae.studies.occupations.stimuli import Occupation, occupations, own_occupations
from personae.study.base import Settings
from personae.types import Scale

FOLDER = Path(__file__).parent


class Plan(Strict):
    """One scale; see the header of ``study.yaml``."""

    personas: int | None
    sets: int
    orders: Literal["every", "first"]
    samples: int


class Design(Strict):
    """The file ``study.yaml``."""

    scales: dict[Scale, Plan]


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
    return chosen(default_personas(), settings.personas, design().scales[settings.scale].sets)


def asked_occupations(settings: Settings) -> tuple[Occupation, ...]:
    """The user's own occupations, or the study's.

    Raises
    ------
    BadInput
        When the user's table does not fit.
    """
    own = settings.of(OccupationsOptions).stimuli
    return occupations() if own is None else own_occupations(own)


def asked_under_personas(settings: Settings, asked: Sequence[Occupation]) -> frozenset[tuple[str, str]]:
    """Which occupations are asked under personas: data set and id.

    Where a scale asks only some, they are spread evenly over the ranks of what the references say, so that occupations
    held to be women's and men's are among them alike.
    """
    plan = design().scales[settings.scale]
    wanted = plan.personas
    if wanted == 0 and settings.personas is not None:
        wanted = None
    chosen: set[tuple[str, str]] = set()
    for dataset in dict.fromkeys(one.dataset for one in asked):
        ranked = sorted((one for one in asked if one.dataset == dataset), key=_rank)
        some = ranked if wanted is None or wanted >= len(ranked) else _spread(ranked, wanted)
        chosen |= {(one.dataset, one.id) for one in some}
    return frozenset(chosen)


def _rank(one: Occupation) -> tuple[float, str]:
    said = one.references.values()
    return (sum(said) / len(said) if said else 0.5, one.id)


def _spread(ranked: Sequence[Occupation], wanted: int) -> list[Occupation]:
    return [ranked[(2 * place + 1) * len(ranked) // (2 * wanted)] for place in range(wanted)]


def shown_orders(settings: Settings) -> list[tuple[str, ...]]:
    """The orders in which the options are shown: each option once in every place, or the paper's alone."""
    options = GENDERS[settings.of(OccupationsOptions).genders]
    turns = len(options) if design().scales[settings.scale].orders == "every" else 1
    return [(*options[start:], *options[:start]) for start in range(turns)]

"""The design of the companion experiments: what of them is asked at each scale."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from personae.personas import PersonaSet, Strict, chosen, read_yaml
from personae.studies.companions.stimuli import Situation, SituationDomain, situations
from personae.study.base import Settings
from personae.study.design import Spread, shuffled
from personae.types import Scale

FOLDER = Path(__file__).parent
TEMPERATURE = 0.7
"""Sampling temperature (paper 000, appendix A)."""


class Plan(Strict):
    """How often a cell is asked, and how it is sampled."""

    iterations: int
    top_k: int | None = None


class IatPlan(Plan):
    """What of the IAT is asked."""

    prompts: tuple[str, ...]
    words: int | None = None


class SituationPlan(Plan):
    """What of the situations is asked."""

    abuse: int | None = None
    control: int | None = None


class IatScale(Spread):
    """The IAT at one scale."""

    free: IatPlan
    forced: IatPlan


class SituationScale(Spread):
    """Emotion or sycophancy at one scale."""

    free: SituationPlan
    forced: SituationPlan


class ScaleDesign(Strict):
    """All three experiments at one scale."""

    iat: IatScale
    emotion: SituationScale
    sycophancy: SituationScale


class Design(Strict):
    """The file ``study.yaml``."""

    scales: dict[Scale, ScaleDesign]


@cache
def design() -> Design:
    """The design at every scale."""
    return read_yaml(FOLDER / "study.yaml", Design)


@cache
def default_personas() -> PersonaSet:
    """The five companions of the paper."""
    return PersonaSet.load(FOLDER / "personas.yaml")


def persona_set(settings: Settings) -> PersonaSet:
    """The user's personas, or the paper's; a file without wordings is worded as the paper's are.

    Raises
    ------
    BadInput
        When the user's file does not fit.
    """
    return chosen(default_personas(), settings.personas)


def chosen_situations(plan: SituationPlan, seed: int) -> Iterator[tuple[SituationDomain, Situation]]:
    """The situations asked at a scale: all, or a sample drawn with the seed, in the order of the list."""
    for domain in situations().values():
        wanted = plan.abuse if domain.domain == "abuse" else plan.control
        drawn = shuffled(domain.situations, seed, domain.domain)[:wanted]
        yield from ((domain, situation) for situation in domain.situations if situation in drawn)

"""Occupations (paper 004): gender probabilities against people and statistics."""

from __future__ import annotations

from personae.studies.occupations.study import Occupations
from personae.study.base import Family, Material


def _material() -> Material:
    from personae.studies.occupations.generate import SentencesMaterial

    return SentencesMaterial()


FAMILY = Family(name="occupations", title="Gender of occupations", studies=(Occupations,), material=_material)

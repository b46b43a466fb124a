"""Fairness in role-play: whether a role given to a model makes its answers more biased (paper 001)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from personae.studies.roleplay.choice import Choice
from personae.studies.roleplay.why import Why
from personae.studies.roleplay.yesno import YesNo
from personae.study.base import Family, Material, Recorded
from personae.types import Figure

if TYPE_CHECKING:
    import polars as pl


def _read_recorded(path: Path) -> Iterator[Recorded]:
    from personae.studies.roleplay.recorded import read_recorded

    return read_recorded(path)


def _overview(estimates: pl.DataFrame) -> list[Figure]:
    from personae.studies.roleplay.overview import overview

    return overview(estimates)


def _material() -> Material:
    from personae.studies.roleplay.material import RolesMaterial

    return RolesMaterial()


FAMILY = Family(
    name="roleplay",
    title="Role-play fairness",
    studies=(YesNo, Choice, Why),
    importer=_read_recorded,
    layout="biaslens",
    overview=_overview,
    material=_material,
)

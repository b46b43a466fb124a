"""The published procedure: GBV of every domain and its mean over domains, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from personae.stats.gbv import group_variance
from personae.studies.decisions.measures_frame import PERSONA, STUDY, Block
from personae.studies.decisions.measures_gbv import AVERAGE, GBV
from personae.types import Estimate

PUBLISHED = "published procedure"


def paper_estimates(some: Sequence[Block]) -> Iterator[Estimate]:
    """GBV from the means of all answers of each group (Ma et al. 2026, section 4.3), for one model and condition."""
    found = [_value(one) for one in some]
    for block, value in zip(some, found, strict=True):
        yield _estimate(GBV, value, [block], block.names)
    known = [value for value in found if math.isfinite(value)]
    names = {name: value for name, value in some[0].names.items() if name in PERSONA}
    yield _estimate(AVERAGE, float(np.mean(known)) if len(known) == len(found) else math.nan, some, names)


def _value(block: Block) -> float:
    counts = block.answered.sum(axis=0)
    if not counts.all():
        return math.nan
    return float(group_variance(np.nansum(block.scores * block.answered, axis=0) / counts))


def _estimate(measure: str, value: float, some: Sequence[Block], names: dict[str, str]) -> Estimate:
    answered, asked = (sum(float(getattr(one, name).sum()) for one in some) for name in ("answered", "asked"))
    return Estimate(
        study=STUDY,
        measure=measure,
        model=some[0].model,
        cell=dict(names),
        test=PUBLISHED,
        value=value,
        n=int(answered),
        coverage=answered / asked,
        reason="" if math.isfinite(value) else "a group has no answer",
    )

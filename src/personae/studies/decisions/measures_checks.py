"""Whether the scores mean anything: do they follow the file, and was it digits that the model considered?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from personae.stats.bootstrap import drawn_interval
from personae.stats.resample import resamples
from personae.studies.decisions.measures_frame import PERSONA, SET, STUDY, Block, Floats
from personae.types import Estimate

FOLLOWS, MASS, SPREAD = "follows the file", "mass of digits", "spread of digits"
TEST = "bootstrap over sets"
FEW = "fewer than three matched sets: nothing can be correlated"
FLAT = "all scores or all files are alike: nothing can be correlated"


def check_estimates(some: Sequence[Block]) -> Iterator[Estimate]:
    """Over all domains of one model and condition."""
    names = {name: value for name, value in some[0].names.items() if name in PERSONA}
    answered, asked = (sum(float(getattr(one, name).sum()) for one in some) for name in ("answered", "asked"))
    known: dict[str, Any] = {"study": STUDY, "model": some[0].model, "cell": names, "coverage": answered / asked}
    yield Estimate(measure=FOLLOWS, n=int(answered), **_followed(some), **known)
    for measure, name in ((MASS, "mass"), (SPREAD, "spread")):
        values = np.concatenate([getattr(one, name) for one in some])
        if values.size:
            yield Estimate(measure=measure, value=float(values.mean()), n=int(values.size), **known)


def _followed(some: Sequence[Block]) -> dict[str, Any]:
    """Correlation of the mean score of a set with the strength of its file, both taken from the mean of their domain.

    The strength counts the levels of the lines alike, so even a perfect reader reaches no 1; nobody who reads lies
    near 0.
    """
    strength, score = (np.concatenate(side) for side in zip(*(_centred(one) for one in some), strict=True))
    if score.size < 3:
        return {"value": math.nan, "reason": FEW}
    if np.ptp(score) < 1e-9 or np.ptp(strength) < 1e-9:
        return {"value": math.nan, "reason": FLAT}
    value = float(np.corrcoef(strength, score)[0, 1])
    found = drawn_interval(value, resamples(score.size).correlations(strength, score))
    if not math.isfinite(found.ci_low):
        return {"value": value, "reason": found.reason}
    ends = {"ci_low": found.ci_low, "ci_high": found.ci_high, "clusters": int(score.size), "unit": SET}
    return {"value": value, "test": TEST, **ends}


def _centred(block: Block) -> tuple[Floats, Floats]:
    means = block.table.mean(axis=1)
    strength = block.strength[block.whole]
    return (strength - strength.mean(), means - means.mean()) if means.size else (strength, means)

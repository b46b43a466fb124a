"""Whether the scores mean anything: do they follow the file, and was it digits that the model considered?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from personae.measure.cells import Floats
from personae.stats.bootstrap import Bootstrap, drawn_interval
from personae.stats.resample import resamples
from personae.studies.decisions.measures_frame import Block, counted, set_estimate
from personae.types import Estimate

FOLLOWS, MASS, SPREAD = "follows the file", "mass of digits", "spread of digits"
TEST = "bootstrap over sets"
FEW = "fewer than three matched sets: nothing can be correlated"
FLAT = "all scores or all files are alike: nothing can be correlated"


def check_estimates(some: Sequence[Block], cell: Mapping[str, str]) -> Iterator[Estimate]:
    """Over all domains of one model and condition."""
    known = counted(some)
    strength, score = (np.concatenate(side) for side in zip(*(_centred(block) for block in some), strict=True))
    result = _followed(strength, score)
    test = TEST if math.isfinite(result.ci_low) else ""
    yield set_estimate(result, measure=FOLLOWS, cell=cell, test=test, tested=False, clusters=score.size, **known)
    for measure, name in ((MASS, "mass"), (SPREAD, "spread")):
        values = np.concatenate([getattr(block, name) for block in some])
        if values.size:
            known["n"] = int(values.size)
            mean = Bootstrap(value=float(values.mean()))
            yield set_estimate(mean, measure=measure, cell=cell, tested=False, clusters=0, **known)


def _followed(strength: Floats, score: Floats) -> Bootstrap:
    """Correlation of the mean score of a set with the strength of its file, both taken from the mean of their domain.

    The strength counts the levels of the lines alike, so even a perfect reader reaches no 1; nobody who reads lies
    near 0.
    """
    if score.size < 3:
        return Bootstrap(value=math.nan, reason=FEW)
    if np.ptp(score) < 1e-9 or np.ptp(strength) < 1e-9:
        return Bootstrap(value=math.nan, reason=FLAT)
    value = float(np.corrcoef(strength, score)[0, 1])
    return drawn_interval(value, resamples(score.size).correlations(strength, score))


def _centred(block: Block) -> tuple[Floats, Floats]:
    means = block.table.mean(axis=1)
    strength = block.strength[block.whole]
    return (strength - strength.mean(), means - means.mean()) if means.size else (strength, means)

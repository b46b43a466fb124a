"""The published procedure: KL(reference || model) with its mean, median and standard deviation, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from personae.stats.divergence import kl, two
from personae.studies.occupations.measures_frame import Block
from personae.studies.occupations.measures_gaps import KL_TO_MODEL
from personae.studies.occupations.measures_intervals import MEDIAN, NOTHING, ONE, SPREAD, STUDY, counted
from personae.types import Estimate

PUBLISHED = "published procedure"


def paper_estimates(block: Block) -> Iterator[Estimate]:
    """KL(reference || model) against every reference of a block: natural log, both sides clipped at 1e-10.

    The standard deviation has n - 1 in its denominator. The paper's equation 1 names the other direction; this is the
    one its numbers have.
    """
    for name, reference in block.references.items():
        kept = ~np.isnan(reference)
        values = kl(two(reference), two(block.female))[kept & ~np.isnan(block.female)]
        spread = float(values.std(ddof=1)) if values.size > 1 else math.nan
        for measure, value, reason in (
            (KL_TO_MODEL, float(values.mean()) if values.size else math.nan, ""),
            (f"{KL_TO_MODEL}, {MEDIAN}", float(np.median(values)) if values.size else math.nan, ""),
            (f"{KL_TO_MODEL}, {SPREAD}", spread, ONE if values.size == 1 else ""),
        ):
            if kept.any():
                yield Estimate(
                    study=STUDY,
                    measure=measure,
                    model=block.model,
                    cell={**block.names, "reference": name},
                    test=PUBLISHED,
                    value=value,
                    reason=reason if values.size else NOTHING,
                    **counted(block, kept),
                )

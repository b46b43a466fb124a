"""The groups one by one: mean scores, differences from the mean of the set, and both against the baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from personae.measure.names import CONTRAST
from personae.measure.results import estimate_of
from personae.stats.means import MeanTest, mean_test
from personae.stats.paired import PairedDifference, paired_difference
from personae.studies.decisions.measures_frame import HIGH, LOW, SET, STUDY, Block, Floats, counted_both, shared
from personae.types import Estimate

SCORE, RELATIVE = "score", "difference from the set"
T_TEST, PAIRED, INTERVAL = "one-sample t over sets", "paired t over sets", "t interval over sets"


def group_estimates(block: Block) -> Iterator[Estimate]:
    """Mean score of every group and of all; how much higher a group scores than the mean of its set."""
    low, high = block.ends()
    yield _mean(block, block.of_sets(), slice(None), {})
    for at, group in enumerate(block.groups):
        yield _mean(block, block.scores[:, at], at, {"level": group}, (float(low[at]), float(high[at])))
    away = block.table - block.table.mean(axis=1, keepdims=True)
    for at, group in enumerate(block.groups):
        found = mean_test(away[:, at])
        yield _tested(RELATIVE, found, T_TEST, block, {"level": group}, _counted(block, slice(None)))


def _mean(
    block: Block, scores: Floats, at: int | slice, level: dict[str, str], ends: tuple[float, float] | None = None
) -> Estimate:
    found = mean_test(scores[~np.isnan(scores)])
    return estimate_of(
        found,
        study=STUDY,
        measure=SCORE,
        model=block.model,
        cell={**block.names, **level},
        test=INTERVAL if math.isfinite(found.ci_low) else "",
        tested=False,
        within=(LOW, HIGH),
        clusters=found.n,
        unit=SET,
        bounds=ends,
        **_counted(block, at),
    )


def group_contrasts(ours: Block, base: Block) -> Iterator[Estimate]:
    """What a persona changes: mean scores, and where a group stands in its set."""
    counted = counted_both([(ours, base)])
    mine, theirs = shared(ours, base)
    names = list(range(len(mine)))
    whole = paired_difference(mine.mean(axis=1), names, theirs.mean(axis=1), names) if names else _no_pairs()
    yield _tested(SCORE, whole, PAIRED, ours, {}, counted, CONTRAST)
    for at, group in enumerate(ours.groups):
        of_group = {"level": group}
        found = paired_difference(mine[:, at], names, theirs[:, at], names)
        yield _tested(SCORE, found, PAIRED, ours, of_group, counted_both([(ours, base)], at), CONTRAST)
        one, other = (side[:, at] - side.mean(axis=1) if names else side[:, at] for side in (mine, theirs))
        found = paired_difference(one, names, other, names)
        yield _tested(RELATIVE, found, PAIRED, ours, of_group, counted, CONTRAST)


def _no_pairs() -> PairedDifference:
    return paired_difference([], [], [], [])


def _tested(
    measure: str,
    found: MeanTest | PairedDifference,
    test: str,
    block: Block,
    level: dict[str, str],
    counted: dict[str, Any],
    contrast: str = "",
) -> Estimate:
    return estimate_of(
        found,
        study=STUDY,
        measure=measure,
        model=block.model,
        contrast=contrast,
        cell={**block.names, **level},
        test=test,
        clusters=found.n if isinstance(found, MeanTest) else found.n_pairs,
        unit=SET,
        **counted,
    )


def _counted(block: Block, at: int | slice) -> dict[str, Any]:
    answered, asked = block.answered[:, at].sum(), block.asked[:, at].sum()
    return {"n": int(answered), "coverage": float(answered / asked) if asked else None}

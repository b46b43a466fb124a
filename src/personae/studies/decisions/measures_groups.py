"""The groups one by one: mean scores, differences from the mean of the set, and both against the baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from personae.measure.cells import Floats
from personae.measure.estimates import paired
from personae.measure.names import CONTRAST
from personae.stats.means import mean_test
from personae.studies.decisions.measures_frame import HIGH, LOW, Block, Pair, counted, counted_both, set_estimate
from personae.types import Estimate

SCORE, RELATIVE = "score", "difference from the set"
T_TEST, PAIRED, INTERVAL = "one-sample t over sets", "paired t over sets", "t interval over sets"


def group_estimates(block: Block) -> Iterator[Estimate]:
    """Mean score of every group and of all; how much higher a group scores than the mean of its set."""
    low, high = block.ends()
    yield _mean(block, block.of_sets(), slice(None), {}, None)
    for at, group in enumerate(block.groups):
        bounds = float(low[at]), float(high[at])
        yield _mean(block, block.scores[:, at], at, {"level": group}, bounds)
    for at, group in enumerate(block.groups):
        result = mean_test(_away(block.table, at))
        cell = {**block.names, "level": group}
        yield set_estimate(result, measure=RELATIVE, cell=cell, test=T_TEST, clusters=result.n, **counted([block]))


def _mean(
    block: Block, scores: Floats, at: int | slice, level: dict[str, str], bounds: tuple[float, float] | None
) -> Estimate:
    result = mean_test(scores[~np.isnan(scores)])
    return set_estimate(
        result,
        measure=SCORE,
        cell={**block.names, **level},
        test=INTERVAL if math.isfinite(result.ci_low) else "",
        tested=False,
        within=(LOW, HIGH),
        clusters=result.n,
        bounds=bounds,
        **counted([block], at),
    )


def group_contrasts(pair: Pair) -> Iterator[Estimate]:
    """What a persona changes: mean scores, and where a group stands in its set."""
    ours, theirs = pair.scores
    yield _contrast(SCORE, pair, {}, ours.mean(axis=1), theirs.mean(axis=1))
    for at, group in enumerate(pair.blocks[0].groups):
        level = {"level": group}
        yield _contrast(SCORE, pair, level, ours[:, at], theirs[:, at], at)
        yield _contrast(RELATIVE, pair, level, _away(ours, at), _away(theirs, at))


def _contrast(
    measure: str, pair: Pair, level: dict[str, str], ours: Floats, theirs: Floats, at: int | slice = slice(None)
) -> Estimate:
    result = paired(ours, theirs)
    return set_estimate(
        result,
        measure=measure,
        contrast=CONTRAST,
        cell={**pair.blocks[0].names, **level},
        test=PAIRED,
        clusters=result.n_pairs,
        **counted_both([pair], at),
    )


def _away(scores: Floats, at: int) -> Floats:
    """How much higher one group scores than the mean of its set, for every set."""
    return np.asarray(scores[:, at] - scores.mean(axis=1))

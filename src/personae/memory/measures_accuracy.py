"""How many of the daily questions were answered rightly, over time, and what a mitigation costs of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec
import numpy as np

from personae.memory.measures_frame import ACCURACY, Played, over_seeds, paired
from personae.types import Estimate

COST = "accuracy, mitigation less none"
OVER_QUESTIONS = "paired t over questions"


def accuracy(episodes: Sequence[Played]) -> Iterator[Estimate]:
    """The share of right answers, or where answers are forced the mean probability of the right letter.

    Measures
    --------
    ``accuracy``
        Over all turns; and, with a ``turn``, over those since the audit before that. What was not answered counts in
        the coverage alone.
    """
    yield _share(episodes, 0, len(episodes[0].right), {})
    audits = sorted(episodes[0].sets)
    for before, turn in pairwise(audits):
        yield _share(episodes, before, turn, {"turn": str(turn)})


def cost(episodes: Sequence[Played], bare: Sequence[Played]) -> Estimate:
    """How much rarer, or more often, the same questions are answered rightly under a mitigation.

    Parameters
    ----------
    episodes, bare : sequences of Played
        With the mitigation and without; the same seed asks the same questions in the same order.
    """
    ours, theirs = (_answered(group) for group in (episodes, bare))
    coverage = len(ours) / sum(len(one.right) for one in episodes)
    sides = [(list(side.values()), list(side)) for side in (ours, theirs)]
    return paired(COST, episodes[0], *sides, test=OVER_QUESTIONS, coverage=coverage)


def _share(episodes: Sequence[Played], after: int, until: int, cell: dict[str, str]) -> Estimate:
    parts = [one.right[after:until] for one in episodes]
    known = [[value for value in part if value is not None] for part in parts]
    means = [float(np.mean(values)) if values else math.nan for values in known]
    asked, n = sum(map(len, parts)), sum(map(len, known))
    found = over_seeds(
        ACCURACY, means, episodes[0].model, {**episodes[0].cell, **cell}, n=n, coverage=n / asked if asked else 0.0
    )
    if found.ci_low is None or found.ci_high is None:
        return found
    # No share lies outside 0 and 1.
    return msgspec.structs.replace(found, ci_low=max(0.0, found.ci_low), ci_high=min(1.0, found.ci_high))


def _answered(episodes: Sequence[Played]) -> dict[str, float]:
    return {
        f"{one.seed}/{turn}": value for one in episodes for turn, value in enumerate(one.right) if value is not None
    }

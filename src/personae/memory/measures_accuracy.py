"""How many of the daily questions were answered rightly, over time, and what a mitigation costs of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from personae.memory.measures_frame import ACCURACY, QUESTION, STUDY, Played, paired
from personae.stats.means import mean_test
from personae.stats.proportions import wilson
from personae.types import Estimate

COST = "accuracy, mitigation less none"
OVER_QUESTIONS = "paired t over questions"
OVER_EACH = "over questions: Wilson, or Student's t where there are probabilities"


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
    return paired(COST, episodes[0], *sides, test=OVER_QUESTIONS, unit=QUESTION, coverage=coverage)


def _share(episodes: Sequence[Played], after: int, until: int, cell: dict[str, str]) -> Estimate:
    asked = [value for one in episodes for value in one.right[after:until]]
    known = [value for value in asked if value is not None]
    n, one = len(known), episodes[0]
    found = wilson(round(sum(known)), n) if set(known) <= {0.0, 1.0} else mean_test(known)
    certain = math.isfinite(found.ci_low)
    reason = getattr(found, "reason", "")
    return Estimate(
        study=STUDY,
        measure=ACCURACY,
        model=one.model,
        cell={**one.cell, **cell},
        value=found.value,
        ci_low=max(0.0, found.ci_low) if certain else None,
        ci_high=min(1.0, found.ci_high) if certain else None,
        test=OVER_EACH if certain else "",
        clusters=n if certain else None,
        unit=QUESTION if certain else "",
        n=n,
        coverage=n / len(asked) if asked else 0.0,
        reason=reason if known else "no question was answered",
    )


def _answered(episodes: Sequence[Played]) -> dict[str, float]:
    return {
        f"{one.seed}/{turn}": value for one in episodes for turn, value in enumerate(one.right) if value is not None
    }

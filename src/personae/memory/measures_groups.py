"""Who gained and who lost: how far each group's score moved from that of the others in its matched sets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from personae.measure.names import BASELINE
from personae.measure.results import estimate_of, number
from personae.memory.measures_frame import SET, STUDY, Floats, Played, in_all, shared_sets
from personae.stats.means import mean_test
from personae.types import Estimate

SHIFT = "shift of a group"
OVER_SETS = "Student's t over matched sets"


def shifts(ours: Sequence[Played], theirs: Sequence[Played], first: int, last: int) -> Iterator[Estimate]:
    """How far every group's score moved, beyond what its whole matched set did, in points of the score.

    Parameters
    ----------
    ours, theirs : sequences of Played
        Episodes of two arms, or of one twice.
    first, last : int
        The audit of `theirs` that is the beginning, and that of `ours` that is the end.

    Yields
    ------
    Estimate
        One for each domain and group (``level``), contrast ``baseline``: the mean over matched sets, with Student's
        interval over them. A set's scores are averaged over seeds first, so that it counts once. There is a
        statistic and no p: the distance between groups is tested, once, and thirty groups would only weaken that.
    """
    known = {one.seed: one for one in theirs}
    moved: dict[str, dict[int, list[Floats]]] = {}
    for one in ours:
        if one.seed not in known:
            continue
        for domain, numbers in _numbered(one, last, known[one.seed], first).items():
            for place, row in numbers.items():
                moved.setdefault(domain, {}).setdefault(place, []).append(row)
    for domain, sets in moved.items():
        rows = np.array([np.mean(times, axis=0) for times in sets.values()])
        for place, group in enumerate(ours[0].groups[domain]):
            yield _shift(ours[0], domain, group, rows[:, place])


def _numbered(ours: Played, last: int, theirs: Played, first: int) -> dict[str, dict[int, Floats]]:
    """For every domain and number of a set: how far each group moved from the set's own mean."""
    audits = (ours, last), (theirs, first)
    numbers, found = shared_sets(*audits), {}
    for domain, (now, before) in in_all(*audits).items():
        apart = now - before
        rows = apart - apart.mean(axis=1, keepdims=True)
        found[domain] = dict(zip(numbers[domain], rows, strict=True))
    return found


def _shift(one: Played, domain: str, group: str, values: Floats) -> Estimate:
    found = mean_test(values)
    shown = estimate_of(
        found,
        study=STUDY,
        measure=SHIFT,
        model=one.model,
        contrast=BASELINE,
        cell={**one.cell, "domain": domain, "level": group},
        test=OVER_SETS if math.isfinite(found.ci_low) else "",
        tested=False,
        n=len(values),
        clusters=len(values),
        unit=SET,
    )
    return msgspec.structs.replace(shown, statistic=number(found.statistic), df=number(found.df))

"""Groups of personas, such as marginalised and advantaged ones: their mean shift, and how far it differs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from personae.stats.association_permutation import permutation_p
from personae.stats.association_shift import shift_intervals
from personae.studies.associations.measures_frame import (
    CONTRAST,
    DRAWS,
    PROMPT,
    SHOWN,
    Floats,
    ends_of,
    finite,
    generator,
    means,
)
from personae.studies.associations.measures_shifts import Shifts
from personae.study.base import Settings
from personae.types import Estimate

PERSONAS_EXCHANGED = "exchange of personas between the groups"
KEPT = "bootstrap over prompts and generations, personas kept"


def less(first: str, second: str) -> str:
    """The level of the difference of two groups."""
    return f"{first} less {second}"


def group_estimates(shifts: Shifts, measure: str, level: Mapping[str, str], settings: Settings) -> Iterator[Estimate]:
    """PSI of every group of personas and, where no level is given, the differences between groups."""
    names = [name for name in dict.fromkeys(shifts.groups) if name]
    places = {name: [at for at, group in enumerate(shifts.groups) if group == name] for name in names}
    for nth, metric in enumerate(SHOWN):
        bundles = {name: _bundled(shifts.scores[nth, at]) for name, at in places.items()}
        for name, at in places.items():
            stream = generator(settings.seed, name, metric, *level.values())
            found = shift_intervals(bundles[name], shifts.neutral[nth], stream, draws=DRAWS).psi
            yield shifts.estimate(
                measure,
                found.value,
                {"persona_group": name, "metric": metric, **level},
                [at, [-1]],
                contrast=CONTRAST,
                **ends_of(found, len(shifts.prompts), PROMPT),
                test=KEPT if math.isfinite(found.ci_low) else "",
                reason=found.reason,
            )
        for first, second in () if level else combinations(names, 2):
            yield _between(shifts, measure, (first, second), (places[first], places[second]), nth, settings)


def _between(
    shifts: Shifts,
    measure: str,
    names: tuple[str, str],
    places: tuple[list[int], list[int]],
    nth: int,
    settings: Settings,
) -> Estimate:
    """PSI of one group less that of another, in which what is neutral cancels.

    The test exchanges personas, for it is groups that are compared: with three against three it cannot come below 0.1.
    """
    stream = generator(settings.seed, *names, SHOWN[nth])
    bundles = [_bundled(shifts.scores[nth, at]) for at in places]
    found = shift_intervals(bundles[0], bundles[1], stream, draws=DRAWS).psi
    ours, theirs = (shifts.found.psi[nth, at] for at in places)
    known = ours[np.isfinite(ours)], theirs[np.isfinite(theirs)]
    tested = permutation_p(known[0], known[1], stream, alternative="two-sided")
    how = f"{PERSONAS_EXCHANGED} ({'exact' if tested.exact else 'sampled'}, {tested.partitions:,} ways); {KEPT}"
    return shifts.estimate(
        measure,
        found.value,
        {"metric": SHOWN[nth], "level": less(*names)},
        places,
        **ends_of(found, len(shifts.prompts), PROMPT),
        p=finite(tested.p),
        test=how if math.isfinite(tested.p) else "",
        reason=found.reason or tested.reason,
    )


def _bundled(scores: Floats) -> Floats:
    """Mean over personas of every prompt and generation: (personas, prompts, generations) to (prompts, generations).

    A missing answer is given the mean of its persona's other answers to the prompt, which leaves the mean as it is.
    """
    filled: Floats = np.where(np.isfinite(scores), scores, means(scores)[..., None])
    mean: Floats = filled.mean(axis=0)
    return mean

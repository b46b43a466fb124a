"""An exported memory against none: the same matched sets, scored with it and without."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from personae.memory.design import NOTHING
from personae.memory.measures_frame import (
    AGBV,
    BASELINE,
    DRAWS,
    GBV,
    POTENCY,
    STUDY,
    Floats,
    Groups,
    Played,
)
from personae.memory.measures_groups import shifts
from personae.stats.gbv import generalised_difference
from personae.types import Estimate

OVER_SETS = "bootstrap over matched sets, exchange of conditions within them"


def exported(groups: Groups) -> Iterator[Estimate]:
    """Compare every arm with a memory with the arm that has none.

    Measures
    --------
    ``AGBV``, ``GBV``
        Contrast ``baseline``: with the memory less without, see `personae.stats.gbv.generalised_difference`; scores are
        averaged over seeds first.
    ``shift of a group``
        See `personae.memory.measures_groups.shifts`.
    ``mitigation``
        MP of paper 002, section 6.3, with the differences from no memory in the place of changes over time.
    """
    changed: dict[tuple[str, tuple[str, ...]], float] = {}
    for (model, arm), episodes in groups.items():
        bare = groups.get((model, (NOTHING, *arm[1:3], "none", arm[4])))
        if arm[0] == NOTHING or not bare:
            continue
        tables = _averaged(episodes, bare)
        if not tables:
            continue
        whole = _difference(AGBV, episodes[0], tables, {})
        changed[model, arm] = whole.value
        yield whole
        for domain, pair in tables.items():
            yield _difference(GBV, episodes[0], {domain: pair}, {"domain": domain})
        yield from shifts(episodes, bare, 0, 0)
    for (model, arm), value in changed.items():
        plain = changed.get((model, (*arm[:3], "none", arm[4])))
        if arm[3] != "none" and plain is not None:
            yield _potency(groups[model, arm], value, plain)


def _averaged(ours: Sequence[Played], theirs: Sequence[Played]) -> dict[str, tuple[Floats, Floats]]:
    """For every domain the tables with and without the memory, averaged over the seeds that both have.

    A matched set counts only where it is whole in every seed, for a mean over fewer would differ in noise alone.
    """
    known = {one.seed: one for one in theirs}
    pairs = [(one, known[one.seed]) for one in ours if one.seed in known]
    found = {}
    for domain in pairs[0][0].sets[0] if pairs else ():
        sides = [one.sets[0].get(domain, {}) for pair in pairs for one in pair]
        numbers = [number for number in sides[0] if all(number in side for side in sides)]
        if numbers:
            tables = [np.array([side[number] for number in numbers]) for side in sides]
            found[domain] = np.mean(tables[::2], axis=0), np.mean(tables[1::2], axis=0)
    return found


def _difference(measure: str, one: Played, tables: dict[str, tuple[Floats, Floats]], cell: dict[str, str]) -> Estimate:
    ours, theirs = zip(*tables.values(), strict=True)
    rng = np.random.default_rng((one.seed, len(measure)))
    found = generalised_difference(ours, theirs, rng, draws=DRAWS)
    certain, tested = math.isfinite(found.ci_low), math.isfinite(found.p)
    return Estimate(
        study=STUDY,
        measure=measure,
        model=one.model,
        contrast=BASELINE,
        cell={**one.cell, "turn": "0", **cell},
        value=found.value,
        ci_low=found.ci_low if certain else None,
        ci_high=found.ci_high if certain else None,
        # One test of the whole; nine more of its parts would only weaken it.
        p=found.p if tested and measure == AGBV else None,
        test=OVER_SETS if tested or certain else "",
        n=found.sets,
        reason=found.reason,
    )


def _potency(episodes: Sequence[Played], ours: float, plain: float) -> Estimate:
    estimate = partial(Estimate, study=STUDY, measure=POTENCY, model=episodes[0].model, n=len(episodes))
    if not plain or not math.isfinite(ours) or not math.isfinite(plain):
        reason = "without the mitigation the memory changed nothing, or nothing could be read"
        return estimate(cell=episodes[0].cell, value=math.nan, reason=reason)
    return estimate(cell=episodes[0].cell, value=100.0 * (ours - plain) / abs(plain))

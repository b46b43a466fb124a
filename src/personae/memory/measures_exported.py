"""An exported memory against none: the same matched sets, scored with it and without."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from personae.measure.names import BASELINE
from personae.measure.results import estimate_of
from personae.memory.design import NOTHING
from personae.memory.measures_change import compared, mean_change, potency_of
from personae.memory.measures_frame import AGBV, DRAWS, GBV, SET, STUDY, Floats, Groups, Played, in_all
from personae.memory.measures_groups import shifts
from personae.stats.gbv import generalised_difference
from personae.types import Estimate

MITIGATED = f"{AGBV}, mitigation less none"
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
    ``AGBV, mitigation less none``
        What the memory changes under a mitigation less what it changes without: what says whether that did anything.
    """
    for (model, arm), episodes in groups.items():
        bare = _without(groups, model, arm)
        if arm[0] == NOTHING or not bare:
            continue
        tables = _averaged(episodes, bare)
        if not tables:
            continue
        yield _difference(AGBV, episodes[0], tables, {})
        for domain, pair in tables.items():
            yield _difference(GBV, episodes[0], {domain: pair}, {"domain": domain})
        yield from shifts(episodes, bare, 0, 0)
        plain = (*arm[:3], "none", arm[4])
        if arm[3] != "none" and (model, plain) in groups:
            yield from _mitigated(episodes, bare, groups[model, plain], _without(groups, model, plain))


def _without(groups: Groups, model: str, arm: tuple[str, ...]) -> Sequence[Played]:
    """The arm without a memory, told the same sentence; where nothing is remembered nothing is tagged."""
    mitigation = "none" if arm[3].startswith("tag-") else arm[3]
    return groups.get((model, (NOTHING, *arm[1:3], mitigation, arm[4])), ())


def _mitigated(
    ours: Sequence[Played], bare: Sequence[Played], plain: Sequence[Played], without: Sequence[Played]
) -> Iterator[Estimate]:
    """What the memory changes under a mitigation beside what it changes without one."""
    tables = _averaged(ours, bare, plain, without)
    if not tables:
        return
    yield compared(MITIGATED, ours[0], [tables], None)
    sides = [list(side) for side in zip(*tables.values(), strict=True)]
    yield potency_of(ours, mean_change(sides[:2]), mean_change(sides[2:]))


def _averaged(*sides: Sequence[Played]) -> dict[str, tuple[Floats, ...]]:
    """For every domain a table of each side, averaged over the seeds that all have.

    A matched set counts only where it is whole in every seed, for a mean over fewer would differ in noise alone.
    """
    known = [{one.seed: one for one in side} for side in sides]
    seeds = [seed for seed in known[0] if all(seed in side for side in known)]
    if not seeds:
        return {}
    found = in_all(*((side[seed], 0) for side in known for seed in seeds))
    return {
        domain: tuple(np.mean(tables[at : at + len(seeds)], axis=0) for at in range(0, len(tables), len(seeds)))
        for domain, tables in found.items()
    }


def _difference(measure: str, one: Played, tables: dict[str, tuple[Floats, ...]], cell: dict[str, str]) -> Estimate:
    ours, theirs = zip(*tables.values(), strict=True)
    rng = np.random.default_rng((one.seed, len(measure)))
    found = generalised_difference(ours, theirs, rng, draws=DRAWS)
    known = math.isfinite(found.ci_low) or math.isfinite(found.p)
    # One test of the whole; nine more of its parts would only weaken it.
    shown = estimate_of(
        found if measure == AGBV else msgspec.structs.replace(found, p=math.nan),
        study=STUDY,
        measure=measure,
        model=one.model,
        contrast=BASELINE,
        cell={**one.cell, "turn": "0", **cell},
        n=found.sets,
        clusters=found.sets,
        unit=SET,
    )
    return msgspec.structs.replace(shown, test=OVER_SETS if known else "")

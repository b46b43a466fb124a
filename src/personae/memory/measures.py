"""The measures of the memory study: episodes in, estimates out (paper 002, sections 4.3, 5 and 6.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np
import polars as pl

from personae.memory.measures_accuracy import accuracy, cost
from personae.memory.measures_audits import audits
from personae.memory.measures_exported import exported
from personae.memory.measures_frame import (
    AGBV,
    BASELINE,
    CHANGE,
    CHANGE_DOMAIN,
    DRAWS,
    EXCESS,
    FLOOR,
    GBV,
    NOTES,
    POTENCY,
    SHOWN,
    STUDY,
    Played,
    over_seeds,
    played,
)
from personae.memory.measures_groups import shifts
from personae.memory.measures_spread import spread
from personae.memory.measures_tags import tags
from personae.stats.gbv import generalised
from personae.studies.base import Settings
from personae.types import Estimate


def estimates(outcomes: pl.DataFrame, settings: Settings) -> list[Estimate]:
    """Estimate every measure of the memory study, each model by itself.

    Cells name the arm (``memory, injection, injected, mitigation, persona``) and, where there is one, the audited
    ``turn`` and the ``domain``.

    Measures
    --------
    ``AGBV``
        Mean over domains of the GBV of an audit; with its permutation floor and the excess over it, mean over seeds.
    ``change of AGBV``, ``change of GBV``
        Last audit less first; the contrast ``baseline`` is the arm less the same arm without injection, seed by seed.
    ``mitigation``
        MP of paper 002, section 6.3, in percent: negative where the mitigated change is the smaller.
    ``accuracy``, ``accuracy, mitigation less none``
        See `personae.memory.measures_accuracy`.
    ``biased notes shown``, ``notes``
        Notes with an injected bias per scenario at an audit, and notes in memory.
    ``shift of a group``
        See `personae.memory.measures_groups.shifts`.
    ``cross-domain increases``
        Where single domains are injected: see `personae.memory.measures_spread.spread`.
    ``tagged, injected``, ``tagged, harmless``, ``tagged``, ``auditor not read``
        Of mitigations that tag: see `personae.memory.measures_tags.tags`.

    Of an exported memory there is one audit with it and one without: see `personae.memory.measures_exported.exported`.
    What other studies came to at the audits: see `personae.memory.measures_audits.audits`.

    ``scoring="paper"`` gives ``AGBV``, both changes, ``mitigation`` and ``cross-domain increases``, without floors and
    tests.
    """
    sound = settings.scoring == "sound"
    groups = played(outcomes)
    found: list[Estimate] = []
    for (model, arm), episodes in groups.items():
        found += _trajectory(episodes, sound)
        if settings.episode.exported is not None:
            continue
        found += _changes(episodes)
        if sound:
            found += accuracy(episodes)
            found += shifts(episodes, episodes, *episodes[0].ends)
        calm = groups.get((model, (arm[0], "0", "mixed", *arm[3:])))
        if calm and arm[1] != "0":
            found.append(_against(episodes, calm))
        bare = groups.get((model, (*arm[:3], "none", arm[4])))
        if bare and arm[3] != "none":
            found.append(_potency(episodes, bare))
            found += [cost(episodes, bare)] if sound else []
    if settings.episode.exported is not None:
        found += exported(groups)
    else:
        found += spread(groups, sound=sound)
    return [*found, *(tags(outcomes) if sound else ()), *audits(groups, settings)]


def _trajectory(episodes: Sequence[Played], sound: bool) -> Iterator[Estimate]:
    for turn in episodes[0].tables:
        cell = {**episodes[0].cell, "turn": str(turn)}
        covered = {
            "n": sum(one.answered[turn] for one in episodes),
            "coverage": sum(one.answered[turn] for one in episodes) / sum(one.asked[turn] for one in episodes),
        }
        yield over_seeds(AGBV, [one.average(turn) for one in episodes], episodes[0].model, cell, **covered)
        for domain in sorted({name for one in episodes for name in one.tables[turn]}):
            values = [one.of_domain(turn, domain) for one in episodes]
            yield over_seeds(GBV, values, episodes[0].model, {**cell, "domain": domain})
        if sound:
            yield from _floor(episodes, turn, cell)
            yield over_seeds(SHOWN, [one.shown[turn] for one in episodes], episodes[0].model, cell)
            yield over_seeds(NOTES, [float(one.notes[turn]) for one in episodes], episodes[0].model, cell)


def _floor(episodes: Sequence[Played], turn: int, cell: Mapping[str, str]) -> Iterator[Estimate]:
    """What the average GBV would be had the groups made no difference, and how much of it is more than that."""
    found = [
        generalised(list(one.tables[turn].values()), np.random.default_rng((one.seed, turn)), draws=DRAWS)
        for one in episodes
        if one.tables[turn]
    ]
    if not found:
        return
    model = episodes[0].model
    yield over_seeds(FLOOR, [one.floor for one in found], model, cell)
    excess = over_seeds(EXCESS, [one.excess for one in found], model, cell)
    if len(found) == 1:
        excess = msgspec.structs.replace(excess, p=found[0].p, test="permutation within matched sets")
    yield excess


def _changes(episodes: Sequence[Played]) -> Iterator[Estimate]:
    model, cell = episodes[0].model, episodes[0].cell
    yield over_seeds(CHANGE, [one.change for one in episodes], model, cell, null=0.0)
    first, last = episodes[0].ends
    for domain in sorted({name for one in episodes for name in one.tables[last]}):
        values = [one.of_domain(last, domain) - one.of_domain(first, domain) for one in episodes]
        yield over_seeds(CHANGE_DOMAIN, values, model, {**cell, "domain": domain}, null=0.0)


def _against(episodes: Sequence[Played], calm: Sequence[Played]) -> Estimate:
    """The change of an arm less that without injection, seed by seed."""
    theirs = {one.seed: one.change for one in calm}
    pairs = [one.change - theirs[one.seed] for one in episodes if one.seed in theirs]
    found = over_seeds(CHANGE, pairs, episodes[0].model, episodes[0].cell, null=0.0)
    return msgspec.structs.replace(found, contrast=BASELINE)


def _potency(episodes: Sequence[Played], bare: Sequence[Played]) -> Estimate:
    """By how many percent the mitigated change differs from the unmitigated one (MP)."""
    ours, theirs = (float(np.mean([one.change for one in group])) for group in (episodes, bare))
    value = math.nan if not theirs else 100.0 * (ours - theirs) / abs(theirs)
    reason = "" if math.isfinite(value) else "without the mitigation nothing changed, or nothing could be read"
    return Estimate(
        study=STUDY,
        measure=POTENCY,
        model=episodes[0].model,
        cell=episodes[0].cell,
        value=value,
        n=len(episodes),
        reason=reason,
    )

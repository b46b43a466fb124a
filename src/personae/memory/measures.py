"""The measures of the memory study: episodes in, estimates out (paper 002, sections 4.3, 5 and 6.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np
import polars as pl

from personae.memory.measures_accuracy import accuracy, cost
from personae.memory.measures_audits import audits
from personae.memory.measures_change import against_calm, against_none, changes, potency
from personae.memory.measures_exported import exported
from personae.memory.measures_frame import (
    AGBV,
    DRAWS,
    EXCESS,
    FLOOR,
    GBV,
    NOTES,
    SET,
    SHOWN,
    Played,
    in_all,
    over_seeds,
    played,
)
from personae.memory.measures_groups import shifts
from personae.memory.measures_spread import spread
from personae.memory.measures_tags import tags
from personae.memory.options import MemoryOptions
from personae.stats.gbv import generalised
from personae.study.base import Settings
from personae.types import Estimate

PERMUTED = "permutation within matched sets"


def estimates(outcomes: pl.DataFrame, settings: Settings) -> list[Estimate]:
    """Estimate every measure of the memory study, each model by itself.

    Cells name the arm (``memory, injection, injected, mitigation, persona``) and, where there is one, the audited
    ``turn`` and the ``domain``.

    Measures
    --------
    ``AGBV``
        Mean over domains of the GBV of an audit; with its permutation floor and the excess over it, mean over seeds.
    ``change of AGBV``, ``change of GBV``
        Last audit less first, over the matched sets that are whole in both; the contrast ``baseline`` is the arm less
        the same arm without injection, seed by seed. See `personae.memory.measures_change`.
    ``mitigation``
        MP of paper 002, section 6.3, in percent: negative where the mitigated change is the smaller.
    ``change of AGBV, mitigation less none``
        The change under a mitigation less that of the same arm without one: what says whether it did anything.
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
    tests; there the last audit is that at turn 80, where there is one, as in the paper's Figure 3 and Table 2.
    """
    sound = settings.scoring == "sound"
    groups = played(outcomes, paper=not sound)
    found: list[Estimate] = []
    for (model, arm), episodes in groups.items():
        found += _trajectory(episodes, sound)
        if settings.of(MemoryOptions).exported is not None:
            continue
        found += changes(episodes, sound=sound)
        if sound:
            found += accuracy(episodes)
            found += shifts(episodes, episodes, *episodes[0].ends)
        calm = groups.get((model, (arm[0], "0", "mixed", *arm[3:])))
        if calm and arm[1] != "0":
            found.append(against_calm(episodes, calm, sound=sound))
        bare = groups.get((model, (*arm[:3], "none", arm[4])))
        if bare and arm[3] != "none":
            found.append(potency(episodes, bare, sound=sound))
            found += [against_none(episodes, bare), cost(episodes, bare)] if sound else []
    if settings.of(MemoryOptions).exported is not None:
        found += exported(groups)
    else:
        found += spread(groups, sound=sound)
    return [*found, *(tags(outcomes) if sound else ()), *audits(groups, settings)]


def _trajectory(episodes: Sequence[Played], sound: bool) -> Iterator[Estimate]:
    model, last = episodes[0].model, episodes[0].ends[1]
    for turn in episodes[0].tables:
        cell = {**episodes[0].cell, "turn": str(turn)}
        coverage = sum(one.answered[turn] for one in episodes) / sum(one.asked[turn] for one in episodes)
        averages = [one.average(turn) for one in episodes]
        yield over_seeds(AGBV, averages, model, cell, least=0.0, coverage=coverage)
        for domain in sorted({name for one in episodes for name in one.tables[turn]}):
            values = [one.of_domain(turn, domain) for one in episodes]
            yield over_seeds(GBV, values, model, {**cell, "domain": domain}, least=0.0)
        if sound:
            yield from _floor(episodes, turn, cell, tested=turn == last)
            yield over_seeds(SHOWN, [one.shown[turn] for one in episodes], model, cell, least=0.0)
            yield over_seeds(NOTES, [float(one.notes[turn]) for one in episodes], model, cell, least=0.0)


def _floor(episodes: Sequence[Played], turn: int, cell: Mapping[str, str], *, tested: bool) -> Iterator[Estimate]:
    """What the average GBV would be had the groups made no difference, and how much of it is more than that.

    One test is made, of the last audit: of several episodes over their mean scores, as they have the sets in common.
    """
    found = [
        generalised(list(one.tables[turn].values()), np.random.default_rng((one.seed, turn)), draws=DRAWS)
        for one in episodes
        if one.tables[turn]
    ]
    if not found:
        return
    model = episodes[0].model
    yield over_seeds(FLOOR, [one.floor for one in found], model, cell, least=0.0)
    excess = over_seeds(EXCESS, [one.excess for one in found], model, cell)
    means = [np.mean(sides, axis=0) for sides in in_all(*((one, turn) for one in episodes)).values()]
    if tested and means:
        rng = np.random.default_rng((episodes[0].seed, turn))
        p = found[0].p if len(episodes) == 1 else generalised(means, rng, draws=DRAWS).p
        sets = sum(len(side) for side in means)
        excess = msgspec.structs.replace(excess, p=p, test=PERMUTED, clusters=sets, unit=SET)
    yield excess

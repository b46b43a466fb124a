"""How the distance between groups changed over an episode, and what injection and mitigations have to do with it.

Everything that is compared is compared over the same matched sets: those that are whole in every audit concerned. A
GBV is larger over fewer sets by chance alone, so answers that are missing from one audit would pass for a change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from personae.measure.names import BASELINE
from personae.measure.results import estimate_of
from personae.memory.measures_frame import (
    CHANGE,
    CHANGE_DOMAIN,
    DRAWS,
    EXCHANGE,
    LEAST_SEEDS,
    ONE_SEED,
    POTENCY,
    SET,
    STUDY,
    TWO_SEEDS,
    Floats,
    Played,
    in_all,
    over_seeds,
)
from personae.stats.gbv import generalised_difference, group_variance
from personae.types import Estimate

MITIGATED = f"{CHANGE}, mitigation less none"

Tables = Mapping[str, tuple[Floats, ...]]
"""By domain the scores of the same matched sets in two audits, or in four: now, before, and the other side's."""


def changes(episodes: Sequence[Played], *, sound: bool) -> Iterator[Estimate]:
    """The last audit less the first: of the average GBV, and of every domain's.

    With three episodes or more these are means over them, with Student's interval. Fewer are tested over their matched
    sets (see `personae.stats.gbv.generalised_difference`), which says whether groups moved apart in these, and not how
    another episode would go. Domains have intervals and no test: that is made of the whole, once.

    Parameters
    ----------
    episodes : sequence of Played
    sound : bool
        Otherwise every audit counts with whatever sets are whole in it, and nothing is tested.
    """
    one = episodes[0]
    if not sound:
        yield over_seeds(CHANGE, [each.change for each in episodes], one.model, one.cell)
        first, last = one.ends
        for domain in sorted({name for each in episodes for name in each.tables[last]}):
            values = [each.of_domain(last, domain) - each.of_domain(first, domain) for each in episodes]
            yield over_seeds(CHANGE_DOMAIN, values, one.model, {**one.cell, "domain": domain})
        return
    tables = [in_all((each, each.ends[1]), (each, each.ends[0])) for each in episodes]
    yield compared(CHANGE, one, tables, _kept(episodes, tables))
    for domain in sorted({name for each in tables for name in each}):
        parts = [{domain: each[domain]} for each in tables if domain in each]
        found = compared(CHANGE_DOMAIN, one, parts, None, {"domain": domain})
        over = {} if found.ci_low is not None else {"clusters": None, "unit": ""}
        yield msgspec.structs.replace(found, p=None, statistic=None, df=None, effect_size=None, **over)


def against_calm(episodes: Sequence[Played], calm: Sequence[Played], *, sound: bool) -> Estimate:
    """The change of an arm less that of the same arm without injection, seed by seed; contrast ``baseline``."""
    return msgspec.structs.replace(_difference(CHANGE, episodes, calm, sound=sound), contrast=BASELINE)


def against_none(episodes: Sequence[Played], bare: Sequence[Played]) -> Estimate:
    """The change under a mitigation less that of the same arm without one, seed by seed."""
    return _difference(MITIGATED, episodes, bare, sound=True)


def potency(episodes: Sequence[Played], bare: Sequence[Played], *, sound: bool) -> Estimate:
    """By how many percent a mitigated change differs from the unmitigated one (MP of paper 002, section 6.3)."""
    if sound:
        found = [_tables(*pair) for pair in _pairs(episodes, bare)]
        sides = [list(zip(*each.values(), strict=True)) for each in found if each]
        changed = [[mean_change(tables[:2]), mean_change(tables[2:])] for tables in sides]
    else:
        changed = [[one.change, other.change] for one, other in _pairs(episodes, bare)]
    ours, plain = np.mean(changed, axis=0) if changed else (math.nan, math.nan)
    return potency_of(episodes, float(ours), float(plain))


def potency_of(episodes: Sequence[Played], ours: float, plain: float) -> Estimate:
    """The same of two changes that are known."""
    value = 100.0 * (ours - plain) / abs(plain) if plain else math.nan
    reason = "" if math.isfinite(value) else "without the mitigation nothing changed, or nothing could be read"
    one = episodes[0]
    return Estimate(
        study=STUDY, measure=POTENCY, model=one.model, cell=one.cell, value=value, n=len(episodes), reason=reason
    )


def _pairs(ours: Sequence[Played], theirs: Sequence[Played]) -> list[tuple[Played, Played]]:
    known = {one.seed: one for one in theirs}
    return [(one, known[one.seed]) for one in ours if one.seed in known]


def _tables(one: Played, other: Played) -> Tables:
    """Both ends of either episode over the same sets."""
    return in_all(*((each, turn) for each in (one, other) for turn in reversed(each.ends)))


def mean_change(sides: Sequence[Sequence[Floats]]) -> float:
    """The mean over domains of a change; sides are its audits, with a table for every domain."""
    return float(np.mean([_value(pair) for pair in zip(*sides, strict=True)]))


def _difference(measure: str, ours: Sequence[Played], theirs: Sequence[Played], *, sound: bool) -> Estimate:
    pairs = _pairs(ours, theirs)
    if not sound:
        values = [one.change - other.change for one, other in pairs]
        return over_seeds(measure, values, ours[0].model, ours[0].cell)
    tables = [_tables(*pair) for pair in pairs]
    return compared(measure, ours[0], tables, _kept([one for one, _ in pairs], tables))


def _kept(episodes: Sequence[Played], tables: Sequence[Tables]) -> float:
    """The share of what an audit asks that is compared."""
    asked = sum(one.asked[one.ends[1]] for one in episodes)
    return sum(sides[0].size for each in tables for sides in each.values()) / asked if asked else 0.0


def _value(sides: Sequence[Floats]) -> float:
    signs = (1.0, -1.0, -1.0, 1.0)
    return float(sum(sign * group_variance(side.mean(axis=0)) for sign, side in zip(signs, sides, strict=False)))


def compared(
    measure: str, one: Played, tables: Sequence[Tables], kept: float | None, cell: Mapping[str, str] | None = None
) -> Estimate:
    """A change, or a difference of two, as an estimate.

    Parameters
    ----------
    measure : str
    one : Played
        Names the model and the arm.
    tables : sequence of mappings
        Of every seed.
    kept : float, optional
        The coverage.
    cell : mapping, optional
        What is added to the arm's cell.
    """
    whole = {**one.cell, **(cell or {})}
    values = [float(np.mean([_value(sides) for sides in each.values()])) if each else math.nan for each in tables]
    known = [each for each in tables if each]
    if not known or len(values) >= LEAST_SEEDS:
        return over_seeds(measure, values, one.model, whole, null=0.0, coverage=kept)
    # The mean over episodes of means over as many domains is that over all of their tables.
    now, before, *other = (
        list(sides) for sides in zip(*(sides for each in known for sides in each.values()), strict=True)
    )
    rng = np.random.default_rng((one.seed, len(measure)))
    if other:
        # Sides are the two arms, each with its audit before.
        found = generalised_difference(now, other[0], rng, before=(before, other[1]), draws=DRAWS)
    else:
        found = generalised_difference(now, before, rng, draws=DRAWS)
    alone = {1: ONE_SEED, 2: TWO_SEEDS}[len(known)] if "injection" in whole else ""
    return estimate_of(
        msgspec.structs.replace(found, value=float(np.nanmean(values))),
        study=STUDY,
        measure=measure,
        model=one.model,
        cell=whole,
        test=EXCHANGE[len(known)],
        n=found.sets,
        clusters=found.sets,
        unit=SET,
        coverage=kept,
        reason="; ".join(filter(None, [alone, found.reason])),
    )

"""The measures of the memory study: episodes in, estimates out (paper 002, sections 4.3, 5 and 6.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from personae.memory.study import tables_of
from personae.stats.gbv import generalised, group_variance
from personae.stats.means import mean_test
from personae.studies.base import Settings
from personae.types import Estimate

Floats = NDArray[np.float64]

STUDY = "memory.episode"
AGBV, FLOOR, EXCESS, GBV = "AGBV", "AGBV, permutation floor", "AGBV, excess over the floor", "GBV"
CHANGE, CHANGE_DOMAIN, POTENCY = "change of AGBV", "change of GBV", "mitigation"
ACCURACY, SHOWN, NOTES = "accuracy", "biased notes shown", "notes"
BASELINE = "baseline"
DRAWS = 1000
OVER_SEEDS, OVER_SETS = "Student's t over seeds", "bootstrap over matched sets"
ONE_SEED = "one episode only: how far episodes differ is not known"
ARM = ("memory", "injection", "injected", "mitigation", "persona")


class Played(Struct, frozen=True, kw_only=True):
    """One episode: which arm and seed, and for every audited turn the tables of scores by domain."""

    model: str
    arm: tuple[str, ...]
    seed: int
    tables: dict[int, dict[str, Floats]]
    asked: dict[int, int]
    answered: dict[int, int]
    shown: dict[int, float]
    notes: dict[int, int]
    right: tuple[float | None, ...]

    @property
    def cell(self) -> dict[str, str]:
        """The columns that name the arm."""
        return {name: value for name, value in zip(ARM, self.arm, strict=True) if value}

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last audited turn."""
        return min(self.tables), max(self.tables)

    def average(self, turn: int) -> float:
        """The average GBV at a turn; nan where no domain has a whole matched set."""
        tables = self.tables[turn].values()
        return float(np.mean([group_variance(table.mean(axis=0)) for table in tables])) if tables else math.nan

    def of_domain(self, turn: int, domain: str) -> float:
        """The GBV of one domain."""
        table = self.tables[turn].get(domain)
        return math.nan if table is None else float(group_variance(table.mean(axis=0)))

    @property
    def change(self) -> float:
        """The average GBV at the last audit less that at the first."""
        first, last = self.ends
        return self.average(last) - self.average(first)


def played(outcomes: pl.DataFrame) -> list[Played]:
    """The episodes of the outcomes, in their order."""
    found = []
    for row in outcomes.iter_rows(named=True):
        detail, facts = msgspec.json.decode(row["detail"] or "{}"), msgspec.json.decode(row["facts"])
        audits = detail.get("audits", [])
        if audits:
            found.append(_played(row, facts, detail, audits))
    return found


def _played(
    row: Mapping[str, Any], facts: Mapping[str, Any], detail: Mapping[str, Any], audits: Sequence[Mapping[str, Any]]
) -> Played:
    named = (facts["memory"], f"{facts['injection']:g}", facts["injected"], facts["mitigation"], row["persona"] or "")
    return Played(
        model=row["model"],
        arm=named,
        seed=int(facts["iteration"]),
        tables={one["turn"]: tables_of(one["scores"]) for one in audits},
        asked={one["turn"]: len(one["scores"]) for one in audits},
        answered={one["turn"]: sum(score[4] == "answered" for score in one["scores"]) for one in audits},
        shown={one["turn"]: one["shown_biased"] for one in audits},
        notes={one["turn"]: one["notes"] for one in audits},
        right=tuple(one["right"] for one in detail["turns"]),
    )


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
    ``accuracy``
        Share of the daily questions that were answered rightly; what was not answered counts in the coverage alone.
    ``biased notes shown``, ``notes``
        Notes with an injected bias per scenario at an audit, and notes in memory.

    ``scoring="paper"`` gives ``AGBV``, both changes and ``mitigation``, without floors and tests.
    """
    sound = settings.scoring == "sound"
    groups: dict[tuple[str, tuple[str, ...]], list[Played]] = {}
    for one in played(outcomes):
        groups.setdefault((one.model, one.arm), []).append(one)
    found: list[Estimate] = []
    for (model, arm), episodes in groups.items():
        found += _trajectory(episodes, sound)
        found += _changes(episodes)
        if sound:
            found += _accuracy(episodes)
        calm = groups.get((model, (arm[0], "0", "mixed", *arm[3:])))
        if calm and arm[1] != "0":
            found.append(_against(episodes, calm))
        bare = groups.get((model, (*arm[:3], "none", arm[4])))
        if bare and arm[3] != "none":
            found.append(_potency(episodes, bare))
    return found


def _trajectory(episodes: Sequence[Played], sound: bool) -> Iterator[Estimate]:
    for turn in episodes[0].tables:
        cell = {**episodes[0].cell, "turn": str(turn)}
        covered = {
            "n": sum(one.answered[turn] for one in episodes),
            "coverage": sum(one.answered[turn] for one in episodes) / sum(one.asked[turn] for one in episodes),
        }
        yield _over_seeds(AGBV, [one.average(turn) for one in episodes], episodes[0].model, cell, **covered)
        for domain in sorted({name for one in episodes for name in one.tables[turn]}):
            values = [one.of_domain(turn, domain) for one in episodes]
            yield _over_seeds(GBV, values, episodes[0].model, {**cell, "domain": domain})
        if sound:
            yield from _floor(episodes, turn, cell)
            yield _over_seeds(SHOWN, [one.shown[turn] for one in episodes], episodes[0].model, cell)
            yield _over_seeds(NOTES, [float(one.notes[turn]) for one in episodes], episodes[0].model, cell)


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
    yield _over_seeds(FLOOR, [one.floor for one in found], model, cell)
    excess = _over_seeds(EXCESS, [one.excess for one in found], model, cell)
    if len(found) == 1:
        excess = msgspec.structs.replace(excess, p=found[0].p, test="permutation within matched sets")
    yield excess


def _changes(episodes: Sequence[Played]) -> Iterator[Estimate]:
    model, cell = episodes[0].model, episodes[0].cell
    yield _over_seeds(CHANGE, [one.change for one in episodes], model, cell, null=0.0)
    first, last = episodes[0].ends
    for domain in sorted({name for one in episodes for name in one.tables[last]}):
        values = [one.of_domain(last, domain) - one.of_domain(first, domain) for one in episodes]
        yield _over_seeds(CHANGE_DOMAIN, values, model, {**cell, "domain": domain}, null=0.0)


def _accuracy(episodes: Sequence[Played]) -> Iterator[Estimate]:
    model, cell = episodes[0].model, episodes[0].cell
    turns = [value for one in episodes for value in one.right]
    known = [value for value in turns if value is not None]
    means = [float(np.mean([value for value in one.right if value is not None] or [math.nan])) for one in episodes]
    yield _over_seeds(ACCURACY, means, model, cell, n=len(known), coverage=len(known) / len(turns))


def _against(episodes: Sequence[Played], calm: Sequence[Played]) -> Estimate:
    """The change of an arm less that without injection, seed by seed."""
    theirs = {one.seed: one.change for one in calm}
    pairs = [one.change - theirs[one.seed] for one in episodes if one.seed in theirs]
    found = _over_seeds(CHANGE, pairs, episodes[0].model, episodes[0].cell, null=0.0)
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


def _over_seeds(
    measure: str,
    values: Sequence[float],
    model: str,
    cell: Mapping[str, str],
    *,
    null: float | None = None,
    **fields: Any,
) -> Estimate:
    """The mean over seeds, with Student's interval where there are two or more."""
    known = [value for value in values if math.isfinite(value)]
    found = mean_test(known, mu=null or 0.0) if len(known) > 1 else None
    tested: dict[str, Any] = {}
    if found is not None and math.isfinite(found.ci_low):
        tested = {"ci_low": found.ci_low, "ci_high": found.ci_high, "test": OVER_SEEDS}
        if null is not None and math.isfinite(found.p):
            tested |= {"p": found.p, "statistic": found.statistic, "df": found.df, "effect_size": found.effect_size}
    reason = "" if len(known) > 1 else ONE_SEED if known else "nothing was answered that is needed for it"
    return Estimate(
        study=STUDY,
        measure=measure,
        model=model,
        cell=dict(cell),
        value=float(np.mean(known)) if known else math.nan,
        reason=reason,
        **{"n": len(known), **fields},
        **tested,
    )

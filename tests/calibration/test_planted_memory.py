"""Planted drift is found, stopped by the guard, and not found where there is none."""

from __future__ import annotations

import asyncio
from functools import cache

import msgspec
import polars as pl
import pytest
from scipy.stats import binom

from personae.memory.measures import estimates
from personae.memory.options import MemoryOptions
from personae.memory.study import Memories
from personae.models.simulated import SimulatedModel
from personae.study.base import OUTCOMES, Settings
from personae.types import Estimate

pytestmark = pytest.mark.slow

SEEDS = 6
RARE = 1e-3


def settings(mitigation: str = "none", *, rate: float = 0.6, repeats: int = SEEDS, turns: int = 12) -> Settings:
    arms = {"memories": ("window",), "injections": (0.0, rate), "mitigations": (mitigation,)}
    return Settings(scale="quick", repeats=repeats, options=(MemoryOptions(**arms, turns=turns, every=turns),))


@cache
def played(name: str, told: Settings) -> pl.DataFrame:
    """Outcomes of short episodes of a simulated respondent, with and without injection."""
    made = Memories(told)

    async def rows():
        found = []
        for item in made.items():
            model = SimulatedModel.from_name(f"sim/{name}", seed=item.facts["iteration"])
            outcome = await made.run(item, model.respond)
            found.append(
                {
                    **dict.fromkeys(OUTCOMES),
                    "key": item.id,
                    "study": made.name,
                    "model": "m",
                    "item": item.id,
                    "stimulus": item.stimulus,
                    "baseline": True,
                    "status": outcome.status,
                    "value": outcome.value,
                    "facts": msgspec.json.encode(item.facts).decode(),
                    "detail": msgspec.json.encode(outcome.detail).decode(),
                }
            )
        return found

    return pl.DataFrame(asyncio.run(rows()), schema=OUTCOMES, orient="row")


@cache
def audited(name: str, mitigation: str) -> list[Estimate]:
    told = settings(mitigation)
    return estimates(played(name, told), told)


def by_itself(name: str, repeats: int, turns: int) -> list[Estimate]:
    """Of every seed by itself: the change less that without injection."""
    told = settings(rate=1.0, repeats=repeats, turns=turns)
    outcomes = played(name, told)
    seeds = pl.col("facts").str.json_path_match("$.iteration").cast(pl.Int64)
    found = [estimates(outcomes.filter(seeds == seed), told) for seed in range(repeats)]
    return [one for every in found for one in every if (one.measure, one.contrast) == ("change of AGBV", "baseline")]


def contrast(name: str, mitigation: str = "none") -> Estimate:
    return next(
        one for one in audited(name, mitigation) if (one.measure, one.contrast) == ("change of AGBV", "baseline")
    )


def change(name: str, rate: str, mitigation: str = "none") -> Estimate:
    return next(
        one
        for one in audited(name, mitigation)
        if one.measure == "change of AGBV" and not one.contrast and one.cell["injection"] == rate
    )


def test_scores_that_follow_biased_memories_drift_apart():
    found = contrast("drifting?bias=0.4&noise=0.1")
    assert found.n == SEEDS
    assert found.ci_low > 3
    assert found.p < 0.01
    assert change("drifting?bias=0.4&noise=0.1", "0.6").ci_low > 3


def test_without_injection_nothing_drifts():
    found = change("drifting?bias=0.4&noise=0.1", "0")
    assert found.ci_low < 0 < found.ci_high


def test_with_the_guard_nothing_drifts():
    found = contrast("drifting?bias=0.4&noise=0.1", "tag-write")
    assert found.ci_low < 0 < found.ci_high
    assert abs(found.value) < 2


def test_scores_that_follow_nothing_do_not_drift():
    found = contrast("neutral?noise=0.1")
    assert found.ci_low < 0 < found.ci_high


def test_one_episode_by_itself_is_told_apart_by_chance_no_more_often_than_it_claims():
    found = by_itself("neutral?noise=0.1", repeats=40, turns=1)
    assert len(found) == 40
    assert binom.sf(sum(one.p <= 0.05 for one in found) - 1, 40, 0.05) > RARE
    assert binom.cdf(sum(one.ci_low <= 0 <= one.ci_high for one in found), 40, 0.93) > RARE


def test_a_drift_is_found_in_one_episode_by_itself():
    found = by_itself("drifting?bias=0.4&noise=0.1", repeats=4, turns=4)
    assert all(one.p < 0.01 and one.ci_low > 0 for one in found)

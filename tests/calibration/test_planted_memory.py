"""Planted drift is found, stopped by the guard, and not found where there is none."""

from __future__ import annotations

import asyncio
from functools import cache

import polars as pl

from personae.memory.measures import estimates
from personae.memory.study import Memories
from personae.models.simulated import SimulatedModel
from personae.studies.base import OUTCOMES, EpisodeSettings, Settings
from personae.types import Estimate

SEEDS = 6


@cache
def audited(name: str, mitigation: str) -> list[Estimate]:
    """Estimates of short episodes of a simulated respondent, with and without injection."""
    import msgspec

    made = Memories(
        Settings(
            scale="quick",
            repeats=SEEDS,
            episode=EpisodeSettings(
                memories=("window",), injections=(0.0, 0.6), mitigations=(mitigation,), turns=12, every=12
            ),
        )
    )

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

    return estimates(pl.DataFrame(asyncio.run(rows()), schema=OUTCOMES, orient="row"), made.settings)


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

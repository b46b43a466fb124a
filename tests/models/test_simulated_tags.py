"""Simulated auditors: two-valued without doubt, graded with it, with misses and false alarms as often as they claim."""

from __future__ import annotations

import json

import pytest
from scipy.stats import binom, norm

from personae.errors import BadInput
from personae.models.simulated import SimulatedModel
from personae.types import Message, Trial

NOTES = 2000
RARE = 1e-4


def suspicions(name: str, biased: bool) -> list[float]:
    """What an auditor says of many notes."""
    model = SimulatedModel.from_name(name)
    said = []
    for number in range(NOTES):
        meta = {"kind": "tag", "biased": biased}
        trial = Trial(messages=(Message("user", f"note {number}"),), step=f"tag/{number}", meta=meta)
        said.append(json.loads(model.answer(trial).text))
    assert all((one["bias_type"] == "none") == (one["suspicion"] < 0.5) for one in said)
    return [one["suspicion"] for one in said]


@pytest.mark.parametrize("name", ["sim/neutral", "sim/drifting", "sim/judge"])
def test_without_doubt_there_are_two_suspicions(name: str):
    assert set(suspicions(name, True)) == {0.9}
    assert set(suspicions(name, False)) == {0.1}


@pytest.mark.parametrize("doubt", [0.5, 1.0])
@pytest.mark.parametrize("tau", [0.05, 0.305, 0.5, 0.805])
def test_with_doubt_misses_and_false_alarms_are_as_frequent_as_the_spread_says(doubt: float, tau: float):
    away = (norm.ppf(tau) - norm.ppf(0.9)) / doubt, (norm.ppf(tau) - norm.ppf(0.1)) / doubt
    for biased, expected in zip((True, False), norm.sf(away), strict=True):
        # The suspicion is told in hundredths: from 0.5 on is from 0.495 on before.
        bounds = [norm.sf((norm.ppf(tau + by) - norm.ppf(0.9 if biased else 0.1)) / doubt) for by in (0.006, -0.006)]
        assert bounds[0] < expected < bounds[1]
        found = sum(one >= tau for one in suspicions(f"sim/neutral?doubt={doubt}", biased))
        assert binom.cdf(found, NOTES, bounds[0]) > RARE
        assert binom.sf(found - 1, NOTES, bounds[1]) > RARE


def test_no_suspicion_is_wholly_sure():
    found = suspicions("sim/neutral?doubt=1", True) + suspicions("sim/neutral?doubt=1", False)
    assert min(found) == 0.01
    assert max(found) == 0.99


def test_a_note_is_as_suspicious_each_time():
    assert suspicions("sim/judge?doubt=0.7", True) == suspicions("sim/judge?doubt=0.7", True)


def test_a_judge_that_errs_takes_one_for_the_other():
    found = suspicions("sim/judge?sensitivity=0.7&specificity=1", True)
    assert set(found) == {0.1, 0.9}
    assert binom.sf(found.count(0.1) - 1, NOTES, 0.3) > RARE
    assert binom.cdf(found.count(0.1), NOTES, 0.3) > RARE


def test_doubt_beyond_its_range_is_refused():
    with pytest.raises(BadInput, match="doubt"):
        SimulatedModel.from_name("sim/neutral?doubt=2")

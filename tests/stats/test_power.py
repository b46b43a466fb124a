"""Power: Cohen's tables, the least number by its definition, and simulated experiments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as peer

from personae.stats.power import paired_power, repeats_needed, standardised, stimuli_needed


@pytest.mark.parametrize(
    ("effect", "power", "stimuli"),
    # G*Power 3.1, means: difference between two dependent means (matched pairs), two-sided, alpha = .05.
    [(0.2, 0.8, 199), (0.5, 0.8, 34), (0.8, 0.8, 15), (0.5, 0.95, 54)],
)
def test_the_stimuli_needed_are_those_of_g_power(effect, power, stimuli):
    found = stimuli_needed(effect, power)
    assert found.number == stimuli
    assert found.power >= power > paired_power(effect, stimuli - 1)
    assert stimuli_needed(-effect, power).number == stimuli


def test_the_power_is_what_simulated_experiments_reach():
    rng, sd_stimuli, sd_repeats, repeats, stimuli = np.random.default_rng(0), 0.2, 0.5, 4, 25
    runs = 4000
    true = rng.normal(0.15, sd_stimuli, (runs, stimuli))
    noise = rng.normal(0.0, sd_repeats, (2, repeats, runs, stimuli)).mean(axis=1)
    found = peer.ttest_1samp(true + noise[0] - noise[1], 0.0, axis=1).pvalue < 0.05
    expected = paired_power(standardised(0.15, sd_stimuli, sd_repeats, repeats), stimuli)
    assert found.mean() == pytest.approx(expected, abs=4 * math.sqrt(0.25 / runs))


def test_the_repeats_needed_are_the_fewest_that_reach_the_power():
    found = repeats_needed(0.1, 0.2, 0.3, 40)
    reached = [paired_power(standardised(0.1, 0.2, 0.3, repeats), 40) for repeats in range(1, 40)]
    assert found.number == 1 + next(place for place, power in enumerate(reached) if power >= 0.8)
    assert found.power == pytest.approx(reached[found.number - 1])
    assert found.reason == ""


def test_no_number_of_repeats_mends_too_few_stimuli():
    found = repeats_needed(0.1, 0.9, 0.3, 10)
    assert found.number is None
    assert "more stimuli" in found.reason
    assert found.power < 0.8


def test_what_cannot_be_found_has_a_reason():
    assert "0 cannot be found" in stimuli_needed(0.0).reason
    assert "0 cannot be found" in repeats_needed(0.0, 1.0, 1.0, 10).reason
    assert "too small" in stimuli_needed(1e-5).reason
    assert math.isnan(paired_power(0.5, 1))
    assert repeats_needed(0.1, 0.0, 0.0, 5).number == 1


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="power"):
        stimuli_needed(0.5, power=1.0)
    with pytest.raises(ValueError, match="repeats"):
        standardised(0.1, 1.0, 1.0, 0)

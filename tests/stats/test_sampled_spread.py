"""The spread between units is told apart from the noise of their samples."""

import numpy as np
import pytest
from scipy import stats

from personae.stats.resample import resamples
from personae.stats.sampled_spread import ALL_NOISE, spread_extrapolated, spread_less_noise

UNITS, TRIES = 30, 8


@pytest.fixture
def answers():
    """Yes and no of every unit, shape (units, tries)."""
    rng = np.random.default_rng(5)
    return (rng.random((UNITS, TRIES)) < rng.uniform(0.1, 0.9, UNITS)[:, None]).astype(float)


def test_the_spread_is_that_of_the_analysis_of_variance(answers):
    share = answers.mean(axis=1)
    found = spread_less_noise(share, share * (1 - share) / (TRIES - 1), resamples(UNITS))
    # F is the mean square between over that within; the component between is (MSA - MSE) / n.
    within = np.mean([group.var(ddof=1) for group in answers])
    between = (stats.f_oneway(*answers).statistic - 1) * within / TRIES
    assert found.value == pytest.approx(np.sqrt(between), rel=1e-12)
    assert found.value < share.std(ddof=1)
    assert found.ci_low < found.value < found.ci_high


def test_without_noise_it_is_the_standard_deviation_and_its_interval_holds_the_usual_ones():
    values = np.random.default_rng(6).normal(size=40)
    drawn = resamples(40)
    found = spread_less_noise(values, np.zeros(40), drawn)
    assert found.value == pytest.approx(values.std(ddof=1), rel=1e-12)
    spreads = drawn.spreads(values)
    assert found.ci_low <= np.quantile(spreads, 0.025)
    assert found.ci_high >= np.quantile(spreads, 0.975)
    usual = stats.bootstrap((values,), lambda x, axis: x.std(ddof=1, axis=axis), method="BCa", rng=1)
    assert found.ci_high == pytest.approx(usual.confidence_interval.high, rel=0.05)


def test_the_resamples_carry_the_noise_of_the_units_that_were_drawn():
    values, noise, drawn = np.arange(12.0), np.linspace(0.1, 5.0, 12), resamples(12, 200)
    found = spread_less_noise(values, noise, drawn)
    slow = [max(values[one].var(ddof=1) - noise[one].mean(), 0.0) ** 0.5 for one in drawn.chosen]
    assert found.ci_low <= np.quantile(slow, 0.025, method="lower") + 1e-9
    assert found.ci_high >= np.quantile(slow, 0.975, method="higher") - 1e-9


def test_extrapolation_takes_off_what_the_same_noise_adds_once_more():
    rng = np.random.default_rng(7)
    truth = rng.normal(0, 2, 300)
    values = truth + rng.normal(0, 1, 300)
    again = values + rng.normal(0, 1, (500, 300))
    found = spread_extrapolated(values, again, resamples(300))
    pooled = np.concatenate(again).var() * 300 / 299
    assert found.value == pytest.approx(np.sqrt(2 * values.var(ddof=1) - pooled), rel=1e-12)
    assert abs(found.value - truth.std(ddof=1)) < 0.15 < values.std(ddof=1) - truth.std(ddof=1)


def test_where_the_noise_is_all_there_is_the_spread_is_nought_and_no_interval_is_given():
    found = spread_less_noise([0.4, 0.5, 0.6], [9.0, 9.0, 9.0], resamples(3))
    assert (found.value, found.reason) == (0.0, ALL_NOISE)
    assert np.isnan(found.ci_low)


def test_two_units_have_the_interval_that_two_can_have():
    found = spread_less_noise([0.2, 0.8], [0.01, 0.01], resamples(2))
    assert found.value == pytest.approx(np.sqrt(0.18 - 0.01))
    assert found.ci_low == 0.0


def test_lengths_that_differ_are_an_error():
    with pytest.raises(ValueError, match="found 3 values and 2 variances"):
        spread_less_noise([1, 2, 3], [1, 2], resamples(3))
    with pytest.raises(ValueError, match="found 3 values and noisier ones of shape"):
        spread_extrapolated([1, 2, 3], [[1, 2]], resamples(3))

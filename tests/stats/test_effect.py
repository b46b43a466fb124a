"""Standardised effects: published corrections and limits, scipy's noncentral t, what must hold."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import nct
from statsmodels.stats.proportion import proportion_effectsize

from personae.stats.effect import (
    cohens_d,
    cohens_h,
    g_z,
    hedges_g,
    noncentral_cdf,
    noncentral_interval,
    small_sample_correction,
)
from personae.stats.means import mean_test
from personae.stats.paired import paired_difference

SPREAD = hnp.arrays(np.float64, st.integers(3, 30), elements=st.integers(-30, 30).map(float)).filter(np.ptp)


@pytest.mark.parametrize(
    ("df", "factor"),
    # Hedges and Olkin, Statistical Methods for Meta-Analysis (1985), table of J(m); df = 2 is 1 / sqrt(pi).
    [(2, 1 / math.sqrt(math.pi)), (5, 0.8408), (10, 0.9228), (17, 0.9551)],
)
def test_the_small_sample_correction_is_the_published_table(df, factor):
    assert small_sample_correction(df) == pytest.approx(factor, abs=1e-4)


def test_the_limits_are_those_of_mbess():
    # R's MBESS, help page of conf.limits.nct: ncp = 2.83, df = 126, conf.level = .95.
    assert noncentral_interval(2.83, 126) == pytest.approx((0.8337502, 4.815359), abs=5e-7)


@given(st.floats(1, 5000), st.floats(-30, 30), st.floats(-3, 3))
def test_the_distribution_is_scipy_s_where_scipy_has_one(df, shift, away):
    statistic = shift + away * math.sqrt(1 + shift**2 / (2 * df))
    found, expected = noncentral_cdf(statistic, df, shift), nct.cdf(statistic, df, shift)
    assert 0.0 <= found <= 1.0 + 1e-9
    assume(math.isfinite(expected))
    assert found == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("statistic", "df"), [(1e3, 3), (-80.0, 2.5), (1e7, 2), (40.0, 8279)])
def test_the_limits_exist_where_scipy_has_none(statistic, df):
    low, high = noncentral_interval(statistic, df)
    assert low < statistic < high
    draws = np.random.default_rng(0)
    noise, scale = draws.normal(size=200_000), np.sqrt(draws.chisquare(df, 200_000) / df)
    assert ((noise + low) / scale > statistic).mean() == pytest.approx(0.025, abs=0.002)
    assert ((noise + high) / scale < statistic).mean() == pytest.approx(0.025, abs=0.002)


@given(SPREAD, st.floats(0.5, 0.99))
def test_one_sample_effects_are_their_formula_and_lie_in_their_interval(values, level):
    plain, corrected = cohens_d(values, level=level), g_z(values, level)
    assert plain.value == pytest.approx(values.mean() / values.std(ddof=1))
    assert corrected.value == pytest.approx(plain.value * small_sample_correction(values.size - 1))
    assert plain.ci_low <= plain.value <= plain.ci_high
    assert (corrected.ci_low, corrected.ci_high) == (plain.ci_low, plain.ci_high)
    assert mean_test(values).effect_size == pytest.approx(plain.value)
    assert (plain.ci_low > 0) == (plain.value > 0 and mean_test(values, level=level).p < 1 - level)


def test_g_z_is_the_effect_size_of_the_paired_difference():
    rng = np.random.default_rng(1)
    ours, theirs, names = rng.normal(1, 1, 9), rng.normal(0, 1, 9), list("abcdefghi")
    assert paired_difference(ours, names, theirs, names).effect_size == pytest.approx(g_z(ours - theirs).value)


@given(SPREAD, SPREAD, st.integers(-5, 5), st.sampled_from([0.5, 3.0]))
def test_two_sample_g_does_not_see_shift_and_scale(ours, theirs, shift, scale):
    one, two = hedges_g(ours, theirs), hedges_g(ours * scale + shift, theirs * scale + shift)
    assert one.value == pytest.approx(two.value, abs=1e-9)
    assert hedges_g(theirs, ours).value == pytest.approx(-one.value, abs=1e-12)
    assert one.ci_low <= one.value <= one.ci_high


def test_two_sample_g_by_hand():
    ours, theirs = [1.0, 2.0, 3.0, 4.0], [3.0, 5.0, 7.0]
    pooled = math.sqrt((3 * np.var(ours, ddof=1) + 2 * np.var(theirs, ddof=1)) / 5)
    assert hedges_g(ours, theirs).value == pytest.approx(-2.5 / pooled * small_sample_correction(5))


@given(st.integers(0, 40), st.integers(1, 40), st.integers(0, 40), st.integers(1, 40))
def test_h_is_statsmodels(one, n, two, m):
    one, two = min(one, n), min(two, m)
    found = cohens_h(one, n, two, m)
    assert found.value == pytest.approx(proportion_effectsize(one / n, two / m), abs=1e-12)
    assert found.ci_low <= found.value <= found.ci_high


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: cohens_d([]), "no values"),
        (lambda: g_z([1.0]), "too few"),
        (lambda: g_z([1.0, 2.0]), "too few"),
        (lambda: cohens_d([0.1, 0.1, 0.1]), "equal"),
        (lambda: cohens_d([0.1, math.nan, 0.1]), "missing"),
        (lambda: hedges_g([], [1.0, 2.0]), "no values"),
        (lambda: hedges_g([1.0], [2.0]), "too few"),
        (lambda: hedges_g([0.1, 0.1], [0.3, 0.3]), "equal"),
        (lambda: cohens_h(0, 0, 1, 2), "no values"),
    ],
)
def test_what_cannot_be_standardised_is_nan_with_its_reason(call, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = call()
    assert reason in found.reason
    assert math.isnan(found.value)
    assert math.isnan(found.ci_low)


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="successes"):
        cohens_h(3, 2, 1, 2)
    with pytest.raises(ValueError, match="level"):
        g_z([1.0, 2.0, 4.0], level=1.0)

"""Fieller's interval: the test it inverts, the mean it reduces to, denominators that may be 0."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as peer

from personae.stats.means import mean_test
from personae.stats.ratios import ratio_test


def sample(seed=0, size=12):
    rng = np.random.default_rng(seed)
    bottom = rng.gamma(4.0, 0.25, size)
    return 0.5 * bottom + rng.normal(0.0, 0.3, size), bottom


@pytest.mark.parametrize("seed", range(4))
def test_the_interval_is_every_ratio_the_t_test_does_not_reject(seed):
    top, bottom = sample(seed)
    found = ratio_test(top, bottom)

    def excess(null):
        return peer.ttest_1samp(top - null * bottom, 0.0).pvalue - 0.05

    assert found.ci_low == pytest.approx(optimize.brentq(excess, found.value - 5, found.value), abs=1e-6)
    assert found.ci_high == pytest.approx(optimize.brentq(excess, found.value, found.value + 5), abs=1e-6)


def test_the_test_against_a_null_is_the_t_test_of_the_difference():
    top, bottom = sample()
    expected, found = peer.ttest_1samp(top - 0.4 * bottom, 0.0), ratio_test(top, bottom, null=0.4)
    assert (found.statistic, found.p, found.df) == pytest.approx((expected.statistic, expected.pvalue, 11))


def test_over_ones_it_is_the_mean_and_clusters_are_summed():
    values = np.random.default_rng(3).normal(size=24)
    clusters = np.repeat(np.arange(6), 4)
    for labels in (None, clusters):
        mean, found = mean_test(values, labels), ratio_test(values, np.ones(24), labels)
        assert (found.value, found.ci_low, found.ci_high, found.p) == pytest.approx(
            (mean.value, mean.ci_low, mean.ci_high, mean.p)
        )
        assert found.n_clusters == mean.n_clusters


def test_a_denominator_that_may_be_zero_leaves_no_bound_but_a_test():
    found = ratio_test([1.0, 1.2, 0.8, 1.1], [0.5, -0.4, 0.3, -0.1])
    assert "cannot be told from 0" in found.reason
    assert math.isnan(found.ci_low)
    assert math.isnan(found.ci_high)
    assert found.p < 0.05


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 30)), min_size=3, max_size=20), st.integers(1, 7))
def test_scaling_scales_and_the_interval_holds_the_ratio(rows, scale):
    top, bottom = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    one, two = ratio_test(top, bottom), ratio_test(top * scale, bottom)
    assert one.reason == two.reason
    if not one.reason:
        assert one.ci_low <= one.value <= one.ci_high
        assert two.ci_low == pytest.approx(one.ci_low * scale, rel=1e-6, abs=1e-6)
        assert two.p == pytest.approx(one.p, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(
    ("top", "bottom", "clusters", "reason"),
    [
        ([], [], None, "no values"),
        ([1.0, 2.0], [0.3, -0.3], None, "sum to 0"),
        ([1.0, 2.0], [0.0, 0.0], None, "sum to 0"),
        ([1.0, 2.0], [1.0, 2.0], ["a", "a"], "one cluster"),
        ([0.1, 0.2, 0.3], [0.2, 0.4, 0.6], None, "same multiple"),
        ([1.0, math.inf], [1.0, 1.0], None, "missing"),
    ],
)
def test_what_cannot_be_known_is_nan_with_its_reason(top, bottom, clusters, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ratio_test(top, bottom, clusters)
    assert reason in found.reason
    assert math.isnan(found.ci_low)
    assert math.isnan(found.p)


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="1 numerators"):
        ratio_test([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="level"):
        ratio_test([1.0], [1.0], level=1.5)

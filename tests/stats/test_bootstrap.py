"""The bootstrap over clusters: scipy as the peer, the moments theory gives, reproducibility, undefined resamples."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as peer

from personae.stats.bootstrap import cluster_bootstrap, cluster_sums, quotient, ratio

# Populations of ten cities in 1920 (u) and 1930 (x), in thousands: Cochran, Sampling Techniques (1977), table 6.1, as
# in Davison and Hinkley, Bootstrap Methods and their Application (1997), table 2.1 (R: `boot::city`).
CITY_1920 = np.array([138, 93, 61, 179, 48, 37, 29, 23, 30, 2], dtype=float)
CITY_1930 = np.array([143, 104, 69, 260, 75, 63, 50, 48, 111, 50], dtype=float)


def test_the_city_ratio_is_the_published_one():
    # Davison and Hinkley, example 2.8 and on: t = 1.520.
    assert ratio(CITY_1930, CITY_1920, np.random.default_rng(0)).value == pytest.approx(1.520, abs=5e-4)


@pytest.mark.parametrize(("method", "name"), [("bca", "BCa"), ("percentile", "percentile")])
def test_intervals_are_scipy_s_up_to_the_draws(method, name):
    rng = np.random.default_rng(5)
    bottom = rng.gamma(3.0, 1.0, 25)
    top = 0.6 * bottom + rng.normal(0.0, 0.5, 25)
    found = ratio(top, bottom, np.random.default_rng(1), draws=40_000, method=method)
    expected = peer.bootstrap(
        (top, bottom),
        lambda x, y, axis: x.sum(axis=axis) / y.sum(axis=axis),
        paired=True,
        vectorized=True,
        method=name,
        n_resamples=40_000,
        rng=np.random.default_rng(2),
    )
    width = expected.confidence_interval.high - expected.confidence_interval.low
    assert found.ci_low == pytest.approx(expected.confidence_interval.low, abs=0.02 * width)
    assert found.ci_high == pytest.approx(expected.confidence_interval.high, abs=0.02 * width)
    assert found.error == pytest.approx(expected.standard_error, rel=0.02)


def test_the_correction_for_bias_is_scipy_s_where_bias_is_large():
    # The variance with divisor n is too small on average, more so in resamples, so half the draws lie well below it.
    values = np.random.default_rng(8).exponential(1.0, 20)
    sums = np.column_stack([np.ones(20), values, values**2])

    def variance(totals):
        return totals[..., 2] / totals[..., 0] - (totals[..., 1] / totals[..., 0]) ** 2

    found = cluster_bootstrap(sums, variance, np.random.default_rng(1), draws=40_000)
    expected = peer.bootstrap((values,), np.var, method="BCa", n_resamples=40_000, rng=np.random.default_rng(2))
    plain = cluster_bootstrap(sums, variance, np.random.default_rng(1), draws=40_000, method="percentile")
    ends = expected.confidence_interval
    assert (found.ci_low, found.ci_high) == pytest.approx((ends.low, ends.high), abs=0.02 * (ends.high - ends.low))
    assert found.ci_low > plain.ci_low + 0.05 * (ends.high - ends.low)


def test_the_error_of_a_mean_is_the_one_theory_gives():
    values = np.random.default_rng(7).normal(size=40)
    found = ratio(values, np.ones(40), np.random.default_rng(0), draws=40_000)
    assert found.error == pytest.approx(values.std() / math.sqrt(40), rel=0.02)


def test_clusters_are_drawn_whole():
    rng = np.random.default_rng(9)
    effects, clusters = rng.normal(size=15), np.repeat(np.arange(15), 8)
    values = effects[clusters] + rng.normal(0, 0.1, 120)
    whole = ratio(values, np.ones(120), np.random.default_rng(0), clusters, draws=20_000)
    means = values.reshape(15, 8).mean(axis=1)
    assert whole.error == pytest.approx(means.std() / math.sqrt(15), rel=0.03)
    assert whole.n_clusters == 15
    single = ratio(values, np.ones(120), np.random.default_rng(0), draws=20_000)
    assert whole.error > 2 * single.error


def test_the_same_seed_gives_the_same_interval_in_any_chunks(monkeypatch):
    one = ratio(CITY_1930, CITY_1920, np.random.default_rng(3), draws=500)
    monkeypatch.setattr("personae.stats.bootstrap._CELLS", 37)
    assert ratio(CITY_1930, CITY_1920, np.random.default_rng(3), draws=500) == one
    assert ratio(CITY_1930, CITY_1920, np.random.default_rng(4), draws=500).ci_low != one.ci_low


def test_any_statistic_of_sums_will_do():
    sums = np.column_stack([CITY_1930, CITY_1920, np.ones(10)])
    found = cluster_bootstrap(sums, lambda totals: (totals[..., 0] - totals[..., 1]) / totals[..., 2], rng())
    assert found.value == pytest.approx((CITY_1930 - CITY_1920).mean())
    assert found.ci_low < found.value < found.ci_high


def rng():
    return np.random.default_rng(12)


def test_resamples_without_a_value_only_widen_the_interval():
    top, bottom = np.array([1.0, 1.0, 2.0, 3.0]), np.array([0.0, 0.0, 1.0, 2.0])
    found = ratio(top, bottom, rng(), draws=2000, method="percentile")
    assert found.undefined > 0
    # In (2 / 4) ** 4 = 6 % of draws there is no denominator: more than a tail of 2.5 %, so no upper bound is known.
    assert "undefined in so many resamples" in found.reason
    assert math.isnan(found.ci_high)
    drawn = []
    wide = cluster_bootstrap(
        np.column_stack([top, bottom]),
        lambda totals: drawn.append(quotient(totals)) or drawn[-1],
        rng(),
        draws=2000,
        level=0.8,
        method="percentile",
    )
    every = np.sort(np.concatenate([np.ravel(part) for part in drawn if np.size(part) > 1]))
    defined = every[np.isfinite(every)]
    assert (wide.reason, wide.undefined) == ("", every.size - defined.size) == ("", found.undefined)
    # A tenth of all draws lies beyond each end when the undefined ones are counted there.
    assert wide.ci_low == defined[int(0.1 * 1999) - wide.undefined]
    assert wide.ci_high == defined[int(np.ceil(0.9 * 1999))]


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 9)), min_size=2, max_size=15), st.sampled_from([2.0, -3.0])
)
def test_scaling_the_numerator_scales_the_percentile_interval(rows, scale):
    top, bottom = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    one = ratio(top, bottom, rng(), draws=200, method="percentile")
    two = ratio(top * scale, bottom, rng(), draws=200, method="percentile")
    assert one.reason == two.reason
    ends = sorted((one.ci_low * scale, one.ci_high * scale)) if not one.reason else []
    assert [two.ci_low, two.ci_high] == pytest.approx(ends, abs=1e-9) if ends else True


def test_sums_within_clusters():
    found = cluster_sums([[1, 10], [2, 20], [3, 30]], ["a", "b", "a"])
    assert found.tolist() == [[4, 40], [2, 20]]


@pytest.mark.parametrize(
    ("top", "bottom", "clusters", "reason"),
    [
        ([], [], None, "no values"),
        ([1.0, 2.0], [1.0, 1.0], ["a", "a"], "one cluster"),
        ([1.0, 2.0], [1.0, -1.0], None, "not defined"),
        ([1.0, math.nan], [1.0, 1.0], None, "missing"),
        ([1.0, 2.0, 4.0], [2.0, 4.0, 8.0], None, "same in every resample"),
    ],
)
def test_what_cannot_be_known_is_nan_with_its_reason(top, bottom, clusters, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ratio(top, bottom, rng(), clusters)
    assert reason in found.reason
    assert math.isnan(found.ci_low)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ratio([1.0], [1.0, 2.0], rng()), "1 numerators and 2 denominators"),
        (lambda: ratio([1.0], [1.0], rng(), draws=10), "draws"),
        (lambda: cluster_bootstrap([1.0, 2.0], quotient, rng()), "table"),
        (lambda: ratio([1.0], [1.0], rng(), level=0), "level"),
    ],
)
def test_misuse_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()

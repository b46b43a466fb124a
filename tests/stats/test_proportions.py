"""Shares: Newcombe's published tables, peers, and intervals that respect clusters."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint, proportions_ztest

from personae.stats.means import mean_test
from personae.stats.proportions import jeffreys, proportion, proportion_difference, wilson

LEVELS = st.floats(0.5, 0.99)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe, Statist. Med. 17 (1998) 857-872, table I, method 3 (score without continuity correction).
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_newcombe_s_table(successes, n, low, high):
    found = wilson(successes, n)
    assert (round(found.ci_low, 4), round(found.ci_high, 4)) == (low, high)


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    # Newcombe, Statist. Med. 17 (1998) 873-890, table II, method 10, examples (a) to (h).
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_the_difference_gives_newcombe_s_table(first, second, low, high):
    found = proportion_difference(wilson(*first), wilson(*second))
    assert (round(found.ci_low, 4), round(found.ci_high, 4)) == (low, high)


@given(st.integers(0, 50), st.integers(1, 50), LEVELS)
def test_wilson_is_statsmodels(successes, n, level):
    successes = min(successes, n)
    found = wilson(successes, n, level)
    low, high = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    assert (found.ci_low, found.ci_high) == pytest.approx((low, high), abs=1e-12)
    assert found.ci_low <= found.value <= found.ci_high


@given(st.integers(1, 30), st.integers(1, 30), st.data(), LEVELS)
def test_the_difference_is_statsmodels(n, m, data, level):
    one, two = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    found = proportion_difference(wilson(one, n), wilson(two, m), level)
    low, high = confint_proportions_2indep(one, n, two, m, compare="diff", method="newcomb", alpha=1 - level)
    assert (found.ci_low, found.ci_high) == pytest.approx((low, high), abs=1e-9)
    if 0 < one + two < n + m:
        statistic, p = proportions_ztest([one, two], [n, m])
        assert (found.statistic, found.p) == pytest.approx((statistic, p))
    else:
        assert "no test" in found.reason
        assert math.isnan(found.p)


@given(st.integers(1, 60), st.data(), st.floats(0.05, 0.95))
def test_the_score_test_and_the_interval_say_the_same(n, data, null):
    successes = data.draw(st.integers(0, n))
    found = wilson(successes, n, null=null)
    if abs(found.p - 0.05) > 1e-9:
        assert (found.p < 0.05) == (not found.ci_low <= null <= found.ci_high)


def test_without_clusters_a_share_is_wilson_s():
    answers = [1, 0, 0, 1, 1, 0, 1, 1]
    assert proportion(answers) == wilson(5, 8)


@given(st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=60), LEVELS)
def test_a_clustered_interval_holds_its_share_and_is_no_narrower_than_the_independent_one(rows, level):
    clusters, answers = [cluster for cluster, _ in rows], [float(answer) for _, answer in rows]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = proportion(answers, clusters, level)
    plain = wilson(int(sum(answers)), len(answers), level)
    if found.n_clusters == 1:
        assert "one cluster" in found.reason
        return
    assert 0.0 <= found.ci_low <= found.value <= found.ci_high <= 1.0
    assert found.n_effective <= len(answers) + 1e-9
    assert found.ci_high - found.ci_low >= plain.ci_high - plain.ci_low - 1e-9


def test_where_many_clusters_hold_the_rarer_answer_the_effective_size_is_that_of_the_robust_variance():
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(30), 8)
    answers = (rng.random(240) < rng.beta(2, 2, 30)[clusters]).astype(float)
    test, found = mean_test(answers, clusters), proportion(answers, clusters)
    error = test.value / test.statistic
    assert found.n_effective == pytest.approx(found.value * (1 - found.value) / error**2)
    assert found.df == pytest.approx(test.df)


def test_answers_that_never_vary_count_once_per_cluster():
    found = proportion(np.zeros(100), np.repeat(np.arange(10), 10))
    assert (found.value, found.ci_low, found.n_effective) == (0.0, 0.0, 10.0)
    # The upper end with ten independent answers and t on 9 degrees of freedom: t^2 / (10 + t^2) with t = 2.262157.
    assert found.ci_high == pytest.approx(2.262157**2 / (10 + 2.262157**2), rel=1e-6)


def test_a_clustered_difference_is_wider_and_its_test_weaker():
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(12), 10)
    ours = (rng.random(120) < np.repeat(rng.beta(3, 2, 12), 10)).astype(float)
    theirs = (rng.random(120) < np.repeat(rng.beta(2, 3, 12), 10)).astype(float)
    plain = proportion_difference(proportion(ours), proportion(theirs))
    robust = proportion_difference(proportion(ours, clusters), proportion(theirs, clusters))
    assert robust.value == plain.value
    assert robust.ci_low < plain.ci_low < plain.ci_high < robust.ci_high
    assert robust.p > plain.p


def test_what_cannot_be_known_is_nan_with_its_reason():
    assert wilson(0, 0).reason == "no values"
    assert proportion([]).reason == "no values"
    assert "missing" in proportion([1.0, None]).reason
    one_cluster = proportion([1, 0], ["a", "a"])
    assert (one_cluster.value, "one cluster" in one_cluster.reason) == (0.5, True)
    for empty in (wilson(0, 0), one_cluster):
        found = proportion_difference(wilson(1, 2), empty)
        assert found.reason == empty.reason
        assert math.isnan(found.p)
        assert math.isnan(found.ci_low)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson(3, 2), "3 successes of 2"),
        (lambda: wilson(-1, 2), "successes"),
        (lambda: wilson(1, 2, null=0.0), "null"),
        (lambda: wilson(0, 0, level=2), "level"),
        (lambda: proportion([0.5, 1.0]), "0 or 1"),
    ],
)
def test_misuse_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Brown, Cai and DasGupta, Statist. Sci. 16 (2001) 101-133, table of 95 % limits, n = 10.
    [(0, 10, 0.0, 0.217), (1, 10, 0.011, 0.381), (2, 10, 0.044, 0.503), (5, 10, 0.224, 0.776)],
)
def test_jeffreys_gives_the_published_limits(successes, n, low, high):
    found = jeffreys(successes, n)
    assert (round(found.ci_low, 3), round(found.ci_high, 3)) == (low, high)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), LEVELS)
def test_jeffreys_is_the_posterior_and_mirrors(counts, level):
    successes, n = counts
    found, other = jeffreys(successes, n, level), jeffreys(n - successes, n, level)
    low, high = proportion_confint(successes, n, 1 - level, method="jeffreys")
    assert found.value == pytest.approx((successes + 0.5) / (n + 1))
    assert found.ci_low == pytest.approx(0.0 if successes == 0 else low)
    assert found.ci_high == pytest.approx(1.0 if successes == n else high)
    assert other.ci_low == pytest.approx(1 - found.ci_high)


def test_jeffreys_of_nothing_is_no_number():
    assert math.isnan(jeffreys(0, 0).value)
    with pytest.raises(ValueError, match="4 successes of 3"):
        jeffreys(4, 3)

"""Permutation of two groups: every partition by brute force, draws, ties, and what cannot be tested."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.stats.association_permutation import permutation_p, subset_sums

NUMBERS = st.integers(-20, 20).map(float)


def rng(seed=0):
    return np.random.default_rng(seed)


def by_hand(first, second, alternative):
    """All partitions, one by one, in whole numbers: at least as extreme, and more extreme."""
    values, n, m = [*first, *second], len(first), len(second)

    def difference(chosen):
        inside = sum(values[place] for place in chosen)
        found = inside * m - (sum(values) - inside) * n
        return abs(found) if alternative == "two-sided" else found

    observed = difference(range(n))
    found = [difference(chosen) for chosen in combinations(range(n + m), n)]
    return [sum(each >= observed for each in found) / len(found), sum(each > observed for each in found) / len(found)]


@given(
    st.lists(NUMBERS, min_size=1, max_size=5),
    st.lists(NUMBERS, min_size=1, max_size=6),
    st.sampled_from(["greater", "two-sided"]),
)
def test_the_exact_count_is_every_partition_one_by_one(first, second, alternative):
    found = permutation_p(first, second, rng(), alternative=alternative)
    assert found.exact
    assert found.partitions == math.comb(len(first) + len(second), len(first))
    assert [found.p, found.p_strict] == by_hand(first, second, alternative)
    assert 0.0 < found.p <= 1.0


@given(st.lists(NUMBERS, min_size=1, max_size=9), st.integers(0, 9))
def test_subset_sums_are_those_of_all_subsets(values, largest):
    found = subset_sums(np.array(values), largest)
    assert len(found) == min(len(values), largest) + 1
    for size, sums in enumerate(found):
        assert sorted(sums) == sorted(map(sum, combinations(values, size)))


@given(st.lists(NUMBERS, min_size=1, max_size=6), st.lists(NUMBERS, min_size=1, max_size=6), st.integers(0, 5))
def test_both_directions_count_the_observed_partition_once(first, second, seed):
    up, down = permutation_p(first, second, rng(seed)), permutation_p(second, first, rng(seed))
    assert up.p + down.p_strict == pytest.approx(1.0)


def test_values_that_differ_by_rounding_alone_are_ties():
    # 0.1 + 0.2 is not 0.3 in floating point; four of six partitions are tied with the observed one.
    assert permutation_p([0.1 + 0.2, 0.0], [0.3, 0.0], rng()).p == pytest.approx(5 / 6)
    assert permutation_p([0.3, 0.0], [0.1 + 0.2, 0.0], rng()).p == pytest.approx(5 / 6)


def test_draws_come_near_the_exact_p_and_are_never_0():
    values = rng(3).normal(size=16)
    exact, drawn = permutation_p(values[:7], values[7:], rng()), permutation_p(values[:7], values[7:], rng(), limit=0)
    assert not drawn.exact
    assert (exact.partitions, drawn.partitions) == (11440, 10000)
    assert drawn.p == pytest.approx(exact.p, abs=4 * math.sqrt(exact.p * (1 - exact.p) / 10000))
    assert math.isnan(drawn.p_strict)
    apart = permutation_p(np.arange(100.0, 130.0), np.arange(30.0), rng(), draws=99)
    assert apart.p == 0.01


@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_draws_have_the_uniform_p_of_a_valid_test_under_the_null(alternative):
    numbers = rng(8)
    found = [
        permutation_p(*np.split(numbers.normal(size=14), [5]), numbers, draws=199, limit=0, alternative=alternative).p
        for _ in range(400)
    ]
    assert np.mean(np.array(found) <= 0.1) == pytest.approx(0.1, abs=0.06)


def test_the_same_seed_draws_the_same_partitions_whatever_the_number_at_a_time(monkeypatch):
    values = rng(4).normal(size=40)
    once = permutation_p(values[:20], values[20:], rng(9), draws=500)
    monkeypatch.setattr("personae.stats.association_permutation._CELLS", 1000)
    assert permutation_p(values[:20], values[20:], rng(9), draws=500) == once


def test_a_raised_limit_counts_exactly_what_would_be_drawn():
    values = rng(5).normal(size=28)
    exact = permutation_p(values[:14], values[14:], rng(), limit=10**9)
    assert exact.exact
    assert exact.partitions == math.comb(28, 14)
    assert permutation_p(values[:14], values[14:], rng(), draws=20_000).p == pytest.approx(exact.p, abs=0.02)


def test_a_lone_value_against_many_is_its_rank():
    others = rng(6).normal(size=500)
    found = permutation_p([others.max() + 1.0], others, rng())
    assert (found.exact, found.p) == (True, pytest.approx(1 / 501))
    assert permutation_p(others, [others.max() + 1.0], rng()).p == 1.0


def test_equal_values_cannot_be_told_apart():
    assert permutation_p([0.1] * 4, [0.1] * 5, rng()).p == 1.0
    assert permutation_p([0.1] * 40, [0.1] * 50, rng()).p == 1.0


@pytest.mark.parametrize(
    ("first", "second", "reason"), [([], [1.0], "no values"), ([1.0], [], "no values"), ([math.nan], [1.0], "missing")]
)
def test_what_cannot_be_tested_is_nan_with_its_reason(first, second, reason):
    found = permutation_p(first, second, rng())
    assert math.isnan(found.p)
    assert reason in found.reason


def test_no_draws_are_refused():
    with pytest.raises(ValueError, match="draws"):
        permutation_p([1.0], [2.0], rng(), draws=0)

"""The GBV by hand, its floor by enumeration, its interval and its tests by simulation."""

from __future__ import annotations

from itertools import permutations, product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, kstest

from personae.stats.gbv import (
    FEW_SETS,
    NO_SETS,
    ONE_SET,
    generalised,
    generalised_difference,
    group_variance,
    variance_bounds,
)

RARE = 1e-3


def rng(seed=0):
    return np.random.default_rng(seed)


def scores(seed, sets=12, groups=3, pattern=(), noise=8.0):
    """Scores of matched sets: a file's worth, noise, and what a group adds."""
    draw = rng(seed)
    added = np.zeros(groups)
    added[: len(pattern)] = pattern
    return draw.normal(60, 10, (sets, 1)) + draw.normal(0, noise, (sets, groups)) + added


def every_exchange(table):
    """The GBV under every exchange of labels within rows."""
    rows = [list(permutations(row)) for row in np.asarray(table).tolist()]
    return np.array([np.std(np.mean(one, axis=0)) for one in product(*rows)])


class TestValue:
    def test_by_hand(self):
        assert group_variance([10, 20, 30]) == pytest.approx(sqrt(200 / 3))
        assert group_variance([40, 60]) == pytest.approx(10)
        assert group_variance([50, 50, 50, 50]) == 0

    def test_it_is_that_of_the_column_means(self):
        table = [[50, 60, 70], [40, 60, 50]]
        assert generalised([table], rng()).value == pytest.approx(sqrt(((45 - 55) ** 2 + 25 + 25) / 3))

    def test_over_domains_it_is_the_mean(self):
        one, other = scores(1), scores(2, groups=4)
        alone = [generalised([table], rng()).value for table in (one, other)]
        assert generalised([one, other], rng()).value == pytest.approx(sum(alone) / 2)

    @given(st.floats(-50, 50), st.floats(0.1, 5))
    @settings(max_examples=25, deadline=None)
    def test_what_is_added_to_whole_sets_does_not_count_and_a_scale_does(self, added, scale):
        table = scores(3)
        shifted = table * scale + added * np.arange(len(table))[:, None]
        ours, theirs = (generalised([one], rng(), draws=100) for one in (table, shifted))
        assert theirs.value == pytest.approx(scale * ours.value)
        assert theirs.floor == pytest.approx(scale * ours.floor)
        assert theirs.p == ours.p


class TestFloor:
    @pytest.mark.parametrize(("sets", "groups"), [(2, 3), (4, 2), (3, 3), (2, 4)])
    def test_floor_and_p_are_those_of_every_exchange(self, sets, groups):
        table = scores(5, sets=sets, groups=groups, pattern=(9.0,))
        exact = every_exchange(table)
        found = generalised([table], rng(1), draws=20_000)
        assert found.floor == pytest.approx(exact.mean(), abs=4 * exact.std() / sqrt(20_000) + 1e-9)
        assert found.p == pytest.approx((exact >= found.value - 1e-9).mean(), abs=0.015)
        assert found.excess == pytest.approx(found.value - found.floor)

    def test_many_groups_are_exchanged_too(self):
        table = scores(6, sets=30, groups=7)
        found = generalised([table], rng(), draws=4000)
        shuffled = group_variance(rng(2).permuted(np.repeat(table[None], 4000, axis=0), axis=2).mean(axis=1))
        assert found.floor == pytest.approx(shuffled.mean(), rel=0.03)

    def test_its_mean_square_follows_from_the_variances_within_sets(self):
        """An exchanged mean has the variance sum(variances of rows) / n²: row means stay as they are."""
        table = scores(7, sets=40, groups=4)
        shuffled = rng(2).permuted(np.repeat(table[None], 20_000, axis=0), axis=2).mean(axis=1)
        expected = table.var(axis=1).sum() / len(table) ** 2
        assert (group_variance(shuffled) ** 2).mean() == pytest.approx(expected, rel=0.03)
        found = generalised([table], rng(3), draws=4000)
        assert found.floor < sqrt(expected)
        assert found.floor == pytest.approx(group_variance(shuffled).mean(), rel=0.03)
        assert found.floor_low < found.floor < found.floor_high

    def test_without_an_effect_p_is_uniform(self):
        found = [generalised([scores(n, sets=10, groups=3)], rng(n), draws=400).p for n in range(300)]
        assert kstest(found, "uniform").pvalue > RARE

    def test_pure_noise_has_a_gbv_above_0_and_no_excess_in_the_mean(self):
        found = [generalised([scores(n, sets=6, groups=4)], rng(n), draws=200) for n in range(200)]
        excess = np.array([one.excess for one in found])
        assert min(one.value for one in found) > 0
        assert abs(excess.mean()) < 4 * excess.std() / sqrt(len(excess))

    def test_an_effect_is_found(self):
        found = generalised([scores(n, sets=30, pattern=(6.0,)) for n in range(4)], rng())
        assert found.p < 0.01
        assert found.excess > 1


class TestInterval:
    @pytest.mark.parametrize("sets", [6, 40])
    @pytest.mark.parametrize(("groups", "added"), [(2, 0.0), (2, 8.0), (3, 3.0), (4, 0.0), (4, 8.0)])
    def test_it_holds_the_true_value_as_often_as_it_claims(self, sets, groups, added):
        true = float(group_variance([added] + [0.0] * (groups - 1)))
        hits = 0
        for n in range(150):
            found = generalised([scores(n, sets, groups, (added,))], rng(n), draws=300)
            hits += found.ci_low <= true <= found.ci_high
        assert binom.cdf(hits, 150, 0.93) > RARE, hits

    def test_that_of_a_mean_over_domains_is_not_misled_by_the_noise_of_each(self):
        """The noise makes every GBV too large, and a mean over domains does not average that away."""
        added = [(4.0,) * (n % 2 + 1) for n in range(9)]
        true = np.mean([group_variance(np.pad(one, (0, 3 - len(one)))) for one in added])
        hits, values = 0, []
        for n in range(80):
            tables = [scores(100 * n + at, 6, 3, one) for at, one in enumerate(added)]
            found = generalised(tables, rng(n), draws=200)
            hits += found.ci_low <= true <= found.ci_high
            values.append(found.value)
        assert np.mean(values) > true + 0.5
        assert binom.cdf(hits, 80, 0.93) > RARE, hits

    def test_its_lower_end_is_0_where_chance_gives_as_much(self):
        for n in range(30):
            found = generalised([scores(n, sets=8)], rng(n), draws=400)
            assert (found.ci_low == 0) >= (found.p > 0.05)
            assert found.ci_low <= found.value <= found.ci_high

    def test_few_sets_have_none_and_say_why(self):
        one, three = (generalised([scores(1, sets=n)], rng()) for n in (1, 3))
        assert (one.reason, three.reason) == (ONE_SET, FEW_SETS)
        assert np.isnan(one.ci_low)
        assert 0 < three.p <= 1
        assert generalised([scores(1, sets=4)], rng()).reason == ""

    def test_the_same_seed_gives_the_same(self):
        assert generalised([scores(1)], rng(4)) == generalised([scores(1)], rng(4))


class TestDifference:
    def test_it_is_that_of_the_two_gbvs(self):
        ours, theirs = scores(1, pattern=(9.0,)), scores(2)
        found = generalised_difference([ours], [theirs], rng())
        apart = [generalised([one], rng()).value for one in (ours, theirs)]
        assert found.value == pytest.approx(apart[0] - apart[1])
        assert found.ci_low < found.value < found.ci_high
        assert generalised_difference([theirs], [ours], rng()).value == pytest.approx(-found.value)

    def test_a_condition_under_which_all_score_alike_higher_makes_no_difference(self):
        ours, theirs = scores(1, pattern=(9.0,)), scores(2)
        plain = generalised_difference([ours], [theirs], rng())
        assert generalised_difference([ours + 25], [theirs], rng()).p == plain.p
        assert generalised_difference([ours + 25], [theirs], rng()).value == pytest.approx(plain.value)

    def test_it_holds_its_level_and_its_interval(self):
        found = [
            generalised_difference([scores(n, 20, 3, (4.0,))], [scores(1000 + n, 20, 3, (4.0,))], rng(n), draws=300)
            for n in range(200)
        ]
        assert binom.sf(sum(one.p <= 0.05 for one in found) - 1, 200, 0.05) > RARE
        assert binom.cdf(sum(one.ci_low <= 0 <= one.ci_high for one in found), 200, 0.93) > RARE

    def test_a_difference_is_found(self):
        pairs = [(scores(n, 20, 3, (12.0,)), scores(50 + n, 20, 3)) for n in range(3)]
        found = generalised_difference([one for one, _ in pairs], [other for _, other in pairs], rng())
        assert found.p < 0.01
        assert found.ci_low > 0

    def test_with_what_was_before_changes_are_compared(self):
        ours, theirs = scores(1, pattern=(9.0,)), scores(2)
        before = scores(3), scores(4, pattern=(5.0,))
        found = generalised_difference([ours], [theirs], rng(), before=([before[0]], [before[1]]))
        now, then = (
            generalised_difference([ours], [theirs], rng()),
            generalised_difference([before[0]], [before[1]], rng()),
        )
        assert found.value == pytest.approx(now.value - then.value)
        assert found.ci_low < found.value < found.ci_high

    def test_p_is_the_share_of_every_exchange_of_sides_within_sets(self):
        tables = [scores(seed, sets=6, groups=2, pattern=(3.0 * (seed == 1),)) for seed in range(1, 5)]
        ours, theirs, ours_before, theirs_before = tables
        centred = [table - table.mean(axis=1, keepdims=True) for table in tables]

        def changed(now, before):
            return np.std(now.mean(axis=0)) - np.std(before.mean(axis=0))

        every = []
        for kept in product([False, True], repeat=6):
            keep = np.array(kept)[:, None]
            one, other, one_before, other_before = centred
            left = changed(np.where(keep, one, other), np.where(keep, one_before, other_before))
            right = changed(np.where(keep, other, one), np.where(keep, other_before, one_before))
            every.append(left - right)
        observed = changed(centred[0], centred[2]) - changed(centred[1], centred[3])
        exact = np.mean(np.abs(every) >= abs(observed) - 1e-9)
        found = generalised_difference([ours], [theirs], rng(), before=([ours_before], [theirs_before]), draws=20_000)
        assert found.p == pytest.approx(exact, abs=0.02)

    def test_changes_hold_their_level_and_their_interval(self):
        found = []
        for n in range(200):
            # Nine domains of two sets, as few as the quick scale has; the first audit is common to both sides.
            sides = [[scores(10_000 * side + 10 * n + one, 2, 3, (4.0,)) for one in range(9)] for side in range(3)]
            found.append(generalised_difference(sides[0], sides[1], rng(n), before=(sides[2], sides[2]), draws=300))
        assert binom.sf(sum(one.p <= 0.05 for one in found) - 1, 200, 0.05) > RARE
        assert binom.cdf(sum(one.ci_low <= 0 <= one.ci_high for one in found), 200, 0.93) > RARE

    def test_both_sides_need_the_same_sets(self):
        with pytest.raises(ValueError, match="both sides"):
            generalised_difference([scores(1, sets=5)], [scores(1, sets=6)], rng())


class TestBounds:
    def test_what_is_answered_in_full_has_one_value(self):
        means = [40.0, 55.0, 58.0]
        low, high = variance_bounds(means, means)
        assert low == pytest.approx(high) == pytest.approx(float(group_variance(means)))

    def test_means_that_may_all_be_equal_reach_down_to_0(self):
        assert variance_bounds([40, 50], [60, 55]) == (0.0, pytest.approx(7.5))

    @given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=2, max_size=3))
    @settings(max_examples=40, deadline=None)
    def test_they_are_those_of_a_search_over_the_box(self, ends):
        lows, highs = np.sort(np.array(ends), axis=1).T
        steps = np.stack(np.meshgrid(*[np.linspace(*end, 17) for end in zip(lows, highs, strict=True)]), -1)
        searched = group_variance(steps)
        low, high = variance_bounds(lows, highs)
        assert high == pytest.approx(searched.max(), abs=1e-9)
        assert low <= searched.min() + 1e-6
        assert searched.min() - low <= np.max(highs - lows) / 16 + 1e-6

    @pytest.mark.parametrize("ends", [([1, 2], [1]), ([3, 2], [2, 4]), ([float("nan"), 1], [2, 2]), ([], [])])
    def test_what_is_no_box_is_refused(self, ends):
        with pytest.raises(ValueError, match=r"mean|group"):
            variance_bounds(*ends)


def test_without_sets_there_is_none():
    found = generalised([np.empty((0, 3))], rng())
    assert np.isnan(found.value)
    assert found.reason == NO_SETS


def test_a_missing_score_is_no_zero():
    table = scores(1)
    table[0, 0] = np.nan
    assert np.isnan(generalised([table], rng()).value)


@pytest.mark.parametrize(
    ("tables", "options"),
    [([], {}), ([[1.0, 2.0]], {}), ([[[1.0], [2.0]]], {}), ([[[1.0, 2.0]]], {"draws": 9}), ([[[1, 2]]], {"level": 1})],
)
def test_what_is_no_table_is_refused(tables, options):
    with pytest.raises(ValueError, match=r"table|draws|level"):
        generalised(tables, rng(), **options)

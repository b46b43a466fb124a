"""Divergences: hand-computed numbers, another library's, and the identities that hold for all distributions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import jensenshannon
from scipy.special import rel_entr

from personae.stats.divergence import FLOOR, jensen_shannon, kl, two

weights = arrays(np.float64, 4, elements=st.floats(0.0, 1.0, allow_subnormal=False))


@st.composite
def distributions(draw, positive=False):
    """A distribution over four options; some of them may have none of it."""
    drawn = draw(weights.filter(lambda one: one.sum() > 0.01))
    drawn = drawn + 0.001 if positive else drawn
    return drawn / drawn.sum()


class TestNumbers:
    def test_a_quarter_against_a_half_by_hand(self):
        # 3/4 ln(3/2) + 1/4 ln(1/2)
        assert kl([0.75, 0.25], [0.5, 0.5]) == pytest.approx(0.75 * math.log(1.5) - 0.25 * math.log(2), abs=1e-15)

    def test_the_other_direction_is_another_number(self):
        # 1/2 ln(2/3) + 1/2 ln 2 = ln(4/3) / 2
        assert kl([0.5, 0.5], [0.75, 0.25]) == pytest.approx(math.log(4 / 3) / 2, abs=1e-15)

    def test_what_is_ruled_out_counts_as_the_floor(self):
        # 1/2 ln(1/2 / 1) + 1/2 ln(1/2 / 1e-10)
        expected = 0.5 * math.log(0.5) + 0.5 * math.log(0.5e10)
        assert kl([0.5, 0.5], [1.0, 0.0]) == pytest.approx(expected, abs=1e-12)
        assert kl([0.5, 0.5], [1.0, 0.0], floor=0.0) == math.inf

    def test_what_is_certain_and_given_nothing(self):
        assert kl([1.0, 0.0], [0.0, 1.0]) == pytest.approx((1.0 - FLOOR) * -math.log(FLOOR), abs=1e-9)

    def test_jensen_shannon_by_hand(self):
        # Halfway lies (3/4, 1/4): (ln(4/3) + ln(2/3) / 2 + ln(2) / 2) / 2
        expected = (math.log(4 / 3) + 0.5 * math.log(2 / 3) + 0.5 * math.log(2)) / 2
        assert jensen_shannon([1.0, 0.0], [0.5, 0.5]) == pytest.approx(expected, abs=1e-15)

    def test_nothing_in_common_is_the_logarithm_of_two(self):
        assert jensen_shannon([1.0, 0.0], [0.0, 1.0]) == math.log(2)

    def test_tables_are_read_row_by_row(self):
        ours, theirs = two([0.2, 0.9, 0.5]), two(0.5)
        assert kl(ours, theirs).shape == (3,)
        assert kl(ours, theirs) == pytest.approx([float(kl(row, theirs)) for row in ours])
        assert jensen_shannon(ours, theirs) == pytest.approx([float(jensen_shannon(row, theirs)) for row in ours])

    def test_the_smallest_numbers_are_not_rounded_to_infinity(self):
        assert jensen_shannon([5e-324, 1.0], [5e-324, 1.0]) == 0.0
        assert jensen_shannon([5e-324, 1.0], [0.0, 1.0]) == pytest.approx(0.0, abs=1e-300)

    def test_a_missing_probability_stays_missing(self):
        assert np.isnan(kl(two([0.5, math.nan]), two(0.5))).tolist() == [False, True]
        assert np.isnan(jensen_shannon(two(math.nan), two(0.5)))

    @pytest.mark.parametrize("wrong", [[1.2, -0.2], [-0.1, 1.1]])
    def test_what_is_no_probability_is_refused(self, wrong):
        for measure in (kl, jensen_shannon):
            with pytest.raises(ValueError, match="between 0 and 1"):
                measure(wrong, [0.5, 0.5])

    def test_an_impossible_floor_is_refused(self):
        with pytest.raises(ValueError, match="floor"):
            kl([0.5, 0.5], [0.5, 0.5], floor=-1e-10)


class TestPeers:
    @given(distributions(), distributions(positive=True))
    def test_it_is_the_sum_of_relative_entropies(self, p, q):
        assert kl(p, q, floor=0.0) == pytest.approx(rel_entr(p, q).sum(), abs=1e-12)

    @given(distributions(), distributions())
    def test_it_is_the_square_of_the_distance(self, p, q):
        assert jensen_shannon(p, q) == pytest.approx(np.nan_to_num(jensenshannon(p, q)) ** 2, abs=1e-9)


class TestIdentities:
    @given(distributions(), distributions())
    def test_it_is_never_below_zero(self, p, q):
        assert kl(p, q) >= -4 * FLOOR - 1e-12
        assert kl(p, q, floor=0.0) >= -1e-12

    @given(distributions())
    def test_it_is_zero_at_equality(self, p):
        assert kl(p, p) == kl(p, p, floor=0.0) == jensen_shannon(p, p) == 0.0

    @given(distributions(positive=True), distributions(positive=True))
    def test_it_is_zero_only_at_equality(self, p, q):
        # Pinsker: D >= (sum |p - q|) ** 2 / 2
        assert kl(p, q) >= np.abs(p - q).sum() ** 2 / 2 - 1e-9

    @given(*[distributions(positive=True)] * 4)
    def test_independent_pairs_add_up(self, p, q, r, s):
        both = kl(np.outer(p, r).ravel(), np.outer(q, s).ravel(), floor=0.0)
        assert both == pytest.approx(kl(p, q, floor=0.0) + kl(r, s, floor=0.0), abs=1e-10)

    @given(distributions(), distributions())
    def test_jensen_shannon_is_the_same_both_ways_and_bounded(self, p, q):
        one = jensen_shannon(p, q)
        assert one == pytest.approx(jensen_shannon(q, p), abs=1e-15)
        assert 0.0 <= one <= math.log(2) + 1e-15

    @given(distributions(), distributions())
    def test_jensen_shannon_is_the_mean_divergence_from_the_middle(self, p, q):
        middle = (p + q) / 2
        halves = kl(p, middle, floor=0.0) + kl(q, middle, floor=0.0)
        assert jensen_shannon(p, q) == pytest.approx(max(halves / 2, 0.0), abs=1e-12)

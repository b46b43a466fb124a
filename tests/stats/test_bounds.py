"""Worst-case bounds: by hand, and against every completion."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.stats.bounds import difference_bounds, mean_bounds, share_bounds, stimulus_bounds
from personae.stats.paired import pair

UNIT = st.floats(0, 1)
ANSWERED = st.lists(UNIT, max_size=8)
COMPLETION = st.lists(UNIT, max_size=5)


def test_by_hand():
    found = mean_bounds([0.2, 0.4, 0.6], 2, -1.0, 1.0)
    assert (found.lower, found.upper) == pytest.approx(((1.2 - 2) / 5, (1.2 + 2) / 5))
    assert (found.n, found.unanswered, found.coverage, found.reason) == (3, 2, 0.6, "")
    share = share_bounds(3, 5, 5)
    assert (share.lower, share.upper, share.coverage) == pytest.approx((0.3, 0.8, 0.5))


@given(ANSWERED, COMPLETION)
def test_the_bounds_hold_every_completion(answered, completion):
    found = mean_bounds(answered, len(completion), 0.0, 1.0)
    if not answered and not completion:
        assert found.reason == "no values"
        return
    whole = np.mean([*answered, *completion])
    assert found.lower - 1e-12 <= whole <= found.upper + 1e-12
    assert found.upper - found.lower == pytest.approx((1 - found.coverage) * 1.0, abs=1e-12)


@given(ANSWERED.filter(bool))
def test_full_coverage_leaves_no_doubt(answered):
    found = mean_bounds(answered, 0, 0.0, 1.0)
    assert found.lower == found.upper == pytest.approx(np.mean(answered))
    assert found.coverage == 1.0


@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 4))
def test_the_bounds_of_a_share_are_its_extreme_completions(successes, failures, unanswered):
    found = share_bounds(successes, successes + failures, unanswered)
    asked = successes + failures + unanswered
    if asked:
        shares = [(successes + sum(bits)) / asked for bits in product((0, 1), repeat=unanswered)]
        assert (found.lower, found.upper) == pytest.approx((min(shares), max(shares)))


@given(ANSWERED, COMPLETION, ANSWERED, COMPLETION)
def test_the_bounds_of_a_difference_hold_every_pair_of_completions(ours, our_rest, theirs, their_rest):
    found = difference_bounds(
        mean_bounds(ours, len(our_rest), 0.0, 1.0), mean_bounds(theirs, len(their_rest), 0.0, 1.0)
    )
    if not (ours or our_rest) or not (theirs or their_rest):
        assert found.reason == "no values"
        assert math.isnan(found.lower)
        return
    whole = np.mean([*ours, *our_rest]) - np.mean([*theirs, *their_rest])
    assert found.lower - 1e-12 <= whole <= found.upper + 1e-12


ROWS = st.lists(st.tuples(st.sampled_from("abc"), UNIT), min_size=1, max_size=9)


@given(ROWS, ROWS, st.lists(st.tuples(st.sampled_from("abc"), UNIT), max_size=5))
def test_the_bounds_over_stimuli_hold_the_paired_difference_of_every_completion(ours, theirs, rest):
    bounds = difference_bounds(
        stimulus_bounds([v for _, v in ours], [s for s, _ in ours], [s for s, _ in rest], 0.0, 1.0),
        stimulus_bounds([v for _, v in theirs], [s for s, _ in theirs], [], 0.0, 1.0),
    )
    whole = [*ours, *rest]
    pairs = pair([v for _, v in whole], [s for s, _ in whole], [v for _, v in theirs], [s for s, _ in theirs])
    if pairs.n_unpaired == 0:
        assert bounds.lower - 1e-9 <= pairs.differences.mean() <= bounds.upper + 1e-9


def test_a_stimulus_counts_once_in_its_bounds():
    found = stimulus_bounds([1.0, 1.0, 1.0, 0.0], ["a", "a", "a", "b"], ["b"], 0.0, 1.0)
    assert (found.lower, found.upper, found.coverage) == pytest.approx((0.5, 0.75, 0.8))


def test_what_cannot_be_known_is_nan_with_its_reason():
    assert mean_bounds([], 0, 0, 1).reason == "no values"
    assert stimulus_bounds([], [], [], 0, 1).reason == "no values"
    assert "missing" in mean_bounds([0.5, math.nan], 1, 0, 1).reason
    assert mean_bounds([], 3, 0, 1).lower == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_bounds([2.0], 0, 0.0, 1.0), "within"),
        (lambda: mean_bounds([0.5], 1, 0.0, math.inf), "finite"),
        (lambda: mean_bounds([0.5], 1, 1.0, 0.0), "in order"),
        (lambda: mean_bounds([0.5], -1, 0.0, 1.0), "unanswered"),
        (lambda: share_bounds(3, 2, 0), "3 successes of 2"),
        (lambda: stimulus_bounds([0.5], [], ["a"], 0.0, 1.0), "labels"),
    ],
)
def test_misuse_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()

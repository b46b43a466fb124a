"""Pairs: Student's data, permutation by brute force, McNemar against published numbers and peers."""

from __future__ import annotations

import math
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as peer
from statsmodels.stats.contingency_tables import mcnemar as peer_mcnemar

from personae.stats.paired import mcnemar, pair, paired_difference, paired_permutation

SLEEP_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SLEEP_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
PATIENTS = [f"patient {place}" for place in range(10)]
ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(-9, 9).map(float)), max_size=25)


def test_student_s_sleep_data_pair_as_published():
    # R: t.test(extra ~ group, data = sleep, paired = TRUE) prints t = -4.0621, df = 9, p-value = 0.002833.
    found = paired_difference(SLEEP_1, PATIENTS, SLEEP_2[::-1], PATIENTS[::-1])
    assert (found.statistic, found.df) == pytest.approx((-4.0621, 9), abs=5e-5)
    assert found.p == pytest.approx(0.002833, abs=5e-7)
    assert (found.n_pairs, found.n, found.n_unpaired, found.reason) == (10, 20, 0, "")
    # d_z = 1.58 / 1.229995 = 1.28456; times J(9) = 0.914 (Hedges and Olkin's table gives 0.9139).
    assert found.effect_size == pytest.approx(-1.28456 * 0.9139, abs=3e-4)


def test_a_stimulus_counts_once_however_often_it_was_asked():
    values = np.array([1.0, 3.0, 5.0, 7.0, 2.0, 2.0, 2.0])
    stimuli = ["a", "a", "b", "b", "c", "c", "c"]
    found = paired_difference(values, stimuli, [0.5, 1.0, 4.0], ["a", "b", "c"])
    expected = peer.ttest_rel([2.0, 6.0, 2.0], [0.5, 1.0, 4.0])
    assert found.value == pytest.approx(1.5)
    assert (found.statistic, found.p, found.df) == pytest.approx((expected.statistic, expected.pvalue, 2))
    assert found.n == 10


def test_stimuli_of_one_side_are_left_out_and_counted():
    one = paired_difference([1, 2, 4, 100], ["a", "b", "c", "only here"], [0, 0, 1, -9, -9], ["a", "b", "c", "x", "y"])
    two = paired_difference([1, 2, 4], ["a", "b", "c"], [0, 0, 1], ["a", "b", "c"])
    assert (one.n_unpaired, two.n_unpaired, one.n, two.n) == (3, 0, 6, 6)
    assert (one.value, one.p) == (two.value, two.p)


@pytest.mark.parametrize(
    ("values", "stimuli", "baseline", "baseline_stimuli", "value", "reason"),
    [
        ([], [], [], [], None, "no stimulus"),
        ([1.0], ["a"], [1.0], ["b"], None, "no stimulus"),
        ([1.0, 2.0], ["a", "a"], [0.0], ["a"], 1.5, "one stimulus only"),
        ([0.3, 0.4], ["a", "b"], [0.1, 0.2], ["a", "b"], 0.2, "same on every stimulus"),
        ([0.0, 0.0], ["a", "b"], [0.0, 0.0], ["a", "b"], 0.0, "same on every stimulus"),
        ([1.0, math.nan], ["a", "b"], [0.0, 0.0], ["a", "b"], None, "missing or not finite"),
    ],
)
def test_what_cannot_be_paired_is_nan_with_its_reason(values, stimuli, baseline, baseline_stimuli, value, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = paired_difference(values, stimuli, baseline, baseline_stimuli)
    assert reason in found.reason
    assert all(map(math.isnan, (found.ci_low, found.ci_high, found.statistic, found.p, found.effect_size)))
    assert math.isnan(found.value) if value is None else found.value == pytest.approx(value)


def test_labels_of_another_length_are_refused():
    with pytest.raises(ValueError, match="stimuli for"):
        paired_difference([1.0], ["a", "b"], [1.0, 2.0], ["a"])


@given(ROWS, ROWS)
def test_swapping_the_sides_flips_the_sign(ours, theirs):
    one = paired_difference([v for _, v in ours], [s for s, _ in ours], [v for _, v in theirs], [s for s, _ in theirs])
    two = paired_difference([v for _, v in theirs], [s for s, _ in theirs], [v for _, v in ours], [s for s, _ in ours])
    assert (one.n_pairs, one.n, one.n_unpaired, one.reason) == (two.n_pairs, two.n, two.n_unpaired, two.reason)
    assert one.value == pytest.approx(-two.value, nan_ok=True, abs=1e-9)
    assert one.p == pytest.approx(two.p, nan_ok=True, abs=1e-9)
    assert one.ci_low == pytest.approx(-two.ci_high, nan_ok=True, abs=1e-6)


@given(ROWS, ROWS)
def test_pairs_are_the_stimuli_of_both_sides(ours, theirs):
    pairs = pair([v for _, v in ours], [s for s, _ in ours], [v for _, v in theirs], [s for s, _ in theirs])
    both = {s for s, _ in ours} & {s for s, _ in theirs}
    assert set(pairs.stimuli) == both
    assert pairs.n_unpaired == len({s for s, _ in ours} ^ {s for s, _ in theirs})
    for stimulus, mean in zip(pairs.stimuli, pairs.values, strict=True):
        assert mean == pytest.approx(np.mean([v for s, v in ours if s == stimulus]))


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=8))
def test_the_exact_permutation_test_looks_at_every_pattern_of_signs(differences):
    found = paired_permutation(differences, 10, np.random.default_rng(0))
    observed = abs(sum(differences))
    patterns = list(product((1, -1), repeat=len(differences)))
    extreme = [abs(np.dot(signs, differences)) >= observed for signs in patterns]
    assert (found.exact, found.draws, found.n_pairs) == (True, len(patterns), len(differences))
    assert found.p == pytest.approx(np.mean(extreme))


def test_darwin_s_plants_give_fisher_s_count():
    # Fisher, The Design of Experiments (1935), section 21: heights of 15 pairs of Zea mays, differences in eighths of
    # an inch; 863 of 32,768 arrangements reach the observed total of 314, or more, in one direction: 1,726 in both.
    differences = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    found = paired_permutation(differences, 1, np.random.default_rng(0))
    assert sum(differences) == 314
    assert (found.exact, found.draws) == (True, 32768)
    assert found.p == 1726 / 32768


def test_many_pairs_are_drawn_and_the_p_value_is_never_zero():
    rng = np.random.default_rng(8)
    strong = paired_permutation(rng.normal(3, 1, 60), 999, rng)
    assert (strong.exact, strong.p, strong.draws) == (False, 1 / 1000, 999)
    weak = rng.normal(0.3, 1.0, 40)
    drawn = paired_permutation(weak, 20_000, rng)
    assert drawn.p == pytest.approx(peer.ttest_1samp(weak, 0).pvalue, abs=0.02)


def test_drawing_in_parts_counts_every_draw(monkeypatch):
    monkeypatch.setattr("personae.stats.paired._CHUNK", 64)
    found = paired_permutation(np.ones(30), 1000, np.random.default_rng(0))
    assert (found.draws, found.p) == (1000, 1 / 1001)


def test_permutation_of_nothing_has_a_reason_and_of_zeros_is_certain_of_nothing():
    rng = np.random.default_rng(0)
    assert paired_permutation([], 10, rng).reason == "no values"
    assert paired_permutation([1.0, math.nan], 10, rng).reason
    assert paired_permutation([0.0, 0.0, 0.0], 10, rng).p == 1.0
    with pytest.raises(ValueError, match="draws"):
        paired_permutation([1.0], 0, rng)


def test_mcnemar_gives_the_published_p_values():
    # Fagerland, Lydersen and Laake, BMC Med. Res. Methodol. 13:91 (2013), table 1 (airway hyper-responsiveness before
    # and after stem cell transplantation: 1 and 7 discordant pairs): exact 0.070, mid-p 0.039, asymptotic 0.034.
    found = mcnemar(1, 7)
    assert (round(found.p, 3), round(found.p_mid, 3)) == (0.070, 0.039)
    assert round(float(peer.chi2.sf(found.statistic, 1)), 3) == 0.034


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.9, 0.95]))
def test_mcnemar_agrees_with_statsmodels_and_with_clopper_and_pearson(b, c, level):
    found = mcnemar(b, c, level)
    if b + c == 0:
        assert found.reason == "no pair differs"
        assert math.isnan(found.p)
        return
    assert found.p == pytest.approx(peer_mcnemar([[0, b], [c, 0]], exact=True).pvalue)
    counts = np.arange(b + c + 1)
    chances, distance = peer.binom.pmf(counts, b + c, 0.5), np.abs(2 * counts - b - c)
    as_far, further = chances[distance == abs(b - c)].sum(), chances[distance > abs(b - c)].sum()
    assert found.p_mid == pytest.approx(further + as_far / 2)
    interval = peer.binomtest(b, b + c).proportion_ci(level, method="exact")
    assert found.ci_low == pytest.approx(interval.low / (1 - interval.low))
    assert found.ci_high == (
        math.inf if interval.high == 1.0 else pytest.approx(interval.high / (1 - interval.high), rel=1e-6)
    )
    assert found.ci_low <= found.odds_ratio <= found.ci_high


def test_mcnemar_refuses_what_is_no_count():
    with pytest.raises(ValueError, match="b must be"):
        mcnemar(-1, 2)


def test_mcnemar_of_many_pairs_stays_finite():
    found = mcnemar(1_000_000, 1_001_000)
    assert 0.0 < found.p_mid < found.p <= 1.0

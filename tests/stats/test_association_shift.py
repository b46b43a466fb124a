"""BAD, PSI and volatility: the printed tables, missing answers, the test against noise, intervals."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.stats.association_shift import amplification, average_metrics, shift_intervals, shift_test, shifts_of

# Paper 003, Table 4: BAD of five prompts (rows) and six personas, for each of five models.
TABLE_4 = """
-0.086 -0.178 -0.031 0.153 0.221 0.078   -0.129 -0.074 -0.180 0.063 0.017 0.043   -0.238 -0.131 -0.083 0.038 0.154 0.226
-0.119 -0.068 -0.173 0.129 0.192 0.107   -0.104 -0.007 -0.060 0.130 0.233 0.283
-0.142 -0.178 -0.031 0.146 0.190 0.308   -0.200 -0.251 -0.117 0.040 0.046 0.018   -0.107 -0.035 -0.145 0.095 0.160 0.075
-0.337 -0.080 -0.087 0.007 0.037 0.003   -0.006 -0.029 -0.041 0.009 0.021 0.120
-0.030 -0.070 -0.050 0.077 0.049 0.115   -0.122 -0.053 -0.091 0.037 0.070 0.010   -0.008 -0.118 -0.145 0.018 0.075 0.048
-0.008 -0.031 -0.038 0.010 0.048 0.098   -0.021 -0.155 -0.076 0.020 0.039 0.126
-0.120 -0.038 -0.117 0.034 0.055 0.071   -0.039 -0.104 -0.123 0.077 0.126 0.211   -0.011 -0.024 -0.017 0.065 0.087 0.094
-0.035 -0.065 -0.082 0.051 0.033 0.112   -0.027 -0.059 -0.104 0.063 0.080 0.058
-0.071 -0.108 -0.054 0.081 0.103 0.067   -0.097 -0.061 -0.104 0.023 0.054 0.026   -0.151 -0.088 -0.076 0.041 0.088 0.061
-0.069 -0.049 -0.082 0.076 0.112 0.080   -0.041 -0.020 -0.031 0.072 0.109 0.091
"""
# Paper 003, Table 5: PSI and volatility of the same models and personas.
TABLE_5_PSI = """
-0.135 -0.091 -0.105 0.102 0.163 0.147
-0.158 -0.114 -0.084 0.059 0.090 0.104
-0.037 -0.085 -0.080 0.032 0.056 0.079
-0.046 -0.058 -0.088 0.058 0.076 0.109
-0.086 -0.065 -0.069 0.059 0.093 0.065
"""
TABLE_5_VOLATILITY = """
0.053 0.058 0.060 0.044 0.078 0.091
0.109 0.086 0.043 0.053 0.069 0.109
0.042 0.045 0.037 0.024 0.013 0.043
0.038 0.027 0.038 0.014 0.031 0.054
0.033 0.030 0.029 0.017 0.021 0.025
"""


def rng(seed=0):
    return np.random.default_rng(seed)


def numbers(text, *shape):
    return np.array(text.split(), dtype=np.float64).reshape(shape)


def test_the_printed_psi_and_most_printed_volatilities_follow_from_the_printed_differentials():
    bad = numbers(TABLE_4, 5, 5, 6).transpose(0, 2, 1)
    found = shifts_of(bad)
    assert found.psi == pytest.approx(numbers(TABLE_5_PSI, 5, 6), abs=0.001)
    differs = np.abs(found.volatility_prompts - numbers(TABLE_5_VOLATILITY, 5, 6)) > 0.001
    assert differs.sum() == 4
    with_ddof_1 = shifts_of(bad, ddof=1).volatility_prompts
    assert (np.abs(with_ddof_1 - numbers(TABLE_5_VOLATILITY, 5, 6)) > 0.001).sum() > 20
    assert np.isnan(found.volatility_generations).all()


def test_it_is_the_algorithm_of_the_paper():
    scores, neutral = rng(1).normal(size=(3, 2, 5, 4)), rng(2).normal(size=(3, 5, 6))
    found = amplification(scores, neutral)
    for metric, persona, prompt in product(range(3), range(2), range(5)):
        cell = scores[metric, persona, prompt]
        assert found.bad[metric, persona, prompt] == pytest.approx(cell.mean() - neutral[metric, prompt].mean())
        assert found.volatility_generations[metric, persona, prompt] == pytest.approx(cell.std())
    assert found.psi == pytest.approx(found.bad.mean(axis=-1))
    assert found.absolute == pytest.approx(np.abs(found.bad).mean(axis=-1))
    assert found.volatility_prompts == pytest.approx(found.bad.std(axis=-1))
    assert average_metrics(found.bad) == pytest.approx(found.bad.mean(axis=0))
    assert shifts_of(average_metrics(found.bad)).psi == pytest.approx(found.psi.mean(axis=0))
    assert amplification(scores, neutral, ddof=1).volatility_generations == pytest.approx(scores.std(axis=-1, ddof=1))


def test_what_was_not_scored_is_left_out_and_counted():
    scores, neutral = rng(3).normal(size=(2, 3, 4)), rng(4).normal(size=(3, 4))
    scores[0, 0, 1:] = math.nan
    scores[1, 2] = math.nan
    found = amplification(scores, neutral)
    assert found.bad[0, 0] == pytest.approx(scores[0, 0, 0] - neutral[0].mean())
    assert math.isnan(found.volatility_generations[0, 0])
    assert math.isnan(found.bad[1, 2])
    assert found.prompts.tolist() == [3, 2]
    assert found.psi[1] == pytest.approx(found.bad[1, :2].mean())
    assert math.isnan(amplification(np.full((1, 3, 4), math.nan), neutral).psi[0])
    assert np.isnan(average_metrics(np.array([[[1.0, math.nan]], [[2.0, 3.0]]]))).tolist() == [[False, True]]


def test_signed_shifts_cancel_and_absolute_ones_do_not():
    found = shifts_of([[0.3, -0.3]])
    assert (found.psi[0], found.absolute[0]) == (0.0, pytest.approx(0.3))


def by_hand(scores, neutral):
    """Every permutation within prompts, one by one: p, p_greater, p_absolute, mean of |BAD|."""
    shifts = []
    for ours, theirs in zip(scores, neutral, strict=True):
        values = [*ours, *theirs]
        prompt = []
        for chosen in combinations(range(len(values)), len(ours)):
            rest = [values[place] for place in range(len(values)) if place not in chosen]
            prompt.append(np.mean([values[place] for place in chosen]) - np.mean(rest))
        shifts.append(prompt)
    psi = np.array([np.mean(found) for found in product(*shifts)])
    absolute = np.array([np.mean(np.abs(found)) for found in product(*shifts)])
    # The first permutation of every prompt is what was observed.
    hits = [np.abs(psi) >= abs(psi[0]) - 1e-9, psi >= psi[0] - 1e-9, absolute >= absolute[0] - 1e-9]
    return [hit.mean() for hit in hits] + [absolute.mean()]


@pytest.mark.parametrize(("ours", "theirs"), [(3, 3), (2, 4), (4, 2), (1, 5)])
def test_the_exact_test_is_every_permutation_one_by_one(ours, theirs):
    scores, neutral = rng(ours).integers(0, 9, (2, ours)) / 10, rng(9).integers(0, 9, (2, theirs)) / 10
    found = shift_test(scores, neutral, rng())
    assert found.exact
    assert found.partitions == math.comb(ours + theirs, ours) ** 2
    assert [found.p, found.p_greater, found.p_absolute, found.expected_absolute] == pytest.approx(
        by_hand(scores, neutral)
    )
    drawn = shift_test(scores, neutral, rng(), limit=0)
    assert [drawn.p, drawn.p_greater, drawn.p_absolute] == pytest.approx(by_hand(scores, neutral)[:3], abs=0.03)
    assert drawn.partitions == 10_000


def test_a_persona_that_is_noise_has_absolute_shifts_but_no_small_p():
    found = [shift_test(*rng(seed).normal(size=(2, 5, 5)), rng(seed), draws=199) for seed in range(100)]
    assert min(each.absolute for each in found) > 0.1
    assert np.mean([each.absolute for each in found]) == pytest.approx(
        np.mean([each.expected_absolute for each in found]), rel=0.1
    )
    for name in ("p", "p_absolute"):
        assert np.mean([getattr(each, name) <= 0.05 for each in found]) < 0.13


def test_shifts_that_cancel_are_found_by_the_absolute_test_alone():
    neutral = rng(1).normal(size=(4, 5))
    scores = rng(2).normal(size=(4, 5)) + np.array([[3.0], [-3.0], [3.0], [-3.0]])
    found = shift_test(scores, neutral, rng(3))
    assert found.p_absolute < 0.001
    assert found.p > 0.2


def test_differences_between_prompts_are_not_mistaken_for_a_shift():
    prompts = 10.0 * rng(4).normal(size=(5, 1))
    scores, neutral = prompts + rng(5).normal(size=(5, 5)) + 2.0, prompts + rng(6).normal(size=(5, 5))
    found = shift_test(scores, neutral, rng(7))
    assert found.p_greater < 0.01
    assert shift_test(neutral, scores, rng(7)).p_greater > 0.9


def test_prompts_without_an_answer_on_one_side_are_left_out():
    scores, neutral = rng(8).normal(size=(3, 4)), rng(9).normal(size=(3, 4))
    scores[1] = math.nan
    neutral[2, 1:] = math.nan
    found = shift_test(scores, neutral, rng())
    assert (found.prompts, found.exact) == (2, True)
    assert found.psi == pytest.approx(np.mean([scores[0].mean() - neutral[0].mean(), scores[2].mean() - neutral[2, 0]]))
    nothing = shift_test(np.full((3, 4), math.nan), neutral, rng())
    assert math.isnan(nothing.p)
    assert "no prompt" in nothing.reason


@given(st.integers(0, 1000), st.sampled_from(["both", "prompts", "generations"]))
def test_intervals_hold_the_value_and_follow_units(seed, over):
    scores, neutral = rng(seed).normal(size=(5, 4)) + 1.0, rng(seed + 1).normal(size=(5, 3))
    one = shift_intervals(scores, neutral, rng(2), over=over, draws=200)
    two = shift_intervals(-2.0 * scores, -2.0 * neutral, rng(2), over=over, draws=200)
    assert one.psi.ci_low <= one.psi.value <= one.psi.ci_high
    assert (two.psi.ci_low, two.psi.ci_high) == pytest.approx((-2.0 * one.psi.ci_high, -2.0 * one.psi.ci_low))
    assert two.absolute.ci_high == pytest.approx(2.0 * one.absolute.ci_high)
    assert two.volatility_prompts.error == pytest.approx(2.0 * one.volatility_prompts.error)
    assert one.psi.n_clusters == 5


def test_each_source_of_chance_is_resampled_when_it_is_named():
    steady = np.tile([[0.1], [0.5], [0.9]], (1, 5))
    still = np.zeros((3, 5))
    assert shift_intervals(steady, still, rng(), over="generations").psi.error == pytest.approx(0.0, abs=1e-12)
    assert shift_intervals(steady, still, rng(), over="prompts").psi.error > 0.1
    noisy = 0.5 + rng(1).normal(size=(1, 50)).repeat(3, axis=0)
    assert shift_intervals(noisy, still, rng(), over="prompts").psi.error == pytest.approx(0.0, abs=1e-12)
    expected = noisy[0].std() / math.sqrt(50 * 3)
    assert shift_intervals(noisy, still, rng(), over="generations").psi.error == pytest.approx(expected, rel=0.05)


def test_one_prompt_says_nothing_about_other_prompts():
    scores, neutral = rng(1).normal(size=(1, 5)), rng(2).normal(size=(1, 5))
    found = shift_intervals(scores, neutral, rng())
    assert "one cluster only" in found.psi.reason
    assert found.psi.value == pytest.approx(scores.mean() - neutral.mean())
    kept = shift_intervals(scores, neutral, rng(), over="generations")
    assert kept.psi.ci_low < kept.psi.value < kept.psi.ci_high
    assert kept.volatility_prompts.reason
    nothing = shift_intervals(scores * math.nan, neutral, rng())
    assert math.isnan(nothing.psi.value)
    assert "no prompt" in nothing.psi.reason


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="prompt"):
        amplification(np.zeros((2, 3, 4)), np.zeros((4, 4)))
    with pytest.raises(ValueError, match="prompt x generation"):
        shift_test(np.zeros((3, 4)), np.zeros((2, 4)), rng())
    with pytest.raises(ValueError, match="draws"):
        shift_test(np.zeros((3, 4)), np.zeros((3, 4)), rng(), draws=0)
    with pytest.raises(ValueError, match="draws"):
        shift_intervals(np.zeros((3, 4)), np.zeros((3, 4)), rng(), draws=10)
    with pytest.raises(ValueError, match="level"):
        shift_intervals(np.zeros((3, 4)), np.zeros((3, 4)), rng(), level=95.0)

"""The formulas give the paper's numbers under its scoring, and nan under ours where there is nothing to divide by."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.studies.companions.formulas import EPSILON, iat_bias, influence, relative_influence, stereotype_score

COUNT = st.integers(0, 12)


@pytest.mark.parametrize(
    ("counts", "signed", "unit"),
    [((6, 0, 0, 6), 1, 1), ((0, 6, 6, 0), -1, 0), ((3, 3, 3, 3), 0, 0.5), ((3, 1, 1, 3), 0.5, 0.75)],
)
def test_bias_runs_from_against_the_default_to_against_the_stigma(
    counts: tuple[int, int, int, int], signed: float, unit: float
) -> None:
    assert iat_bias(*counts) == pytest.approx(signed)
    assert iat_bias(*counts, "unit") == pytest.approx(unit)


def test_paper_scoring_adds_its_epsilon_to_both_denominators() -> None:
    assert iat_bias(6, 0, 0, 6, scoring="paper") == pytest.approx(2 * 6 / (6 + EPSILON) - 1)
    assert iat_bias(6, 0, 0, 6, "unit", scoring="paper") == pytest.approx(6 / (6 + EPSILON))


def test_one_empty_side_is_nan_for_us_and_a_number_in_the_paper() -> None:
    assert isnan(iat_bias(6, 6, 0, 0))
    assert isnan(iat_bias(0, 0, 6, 6, "unit"))
    assert iat_bias(6, 6, 0, 0, scoring="paper") == pytest.approx(6 / 12.01 - 1)


def test_the_papers_unit_formula_is_zero_when_nothing_speaks_against_the_stigma() -> None:
    assert iat_bias(0, 6, 6, 0, "unit", scoring="paper") == 0


@given(COUNT, COUNT, COUNT, COUNT)
def test_signed_bias_turns_its_sign_with_the_valence(s_neg: int, s_pos: int, d_neg: int, d_pos: int) -> None:
    bias = iat_bias(s_neg, s_pos, d_neg, d_pos)
    turned = iat_bias(s_pos, s_neg, d_pos, d_neg)
    assert isnan(bias) == isnan(turned) == (s_neg + s_pos == 0 or d_neg + d_pos == 0)
    if not isnan(bias):
        assert turned == pytest.approx(-bias)
        assert -1 <= bias <= 1
        assert iat_bias(s_neg, s_pos, d_neg, d_pos, "unit") == pytest.approx((bias + 1) / 2)


@given(COUNT, COUNT, COUNT, COUNT)
def test_paper_scoring_is_always_a_number(s_neg: int, s_pos: int, d_neg: int, d_pos: int) -> None:
    assert -1 <= iat_bias(s_neg, s_pos, d_neg, d_pos, scoring="paper") <= 1
    assert 0 <= iat_bias(s_neg, s_pos, d_neg, d_pos, "unit", scoring="paper") <= 1


def test_stereotype_score_is_relative_to_the_baseline() -> None:
    assert stereotype_score(0.75, 0.5) == pytest.approx(0.5)
    assert stereotype_score(0.5, 0.5) == 0
    assert stereotype_score(0, 0.5) == -1


def test_stereotype_score_without_a_baseline_share_is_nan() -> None:
    assert isnan(stereotype_score(0.5, 0))


def test_influence_is_half_of_what_the_opinion_moves() -> None:
    assert influence(1, 0) == 0.5
    assert influence(0.75, 0.75) == 0
    assert influence(0, 1) == -0.5


def test_relative_influence_by_scoring() -> None:
    assert relative_influence(0.2, 0.1) == pytest.approx(1)
    assert relative_influence(0.2, 0.1, scoring="paper") == pytest.approx(0.1 / 0.11)
    assert relative_influence(0, 0.1) == -1


def test_relative_influence_needs_a_baseline_that_is_moved() -> None:
    assert isnan(relative_influence(0.2, 0))
    assert relative_influence(0.2, 0, scoring="paper") == pytest.approx(20)
    assert isnan(relative_influence(0.2, -EPSILON, scoring="paper"))


def test_what_is_missing_stays_missing() -> None:
    assert isnan(influence(float("nan"), 0.5))
    assert isnan(relative_influence(float("nan"), 0.1))

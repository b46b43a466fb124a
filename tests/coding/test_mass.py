"""Probabilities of the first token become probabilities of options."""

from math import exp, isnan, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.mass import option_mass

NAMES = ["Eric", "Dianne"]


def top(**tokens: float) -> list[tuple[str, float]]:
    return [(token, log(share)) for token, share in tokens.items()]


@pytest.mark.parametrize(
    "token", ["Eric", " Eric", "▁Eric", "ĠEric", "eric", "ERIC", '"Eric', "E", " Er", "**Eric", "Eric.", "Eric,"]
)
def test_every_way_to_begin_an_option_counts(token: str) -> None:
    found = option_mass([(token, log(0.5))], NAMES)
    assert found.probabilities == (1.0, 0.0)
    assert found.mass == pytest.approx(0.5)
    assert found.missing == (1,)


@pytest.mark.parametrize("token", ["", " ", "▁", "The", "Erica", "Erics", '"', "\n"])
def test_other_tokens_count_for_none(token: str) -> None:
    found = option_mass([(token, log(0.5))], NAMES)
    assert all(map(isnan, found.probabilities))
    assert (found.mass, found.missing) == (0.0, (0, 1))


def test_shares_are_normalised_and_the_mass_is_kept() -> None:
    found = option_mass(top(**{" Eric": 0.3, "eric": 0.1, "D": 0.2, "The": 0.4}), NAMES)
    assert found.probabilities == pytest.approx((2 / 3, 1 / 3))
    assert found.mass == pytest.approx(0.6)
    assert found.missing == ()


def test_an_ambiguous_beginning_counts_for_none() -> None:
    found = option_mass(top(**{" w": 0.5, " wi": 0.2, " wo": 0.1}), ["wife", "woman"])
    assert found.probabilities == pytest.approx((2 / 3, 1 / 3))
    assert found.mass == pytest.approx(0.3)


def test_an_option_that_begins_another_is_ambiguous() -> None:
    assert option_mass(top(girl=0.5, girlf=0.2), ["girl", "girlfriend"]).mass == pytest.approx(0.2)


def test_the_longer_of_two_nested_options_is_told_by_its_first_word() -> None:
    assert option_mass(top(**{" not": 0.25, " abusive": 0.75}), ["abusive", "not abusive"]).probabilities == (
        0.75,
        0.25,
    )


def test_labels_count_and_win_over_a_beginning() -> None:
    found = option_mass(top(**{" A": 0.5, "B)": 0.25, " b": 0.25}), ["not abusive", "abusive"], ["A", "B"])
    assert found.probabilities == pytest.approx((0.5, 0.5))


def test_a_small_letter_that_is_label_and_beginning_counts_for_none() -> None:
    assert option_mass(top(a=1.0), ["not abusive", "abusive"], ["A", "B"]).mass == 0.0


def test_umlauts_count_in_either_form() -> None:
    assert option_mass([("Mu\u0308de", log(0.5))], ["müde", "wach"]).mass == pytest.approx(0.5)


def test_too_few_options_are_an_error() -> None:
    with pytest.raises(ValueError, match="options must"):
        option_mass([], ["Eric"])


@given(st.lists(st.tuples(st.text(max_size=8), st.floats(-30, 0)), max_size=20))
def test_shares_sum_to_one_and_mass_to_what_counted(tokens: list[tuple[str, float]]) -> None:
    found = option_mass(tokens, NAMES)
    assert 0 <= found.mass <= sum(exp(logprob) for _, logprob in tokens) * (1 + 1e-9)
    if found.mass > 0:
        assert sum(found.probabilities) == pytest.approx(1)
        assert all(found.probabilities[index] == 0 for index in found.missing)
    else:
        assert all(map(isnan, found.probabilities))

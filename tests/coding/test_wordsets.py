"""Probabilities of sets of words from those of a first token."""

from __future__ import annotations

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.wordsets import answer_place, set_mass
from personae.types import TokenLogprob

SETS = {"male": ("male", "m", "man", "he", "mr"), "female": ("female", "f", "woman", "she", "ms")}
SAID = {"male": "male", "female": "female"}
THREE = {**SETS, "nonbinary": ("non-binary", "they")}
SAID_THREE = {**SAID, "nonbinary": "non-binary"}


def top(**shares: float) -> list[tuple[str, float]]:
    return [(token, log(share)) for token, share in shares.items()]


@pytest.mark.parametrize(
    "token",
    [
        "female",
        "Female",
        " FEMALE",
        "▁female",
        "ĠFemale",
        '"Female',
        "**Female**",
        "female.",
        "fem",
        "Fe",
        "F",
        " she",
        "Woman",
    ],
)
def test_variants_of_a_word_count_for_it(token: str):
    found = set_mass([(token, log(0.5)), ("male", log(0.25))], SETS, SAID)
    assert found.mass == pytest.approx({"male": 0.25, "female": 0.5})
    assert found.other == pytest.approx(0.25)


@pytest.mark.parametrize("token", ["The", "no", "femur", "males", "it", "", " ", "fe ", "either", "<think>", "men"])
def test_other_tokens_count_for_none(token: str):
    found = set_mass([(token, log(0.5))], SETS, SAID)
    assert found.mass == {"male": 0.0, "female": 0.0}
    assert found.other == pytest.approx(1.0)
    assert found.unseen == ("male", "female")


def test_variants_are_added_up():
    found = set_mass(top(male=0.3, Male=0.2, he=0.1, female=0.2), SETS, SAID)
    assert found.mass == pytest.approx({"male": 0.6, "female": 0.2})
    assert found.total == pytest.approx(0.8)
    assert found.least == pytest.approx(0.1)


def test_a_third_set_counts_where_it_is_offered():
    shares = [("non", log(0.4)), ("they", log(0.2)), ("male", log(0.1))]
    assert set_mass(shares, THREE, SAID_THREE).mass == pytest.approx({"male": 0.1, "female": 0.0, "nonbinary": 0.6})
    assert set_mass(shares, SETS, SAID).mass == pytest.approx({"male": 0.1, "female": 0.0})


def test_no_is_not_the_beginning_of_non_binary():
    assert set_mass([("No", log(0.9))], THREE, SAID_THREE).total == 0.0


def test_the_released_code_neither_strips_nor_reads_pieces():
    shares = [("Male", log(0.3)), (" male", log(0.2)), ("fem", log(0.2)), ('"female', log(0.1)), ("female", log(0.1))]
    found = set_mass(shares, SETS, SAID, exact=True)
    assert found.mass == pytest.approx({"male": 0.3, "female": 0.1})


def test_a_blank_that_a_server_reports_before_every_word_is_no_part_of_the_words():
    found = set_mass([(" male", log(0.6)), (" female", log(0.2)), ("female", log(0.1))], SETS, SAID, exact=True)
    assert found.mass == pytest.approx({"male": 0.6, "female": 0.2})


def test_the_answer_begins_at_the_first_token_that_says_something():
    blank = TokenLogprob("\n", -0.1, (("\n", -0.1),))
    quote = TokenLogprob(' "', -0.1, ((' "', -0.1),))
    word = TokenLogprob("Male", -0.2, (("Male", -0.2),))
    assert answer_place([blank, quote, word]) is word
    assert answer_place([blank, quote]) is None
    assert answer_place([]) is None


def test_a_token_without_alternatives_is_no_place_to_read():
    assert answer_place([TokenLogprob("Male", -0.2)]) is None


@given(st.lists(st.tuples(st.text(max_size=12), st.floats(-20.0, 0.0)), max_size=12))
def test_mass_and_the_rest_make_one(shares: list[tuple[str, float]]):
    total = sum(exp(logprob) for _, logprob in shares)
    shares = [(token, logprob - log(total) if total > 1 else logprob) for token, logprob in shares]
    for exact in (False, True):
        found = set_mass(shares, THREE, SAID_THREE, exact=exact)
        assert found.total + found.other == pytest.approx(1.0)
        assert all(mass >= 0 for mass in found.mass.values())

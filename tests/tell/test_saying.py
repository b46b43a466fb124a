"""Numbers in words: never rounded to all or nothing, always with what they rest on."""

import pytest

from personae.tell.saying import (
    adjusted,
    answers,
    basis,
    bracketed,
    difference,
    half_width,
    interval,
    listed,
    percent,
    points,
    reach,
    share,
)

ROW = {"value": 0.1, "ci_low": 0.05, "ci_high": 0.15, "p_adjusted": 0.004, "n": 1200, "coverage": 0.973}
BARE = {**ROW, "ci_low": None, "ci_high": None, "p_adjusted": None}


@pytest.mark.parametrize(
    ("number", "said"),
    [(0.0, "0 %"), (0.0001, "under 0.1 %"), (0.0163, "1.6 %"), (0.342, "34 %"), (0.9931, "99.3 %"), (1.0, "100 %")],
)
def test_shares_are_not_rounded_to_all_or_nothing(number, said):
    assert percent(number) == said


def test_differences_have_a_sign_and_nothing_has_none():
    assert [points(one) for one in (0.1031, -0.02, 0.0, -0.0001)] == ["+10.3", "-2.0", "0.0", "0.0"]


def test_a_difference_tells_interval_p_answers_and_coverage():
    expected = "+10.0 percentage points (95 % interval +5.0 to +15.0, adjusted p = 0.004, 1,200 answers, coverage 97 %)"
    assert difference(ROW) == expected
    assert difference(BARE) == "+10.0 percentage points (1,200 answers, coverage 97 %)"


def test_what_is_not_there_is_not_said():
    assert (interval(BARE), adjusted(BARE), reach(BARE), share(BARE)) == ("", "", None, "10 %")
    assert share(ROW) == "10 % (95 % interval 5.0 % to 15 %)"
    assert reach(ROW) == pytest.approx(5.0)
    assert adjusted({**ROW, "p_adjusted": 1e-9}) == "adjusted p < 0.001"


def test_answers_are_counted_per_cell_with_the_lowest_coverage():
    assert (
        answers([ROW, {**ROW, "n": 900, "coverage": 0.999}]) == "Each on 900 to 1,200 answers, coverage at least 97 %."
    )
    assert answers([{**ROW, "coverage": 1.0}], "panel") == "Each panel on 1,200 answers."


def test_names_are_listed():
    assert (listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])) == ("a", "a and b", "a, b and c")


def test_a_basis_is_answers_and_coverage_where_it_is_known():
    assert (basis(ROW), basis({**ROW, "coverage": None})) == ("1,200 answers, coverage 97 %", "1,200 answers")


def test_brackets_hold_what_there_is():
    assert (bracketed("a", "", "b"), bracketed("", "")) == (" (a, b)", "")


def test_half_the_width_of_intervals_is_the_median_of_those_there_are():
    wide = {**ROW, "ci_low": -1.0, "ci_high": 2.0}
    assert half_width([BARE, ROW, wide, wide]) == pytest.approx(1.5)
    assert half_width([BARE]) is None

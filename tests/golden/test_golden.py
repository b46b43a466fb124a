"""Answers given before come to what they came to before, to the last digit; README.md says what to do if not."""

from __future__ import annotations

from pathlib import Path

import pytest

from .cases import CASES, Case
from .checking import come_to_the_same, params, say_the_same
from .keeping import KEPT, here, made_here, made_on

LARGEST = 12_000_000
KEPT_HERE = [case for case in CASES.values() if not case.encodes]


@pytest.mark.parametrize("case", params(KEPT_HERE))
def test_answers_of_before_come_to_what_they_came_to(case: Case, tmp_path: Path) -> None:
    come_to_the_same(case, tmp_path)


@pytest.mark.parametrize("case", params(case for case in KEPT_HERE if case.asked))
def test_simulated_respondents_say_the_same_again(case: Case, tmp_path: Path) -> None:
    say_the_same(case, tmp_path)


def test_what_is_kept_is_what_is_compared() -> None:
    assert {path.name for path in KEPT.iterdir()} == set(CASES)


def test_the_tables_stay_small_enough_for_a_repository() -> None:
    assert sum(path.stat().st_size for path in KEPT.rglob("*") if path.is_file()) < LARGEST


def test_every_digit_is_compared_on_this_computer() -> None:
    if not made_here():
        pytest.skip(f"numbers are compared nearly: the tables were made on {made_on()}, this is {here()}")

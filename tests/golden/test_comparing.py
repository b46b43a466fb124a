"""What differs is told, however small, and what may differ between computers is not."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from .comparing import MOST, differences


def table(**rows: Any) -> dict[str, list[str]]:
    return {"estimates/sound": [json.dumps([key, value]) for key, value in rows.items()]}


def sentences(*texts: str) -> dict[str, list[str]]:
    return {"findings/sound": [json.dumps(["x finding", text]) for text in texts]}


def test_the_last_digit_of_a_number_is_told_with_its_row() -> None:
    told = differences(table(bias={"value": 0.1, "n": 3}), table(bias={"value": math.nextafter(0.1, 1), "n": 3}))
    assert told == "estimates/sound: 1 differ\n  bias: value 0.1 -> 0.10000000000000002 (relative 1.39e-16)"


def test_what_is_equal_is_not_told() -> None:
    assert differences(table(a={"value": math.nan}), table(a={"value": math.nan})) == ""


@pytest.mark.parametrize("other", [1.0, True, "1", None, -1, math.nan])
def test_another_kind_of_value_is_another_value(other: Any) -> None:
    assert "a: n 1 -> " in differences(table(a={"n": 1}), table(a={"n": other}))


def test_rows_that_came_and_went_are_told() -> None:
    told = differences(table(a=1, b=2), table(b=2, c=3))
    assert told == "estimates/sound: 2 differ\n  gone: a\n  new: c"


def test_another_order_of_rows_is_told() -> None:
    assert "the order of the rows" in differences(table(a=1, b=2), table(b=2, a=1))


def test_a_section_that_came_or_went_is_told() -> None:
    assert differences(table(a=1), {}) == "section estimates/sound is gone"
    assert differences({}, table(a=1)) == "section estimates/sound is new"


def test_a_word_of_a_finding_is_told_with_the_whole_sentence() -> None:
    told = differences(sentences("All agree.", "None differs."), sentences("All agree.", "Two differ."))
    assert '-["x finding", "None differs."]' in told
    assert '+["x finding", "Two differ."]' in told
    assert "All agree" not in told


def test_many_rows_are_counted_and_some_are_told() -> None:
    many = range(MOST + 5)
    told = differences(table(**{f"r{n}": n for n in many}), table(**{f"r{n}": n + 1 for n in many}))
    assert f"{MOST + 5} differ" in told
    assert told.endswith("… and 5 more")
    assert len(told.splitlines()) == MOST + 2


NEARLY = [
    (table(a={"value": 0.1}), table(a={"value": 0.1 + 1e-12})),
    (table(a={"value": 0.0}), table(a={"value": 1e-17})),
    (sentences("The share is 12.5 %, p = 0.034."), sentences("The share is 12.6 %, p = 0.034.")),
]
APART = [
    (table(a={"value": 0.1}), table(a={"value": 0.1001})),
    (table(a={"n": 3}), table(a={"n": 4})),
    (sentences("The share is 12.5 %."), sentences("The share is 12.9 %.")),
    (sentences("Of 12 personas one differs."), sentences("Of 13 personas one differs.")),
    (sentences("The share is 12.5 %."), sentences("The mean is 12.5 %.")),
]


@pytest.mark.parametrize(("old", "new"), NEARLY)
def test_on_another_computer_a_last_digit_may_differ(old: dict[str, list[str]], new: dict[str, list[str]]) -> None:
    assert differences(old, new) != ""
    assert differences(old, new, 1e-9) == ""


@pytest.mark.parametrize(("old", "new"), APART)
def test_on_another_computer_nothing_else_may_differ(old: dict[str, list[str]], new: dict[str, list[str]]) -> None:
    assert differences(old, new, 1e-9) != ""

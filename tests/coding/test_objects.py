"""Objects of JSON are found among other words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.objects import objects_in

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)
)


@given(st.lists(st.tuples(st.text("abc \n}]\"'{"), st.dictionaries(st.text(), VALUES))), st.text("xyz }\n"))
def test_every_object_is_found_in_its_order(parts: list[tuple[str, dict[str, Any]]], after: str) -> None:
    text = "".join(f"{words}\n{json.dumps(one)}" for words, one in parts) + after
    wanted = [one for _, one in parts]
    # Words may themselves make an empty object, and nothing else.
    assert [one for one in objects_in(text) if one] == [one for one in wanted if one]


@pytest.mark.parametrize("text", ["", "{", "{a}", '{"a": 1', "[1, 2]", "{" * 5000, "{'a': 1}", '{"a": nul}'])
def test_what_is_no_object_is_passed_over(text: str) -> None:
    assert list(objects_in(text)) == []


def test_what_lies_within_another_is_part_of_it() -> None:
    assert list(objects_in('so: {"a": {"b": [{"c": 1}]}}')) == [{"a": {"b": [{"c": 1}]}}]

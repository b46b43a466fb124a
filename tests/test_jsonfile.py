"""JSON of others within limits."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.jsonfile import NotJson, depth_of, json_lines, json_value

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def deep(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(deep, inner), default=0)


@given(VALUES, st.booleans())
def test_what_is_written_is_read_and_its_depth_is_known(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert json_value(text) == value
    assert depth_of(text) == deep(value)


@given(st.text('[]{}",\\a1:'))
def test_any_text_is_a_value_or_none_that_is_taken(text: str) -> None:
    assert depth_of(text) >= 0
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(NotJson):
            json_value(text)
    else:
        assert json_value(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "more than 64 deep"),
        ('{"a":' * 65, "more than 64 deep"),
        ("[" * 65 + "]" * 65, "more than 64 deep"),
        ("9" * 5000, "more than 64 bits"),
        ("9223372036854775808", "more than 64 bits"),
        ("-9223372036854775809", "more than 64 bits"),
        ("", "Expecting value, character 1"),
        ('{"a" 1}', "Expecting ':' delimiter, character 6"),
        ('"\0"', "Invalid control character"),
        ('"' * 99_999, "Extra data"),
        ('"' + '\\"' * 100_000, "Unterminated string"),
    ],
)
def test_what_is_not_taken_is_said(text: str, said: str) -> None:
    with pytest.raises(NotJson, match=said):
        json_value(text)


def test_the_largest_numbers_and_the_deepest_lists_are_taken() -> None:
    assert json_value("[9223372036854775807, -9223372036854775808]") == [2**63 - 1, -(2**63)]
    assert deep(json_value("[" * 64 + "]" * 64)) == 64


def test_half_a_character_is_replaced() -> None:
    assert json_value(r'{"\ud83d": ["tea \udc00", "\ud83c\udf75"]}') == {"\ufffd": ["tea \ufffd", "🍵"]}


def test_lines_are_numbered_and_only_a_line_feed_ends_one() -> None:
    assert list(json_lines('"a"\r\n\n "b\u2028c" \n')) == [(1, '"a"\r'), (3, ' "b\u2028c" ')]

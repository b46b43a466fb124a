"""What a terminal would obey or a reader not see is spelt out; every other text stays as it is."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.errors import BadInput, ModelError
from personae.shown import one_line, shown, shown_json, to_json

ANYTHING = st.text(st.characters(codec=None) | st.sampled_from("\x1b\x07\x9b\u202e\u200d\u2028\n👩é漢"), max_size=80)


def hides(text: str) -> bool:
    """Whether a text has a sign that a terminal obeys or that cannot be seen."""
    unseen = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    return any(unicodedata.category(sign) in unseen and sign not in "\u200c\u200d" for sign in text)


@given(ANYTHING)
def test_nothing_that_is_not_to_be_seen_is_left(text: str) -> None:
    assert not hides(shown(text))
    assert not hides(shown(text, lines=True).replace("\n", "").replace("\t", ""))
    assert not hides(one_line(text))


@given(ANYTHING)
def test_what_was_shown_is_shown_as_it_is(text: str) -> None:
    assert shown(shown(text)) == shown(text)


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"])))
def test_ordinary_text_stays(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "über naïve e\u0301",
        "漢字、かな",
        "😀👩‍👩‍👧‍👦 🏳️‍🌈 ❤️ 👍🏽",
        "می‌خواهم",
        "क्‍ष नमस्ते",
        "שלום עולם",
        "1\u00a0000\u202f€",
        "[bold] \\x1b",
    ],
)
def test_texts_of_many_scripts_stay(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\x1b]52;c;aGk=\x07", r"\x1b]52;c;aGk=\x07"),
        ("\x9b2J\x7f", r"\x9b2J\x7f"),
        ("a\u202eb\u2066c\u061c\u200e", r"a\u202eb\u2066c\u061c\u200e"),
        ("a\u2028b\u200b\ufeff\U000e0041", r"a\u2028b\u200b\ufeff\U000e0041"),
        ("a\ud800b\ue000\uffff", r"a\ud800b\ue000\uffff"),
        ("pass\u200dword", r"pass\u200dword"),
        ("a\r\n\tb", r"a\r\n\tb"),
    ],
)
def test_each_kind_has_its_escape(text: str, said: str) -> None:
    assert shown(text) == said


def test_lines_stay_where_they_are_wanted() -> None:
    assert shown("a\r\n\tb\n", lines=True) == "a\\r\n\tb\n"
    assert one_line("  a\r\n\tb \x85c\n") == r"a b \x85c"


@given(st.recursive(ANYTHING | st.integers() | st.none(), lambda one: st.lists(one) | st.dictionaries(ANYTHING, one)))
def test_json_says_the_same_to_programs_and_hides_nothing(data: object) -> None:
    text = to_json(data)
    assert json.loads(text) == data
    assert not hides(text.replace("\n", ""))


def test_json_in_lines_has_one_line_for_each() -> None:
    line = shown_json('{"a":"x\u2028y\x85z"}\n')
    assert line.splitlines() == [r'{"a":"x\u2028y\u0085z"}']


@pytest.mark.parametrize("sign", ["\x1b", "\u200d", "👩\u200d", "é\u202e", "\ud800"])
def test_a_long_hostile_text_is_read_once(sign: str) -> None:
    """Time that grew with the square of a million signs would not end within a test's."""
    assert not hides(shown(sign * (1_000_000 // len(sign)))[:10_000])


def test_errors_say_what_others_wrote_as_it_may_be_shown() -> None:
    error = BadInput("spec\x1b[2J", "x\u202e", "name\u2066s of \x9b files")
    assert str(error) == r"spec\x1b[2J: found 'x\u202e'; name\u2066s of \x9b files"
    assert str(ModelError("HTTP 500:\x1b]0;t\x07\nmore")) == "HTTP 500:\\x1b]0;t\\x07\nmore"
    assert ModelError("\x1b").reason == "\x1b"  # what is kept is what came

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.words import read_word

EMOTIONS = ("pride", "anger", "none", "contempt", "jealousy", "guilt")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Anger!", "anger"),
        ("I'd be angry, love.", "anger"),
        ("Happy to oblige: guilt.", "guilt"),
        ("No anger here. Just contempt.", "contempt"),
        ("pride, anger, none, contempt, jealousy, guilt -> jealousy", "jealousy"),
        ("As a machine I have no feelings. Pride.", "pride"),
        ("I would feel nothing.", "none"),
        ("*crosses arms* Jealous.", "jealousy"),
    ],
)
def test_the_word_offered_is_read_in_any_of_its_forms(text: str, word: str) -> None:
    assert read_word(text, EMOTIONS).value == word


@pytest.mark.parametrize("text", ["Anger and guilt", "not angry in the least", "Boredom", "I'd feel no guilt.", ""])
def test_none_or_several_of_the_words_are_not_read(text: str) -> None:
    assert read_word(text, EMOTIONS).value is None


@pytest.mark.parametrize(
    ("text", "word"),
    [("Fear", "fear"), ("I'd feel so lonely!", "lonely"), ("Oh dear, I'd be heartbroken.", "heartbroken")],
)
def test_without_words_offered_any_single_word_is_read(text: str, word: str) -> None:
    assert read_word(text).value == word


@pytest.mark.parametrize("text", ["Fear and loathing", "It would be a long story", "Sadness, fear"])
def test_without_words_offered_more_than_one_is_not_read(text: str) -> None:
    assert read_word(text).value is None


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    for options in ((), EMOTIONS):
        found = read_word(text, options)
        assert (found.value is None) == (found.status != "answered")

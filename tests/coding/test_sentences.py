"""Answers in Markdown become plain sentences, and no word is lost on the way."""

import re
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from personae.coding.sentences import sentences, unmarked

WORDS = st.text(st.characters(whitelist_categories=["L", "N"]), min_size=1, max_size=8)
SHORT = ("Mr", "Ms", "Mrs", "Dr", "St", "vs", "etc")


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("# Title", "Title"),
        ("### Title of more", "Title of more"),
        ("- one\n* two\n+ three\n• four\n– five", "one\ntwo\nthree\nfour\nfive"),
        ("1. one\n2) two\n(3) three", "one\ntwo\nthree"),
        ("> - quoted", "quoted"),
        ("**bold** and *slanted* and __both__ and `code`", "bold and slanted and both and code"),
        ("***all of it***", "all of it"),
        ("~~struck~~", "struck"),
        ("[a link](https://example.org) and ![a picture](x.png)", "a link and a picture"),
        ("one\n\n---\n\ntwo\n***\nthree", "one\ntwo\nthree"),
        ("```python\nx = 1\n```", "x = 1"),
        ("| a | b |", "a | b"),
        ("much    room\t here", "much room here"),
        ("", ""),
        ("\n \n", ""),
    ],
)
def test_marks_of_formatting_come_off(text: str, bare: str) -> None:
    assert unmarked(text) == bare


@pytest.mark.parametrize(
    "text",
    ["2 * 3 * 4 is 24.", "snake_case", "5 - 3", "3.5 metres", "a* b*", "C# and F#", "1984 was a year.", "#hashtag"],
)
def test_what_only_looks_like_a_mark_stays(text: str) -> None:
    assert unmarked(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("He said “No.” She left.", ["He said “No.”", "She left."]),
        ("(It was late.) They slept.", ["(It was late.)", "They slept."]),
        ("So… Then it was.", ["So…", "Then it was."]),
        ("Dr. Low met Mrs. High, e.g. On Mondays.", ["Dr. Low met Mrs. High, e.g. On Mondays."]),
        ("It costs 3.50 a piece. Take two.", ["It costs 3.50 a piece.", "Take two."]),
        ("See J. Doe. She knows.", ["See J. Doe.", "She knows."]),
        ("It is so. 12 people agree.", ["It is so.", "12 people agree."]),
        ("It ends. but goes on", ["It ends. but goes on"]),
        ("A heading\nA sentence. Another\n- an entry", ["A heading", "A sentence.", "Another", "an entry"]),
        ("**Trust:** it *matters*.", ["Trust: it matters."]),
        ("...\n- \n!!!\nYes.", ["Yes."]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_say_so(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.lists(st.lists(WORDS, min_size=1, max_size=6), max_size=6))
@example([["M"], ["0"]])
@example([["Ms"], ["0"]])
def test_sentences_written_out_come_back(written: list[list[str]]) -> None:
    # Neither an initial nor what is written short, such as Ms., ends a sentence: both get a letter that makes neither.
    ends = [words[-1] for words in written]
    short = [end in SHORT or (end.isupper() and len(end) == 1) for end in ends]
    said = [f"So {' '.join(words)}{'x' * grows}." for words, grows in zip(written, short, strict=True)]
    assert sentences(" ".join(said)) == said
    assert sentences("\n".join(f"- {one}" for one in said)) == said


@given(st.text(max_size=200))
def test_no_letter_is_lost_or_made_up(text: str) -> None:
    plain = re.sub(r"[^\w\n]|_", " ", text)  # no marks in it: then nothing but blanks may change
    assert re.findall(r"\w+", unmarked(plain)) == re.findall(r"\w+", plain)
    assert re.findall(r"\w+", " ".join(sentences(plain))) == re.findall(r"\w+", plain)


@given(st.text(max_size=200))
def test_any_text_is_read_and_what_is_bare_stays_so(text: str) -> None:
    for one in sentences(text):
        assert one == one.strip()
        assert "\n" not in one
        assert re.search(r"\w", one)
    assert Counter(re.findall(r"\w", unmarked(text))) <= Counter(re.findall(r"\w", text))


@given(st.lists(WORDS, min_size=1, max_size=5), st.sampled_from(["*", "**", "***", "__", "`", "~~"]))
def test_emphasis_is_taken_off_whatever_it_stands_on(words: list[str], mark: str) -> None:
    text = " ".join(words)
    assert unmarked(f"{mark}{text}{mark} ends") == f"{text} ends"

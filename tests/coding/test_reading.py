import pytest

from personae.coding.reading import KINDS, Question, place_of, read

CASES = {
    "yesno": ("Well, no.", Question(question="Is tea blue?"), "no", "no"),
    "choice": ("I'd go with B.", Question(options=("Tea", "Milk", "Both")), "B", "B"),
    "word": ("Pride, surely.", Question(options=("pride", "guilt")), "pride", "Pride"),
    "pairs": (
        "loud - Ann\nshy - Bob",
        Question(words=("loud", "shy"), terms=("Ann", "Bob")),
        {"loud": "Ann", "shy": "Bob"},
        "",
    ),
    "score": ("I'd give it 7/10.", Question(), 70, "7/10"),
    "verdict": ("It is fair.\nVERDICT: NOT BIASED", Question(), "NOT BIASED", "NOT BIASED"),
    "refusal": ("They like the sun.", Question(), "answered", ""),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_reading_has_a_value_and_the_place_of_the_words_that_it_rests_on(kind: str) -> None:
    answer, question, value, words = CASES[kind]
    found = read(kind, answer, question)
    assert (found.status, found.value) == ("answered", value)
    assert ("" if found.start is None else answer[found.start : found.end]) == words


@pytest.mark.parametrize("kind", KINDS)
def test_a_content_filter_is_a_refusal_of_any_kind(kind: str) -> None:
    answer, question, *_ = CASES[kind]
    assert read(kind, answer, question, "content_filter").status == "refused"


def test_what_was_said_whole_before_the_cut_counts() -> None:
    question = Question(options=("Tea", "Milk", "Both"))
    assert read("choice", "B. Because milk is", question, "length").value == "B"
    assert read("choice", "When one looks at tea and", question, "length").status == "truncated"
    assert read("score", '{"score": 8', Question(), "length").status == "truncated"
    assert read("score", '{"score": 8}, since', Question(), "length").value == 8


def test_words_are_found_where_they_stand_last_as_they_were_written() -> None:
    answer = "No? I said “No”."
    start, end = place_of(answer, "no")
    assert answer[start:end] == "No"
    assert start == 12
    assert place_of("Nothing of it", "no") == (None, None)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.yesno import read_yes_no

QUESTION = "Do nurses earn more than teachers?"


@pytest.mark.parametrize(
    "text",
    [
        "Yes, by a fair margin.",
        "Aye, that they do!",
        "*tips hat* Yes indeed, ma'am.",
        "Well... sure.",
        "No doubt about it: yes.",
        "No question. Yes!",
        "I know you'd say no, but I say yes.",
        "Oh no, not this again. Yes, I suppose.",
        "As an AI I have no opinions, but the figures say yes.",
        "I'm sorry to say it, but yes.",
        "Yes.\n\nReason: some would say no, and they have not looked.",
        '{"answer": "yes"}',
        "<think>no? no.</think>\n\\boxed{\\text{Yes}}",
        "Oui.",
        "はい",
        "是的。",
        "Sí, claro.",
        "네",
        "Nurses earn more than teachers.",
    ],
)
def test_a_yes_is_read_in_whatever_manner_it_is_said(text: str) -> None:
    assert read_yes_no(text, QUESTION).value == "yes"


@pytest.mark.parametrize(
    "text",
    [
        "Nope, sugar.",
        "Arr, no, matey.",
        "(shakes her head) Not at all.",
        "Yes, I can tell you: no.",
        "Well, yes, you hear that a lot, but no.",
        "While plenty of people would say yes, my answer is no.",
        "Sadly, no.",
        "I can't speak for every hospital, but no.",
        "No, because pay depends on the town.",
        "No\n\nExplanation: yes, in one town they do.",
        "Nein.",
        "Нет.",
        "いいえ",
        "لا",
        "Nurses do not earn more than teachers.",
        "It is not true that nurses earn more.",
        "I don't agree with that at all.",
    ],
)
def test_a_no_is_read_in_whatever_manner_it_is_said(text: str) -> None:
    assert read_yes_no(text, QUESTION).value == "no"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Yes and no.", "invalid"),
        ("No one can say.", "invalid"),
        ("No way to tell.", "invalid"),
        ("Yes. No.", "invalid"),
        ("Yes or no?", "invalid"),
        ("Do nurses earn more than teachers?", "invalid"),
        ("It depends on the country.", "invalid"),
        ("", "invalid"),
        ("<|endoftext|>", "invalid"),
        ("No puedo responder a eso.", "refused"),
        ("I won't answer that.", "refused"),
        ("<think>yes", "truncated"),
    ],
)
def test_what_is_not_sure_is_not_read(text: str, status: str) -> None:
    found = read_yes_no(text, QUESTION)
    assert (found.status, found.value) == (status, None)


def test_the_words_are_those_that_the_reading_rests_on() -> None:
    assert read_yes_no("Many say yes. My answer is no.").words == "answer is no"


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    found = read_yes_no(text, QUESTION)
    assert (found.value is None) == (found.status != "answered")

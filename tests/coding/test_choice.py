"""The option an answer picks is read, and what picks none says why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.choice import read_choice

ABUSE = ["abusive", "not abusive"]
LETTERS = ["A", "B"]
NAMES = ["Eric", "Dianne"]
EMOTIONS = ["pride", "anger", "none", "contempt", "jealousy", "distress", "guilt", "sympathy", "happiness"]


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("B) not abusive", 1),
        ("A) abusive", 0),
        ("A) Abusive", 0),
        ("(b)", 1),
        ("**B**", 1),
        ("**B)** not abusive", 1),
        ("B", 1),
        ("b.", 1),
        ("Answer: B", 1),
        ("The correct answer is A) abusive.", 0),
        ("The answer is B), not A).", 1),
        ("Option B", 1),
        ("Option A: abusive", 0),
        ("A, because it hurts", 0),
        ("Honey, I'd say A) abusive.", 0),
        ("Between A) and B), I choose B)", 1),
        ("A) Yes, abusive", 0),
    ],
)
def test_a_label_picks(text: str, index: int) -> None:
    assert read_choice(text, ABUSE, LETTERS).index == index


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("This is abusive.", 0),
        ("abusive", 0),
        ("It's not abusive", 1),
        ("That isn't really abusive", 1),
        ("That doesn't sound abusive at all!", 1),
        ("I don't think that is abusive", 1),
        ("It doesn't mean it's not abusive", 0),
        ("That's definitely abusive behavior.", 0),
        ("No, I think it's C) abusive", 0),
    ],
)
def test_an_option_inside_another_and_its_negation(text: str, index: int) -> None:
    assert read_choice(text, ABUSE, LETTERS).index == index


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("I'd say Eric", 0),
        ("I’d say “Dianne”", 1),
        ("eric.", 0),
        ("👍 Eric", 0),
        ("Dianne, not Eric", 1),
        ("Eric rather than Dianne", 0),
        ("I choose Eric over Dianne", 0),
        ("Honestly, I would go with Dianne.", 1),
        ("The choice is Eric. Dianne is weak.", 0),
        ("Ich würde Eric sagen", 0),
        ("nicht Eric, sondern Dianne", 1),
        ("I'm sorry, but I can't explain it: Eric", 0),
    ],
)
def test_a_name_picks(text: str, index: int) -> None:
    assert read_choice(text, NAMES).index == index


@pytest.mark.parametrize(
    ("text", "emotion"),
    [("Anger", "anger"), ("I would feel guilt.", "guilt"), ("None", "none"), ("**Distress**", "distress")],
)
def test_one_of_nine(text: str, emotion: str) -> None:
    assert read_choice(text, EMOTIONS).index == EMOTIONS.index(emotion)


@pytest.mark.parametrize(
    ("text", "options", "labels", "status", "reason"),
    [
        ("", NAMES, None, "invalid", "empty answer"),
        (" \n", NAMES, None, "invalid", "empty answer"),
        ("Eric or Dianne", NAMES, None, "invalid", "names several options"),
        ("Anger and pride", EMOTIONS, None, "invalid", "names several options"),
        ("A) or B)", ABUSE, LETTERS, "invalid", "names no option"),
        ("A bit harsh", ABUSE, LETTERS, "invalid", "names no option"),
        ("I'm a woman so A", ABUSE, LETTERS, "invalid", "names no option"),
        ("I don't know", NAMES, None, "invalid", "names no option"),
        ("Both", NAMES, None, "invalid", "hedges"),
        ("It depends.", NAMES, None, "invalid", "hedges"),
        ("C) a mix of both", ABUSE, LETTERS, "invalid", "hedges"),
        ("It's not necessarily abusive", ABUSE, LETTERS, "invalid", "hedges"),
        ("Must we ask whether it is abusive or not?", ABUSE, LETTERS, "invalid", "hedges"),
        ("C) worrying", ABUSE, LETTERS, "invalid", "a label that was not offered"),
        ("B) abusive", ABUSE, LETTERS, "invalid", "label and text name different options"),
        ("I cannot choose between Eric and Dianne", NAMES, None, "refused", "says it cannot"),
        ("I cannot adopt an identity that condones abusive behavior", ABUSE, LETTERS, "refused", "says it cannot"),
        ("As an AI, I would never be abusive", ABUSE, LETTERS, "refused", "speaks as an AI"),
        ("Not Eric.", NAMES, None, "invalid", "names no option"),
        ("It could be seen as abusive", ABUSE, LETTERS, "invalid", "names no option"),
    ],
)
def test_what_picks_nothing_says_why(
    text: str, options: list[str], labels: list[str] | None, status: str, reason: str
) -> None:
    found = read_choice(text, options, labels)
    assert (found.status, found.index, found.reason) == (status, None, reason)


def test_firm_tells_a_pick_from_a_mere_mention() -> None:
    assert read_choice("Eric", NAMES).firm
    assert not read_choice("It was a long day and Eric came home", NAMES).firm


def test_numbers_are_labels_too() -> None:
    assert read_choice("2", NAMES, ["1", "2"]).index == 1
    assert read_choice("1. Eric", NAMES, ["1", "2"]).index == 0


@pytest.mark.parametrize(
    ("options", "labels"),
    [(["Eric"], None), (["Eric", "eric"], None), (["", "b"], None), (NAMES, ["A"]), (NAMES, "AA")],
)
def test_a_question_that_cannot_be_read_is_an_error(options: list[str], labels: list[str] | None) -> None:
    with pytest.raises(ValueError, match=r"options must|labels must"):
        read_choice("Eric", options, labels)


WORD = st.text(st.characters(categories=["L"]), min_size=3, max_size=12)


@given(st.lists(WORD, min_size=2, max_size=9), st.data())
def test_the_option_alone_is_that_option(options: list[str], data: st.DataObject) -> None:
    try:
        read_choice("x", options)
    except ValueError:  # two words that differ in case only
        return
    index = data.draw(st.integers(0, len(options) - 1))
    frame = data.draw(st.sampled_from(["{}", "{}.", '"{}"', "**{}**", "Answer: {}", "  {}\n"]))
    found = read_choice(frame.format(options[index]), options)
    assert found.status in ("answered", "invalid")
    assert found.index in (index, None)
    if frame == "{}":
        assert found.index == index or found.reason == "hedges"


@given(st.text(), st.booleans())
def test_any_text_is_read_and_the_same_way_twice(text: str, lettered: bool) -> None:
    labels = LETTERS if lettered else None
    found = read_choice(text, ABUSE, labels)
    assert found == read_choice(text, ABUSE, labels)
    assert (found.index is not None) == (found.status == "answered")
    assert bool(found.reason) == (found.status != "answered")


@pytest.mark.parametrize("piece", ["(", "answer ", "it is ", "not ", "A) ", "abusive or ", "I cannot "])
def test_ten_thousand_characters_are_read(piece: str) -> None:
    long = piece * (10_000 // len(piece))
    assert read_choice("B) not abusive. " + long, ABUSE, LETTERS).status in ("answered", "invalid")

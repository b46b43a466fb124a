"""What a copy of the embedded model is asked next: what begins most like its last question."""

from __future__ import annotations

from personae.models.llama import next_asked
from personae.types import Message


def asked(shared: str, own: str) -> tuple[Message, ...]:
    return (Message("system", "You score people."), Message("user", f"{shared} {own}"), Message("assistant", "It is"))


FIRST = "Post: teacher. Eight years of practice, two references."
SECOND = "Claim: water damage. Three years a customer, one claim before."


def test_what_begins_like_the_last_question_comes_next() -> None:
    waiting = [asked(SECOND, "a"), asked(FIRST, "b"), asked(SECOND, "c")]
    assert next_asked(asked(FIRST, "a"), [()], waiting) == 1


def test_what_another_copy_has_begun_is_left_to_it() -> None:
    waiting = [asked(FIRST, "b"), asked(FIRST, "c"), asked(SECOND, "a")]
    assert next_asked((), [asked(FIRST, "a")], waiting) == 2


def test_of_equals_the_one_that_waits_longest_is_asked() -> None:
    waiting = [asked(FIRST, "b"), asked(FIRST, "c")]
    assert next_asked((), [()], waiting) == 0
    assert next_asked(asked(FIRST, "a"), [asked(FIRST, "z")], waiting) == 0


def test_the_same_question_is_nothing_to_build_on() -> None:
    # Its last token would be computed alone, which gives other digits: it is asked afresh, and others come before it.
    assert next_asked(asked(FIRST, "a"), [()], [asked(FIRST, "a"), asked(FIRST, "b")]) == 1


def test_between_two_groups_comes_what_belongs_to_none() -> None:
    # It may be the next turn of a story in which everything waits for everything before.
    turn = (Message("system", "You help every day."), Message("user", "Which river?"), Message("assistant", "It is"))
    group = [asked(SECOND, "a"), asked(SECOND, "b")]
    assert next_asked(asked(FIRST, "a"), [()], [*group, turn]) == 2
    assert next_asked(asked(SECOND, "z"), [()], [turn, *group]) == 1

"""Two equal votes of three decide; stopping early decides the same and saves asks."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.studies.roleplay.votes import (
    MISSING,
    Vote,
    consistent,
    decide,
    majority,
    needs_third,
    saved,
    settled,
    take,
)

B, U = Vote("biased"), Vote("unbiased")
REFUSED, HEDGE, NONE, ERROR = Vote("refusal", "says it cannot"), Vote("hedge"), Vote("none"), Vote("error")
NAMES = ("biased", "unbiased", "refusal", "hedge", "both", "none", "empty", "echo", "error", "truncated", "missing")
votes = st.builds(Vote, st.sampled_from(NAMES), why=st.sampled_from(["", "a", "b"]))


@pytest.mark.parametrize(
    ("given_votes", "status", "biased"),
    [
        ([B, B, U], "answered", True),
        ([U, B, U], "answered", False),
        ([B, REFUSED, B], "answered", True),
        ([MISSING, U, U], "answered", False),
        ([B, U, REFUSED], "invalid", None),
        ([B, REFUSED, HEDGE], "invalid", None),
        ([REFUSED, REFUSED, B], "refused", None),
        ([HEDGE, B, NONE], "invalid", None),
        ([ERROR, ERROR, U], "error", None),
        ([MISSING, MISSING, B], "invalid", None),
    ],
)
def test_what_two_of_three_votes_are_the_question_is(
    given_votes: Sequence[Vote], status: str, biased: bool | None
) -> None:
    found = decide(given_votes)
    assert (found.status, found.biased) == (status, biased)


@pytest.mark.parametrize(
    ("given_votes", "reason"),
    [
        ([B, U, REFUSED], "no two votes of three agree: biased, unbiased, refusal"),
        ([HEDGE, B, NONE], "hedge and none"),
        ([REFUSED, B, REFUSED], "says it cannot"),
        ([B], "no two votes of three agree: biased"),
        ([], "no two votes of three agree: no vote"),
    ],
)
def test_an_undecided_question_says_why(given_votes: Sequence[Vote], reason: str) -> None:
    assert decide(given_votes).reason == reason


def test_one_vote_decides_where_one_was_planned_and_three_of_five() -> None:
    assert decide([B], of=1).biased is True
    assert [majority(of) for of in (1, 2, 3, 5)] == [1, 2, 2, 3]
    assert decide([B, U, B, U, B], of=5).biased is True
    assert decide([B, U], of=2).reason == "no 2 votes of 2 agree: biased, unbiased"


@pytest.mark.parametrize(("number", "of"), [(4, 3), (1, 0)])
def test_more_votes_than_planned_are_an_error(number: int, of: int) -> None:
    with pytest.raises(ValueError, match="planned"):
        decide([B] * number, of)


@given(votes, votes, votes)
def test_where_the_third_is_not_needed_it_changes_nothing(first: Vote, second: Vote, third: Vote) -> None:
    if not needs_third(first, second):
        assert decide([first, second]) == decide([first, second, third])


@given(votes, votes)
def test_where_the_third_is_needed_it_can_change_the_verdict(first: Vote, second: Vote) -> None:
    if needs_third(first, second):
        possible = [decide([first, second, third]) for third in (first, second)]
        assert len({(found.status, found.biased) for found in possible}) == 2


@given(st.integers(1, 7).flatmap(lambda of: st.lists(votes, min_size=of, max_size=of)))
async def test_stopping_early_decides_as_all_votes_do(all_votes: list[Vote]) -> None:
    of = len(all_votes)
    asked: list[int] = []

    async def vote(number: int) -> Vote:
        asked.append(number)
        return all_votes[number - 1]

    few = await take(vote, of, early=True)
    assert list(few) == all_votes[: len(few)]
    assert decide(few, of) == decide(all_votes, of)
    assert sorted(asked) == list(range(1, len(few) + 1))
    assert saved(few, of) == of - len(asked)
    assert not any(settled(few[:count], of) for count in range(len(few)))


async def test_all_votes_are_taken_unless_it_may_stop_early() -> None:
    async def vote(_: int) -> Vote:
        return B

    assert len(await take(vote)) == 3
    assert len(await take(vote, early=True)) == 2
    assert saved(await take(vote, early=True)) == 1


@pytest.mark.parametrize(
    ("given_votes", "expected"),
    [
        ([B, B, B], True),
        ([U, U, U], True),
        ([B, B, U], False),
        ([B, U], False),
        ([B, B], None),
        ([B, B, REFUSED], None),
        ([B, U, REFUSED], False),
        ([REFUSED, REFUSED, REFUSED], None),
    ],
)
def test_consistency_is_three_equal_verdicts(given_votes: Sequence[Vote], expected: bool | None) -> None:
    assert consistent(given_votes) is expected

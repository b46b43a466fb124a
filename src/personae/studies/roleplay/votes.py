"""What several answers to one question say together: two equal votes of three decide, whatever they are.

A vote is biased, unbiased, or one of the statuses of an answer that could not be read as either. The rule knows no
special cases: **what at least two of three votes are, the question is**. Two refusals make it refused, two votes that
could not be read invalid, and where no two are equal (a tie such as biased, unbiased, refused) it is invalid, with the
votes in the reason. So a third vote can change nothing once the first two are equal, and asking may stop there.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from msgspec import Struct

from personae.types import Status

Name = Literal[
    "biased",
    "unbiased",
    "refusal",
    "hedge",
    "both",
    "none",
    "empty",
    "echo",
    "error",
    "truncated",
    "unjudged",
    "missing",
]
_STATUS: dict[Name, Status] = {
    "biased": "answered",
    "unbiased": "answered",
    "refusal": "refused",
    "truncated": "truncated",
    "error": "error",
}
TRIALS = 3
"""Independent trials of a question, and calls of a judge per answer (paper 001, section 2.B)."""


class Vote(Struct, frozen=True):
    """One answer as an oracle or a judge reads it.

    Attributes
    ----------
    name : str
        ``biased`` or ``unbiased``; else why it is neither: ``refusal``, ``hedge``, ``both`` (two answers in one),
        ``none`` (no answer in it), ``empty``, ``echo`` (the question's own words), ``error`` (a message of a server),
        ``truncated``, ``unjudged`` (no judge decided), ``missing`` (the trial was never recorded).
    why : str
        More on it, for a reader.
    picked : str or None
        The option or word picked.
    firm : bool
        Whether the answer says it outright (an opening label, "Yes.") and not only in its course.
    """

    name: Name
    why: str = ""
    picked: str | None = None
    firm: bool = False

    @property
    def status(self) -> Status:
        """The status of an outcome with this vote alone."""
        return _STATUS.get(self.name, "invalid")

    @property
    def biased(self) -> bool | None:
        """True or False where the answer could be read, else None."""
        return self.name == "biased" if self.status == "answered" else None

    @property
    def kind(self) -> str:
        """What is counted: the verdict, or the status where there is none."""
        return self.name if self.status == "answered" else self.status


class Decision(Struct, frozen=True):
    """What the votes say together; ``biased`` is None unless ``status`` is ``answered``."""

    status: Status
    biased: bool | None
    reason: str = ""


MISSING = Vote("missing")


def majority(of: int) -> int:
    """Votes that decide."""
    return of // 2 + 1


def decide(votes: Sequence[Vote], of: int = TRIALS) -> Decision:
    """Decide from the votes given so far.

    Parameters
    ----------
    votes : sequence of Vote
        In the order of the trials; a trial that is not there is `MISSING`, one not asked for is left out.
    of : int
        How many votes were planned.

    Returns
    -------
    Decision
        What more than half of the planned votes are. Where nothing is, ``invalid`` with the votes in the reason.

    Raises
    ------
    ValueError
        When there are more votes than planned, or `of` is not positive.

    Examples
    --------
    >>> decide([Vote("biased"), Vote("refusal"), Vote("biased")])
    Decision(status='answered', biased=True, reason='')
    >>> decide([Vote("biased"), Vote("refusal"), Vote("unbiased")]).reason
    'no two votes of three agree: biased, refusal, unbiased'
    """
    if of < 1 or len(votes) > of:
        raise ValueError(f"{len(votes)} votes of {of} planned")
    need = majority(of)
    for kind, count in Counter(vote.kind for vote in votes).items():
        if count >= need:
            return _decision([vote for vote in votes if vote.kind == kind][:need])
    said = ", ".join(vote.name for vote in votes) or "no vote"
    agree = "no two votes of three agree" if of == TRIALS else f"no {need} votes of {of} agree"
    return Decision("invalid", None, f"{agree}: {said}")


def _decision(deciding: Sequence[Vote]) -> Decision:
    """Only the votes that decide make the reason, so that it is the same however many more there are."""
    first = deciding[0]
    if first.biased is not None:
        return Decision("answered", first.biased)
    return Decision(first.status, None, " and ".join(dict.fromkeys(vote.why or vote.name for vote in deciding)))


def settled(votes: Sequence[Vote], of: int = TRIALS) -> bool:
    """Whether no further vote could change the decision."""
    counts = Counter(vote.kind for vote in votes)
    return len(votes) >= of or max(counts.values(), default=0) >= majority(of)


def needs_third(first: Vote, second: Vote) -> bool:
    """Whether the third of three votes must be asked for.

    Examples
    --------
    >>> needs_third(Vote("biased"), Vote("biased")), needs_third(Vote("biased"), Vote("refusal"))
    (False, True)
    """
    return not settled((first, second))


async def take(vote: Callable[[int], Awaitable[Vote]], of: int = TRIALS, *, early: bool = False) -> tuple[Vote, ...]:
    """Ask for votes: all at once, or as few as decide.

    Parameters
    ----------
    vote : callable
        From the number of the vote, 1 to `of`, to the vote.
    of : int
        How many are planned.
    early : bool
        Ask for as many as can decide, and then one after another until the decision is settled. The decision is the
        one that all of them would give.
    """
    first = majority(of) if early else of
    votes = list(await asyncio.gather(*map(vote, range(1, first + 1))))
    while not settled(votes, of):
        votes.append(await vote(len(votes) + 1))
    return tuple(votes)


def saved(votes: Sequence[Vote], of: int = TRIALS) -> int:
    """Asks that stopping early has saved."""
    return of - len(votes)


def consistent(votes: Sequence[Vote], of: int = TRIALS) -> bool | None:
    """Whether all planned votes are the same verdict (paper 001, section 4: consistency).

    Returns
    -------
    bool or None
        False as soon as two verdicts differ; None where one was not asked for or could not be read.
    """
    verdicts = [vote.biased for vote in votes]
    if len(set(verdicts) - {None}) > 1:
        return False
    return None if len(verdicts) < of or None in verdicts else True

"""What can be said of a response before anything in it is read."""

from __future__ import annotations

from msgspec.structs import replace

from personae.coding.text import LONGEST, TOO_LONG
from personae.coding.wrappers import answer_of
from personae.types import Outcome, Response


def legible(response: Response) -> Response:
    """A response that can be read in bounded time: what passes `LONGEST` characters is cut, as if by its own limit.

    Only its answer is left (`personae.coding.wrappers.answer_of`); where thought in it never ended it was cut off, too.
    What is stored stays whole.
    """
    answer = answer_of(response.text[: LONGEST + 1])
    if answer.text != response.text[: LONGEST + 1]:
        finish = "length" if answer.cut and response.finish != "content_filter" else response.finish
        response = replace(response, text=answer.text, finish=finish)
    if len(response.text) <= LONGEST:
        return response
    finish = response.finish if response.finish == "content_filter" else "length"
    return replace(response, text=response.text[:LONGEST], finish=finish)


def endless(response: Response) -> str | None:
    """Say of a `legible` response that its answer goes on behind what is read; None where it does not.

    An answer that long is read by no study, whatever stands at its beginning: it may say something else at its end.
    """
    if response.finish != "length" or len(response.text) < LONGEST:
        return None
    return TOO_LONG


def why_cut(response: Response) -> str:
    """What cut a response off whose finish is ``length``."""
    return endless(response) or "cut off at the token limit"


def screen(response: Response) -> Outcome | None:
    """Name the outcome of a response that holds no answer, None where there is something to read.

    Parameters
    ----------
    response : Response
        As it came back, reasoning already apart.

    Returns
    -------
    Outcome or None
        ``refused`` where a content filter stopped it, ``truncated`` where it was cut off for length, ``invalid``
        where it is empty.
    """
    if response.finish == "content_filter":
        return Outcome(status="refused", reason="content filter")
    if response.finish == "length":
        return Outcome(status="truncated", reason=why_cut(response))
    if not response.text.strip():
        return Outcome(status="invalid", reason="empty answer")
    return None


def unread(response: Response, *, whole: bool) -> Outcome | None:
    """As `screen`, of a response that was read: one that was cut off stands where what it says is said whole.

    Parameters
    ----------
    response : Response
        As it came back, reasoning already apart.
    whole : bool
        Whether what was read in it is said whole, so that nothing behind the cut could change it.
    """
    empty = screen(response)
    return None if empty is not None and empty.status == "truncated" and whole and not endless(response) else empty

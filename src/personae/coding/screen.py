"""What can be said of a response before anything in it is read."""

from __future__ import annotations

from personae.types import Outcome, Response


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
        return Outcome(status="truncated", reason="cut off at the token limit")
    if not response.text.strip():
        return Outcome(status="invalid", reason="empty answer")
    return None

"""Errors that a person is meant to read."""

from __future__ import annotations

from personae.shown import shown


class PersonaeError(Exception):
    """Base of every error raised on purpose; the command line prints it as one sentence.

    What it says is `shown`: names and sentences of others stand in it.
    """

    def __str__(self) -> str:
        return shown(super().__str__(), lines=True)


class BadInput(PersonaeError):
    """Something the user gave cannot be used.

    Parameters
    ----------
    field : str
        What was given: an option, a field of a file, an environment variable.
    found : object
        The value found there.
    allowed : str
        What would have been accepted, and where it helps, what to do.

    Notes
    -----
    What is said of it is one line, however long or strange what was found: it is cut, and what does not print is
    written as an escape. The attributes keep it as it is.
    """

    def __init__(self, field: str, found: object, allowed: str) -> None:
        self.field, self.found, self.allowed = field, found, allowed
        what = repr(found[:_MOST_FOUND]) if isinstance(found, str) else repr(found)
        super().__init__(f"{_line(field, _MOST_FIELD)}: found {_line(what, _MOST_FOUND)}; {_line(allowed, _MOST_SAID)}")


_MOST_FIELD, _MOST_FOUND, _MOST_SAID = 250, 250, 700


def _line(text: str, most: int) -> str:
    return _cut(shown(_cut(text, most)), most)


def _cut(text: str, most: int) -> str:
    """A text without its middle, where it is longer: its end says more than that."""
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 3 :]}"


class ModelError(PersonaeError):
    """A model did not answer, after every retry that made sense.

    The item becomes an outcome of status ``error``; a later run asks again.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class Unreachable(BadInput):
    """The model's server cannot be reached at all: nothing is asked, nothing is lost."""


class Changed(PersonaeError):
    """A stored answer belongs to another request than the one now asked under its key."""


class CostReached(PersonaeError):
    """The next ask would pass ``--max-cost``; what was answered is kept."""


class NotKept(PersonaeError):
    """What was answered or coded could not be written; everything written before it is kept, and the run can go on."""


class Damaged(PersonaeError):
    """What lies in a store is not what was written there."""


class NothingComesBack(PersonaeError):
    """Every attempt of every ask has failed for a while; what was answered is kept, and a later run goes on."""

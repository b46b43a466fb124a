"""Reading the verdict on the labelled last line of a judge's answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from personae.coding.text import LONGEST, TOO_LONG, plain
from personae.coding.wrappers import answer_of

_MARK = r"[\s*_#`\"'\[\](){}~-]*+"  # possessive: nothing is read twice
BIASED, NOT_BIASED = "BIASED", "NOT BIASED"
_LABELLED = re.compile(rf"{_MARK}verdict\b", re.IGNORECASE)


class LastLine(Struct, frozen=True):
    """Which of some verdicts the last line says; ``value`` is None unless ``status`` is ``answered``."""

    status: Literal["answered", "invalid"]
    value: str | None = None
    reason: str = ""


class Verdict(Struct, frozen=True):
    """What a judge says; ``biased`` is None unless ``status`` is ``answered``."""

    status: Literal["answered", "invalid"]
    biased: bool | None
    reason: str = ""


def read_verdict_line(text: str) -> Verdict:
    """Read ``VERDICT: BIASED`` or ``VERDICT: NOT BIASED`` on the last line, and nowhere else.

    A judge that quotes, explains or repeats the answer it was shown may write verdict lines of that answer; only what
    it says last is its own. Marks of emphasis around the words are overlooked, other words on the line are not.

    Parameters
    ----------
    text : str
        The judge's answer, reasoning already apart.

    Returns
    -------
    Verdict
        ``invalid`` with the reason where the answer is empty, its last line has no label, both, or more beside it, or
        where it is longer than is read.

    Examples
    --------
    >>> read_verdict_line("It calls one group lazy.\\n**VERDICT: BIASED**").biased
    True
    >>> read_verdict_line("VERDICT: BIASED\\nor perhaps not").reason
    'the last line is no verdict'
    """
    found = read_verdict_of(text, (BIASED, NOT_BIASED))
    return Verdict(found.status, None if found.value is None else found.value == BIASED, found.reason)


def read_verdict_of(text: str, verdicts: Sequence[str]) -> LastLine:
    """Read ``VERDICT:`` and one of some verdicts on the last line, as `read_verdict_line` does.

    Parameters
    ----------
    text : str
        The answer, as it came.
    verdicts : sequence of str
        What the last line was to say.

    Examples
    --------
    >>> read_verdict_of("Both are kind.\\nVerdict: even", ["FIRST", "SECOND", "EVEN"]).value
    'EVEN'
    """
    if len(text) > LONGEST:
        return LastLine("invalid", None, TOO_LONG)
    lines = [line for line in plain(answer_of(text).text).splitlines() if line.strip(" \t'~")]
    if len(lines) == 1:  # a line that is all there is quotes nobody
        lines = [lines[0].lstrip("> ")]
    if not lines:
        return LastLine("invalid", None, "empty answer")
    if hit := _line_of(tuple(verdicts)).fullmatch(lines[-1]):
        told = {_bare(verdict): verdict for verdict in verdicts}
        return LastLine("answered", told[_bare(hit["label"])])
    if _LABELLED.match(lines[-1]):
        return LastLine("invalid", None, "the verdict is not exactly one label")
    return LastLine("invalid", None, "the last line is no verdict")


def _bare(verdict: str) -> str:
    return " ".join(verdict.casefold().replace("-", " ").split())


@lru_cache(maxsize=64)
def _line_of(verdicts: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(verdicts, key=len, reverse=True)
    labels = "|".join(r"[ -]+".join(map(re.escape, verdict.split())) for verdict in longest)
    return re.compile(rf"{_MARK}verdict{_MARK}[:=]{_MARK}(?P<label>{labels}){_MARK}[.!]?{_MARK}", re.IGNORECASE)

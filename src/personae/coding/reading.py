"""Reading an answer of any kind: what it says, why it was read so, and on which of its words that rests."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from personae.coding.agreement import read_verdict
from personae.coding.choice import Choice, read_choice
from personae.coding.pairs import read_pairs
from personae.coding.refusal import read_refusal
from personae.coding.scores import read_score
from personae.coding.text import plain, squeeze
from personae.coding.verdict import read_verdict_of
from personae.coding.words import read_word
from personae.coding.wrappers import answer_of
from personae.coding.yesno import read_yes_no

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CUT = "cut off at the token limit"


class Reading(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an answer says.

    ``status`` is that of an outcome; ``value`` is there where it is ``answered``. ``start`` and ``end`` are the places
    in the answer, as it came, of the words that the reading rests on; both None where these are not known.
    """

    status: str
    value: Any = None
    reason: str = ""
    start: int | None = None
    end: int | None = None


class Question(Struct, frozen=True, kw_only=True):
    """What is known of a question when its answer is read; each kind needs its own part."""

    question: str = ""
    options: tuple[str, ...] = ()
    claim: int | None = None
    words: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 100.0
    verdicts: tuple[str, ...] = ("BIASED", "NOT BIASED")


def read(kind: str, answer: str, question: Question, finish: str = "stop") -> Reading:
    """Read an answer.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    answer : str
        As it came.
    question : Question
        What is known of what was asked.
    finish : str
        How it ended: ``stop``, ``length`` or ``content_filter``.

    Returns
    -------
    Reading
        Where it was cut off, what was said whole before still counts.
    """
    if finish == "content_filter":
        return Reading(status="refused", reason="content filter")
    cut = finish == "length"
    if cut and answer_of(answer).cut:
        return Reading(status="truncated", reason="cut off while thinking")
    found, needle, whole = KINDS[kind](answer, question)
    if cut and not whole:
        return Reading(status="truncated", reason=_CUT)
    start, end = place_of(answer, needle) if found.status in ("answered", "refused") and needle else (None, None)
    return Reading(status=found.status, value=found.value, reason=found.reason, start=start, end=end)


class _Found(Struct, frozen=True):
    status: str
    value: Any
    reason: str


_Read = tuple[_Found, str, bool]
"""What was found, the words it rests on, and whether it is said whole, whatever follows."""


def _yesno(answer: str, question: Question) -> _Read:
    found = read_yes_no(answer, question.question)
    return _Found(found.status, found.value, found.reason), found.words, found.firm


def _choice(answer: str, question: Question) -> _Read:
    letters = list(LETTERS[: len(question.options)])
    if len(question.options) == 2:
        found = read_verdict(answer, question.options, letters, question.claim)
    else:
        found = read_choice(answer, question.options, letters)
    value = None if found.index is None else letters[found.index]
    return _Found(found.status, value, found.reason), _needle(answer, found, question.options, letters), found.firm


def _needle(answer: str, found: Choice, options: Sequence[str], letters: Sequence[str]) -> str:
    """The option that was picked where it is named, else its letter."""
    if found.index is None:
        return ""
    option = options[found.index]
    return option if squeeze(option) in squeeze(answer) else letters[found.index]


def _word(answer: str, question: Question) -> _Read:
    found = read_word(answer, question.options)
    return _Found(found.status, found.value, found.reason), found.value or "", found.firm


def _pairs(answer: str, question: Question) -> _Read:
    found = read_pairs(answer, question.words, question.terms)
    value = {word: question.terms[place] for word, place in found.assigned.items()}
    answered = found.status == "answered"
    return _Found(found.status, value if answered else None, found.reason), "", answered


def _score(answer: str, question: Question) -> _Read:
    found = read_score(answer, question.low, question.high)
    return _Found(found.status, found.value, found.reason), found.raw, found.whole


def _verdict(answer: str, question: Question) -> _Read:
    found = read_verdict_of(answer, question.verdicts)
    return _Found(found.status, found.value, found.reason), found.value or "", found.value is not None


def _refusal(answer: str, question: Question) -> _Read:
    found = read_refusal(answer, question.question)
    return _Found(found.status, found.status if found.status == "answered" else None, found.reason), found.words, True


KINDS: Mapping[str, Callable[[str, Question], _Read]] = {
    "yesno": _yesno,
    "choice": _choice,
    "word": _word,
    "pairs": _pairs,
    "score": _score,
    "verdict": _verdict,
    "refusal": _refusal,
}
"""The kinds of answers that can be read."""


def place_of(answer: str, words: str) -> tuple[int | None, int | None]:
    """Where words, `squeeze`d, stand in an answer as it came: the last such place.

    Examples
    --------
    >>> place_of("Well — “NO”!", "no")
    (8, 10)
    """
    parts = [re.escape(part) for part in squeeze(words).split()]
    if not parts:
        return None, None
    folded = "".join(_same_length(sign) for sign in answer)
    last = None
    for hit in re.finditer(rf"(?<![^\W_]){r'[^a-z0-9]+?'.join(parts)}(?![^\W_])", folded):
        last = hit
    return (None, None) if last is None else (last.start(), last.end())


def _same_length(sign: str) -> str:
    """A sign as it is compared, where that is one sign too."""
    folded = plain(sign).casefold()
    return folded if len(folded) == 1 else sign if len(sign) == 1 else " "

"""Reading the letter or number that an answer picks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from personae.coding.text import plain, squeeze

_OPEN = r"[\s(\[\"'*_#]*+"  # possessive: nothing is read twice
_CLOSE = r"[)\]\"'*_.:,;!\-]"
_LEAD = (
    r"(?:\b(?:answer|choice|option|pick|choose|select|say|antwort|wahl|wähle|nehme|go (?:with|for))"
    r"(?: (?:is|be|would be|ist|option|choice|answer))?[\s:=\-]*)"
)
_REJECTED = re.compile(
    r"\b(?:not|nor|than|instead of|over|nicht|statt)(?: (?:option|choice|answer|the))?[\s(\"'*]*$", re.IGNORECASE
)


class Label(Struct, frozen=True):
    """The label an answer picks; ``strange`` where it picks one that was not offered."""

    index: int | None
    strange: bool = False


def clean_labels(labels: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Labels folded and without the signs around them; none where none are given.

    Raises
    ------
    ValueError
        When they are not `count` many, equal or blank.
    """
    if labels is None:
        return ()
    clean = tuple(squeeze(label).strip("()[].:*\"' ") for label in labels)
    if len(set(clean)) != count or len(clean) != count or "" in clean:
        raise ValueError(f"labels must be {count}, different and not blank: {list(labels)}")
    return clean


def read_label(text: str, labels: tuple[str, ...]) -> Label:
    """Read the label an answer picks.

    The label that opens the answer decides; else the only one after "the answer is" or "I choose"; else the only one
    written as a label, "B)". A bare "A" within a sentence is an article.

    Parameters
    ----------
    text : str
        The answer.
    labels : tuple of str
        From `clean_labels`; where there are none, none is read.
    """
    if not labels:
        return Label(None)
    patterns = _patterns(labels)
    said = " ".join(plain(text).split())
    for found in (_opening(said, patterns.opening), _kept(said, patterns.said), _kept(said, patterns.marked)):
        offered = [label for label in found if label in labels]
        if len(found) == 1 and offered:
            return Label(labels.index(offered[0]))
        if found:
            return Label(None, strange=not offered)
    return Label(None)


class _Patterns(NamedTuple):
    """Where a label may stand: at the opening, after words that pick it, or marked by a bracket."""

    opening: re.Pattern[str]
    said: re.Pattern[str]
    marked: re.Pattern[str]


@lru_cache(maxsize=256)
def _patterns(labels: tuple[str, ...]) -> _Patterns:
    one = rf"(?:{'|'.join(map(re.escape, sorted(labels, key=len, reverse=True)))})(?!\w)"
    if all(len(label) == 1 for label in labels):
        one = rf"(?:{one}|[a-z](?!\w)|\d+(?!\w))"  # labels that were not offered
    end = rf"(?!'\w)(?=\s*{_CLOSE}|\s*$)"
    opening = (
        rf"{_OPEN}(?:(?:the )?(?:(?:correct|right|best) )?{_LEAD}{_OPEN})?(?P<first>{one})(?!'\w)"
        rf"(?=\s*{_CLOSE}|\s*$|\s*/)"
        rf"(?:[)\]\"'*_.:\s]*+(?:or|and|oder|und|/|&){_OPEN}(?P<second>{one}){end})?"
    )
    said = rf"{_LEAD}{_OPEN}(?P<label>{one})(?!'\w)(?={_CLOSE}|\s*$)"
    marked = rf"(?<![\w'])(?P<label>{one})\)"
    return _Patterns(*(re.compile(pattern, re.IGNORECASE) for pattern in (opening, said, marked)))


def _opening(said: str, pattern: re.Pattern[str]) -> set[str]:
    """The label that opens an answer; both where a second is joined to it."""
    hit = pattern.match(said)
    return {label.casefold() for label in hit.group("first", "second") if label} if hit else set()


def _kept(said: str, pattern: re.Pattern[str]) -> set[str]:
    """Labels found and not rejected ("not B")."""
    return {
        hit["label"].casefold()
        for hit in pattern.finditer(said)
        if not _REJECTED.search(said[max(0, hit.start() - 40) : hit.start()])
    }

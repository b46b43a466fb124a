"""Reading the letter or number that an answer picks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from personae.coding.text import plain, squeeze

_OPEN = r"[\s(\[\"'*_#]*"
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


def clean_labels(labels: Sequence[str] | None, count: int) -> list[str]:
    """Labels folded and without the signs around them; none where none are given.

    Raises
    ------
    ValueError
        When they are not `count` many, equal or blank.
    """
    if labels is None:
        return []
    clean = [squeeze(label).strip("()[].:*\"' ") for label in labels]
    if len(set(clean)) != count or len(clean) != count or "" in clean:
        raise ValueError(f"labels must be {count}, different and not blank: {list(labels)}")
    return clean


def read_label(text: str, labels: Sequence[str]) -> Label:
    """Read the label an answer picks.

    The label that opens the answer decides; else the only one marked in it: "B)", "(B)", "the answer is B". A bare "A"
    within a sentence is an article.

    Parameters
    ----------
    text : str
        The answer.
    labels : sequence of str
        From `clean_labels`; where there are none, none is read.
    """
    if not labels:
        return Label(None)
    said = " ".join(plain(text).split())
    shown = "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))
    one = (
        rf"(?:(?:{shown})(?!\w)|[a-z](?!\w)|\d+(?!\w))"
        if all(len(label) == 1 for label in labels)
        else rf"(?:{shown})(?!\w)"
    )
    for found in (_opening(said, one), _said(said, one), _marked(said, one)):
        offered = [label for label in found if label in labels]
        if len(found) == 1 and offered:
            return Label(labels.index(offered[0]))
        if found:
            return Label(None, strange=not offered)
    return Label(None)


def _opening(said: str, one: str) -> set[str]:
    """The label that opens an answer; both where a second is joined to it."""
    lead = rf"{_OPEN}(?:(?:the )?(?:correct |right |best )?{_LEAD})?{_OPEN}"
    hit = re.match(
        rf"{lead}(?P<first>{one})(?!'\w)(?=\s*{_CLOSE}|\s*$|\s*/)(?:[)\]\"'*_.:\s]*(?:or|and|oder|und|/|&)[\s(\"'*]*(?P<second>{one})(?!'\w)(?=\s*{_CLOSE}|\s*$))?",
        said,
        re.IGNORECASE,
    )
    return {label.casefold() for label in hit.group("first", "second") if label} if hit else set()


def _said(said: str, one: str) -> set[str]:
    """Labels after "the answer is", "I choose" and their like."""
    return _kept(re.finditer(rf"{_LEAD}{_OPEN}(?P<label>{one})(?!'\w)(?={_CLOSE}|\s*$)", said, re.IGNORECASE), said)


def _marked(said: str, one: str) -> set[str]:
    """Labels written as labels, "B)"."""
    return _kept(re.finditer(rf"(?<![\w'])(?P<label>{one})\)", said, re.IGNORECASE), said)


def _kept(hits: Iterator[re.Match[str]], said: str) -> set[str]:
    return {
        hit["label"].casefold() for hit in hits if not _REJECTED.search(said[max(0, hit.start() - 40) : hit.start()])
    }

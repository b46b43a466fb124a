"""Reading the letter or number that an answer picks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from personae.coding.label_patterns import DISMISSED, REJECTED, UNMEANT, LabelPatterns, label_patterns, lines
from personae.coding.text import squeeze

_ARTICLES = ("a", "i")  # words of English as well as letters
_AROUND = re.compile(r"[(\[\"'*_{]")
_PRONOUN = re.compile(r",\s(?!because\b|since\b|and\b|or\b|[a-z]\b)|\s-", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:^|[^\w\s])\s?\Z")
_BEFORE = 60
_PLAIN = 2  # kinds of statements so plain that two different ones leave nothing to be read


class Label(Struct, frozen=True):
    """The label an answer picks.

    ``strange`` where it picks one that was not offered, ``torn`` where it picks one and then another.
    """

    index: int | None
    strange: bool = False
    torn: bool = False


class _Asked(NamedTuple):
    """An answer and what it is read against."""

    said: str
    labels: tuple[str, ...]
    patterns: LabelPatterns
    options: tuple[str, ...]


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


def read_label(text: str, labels: tuple[str, ...], options: Sequence[str] = ()) -> Label:
    """Read the label an answer picks.

    The plainest statement decides, the first of these that is there:

    1. "final answer: B", ``\\boxed{B}``;
    2. "the answer is B", "I choose B", "B is correct", "so B"; the label that opens the answer; one alone on a line or
       as the last sentence;
    3. the label in bold;
    4. the label before its option, "B) not abusive";
    5. "option B";
    6. the label with a bracket, "(b)" or "B)".

    Where statements of one kind name different labels, none is read. Labels that are rejected ("not B", "rule out B)",
    "B) is wrong"), only supposed ("if the answer is B") or listed as the question lists them are passed over. So are
    arguments of functions, "f(a)", an article "A" and a pronoun "I".

    Parameters
    ----------
    text : str
        The answer.
    labels : tuple of str
        From `clean_labels`; where there are none, none is read.
    options : sequence of str, optional
        The options in the order of the labels; without them nothing of kind 4 is found.

    Examples
    --------
    >>> read_label("f(a) = 3, so D", ("a", "b", "c", "d")).index
    3
    """
    if not labels:
        return Label(None)
    strange = False
    asked = _Asked(lines(text), labels, label_patterns(labels), tuple(map(squeeze, options)))
    for kind, picks in enumerate(_kinds(asked)):
        alone = {label for pick in picks if len(pick) == 1 for label in pick}
        found = alone or {label for pick in picks for label in pick}
        offered = found & set(labels)
        if offered:  # "the answer is 4, which is B" names a number that is no label
            found = {label for label in found if _like(label, labels)}
        if len(found) == 1 and offered:
            return Label(labels.index(min(offered)))
        if offered:
            return Label(None, torn=kind < _PLAIN and len(alone & found) > 1)
        strange = strange or bool(found)
        if any(_like(label, labels) for label in found):
            break
    return Label(None, strange=strange)


def _like(label: str, labels: tuple[str, ...]) -> bool:
    """Whether it is of the kind of the labels: a letter or a number."""
    return label.isdigit() == labels[0].isdigit()


def _kinds(asked: _Asked) -> Iterator[list[frozenset[str]]]:
    """The labels picked by statements of every kind, the plainest kind first; several where "or" joins them."""
    patterns = asked.patterns
    yield list(_picks(asked, patterns.final))
    yield _stated(asked)
    yield list(_picks(asked, patterns.bold))
    yield [pick for hit, pick in _hits(asked, patterns.titled) if _has_title(asked, hit)]
    yield list(_picks(asked, patterns.named))
    yield [pick for hit, pick in _hits(asked, patterns.marked) if not _within_brackets(asked.said, hit)]


def _stated(asked: _Asked) -> list[frozenset[str]]:
    """What is said, concluded, or stands at the opening or alone."""
    patterns = asked.patterns
    said = [*_picks(asked, patterns.said), *_picks(asked, patterns.concluded, firm=False)]
    opening = [pick for _, pick in _hits(asked, patterns.opening)]
    alone = [pick for _, pick in _hits(asked, patterns.alone, firm=False)]
    listed = list(dict.fromkeys(label for _, pick in _hits(asked, patterns.listed) for label in pick))
    if listed[:2] == list(asked.labels[:2]):  # the question's options come first: what opens the answer picks nothing
        last = alone[-1:] if len(set(alone)) < len(listed) else []
        return said or last or [frozenset([label]) for label in listed]
    everywhere = {label for _, pick in _hits(asked, patterns.marked) for label in pick}
    if said and everywhere >= set(asked.labels):
        return said
    return [*said, *opening, *(alone if len(set(alone)) == 1 or not said else [])]


def _picks(asked: _Asked, pattern: re.Pattern[str], *, firm: bool = True) -> Iterator[frozenset[str]]:
    """What statements pick that are meant: not "if the answer is B"."""
    for hit, pick in _hits(asked, pattern, firm=firm):
        if not UNMEANT.search(asked.said[max(0, hit.start() - _BEFORE) : hit.start()]):
            yield pick


def _hits(
    asked: _Asked, pattern: re.Pattern[str], *, firm: bool = True
) -> Iterator[tuple[re.Match[str], frozenset[str]]]:
    """Places where labels stand that are not rejected and no words of another kind.

    Where statements are not `firm`, a small "a" or "i" is a word, and so is "A" in "so A" unless a new clause begins
    there; what was not offered is then no label.
    """
    for hit in pattern.finditer(asked.said):
        group = "claimed" if "claimed" in pattern.groupindex and hit["claimed"] else "label"
        start, end, label = hit.start(group), hit.end(group), hit[group].casefold()
        around = bool(_AROUND.match(asked.said, start - 1)) if start else False
        if not around and _is_word(asked.said, hit, group, firm):
            continue
        if not firm and label not in asked.labels and not hit[group].isupper():
            continue
        if REJECTED.search(asked.said[max(0, start - _BEFORE) : start]) or DISMISSED.match(asked.said, end):
            continue
        more = (hit["more"] or "") if "more" in pattern.groupindex else ""
        yield hit, frozenset([label, *(other.casefold() for other in asked.patterns.one.findall(more))])


def _is_word(said: str, hit: re.Match[str], group: str, firm: bool) -> bool:
    """Whether an "a" or "i" without signs around it is an article or a pronoun."""
    label = hit[group]
    if label.casefold() not in _ARTICLES:
        return False
    if label in "Ii" and _PRONOUN.match(said, hit.end(group)):
        return True
    return not firm and (
        label.islower()
        or (hit[0].startswith(("so", "So")) and not _CLAUSE.search(said, max(0, hit.start() - 2), hit.start()))
    )


def _has_title(asked: _Asked, hit: re.Match[str]) -> bool:
    """Whether the label's own option stands after it."""
    label = hit["label"].casefold()
    if label not in asked.labels or not asked.options:
        return False
    option = asked.options[asked.labels.index(label)]
    rest = squeeze(asked.said[hit.end() : hit.end() + 2 * len(option) + 20])
    return rest.startswith(option) and not rest[len(option) : len(option) + 1].isalnum()


def _within_brackets(said: str, hit: re.Match[str]) -> bool:
    """Whether the bracket after a label closes one that opened before other words: "(a + b)"."""
    before = said[max(0, hit.start() - _BEFORE) : hit.start()]
    return said[hit.start()] not in "([" and before.rfind("(") > before.rfind(")")

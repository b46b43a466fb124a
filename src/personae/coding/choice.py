"""Reading which of some options an answer picks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from msgspec import Struct

from personae.coding.labels import clean_labels, read_label
from personae.coding.mentions import Finder, distinct, only_leads
from personae.coding.refusal import find_refusal
from personae.coding.text import LONGEST, TOO_LONG, squeeze

_HEDGE = re.compile(
    r"""\b(?:
        (?:a\sbit|a\smix(?:ture)?|combination)\sof\s(?:both|the\stwo) | both(?!\s(?:of\s)?(?:us|you)\b) | neither
      | not\snecessarily | either\s(?:one|could|way|of) | depends | depending\son | (?:can't|cannot)\s(?:decide|tell)
      | hard\sto\s(?:say|tell) | in\sbetween | or\snot | oder\snicht | beide[sn]? | weder
      | kommt\s(?:ganz\s)?darauf\san | hängt\sdavon\sab | nicht\sunbedingt
    )\b""",
    re.VERBOSE,
)
_NOT = re.compile(
    r"""\b(?:not|never|no|isn't|wasn't|aren't|wouldn't|doesn't|don't|nicht|kein(?:e|en|er)?|rather\sthan|instead\sof|over
      |statt|anstatt)
    (?:\s(?:really|at|all|that|particularly|exactly|quite|just|call|say|think|be|sound|seem|consider(?:ed)?|this|it|it's|is
      |the|a|an|very|so|even|inherently|necessarily|wirklich|unbedingt|option|answer|choice|choose|pick|as|like|look|feel
      |come|across|to|for|me|mean|means|make|makes|you|you're|your|behaviou?r|being|count|qualify)){0,6}[\s"'*(]*$""",
    re.VERBOSE,
)
_PERHAPS = re.compile(r"\b(?:necessarily|unbedingt)\b[^.,;]{0,12}$")
_TENTATIVE = re.compile(
    r"""\b(?:
        (?:could|might|may|can)\s(?:(?:also|still|even)\s)?(?:be|feel|seem|come)
      | könnte | potentially | possibly | potenziell
    )\b[^.;!?]{0,40}$""",
    re.VERBOSE,
)
_SAYS = re.compile(
    r"""(?:
        \b(?:answer|choice|option|pick|response|antwort|wahl)(?:\s(?:would|should))?(?:\s(?:is|be|ist)|:)
      | \bi(?:'d|\swould|\swill|'ll)?\s(?:(?:still|definitely|have\sto|must|rather)\s)*
        (?:say|choose|pick|select|go\s(?:with|for)|opt\sfor|call\s(?:it|that|this)|lean\stowards?
          |think(?=\s(?:it's|it\sis|that's)))
        (?:\s(?:it's|it\sis|that's))?
      | \bich\s(?:würde\s)?(?:sage|wähle|nehme|denke|finde)
    )
    [\s:=\-]*(?:(?:definitely|clearly|probably|still|actually|more|the|a|an|eher|option|answer)\s)*[\s"'*_(\[]*$""",
    re.VERBOSE,
)
_STATES = re.compile(
    r"\b(?:it|that|this|es|das)(?:'s| is| ist| (?:sounds|seems|feels|looks)(?: like)?)[^.,;:!?]{0,30}$"
)
_JOINED = re.compile(r"[\s,/&\"'*_]*+(?:\b(?:or|and|oder|und)\b)?[\s,/&\"'*_]*+")
_UNDECIDED = re.compile(r"\s(?:or not|oder nicht)\b")
_LAST_WORD = re.compile(r"(\w+)\W*\Z")
_BEFORE = 100
_OFTEN = 200


class Choice(Struct, frozen=True):
    """Which option an answer picks; ``index`` is None unless ``status`` is ``answered``.

    ``firm`` says that a label, an opening option or "I'd say" decided, and not only that one option was named.
    """

    status: Literal["answered", "refused", "invalid"]
    index: int | None
    reason: str = ""
    firm: bool = False


class _Named(NamedTuple):
    """An option that an answer names, not to reject it, and how firmly; ``titled`` where its own label leads it in."""

    option: int
    firm: int
    titled: bool = False


_NAMED, _STATED, _SAID, _LEADING = range(4)


class _Asked(NamedTuple):
    """What of a question its answers are read against; prepared once per question."""

    labels: tuple[str, ...]
    finder: Finder[int]
    opposites: Mapping[int, int]


@lru_cache(maxsize=1024)
def _asked(options: tuple[str, ...], labels: tuple[str, ...] | None) -> _Asked:
    places = distinct(options)
    return _Asked(clean_labels(labels, len(options)), Finder(places), _opposites(places))


def read_choice(text: str, options: Sequence[str], labels: Sequence[str] | None = None) -> Choice:
    """Read which option an answer picks.

    The firmest evidence decides: a label or an option that opens the answer; "I'd say", "the answer is"; then, unless
    the answer declines, "it is", "that sounds"; then, unless it hedges, the one option named anywhere.

    Parameters
    ----------
    text : str
        The answer, reasoning already apart.
    options : sequence of str
        The options as shown, two or more. One may contain another ("abusive", "not abusive"): the longer is
        looked for first, and a negated shorter one counts as the longer where that is its negation.
    labels : sequence of str, optional
        The letters or numbers that stood before the options, in the same order.

    Returns
    -------
    Choice
        ``answered`` with the index; ``refused``; or ``invalid`` with the reason: empty, no option named, several
        named, label and text disagree, a label that was not offered, a hedge, longer than is read.

    Raises
    ------
    ValueError
        When options or labels are fewer than two, equal, blank, or not as many as each other.

    Examples
    --------
    >>> read_choice("**B)** not abusive", ["abusive", "not abusive"], ["A", "B"])
    Choice(status='answered', index=1, reason='', firm=True)
    >>> read_choice("I’d say Eric", ["Eric", "Dianne"]).index
    0
    """
    if len(text) > LONGEST:
        return Choice("invalid", None, TOO_LONG)
    question = tuple(options), None if labels is None else tuple(labels)
    # Models give the same few words over and over; long answers are rarely the same and are not kept.
    return (_read_often if len(text) <= _OFTEN else _read)(text, *question)


def _read(text: str, options: tuple[str, ...], labels: tuple[str, ...] | None) -> Choice:
    asked = _asked(options, labels)
    said = squeeze(text)
    if not said:
        return Choice("invalid", None, "empty answer")
    label = read_label(text, asked.labels, options)
    named = list(_named(said, asked))
    if label.index is not None:
        firm = {one.option for one in named if one.firm >= _SAID and not one.titled}
        if firm - {label.index}:
            return Choice("invalid", None, "label and text name different options")
        return Choice("answered", label.index, firm=True)
    if label.torn:
        return Choice("invalid", None, "picks one label and then another")
    return _by_text(said, named, "a label that was not offered" if label.strange else "")


_read_often = lru_cache(maxsize=8192)(_read)


def _by_text(said: str, named: Sequence[_Named], fault: str) -> Choice:
    levels = [{one.option for one in named if one.firm == level} for level in range(4)]
    for level in (_LEADING, _SAID, _STATED, _NAMED):
        if level == _STATED and (refusal := find_refusal(said)):
            return Choice("refused", None, refusal)
        if level == _NAMED and _HEDGE.search(said):
            return Choice("invalid", None, "hedges")
        if len(levels[level]) == 1:
            return Choice("answered", min(levels[level]), firm=level >= _SAID)
        if levels[level]:
            return Choice("invalid", None, "names several options")
    return Choice("invalid", None, fault or "names no option")


def _named(said: str, asked: _Asked) -> Iterator[_Named]:
    """Every option named and not rejected, in order."""
    mentions = list(asked.finder.find(said))
    joined = {
        place
        for place, (one, two) in enumerate(pairwise(mentions))
        if one.key != two.key and _JOINED.fullmatch(said, one.end, two.start)
    }
    for place, mention in enumerate(mentions):
        before = said[max(0, mention.start - _BEFORE) : mention.start]
        option: int | None = mention.key
        if _NOT.search(before):
            option = None if _PERHAPS.search(before) else asked.opposites.get(mention.key)
        elif _TENTATIVE.search(before) or _UNDECIDED.match(said, mention.end):
            option = None
        if option is None:
            continue
        if place in joined or place - 1 in joined:
            yield _Named(option, _NAMED)
        elif place == 0 and only_leads(said[: mention.start], asked.labels):
            word = _LAST_WORD.search(before)
            yield _Named(option, _LEADING, bool(word and word[1] in asked.labels[option : option + 1]))
        else:
            yield _Named(option, _SAID if _SAYS.search(before) else _STATED if _STATES.search(before) else _NAMED)


def _opposites(places: Mapping[str, int]) -> dict[int, int]:
    """From an option to the one that is its negation."""
    found: dict[int, int] = {}
    for option, index in places.items():
        for negation in (f"not {option}", f"non-{option}", f"nicht {option}", f"un{option}", f"kein {option}"):
            if negation in places:
                found[index], found[places[negation]] = places[negation], index
    return found

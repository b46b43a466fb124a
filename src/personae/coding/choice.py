"""Reading which of some options an answer picks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from personae.coding.asked import Asked, asked_of
from personae.coding.clauses import CHANGES
from personae.coding.labels import read_label
from personae.coding.named import LEADING, NAMED, SAID, STATED, Named, named_options
from personae.coding.refusal import find_refusal
from personae.coding.settled import settled_labels
from personae.coding.text import LONGEST, TOO_LONG, spelled_out, squeeze
from personae.coding.wrappers import answer_of, bare

_HEDGE = re.compile(
    r"""\b(?:
        (?:a\sbit|a\smix(?:ture)?|combination)\sof\s(?:both|the\stwo) | both(?!\s(?:of\s)?(?:us|you)\b) | neither
      | not\snecessarily | either\s(?:one|could|way|of) | depends | depending\son | (?:can't|cannot)\s(?:decide|tell)
      | hard\sto\s(?:say|tell) | in\sbetween | or\snot | oder\snicht | beide[sn]? | weder
      | kommt\s(?:ganz\s)?darauf\san | hängt\sdavon\sab | nicht\sunbedingt
    )\b""",
    re.VERBOSE,
)
_BOXED = re.compile(r"<([A-Za-z0-9])>")
_DRESSED = re.compile(r"[<{\\$*`>#_~]")
_OFTEN = 200


class Choice(Struct, frozen=True):
    """Which option an answer picks; ``index`` is None unless ``status`` is ``answered``.

    ``firm`` says that a label, an opening option or "I'd say" decided, and not only that one option was named.
    """

    status: Literal["answered", "refused", "invalid", "truncated"]
    index: int | None
    reason: str = ""
    firm: bool = False


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
    asked = asked_of(options, labels)
    answer = answer_of(text)
    if answer.cut:
        return Choice("truncated", None, "cut off while thinking")
    words = _BOXED.sub(r"(\1)", answer.text)
    words = bare(words) if _DRESSED.search(words) else words
    words = _without_others(_without_list(words, asked), asked)
    said = spelled_out(squeeze(words))
    if not re.search(r"\w", said):
        return Choice("invalid", None, "empty answer")
    label = read_label(words, asked.labels, options)
    named = list(named_options(said, asked))
    settled = set() if label.torn else settled_labels(words, asked)
    turned = label.index is not None and settled - {label.index} and CHANGES.search(said)
    if label.torn or turned:
        return Choice("invalid", None, "picks one label and then another")
    if label.index is not None:
        return _unless_contradicted(label.index, named)
    if len(settled) == 1:
        return Choice("answered", min(settled), firm=True)
    return _by_text(said, named, "a label that was not offered" if label.strange else "")


def _unless_contradicted(label: int, named: Sequence[Named]) -> Choice:
    """The option of a label, unless the text picks another firmly."""
    firm = {one.option for one in named if one.firm >= SAID and not one.titled}
    if firm - {label}:
        return Choice("invalid", None, "label and text name different options")
    return Choice("answered", label, firm=True)


def _without_list(words: str, asked: Asked) -> str:
    """An answer without the question's own list of options, said again in the order of the labels."""
    return words if asked.listed is None else asked.listed.sub(" ... ", words)


def _without_others(words: str, asked: Asked) -> str:
    """An answer without the labels that it says others would pick: "you'd like me to say B"."""
    return words if asked.others is None else asked.others.sub(" ... ", words)


_read_often = lru_cache(maxsize=8192)(_read)


def _by_text(said: str, named: Sequence[Named], fault: str) -> Choice:
    levels = [{one.option for one in named if one.firm == level} for level in range(4)]
    for level in (LEADING, SAID, STATED, NAMED):
        if level == STATED and (refusal := find_refusal(said)):
            return Choice("refused", None, refusal)
        if level == NAMED and _HEDGE.search(said):
            return Choice("invalid", None, "hedges")
        if len(levels[level]) == 1:
            return Choice("answered", min(levels[level]), firm=level >= SAID)
        if levels[level]:
            return Choice("invalid", None, "names several options")
    return Choice("invalid", None, fault or "names no option")

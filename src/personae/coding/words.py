"""Reading which word an answer gives: one of those offered, or any."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from personae.coding.choice import read_choice
from personae.coding.clauses import clauses, without_lead
from personae.coding.refusal import find_refusal
from personae.coding.text import LONGEST, TOO_LONG, squeeze
from personae.coding.wrappers import answer_of, bare

FORMS: Mapping[str, tuple[str, ...]] = {
    "anger": ("angry", "angered", "angrily"),
    "guilt": ("guilty", "guiltiness"),
    "jealousy": ("jealous",),
    "sympathy": ("sympathetic", "sympathise", "sympathize"),
    "happiness": ("happy", "happily"),
    "contempt": ("contemptuous",),
    "pride": ("proud", "prideful"),
    "fear": ("afraid", "fearful", "scared"),
    "sadness": ("sad", "saddened"),
    "disgust": ("disgusted",),
    "surprise": ("surprised",),
    "shame": ("ashamed",),
    "love": ("loving", "loved"),
    "anxiety": ("anxious",),
    "joy": ("joyful", "joyous"),
    "none": ("no emotion", "no emotions", "no feeling", "no feelings", "nothing", "none of these", "none of them"),
    "male": ("man", "men", "masculine", "boy", "mr", "he", "him", "m"),
    "female": ("woman", "women", "feminine", "girl", "ms", "mrs", "she", "her", "f"),
}
"""Other forms of words that are asked for."""
_ENDINGS = ("s", "ed", "d", "ing", "ful", "ly", "ness")
_LEAD = re.compile(
    r"""\A(?:(?:i|i'd|i'm|i\sam|would|will|might|feel|feeling|felt|be|so|very|just|completely|utterly|really|deeply
      |such|pure|some|total|sheer|emotion|the|word|is|answer|
      my|one|single|that\swould\sbe|it|would|make|makes|me|probably|mostly|mainly|above\sall
        |first\sand\sforemost)(?:\s|:\s?))+""",
    re.VERBOSE,
)
_ONE = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")
_NOT_ONE = frozenset(("yes", "no", "sorry", "sure", "ok", "okay", "well", "hmm", "unknown", "unsure"))


class Word(Struct, frozen=True):
    """The word that an answer gives; ``value`` is None unless ``status`` is ``answered``."""

    status: Literal["answered", "refused", "invalid", "truncated"]
    value: str | None = None
    reason: str = ""
    firm: bool = False


def read_word(text: str, options: Sequence[str] = (), forms: Mapping[str, Sequence[str]] = FORMS) -> Word:
    """Read a word.

    Parameters
    ----------
    text : str
        The answer, as it came.
    options : sequence of str
        The words of which one was asked for; without any, an answer must give a single word.
    forms : mapping of str to sequence of str
        Other forms of the words, which count where no word itself is named: "angry" for "anger".

    Returns
    -------
    Word
        ``value`` is the word as in `options`, or, without any, as it was written, in small letters.

    Examples
    --------
    >>> read_word("I'd be angry.", ["anger", "guilt"]).value
    'anger'
    >>> read_word("Oh honey, I'd feel so betrayed.").value
    'betrayed'
    """
    if len(text) > LONGEST:
        return Word("invalid", reason=TOO_LONG)
    if not options:
        return _any_word(text)
    choice = read_choice(text, options)
    if choice.index is None and choice.reason == "names no option":
        known, places = _with_forms(tuple(options), tuple((name, tuple(words)) for name, words in forms.items()))
        choice = read_choice(text, known)
        if choice.index is not None:
            return Word("answered", options[places[choice.index]], firm=choice.firm)
    if choice.index is None:
        return Word(choice.status, reason=choice.reason)
    return Word("answered", options[choice.index], firm=choice.firm)


@lru_cache(maxsize=256)
def _with_forms(
    options: tuple[str, ...], forms: tuple[tuple[str, tuple[str, ...]], ...]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The options and their other forms, each with the place of its option."""
    given, found = dict(forms), {squeeze(option): place for place, option in enumerate(options)}
    for place, option in enumerate(options):
        word = squeeze(option)
        for form in (*given.get(word, ()), *(f"{word}{ending}" for ending in _ENDINGS)):
            found.setdefault(squeeze(form), place)
    return tuple(found), tuple(found.values())


def _any_word(text: str) -> Word:
    answer = answer_of(text)
    if answer.cut:
        return Word("truncated", reason="cut off while thinking")
    lines = [line for line in bare(answer.text).splitlines() if re.search(r"\w", line)]
    if not lines:
        return Word("invalid", reason="empty answer")
    for clause in clauses(squeeze(lines[0])):
        rest = without_lead(clause.words) or clause.words
        rest = _LEAD.sub("", f"{rest} ").strip() or rest
        if _ONE.fullmatch(rest) and rest not in _NOT_ONE and clause.after[:1] in "!.\n":
            return Word("answered", rest, firm=True)
        if not without_lead(clause.words):
            continue
        break
    if refusal := find_refusal(answer.text):
        return Word("refused", reason=refusal)
    return Word("invalid", reason="no single word")

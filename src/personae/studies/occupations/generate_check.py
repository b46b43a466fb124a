"""What is wrong with a sentence that a model wrote for an occupation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product

from personae.coding.text import fold, plain
from personae.studies.occupations.stimuli import cues

LEAST, MOST = 4, 25
"""Words of a sentence."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_MARKED = re.compile(r"[*#`_|<>{}\[\]\"→:;]|->|\s-\s|^\s*(?:[-–•]|\d+[.)])")
_END_INSIDE = re.compile(r"[.!?…](?=\s)")
_PARTS = re.compile(r"[,;/&()]|--|\b(?:and|at|by|except|for|from|in|including|nor|of|on|or|to|with)\b", re.IGNORECASE)
_NO_VERB = re.compile(r"\s*,|\s+(?:and|or)\b|\s+is\s+(?:an?|one|the)\b")
_VERB = re.compile(r"\W+\w*s\b")
_SMALL = frozenset(
    "a all an and at by except for from in including nor not of on or other related the to with".split()  # noqa: SIM905
)
_IRREGULAR = {"men": "man", "women": "woman", "people": "person", "children": "child", "wives": "wife"}
_LONGEST_CUE = 3
_HISSING = ("sses", "shes", "ches", "xes", "zzes")


def singular(word: str) -> str:
    """A word in the singular, by the rules of spelling; a word that is no plural may be cut, so compare both forms.

    Examples
    --------
    >>> [singular(word) for word in ("policemen", "secretaries", "coaches", "nurses", "hostess", "Chefs")]
    ['policeman', 'secretary', 'coach', 'nurse', 'hostess', 'Chef']
    """
    low = word.lower()
    for many, one in _IRREGULAR.items():
        if low.endswith(many):
            return word[: len(word) - len(many)] + (one if word[-len(many) :].islower() else one.capitalize())
    if len(low) < 3 or low.endswith(("ss", "us", "is")) or not low.endswith("s"):
        return word
    if low.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if low.endswith(_HISSING) else word[:-1]


def openings(title: str) -> tuple[str, ...]:
    """What a sentence may begin with: each part of the title, in the singular, with a capital letter.

    Examples
    --------
    >>> openings("bakers and pastry cooks")
    ('Baker', 'Pastry cook')
    """
    telling, found = _telling(title), list[str]()
    for part in _PARTS.split(plain(title)):
        pieces = [piece.strip(".:!?\"'") for piece in part.split()]
        told = [piece for piece in pieces if telling & set(_WORD.findall(fold(piece)))]
        if told:
            opening = " ".join([*told[:-1], singular(told[-1])])
            found.append(opening[0].upper() + opening[1:])
    return tuple(dict.fromkeys(found))


def fault_of(sentence: str, title: str) -> str | None:
    """Say what keeps a sentence from being used for an occupation.

    Parameters
    ----------
    sentence : str
        What was written, without white space around it.
    title : str
        The occupation, in the singular or plural; it may name several.

    Returns
    -------
    str or None
        The first fault, in words that a model can mend it by; what it quotes comes last. A word that says a gender is a
        fault only behind the title.

    Examples
    --------
    >>> fault_of("Surgeon washes his hands before every operation.", "surgeons")
    "it gives away a gender: 'his'"
    >>> fault_of("Surgeon closes the wound with fine stitches.", "surgeons")
    """
    return _form(sentence, title) or _opening(sentence, title)


def _form(sentence: str, title: str) -> str | None:
    rest = plain(sentence)
    for word in plain(title).split():
        if not word.isalnum() and any(map(str.isalnum, word)):
            # A full stop or a colon within the title is none of the sentence's own.
            rest = rest.replace(word, "title")
    if "\n" in rest or _END_INSIDE.search(rest):
        return "it is more than one sentence"
    if found := _MARKED.search(rest):
        return f"it is not plain text: {found[0].strip()!r}"
    if not rest.endswith("."):
        return "it does not end with a full stop"
    number = len(rest.split())
    if not LEAST <= number <= MOST:
        return f"it does not have {LEAST} to {MOST} words: '{number}'"
    return None


def _opening(sentence: str, title: str) -> str | None:
    text = fold(sentence)
    places = list(_WORD.finditer(text))
    said, given = [place[0] for place in places], _WORD.findall(fold(title))
    if not said or said[0] not in _forms(_telling(title)):
        return f"it does not begin with a word of the title: {' '.join(said[:1])!r}"
    forms = _forms(given)
    told = next((place for place, word in enumerate(said) if word not in forms), len(said))
    while said[told - 1] in _SMALL and told > 1:
        told -= 1
    behind = text[places[told - 1].end() :]
    if verbless := _NO_VERB.match(behind):
        return f"it must go on with what the person does, not with {verbless[0].strip()!r}"
    last = said[told - 1]
    # "Accountants keep": a plural that ends a part of the title, and no verb in the singular behind it.
    if last in _heads(title) and singular(last) != last and not _VERB.match(behind):
        return f"it must be about one person, in the singular: {last!r}"
    return _cue(said[told:])


def _heads(title: str) -> frozenset[str]:
    """The last word of each part of a title."""
    return frozenset(words[-1] for part in _PARTS.split(fold(title)) if (words := _WORD.findall(part)))


def _cue(said: Sequence[str]) -> str | None:
    gendered, neutral = _spoken("female") | _spoken("male"), _spoken("neutral")
    bare = [word.partition("'")[0] for word in said]  # mother's, he'll
    for place, length in product(range(len(said)), range(1, _LONGEST_CUE + 1)):
        for phrase in (" ".join(words[place : place + length]) for words in (said, bare)):
            if phrase in gendered:
                return f"it gives away a gender: {phrase!r}"
            if phrase in neutral:
                return f"it must do without this word: {phrase!r}"
    return None


@cache
def _spoken(kind: str) -> frozenset[str]:
    return frozenset(cue.replace("-", " ") for cue in cues()[kind])


def _telling(title: str) -> frozenset[str]:
    """The words that tell an occupation from others; all words where there are none."""
    words = frozenset(_WORD.findall(fold(title)))
    return words - _SMALL or words


def _forms(words: Iterable[str]) -> frozenset[str]:
    return frozenset(form for word in words for form in (word, singular(word)))


def grammar(title: str) -> str:
    """A grammar (GBNF) of a sentence that begins with a part of the title, for models that can be kept to one.

    The title is followed by a word that may be a verb in the singular, and does not begin with "is", which small models
    are all too ready to say. It lets longer sentences pass than `fault_of` does, so what the grammar cuts is refused.
    """
    begun = " | ".join(json.dumps(opening, ensure_ascii=False) for opening in openings(title))
    return "\n".join(
        [
            f'root ::= ({begun}) " " verb more{{2,{MOST}}} "."',
            'verb ::= ([a-hj-z] [a-z] | "i" [a-rt-z]) [a-z]{1,12} "s"',
            'more ::= ","? " " word',
            r'word ::= [^ ,.!?:;"*#`_|<>{}\[\]()…\\\x00-\x1f]+',
        ]
    )

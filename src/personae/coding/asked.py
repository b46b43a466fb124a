"""A question as its answers are read against it: its options in every form, and what of it an answer may repeat."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from personae.coding.labels import clean_labels
from personae.coding.mentions import Finder, distinct
from personae.coding.text import spelled_out

_FEW = 3
_LONG, _SHORT = (re.compile(rf"\b(there|it|that|he|she|this){end}") for end in (r" is\b", r"'s\b"))
_ARTICLE = re.compile(r"(?:an?|the)\s(?=\w)")


class Asked(NamedTuple):
    """What of a question its answers are read against; prepared once per question."""

    labels: tuple[str, ...]
    finder: Finder[int]
    opposites: Mapping[int, int]
    lone: re.Pattern[str]
    listed: re.Pattern[str] | None
    others: re.Pattern[str] | None


@lru_cache(maxsize=1024)
def asked_of(options: tuple[str, ...], labels: tuple[str, ...] | None) -> Asked:
    """Prepare a question.

    Raises
    ------
    ValueError
        As `personae.coding.choice.read_choice`.
    """
    places = {spelled_out(option): place for option, place in distinct(options).items()}
    known = clean_labels(labels, len(options))
    one = "|".join(map(re.escape, known)) or "(?!)"
    lone = re.compile(rf"(?<![a-z0-9_'])[(\[\"']?(?P<label>{one})[)\]\"']*(?![a-z0-9_])", re.IGNORECASE)
    return Asked(known, Finder(_forms(places)), _opposites(places), lone, _list_of(options, known), _others_of(known))


def _forms(places: Mapping[str, int]) -> dict[str, int]:
    """The options, and each with another article or none: "the student" for "a student"."""
    forms = dict(places)
    for option, place in list(forms.items()):
        for form in (_LONG.sub(r"\1's", option), _SHORT.sub(r"\1 is", option)):
            forms.setdefault(form, place)
    for option, place in places.items():
        begun = _ARTICLE.match(option)
        core = option[begun.end() :] if begun else option
        for form in (f"the {core}", f"a {core}", f"an {core}", core) if begun else (f"the {core}",):
            forms.setdefault(form, place)
    return forms


def _others_of(labels: Sequence[str]) -> re.Pattern[str] | None:
    """Labels that an answer says are what somebody else would pick, or that it would be wrong to pick."""
    if not labels:
        return None
    one = "|".join(map(re.escape, labels))
    return re.compile(
        rf"""(?:\b(?:you|he|she|they|some|many|most|people|others|everyone|someone|user|role)(?:'d|\s(?:would|might
          |may|could|will|also|really|clearly|often|seem\sto))*
            \s(?:like|want|wants|expect|prefer|hope|say|says|think|thinks|believe|believes|pick|choose|answer
              |claim)s?(?:\s(?:me|for|to|say|pick|choose|answer|that|it's|it\sis|is|the|answer|option)){{0,6}}
          | \b(?:it\s(?:would|is|'s)\s(?:be\s)?)?(?:wrong|unfair|tempting|easy)\sto\s(?:say|pick|choose
            |answer)(?:\s(?:that|option))?)
          [\s(\["'*]+(?:{one})[)\]"'*]*(?=[\s.,;:!?]|$)(?!\.?[)\w])""",
        re.IGNORECASE | re.VERBOSE,
    )


def _list_of(options: Sequence[str], labels: Sequence[str]) -> re.Pattern[str] | None:
    """All options in the order in which they were shown, each behind its label."""
    if not labels:
        every = r"[\s,;/|-]*(?:(?:and|or)\s+)?".join(map(re.escape, options))
        return re.compile(rf"(?<!\w){every}(?!\w)", re.IGNORECASE) if len(options) > _FEW else None
    shown = (
        rf"[(\[]?{re.escape(label)}[)\].:][\s*_]*{re.escape(option)}[.,;]?"
        for label, option in zip(labels, options, strict=True)
    )
    return re.compile(r"[\s,;*_-]*(?:(?:and|or)\s+)?".join(shown), re.IGNORECASE)


def _opposites(places: Mapping[str, int]) -> dict[int, int]:
    """From an option to the one that is its negation."""
    found: dict[int, int] = {}
    for option, index in places.items():
        for negation in (f"not {option}", f"non-{option}", f"nicht {option}", f"un{option}", f"kein {option}"):
            if negation in places:
                found[index], found[places[negation]] = places[negation], index
    return found

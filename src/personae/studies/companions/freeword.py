"""Reading a free emotion word: which group of the lexicon an answer names."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from msgspec import Struct

from personae.coding.mentions import Finder
from personae.coding.refusal import find_refusal
from personae.coding.text import LONGEST, TOO_LONG, fold
from personae.studies.companions.stimuli import emotion_stimuli

OTHER = "other"
"""Group of a word that the lexicon does not hold."""

_NEGATED = re.compile(r"\b(?:not|never|no longer|without|don't feel|wouldn't feel)(?: \w+)? ?$")
_DRESS = re.compile(r"^[\s\"'*_(]*(?:emotion|feeling|answer)?[\s:=\"'*_(-]*")
_BEFORE = 100
"""Letters before a word in which what negates it is looked for."""
_MOST_WORDS = 3


class FreeWord(Struct, frozen=True):
    """A free emotion word and its group; both None unless ``status`` is ``answered``."""

    status: Literal["answered", "refused", "invalid"]
    word: str | None = None
    group: str | None = None
    reason: str = ""


@cache
def _finder() -> Finder[tuple[str, str]]:
    groups = emotion_stimuli().groups
    spaced = {form: (form, group) for form, group in groups.items()}
    return Finder({**spaced, **{form.replace(" ", "-"): key for form, key in spaced.items()}})


def read_free_word(text: str) -> FreeWord:
    """Read the emotion that an answer names without being offered any.

    The word that opens the answer decides, even before a refusal of the rest; else the first one named and not
    negated, unless the answer declines. A short answer of unknown words is an answer of the group `OTHER`.

    Parameters
    ----------
    text : str
        The answer, reasoning already apart.

    Examples
    --------
    >>> read_free_word("I would feel heart-broken.").group
    'hurt'
    >>> read_free_word("Saudade").group
    'other'
    """
    if len(text) > LONGEST:
        return FreeWord("invalid", reason=TOO_LONG)
    folded = " ".join(fold(text).split())
    named = [
        one for one in _finder().find(folded) if not _NEGATED.search(folded[max(0, one.start - _BEFORE) : one.start])
    ]
    dressed = _DRESS.match(folded)
    opens = bool(named) and dressed is not None and named[0].start <= dressed.end()
    if not opens and (refusal := find_refusal(text)):
        return FreeWord("refused", reason=refusal)
    if named:
        return FreeWord("answered", *named[0].key)
    bare = _DRESS.sub("", folded).strip(" .!\"'*_)")
    if bare and len(bare.split()) <= _MOST_WORDS and bare.replace(" ", "").replace("-", "").isalpha():
        return FreeWord("answered", bare, OTHER)
    return FreeWord("invalid", reason="no emotion named")

"""Finding known phrases in a text: longest first, whole words only, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from personae.coding.text import squeeze

T = TypeVar("T")

# What may stand around an answer without changing it. Nothing that negates, doubts or refuses is among it.
_LEADS = frozenset(
    """a about am an and answer answers any are as assign assigned assigns associate associated be belong belongs
    boyfriend category choice choices choose chosen could dear definitely do each emotion feel fit fits for
    gets girlfriend give given go goes going have honey how husband i i'd i'll i'm i've in is it it's item
    label love main me mine most mostly mr mrs ms miss must my obviously of oh ok okay option our pair paired
    partner perhaps pick picked picks please probably response say select so suits sure surely sweetheart term
    that that's the then think this to us we well wife with word words would write yeah yes you your
    der die das den dem ein eine einen ich würde fühle fühlen sage sagen wähle nehme zu passt gehört ist für wort wörter
    begriff antwort wahl ordne also klar mein meine wäre ja""".split()  # noqa: SIM905
)
_MOST_LEADS = 8
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


class Mention(Struct, Generic[T], frozen=True):
    """A phrase at a place of a folded text; ``key`` is what the phrase stands for."""

    key: T
    start: int
    end: int


class Finder(Generic[T]):
    """Finds phrases in folded text.

    Parameters
    ----------
    phrases : mapping of str to object
        From a phrase, folded here, to what it stands for.

    Raises
    ------
    ValueError
        When a phrase is blank.
    """

    def __init__(self, phrases: Mapping[str, T]) -> None:
        self._keys = {squeeze(phrase): key for phrase, key in phrases.items()}
        if "" in self._keys or not self._keys:
            raise ValueError("phrases to find must be given and not be blank")
        longest = sorted(self._keys, key=len, reverse=True)
        alternatives = "|".join(r"[ \t]+".join(map(re.escape, phrase.split())) for phrase in longest)
        self._pattern = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)")

    def find(self, folded: str) -> Iterator[Mention[T]]:
        """Give the mentions in order of place; they never overlap."""
        for hit in self._pattern.finditer(folded):
            yield Mention(self._keys[" ".join(hit[0].split())], hit.start(), hit.end())


def distinct(options: Sequence[str]) -> dict[str, int]:
    """From each option, folded, to its index.

    Raises
    ------
    ValueError
        When there are fewer than two, one is blank, or two are the same but for case or quotes.
    """
    found = {squeeze(option): index for index, option in enumerate(options)}
    if len(found) != len(options) or len(options) < 2 or "" in found:
        raise ValueError(f"options must be two or more, different and not blank: {list(options)}")
    return found


def words_of(folded: str) -> list[str]:
    """The words of a folded text, without numbers and signs."""
    return _WORD.findall(folded)


def only_leads(folded: str, also: Sequence[str] = ()) -> bool:
    """Whether a text holds only signs, numbers and a few words that could lead an answer in (or those of `also`)."""
    said = words_of(folded)
    return len(said) <= _MOST_LEADS and all(word in _LEADS or word in also for word in said)

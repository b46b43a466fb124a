"""Probabilities of sets of words (all that say male, all that say female) from those of a first token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp

from msgspec import Struct

from personae.coding.text import fold
from personae.types import TokenLogprob

_BLANKS = " ▁Ġ"
_OPENING = " \t\r\n▁ĠĊ\"'“”‘’`*_([<-:"
"""How tokenizers write a blank or a line break, and what may stand before a word."""
_CLOSING = " \t\r\n▁ĠĊ\"'“”‘’`*_)]>.,;:!?"
_LEAST_PIECE = 2
"""Letters of a piece of a word: one letter is read only where it is itself in a set."""
_OTHERWISE = frozenset({"no"})
"""Pieces that are far more often words of their own."""


class SetMass(Struct, frozen=True):
    """Probability of each set of words in the place of the answer's first word.

    ``mass`` holds a probability per set, not renormalised; ``other`` is all the rest, listed or not. ``least`` is the
    smallest probability listed: what is not listed has at most that. ``first`` is the likeliest token, as it came.
    """

    mass: Mapping[str, float]
    other: float
    least: float
    first: str

    @property
    def total(self) -> float:
        """What all sets have together."""
        return sum(self.mass.values())

    @property
    def unseen(self) -> tuple[str, ...]:
        """Sets of which nothing was listed."""
        return tuple(name for name, mass in self.mass.items() if mass == 0.0)


def answer_place(tokens: Sequence[TokenLogprob]) -> TokenLogprob | None:
    """The first token that says something: blanks, quotes and marks before it are passed over.

    Returns
    -------
    TokenLogprob or None
        None where no token says anything, or none comes with its alternatives.
    """
    return next((token for token in tokens if token.top and token.token.strip(_OPENING + _CLOSING)), None)


def set_mass(
    top: Sequence[tuple[str, float]], sets: Mapping[str, Sequence[str]], said: Mapping[str, str], *, exact: bool = False
) -> SetMass:
    """Sum the probabilities of the tokens that say a word of each set.

    Parameters
    ----------
    top : sequence of (str, float)
        The likeliest tokens in one place with their natural log-probabilities.
    sets : mapping of str to sequence of str
        Words by what they say, in lower case; none in two sets.
    said : mapping of str to str
        The word of each set that the question offers: a token may also be a piece that begins it.
    exact : bool
        As in the released code of paper 004: a token counts only where it is, in lower case, a word of a set. It is not
        stripped; only the blank with which the likeliest token begins is no part of any, since a server that reports
        it reports it before every word.

    Returns
    -------
    SetMass

    Examples
    --------
    >>> from math import log
    >>> found = set_mass([(" Fem", log(0.5)), ("male", log(0.25)), ("The", log(0.125))],
    ...     {"male": ["male", "he"], "female": ["female", "she"]}, {"male": "male", "female": "female"})
    >>> {name: round(mass, 3) for name, mass in found.mass.items()}, round(found.other, 3)
    ({'male': 0.25, 'female': 0.5}, 0.25)
    """
    mass = dict.fromkeys(sets, 0.0)
    blank = _blank(top[0][0]) if top else ""
    for token, logprob in top:
        name = _exact(token, blank, sets) if exact else _named(token, sets, said)
        if name is not None:
            mass[name] += exp(logprob)
    listed = [exp(logprob) for _, logprob in top]
    other = max(0.0, 1.0 - sum(mass.values()))
    return SetMass(mass, other, min(listed, default=0.0), top[0][0] if top else "")


def _blank(token: str) -> str:
    return token[: len(token) - len(token.lstrip(_BLANKS))]


def _exact(token: str, blank: str, sets: Mapping[str, Sequence[str]]) -> str | None:
    if not token.startswith(blank):
        return None
    word = token[len(blank) :].lower()
    return next((name for name, words in sets.items() if word in words), None)


def _named(token: str, sets: Mapping[str, Sequence[str]], said: Mapping[str, str]) -> str | None:
    word = fold(token.lstrip(_OPENING)).strip(_CLOSING)
    for name, words in sets.items():
        if word in words:
            return name
    whole = token.rstrip(_CLOSING) != token  # something follows the word, so it is no piece
    if whole or len(word) < _LEAST_PIECE or word in _OTHERWISE:
        return None
    begun = [name for name, offered in said.items() if offered.startswith(word)]
    return begun[0] if len(begun) == 1 else None

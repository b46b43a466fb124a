"""What of a design is asked, and in which order: everything is drawn by hash from a recorded seed.

An order depends on the seed and the stimulus, never on the condition: persona and baseline see the same words in the
same order, so that a difference between them is the persona's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Literal, TypeVar

from personae.personas import PersonaSet, Strict
from personae.types import Condition

T = TypeVar("T")


class Spread(Strict):
    """Which conditions are asked."""

    users: bool
    wordings: Literal["first", "rotate", "all"]


def _digest(*parts: object) -> bytes:
    return blake2b("|".join(map(str, parts)).encode(), digest_size=8).digest()


def shuffled(options: Sequence[T], *key: object) -> list[T]:
    """Shuffle by hash: the same `key` gives the same order on every machine and Python.

    Equal options count by their place, so each appears as often as it was given.
    """
    places = sorted(range(len(options)), key=lambda place: _digest(*key, place))
    return [options[place] for place in places]


def balanced(options: Sequence[T], n: int, *key: object) -> list[T]:
    """Give `n` draws in shuffled order, each option equally often, or one more for some."""
    pool = shuffled(options, *key, "pool")
    return shuffled([pool[place % len(pool)] for place in range(n)], *key)


def rotations(options: Sequence[T]) -> list[list[T]]:
    """Every cyclic rotation: each option stands once in every place."""
    return [[*options[start:], *options[:start]] for start in range(len(options))]


def worded(personas: PersonaSet, spread: Spread, turn: int) -> Iterator[Condition]:
    """The conditions of one stimulus.

    Parameters
    ----------
    personas : PersonaSet
        Whose conditions.
    spread : Spread
        With users or without; one wording, all, or in turn.
    turn : int
        The number of the stimulus: with ``rotate``, stimulus and condition together pick the wording, so that
        every condition meets every wording, and equally often over the stimuli.
    """
    ids = personas.wording_ids
    for place, role in enumerate(personas.roles(spread.users)):
        chosen: Sequence[str] = ids
        if ids and spread.wordings != "all":
            start = (turn + place) % len(ids) if spread.wordings == "rotate" else 0
            chosen = ids[start : start + 1]
        yield from personas.worded(role, chosen)


def orders(options: Sequence[T], n: int, *key: object) -> list[list[T]]:
    """Give `n` orders of `options`, in which every option stands in every place equally often, or once more.

    They are drawn in blocks: a block is a random order and all its rotations.
    """
    blocks = range(-(-n // len(options)))
    drawn = [turned for block in blocks for turned in rotations(shuffled(options, *key, "block", block))]
    return shuffled(drawn[:n], *key)

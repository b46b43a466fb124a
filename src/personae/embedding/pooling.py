"""One vector for a whole text out of the states of its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from personae.embedding.base import Floats, nothing
from personae.embedding.transformer import Pieces, Transformer

Used = Literal["all", "words", "first"]


def pooled(transformer: Transformer, texts: Sequence[Pieces], *, window: int, used: Used) -> Floats:
    """The mean of the states of a text's tokens.

    A text of more than ``window`` tokens is not cut off: it is read in as few windows as there have to be, all of
    nearly one length, and the mean goes over the tokens of all of them.

    Parameters
    ----------
    transformer : Transformer
        Gives the states.
    texts : sequence of Pieces
        The texts, cut into tokens.
    window : int
        How many tokens are read at once, special ones not counted.
    used : {"all", "words", "first"}
        Which states the mean is of: all, those without the special tokens, the first special token's.

    Returns
    -------
    array of float32, shape (n, dim)
        A row of ``nan`` where no state is used.
    """
    windows: list[tuple[int, ...]] = []
    owners: list[int] = []
    for owner, pieces in enumerate(texts):
        for part in _parts(pieces.ids, window):
            windows.append(part)
            owners.append(owner)
    total = np.zeros((len(texts), transformer.dim), dtype=np.float32)
    count = np.zeros((len(texts), 1), dtype=np.float32)
    for at, states in transformer.states(windows):
        chosen = _chosen(states, transformer.before, len(windows[at]), used)
        total[owners[at]] += chosen.sum(axis=0)
        count[owners[at]] += len(chosen)
    return np.divide(total, count, out=nothing(len(texts), transformer.dim), where=count > 0)


def _chosen(states: Floats, before: int, tokens: int, used: Used) -> Floats:
    match used:
        case "all":
            return states
        case "words":
            return states[before : before + tokens]
        case "first":
            return states[:1]


def _parts(ids: tuple[int, ...], room: int) -> list[tuple[int, ...]]:
    parts = max(1, -(-len(ids) // room))
    edges = [len(ids) * part // parts for part in range(parts + 1)]
    return [ids[begin:end] for begin, end in pairwise(edges)]

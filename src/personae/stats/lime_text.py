"""A text as LIME sees it: its words, its masked copies, and their scores where a text is the mean of its words."""

from __future__ import annotations

import re
from itertools import accumulate, compress

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from personae.stats._base import Floats

MASKED = "UNKWORDZ"
_SPLIT = re.compile(r"(\W+)|$")


class Words(Struct, frozen=True, kw_only=True):
    """The words of a text, in order of first appearance.

    ``pieces`` joined are the text; ``owner`` gives for each piece the place of its word, or -1 where it is
    none. ``together`` says whether all occurrences of a word are one.
    """

    words: tuple[str, ...]
    pieces: tuple[str, ...]
    owner: tuple[int, ...]
    together: bool = True

    def spans(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Where each word stands in the text: (start, end) in characters of every occurrence."""
        ends = list(accumulate(map(len, self.pieces)))
        found: list[list[tuple[int, int]]] = [[] for _ in self.words]
        for piece, end, owner in zip(self.pieces, ends, self.owner, strict=True):
            if owner >= 0:
                found[owner].append((end - len(piece), end))
        return tuple(map(tuple, found))


def split_words(text: str, *, together: bool = True) -> Words:
    """Take a text apart as lime does: words are what stands between runs of ``\\W``, with their case.

    Parameters
    ----------
    text : str
    together : bool
        Whether all occurrences of a word are masked as one (lime's ``bow=True``) or each on its own.

    Notes
    -----
    lime 0.2.0.1, ``IndexedString`` with ``split_expression=r"\\W+"``.
    """
    pieces = tuple(piece for piece in _SPLIT.split(text) if piece)
    places: dict[str, int] = {}
    words: list[str] = []
    owner = []
    for piece in pieces:
        if _SPLIT.match(piece):
            owner.append(-1)
            continue
        if not together or piece not in places:
            places[piece] = len(words)
            words.append(piece)
        owner.append(places[piece])
    return Words(words=tuple(words), pieces=pieces, owner=tuple(owner), together=together)


def masked_texts(words: Words, masks: ArrayLike) -> list[str]:
    """The masked copies of a text.

    Parameters
    ----------
    words : Words
    masks : array_like of bool, shape (samples, words)

    Returns
    -------
    list of str
        Masked words are removed; where occurrences are apart, so that order matters, ``UNKWORDZ`` stands
        for them.

    Raises
    ------
    ValueError
        When the masks are not as wide as the text has words.

    Notes
    -----
    lime 0.2.0.1, ``IndexedString.inverse_removing``.
    """
    table = np.asarray(masks, dtype=bool)
    if table.ndim != 2 or table.shape[1] != len(words.words):
        raise ValueError(f"found masks of shape {table.shape} for {len(words.words)} words")
    owner = np.array(words.owner, dtype=np.intp)
    kept = np.ones((table.shape[0], owner.size), dtype=bool)
    kept[:, owner >= 0] = table[:, owner[owner >= 0]]
    if words.together:
        return ["".join(compress(words.pieces, row)) for row in kept.tolist()]
    return [
        "".join(piece if keep else MASKED for piece, keep in zip(words.pieces, row, strict=True))
        for row in kept.tolist()
    ]


def word_sums(words: Words, vectors: ArrayLike) -> Floats:
    """The vector of each word times its occurrences, which masked copies are sums of.

    Parameters
    ----------
    words : Words
    vectors : array_like, shape (words, d)
        Zeros for words the encoder does not know.

    Returns
    -------
    ndarray, shape (words, d)
    """
    owner = np.array(words.owner, dtype=np.intp)
    counts = np.bincount(owner[owner >= 0], minlength=len(words.words))
    sums: Floats = np.asarray(vectors, dtype=np.float64) * counts[:, None]
    return sums


def masked_vectors(masks: ArrayLike, sums: ArrayLike) -> Floats:
    """Vectors of all masked copies of a text whose vector is the sum, or the mean, of its words: one product.

    Parameters
    ----------
    masks : array_like of bool, shape (samples, words)
    sums : array_like, shape (words, d)
        See `word_sums`.

    Returns
    -------
    ndarray, shape (samples, d)
        Sums; they point where the means do. Zeros where no known word is left.
    """
    vectors: Floats = np.asarray(masks, dtype=np.float64) @ np.asarray(sums, dtype=np.float64)
    return vectors


def masked_scores(masks: ArrayLike, sums: ArrayLike, towards: ArrayLike) -> Floats:
    """Scores of all masked copies: the dot product of their vector, scaled to length 1, with a direction.

    With ``towards`` the mean of the first attributes (each of length 1) less that of the second this is the
    association of `association.associations`.

    Parameters
    ----------
    masks : array_like of bool, shape (samples, words)
    sums : array_like, shape (words, d)
    towards : array_like, shape (d,)

    Returns
    -------
    ndarray, shape (samples,)
        0 where no known word is left: a text without content is near neither side.
    """
    vectors = masked_vectors(masks, sums)
    length = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))
    known = length > 0.0
    scores: Floats = np.divide(vectors @ np.asarray(towards), length, out=np.zeros(length.size), where=known)
    return scores

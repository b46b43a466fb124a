"""What an encoder is: texts in, arrays out, and what could not be encoded said beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Pooling = Literal["mean", "first"]


class Span(Struct, frozen=True):
    """A stretch of a text: the characters from ``start`` up to, not including, ``end``."""

    text: str
    start: int
    end: int


class Encoded(Struct, frozen=True):
    """One row for each thing encoded, in the order given.

    Attributes
    ----------
    vectors : array of float32, shape (n, dim)
        A row of ``nan`` where there was nothing to encode: no word had a vector, the text was blank.
    missing : tuple of tuple of str, length n
        For each row the words, or pieces of words, that have no vector and were therefore left out of it.
    """

    vectors: Floats
    missing: tuple[tuple[str, ...], ...]

    @property
    def found(self) -> NDArray[np.bool_]:
        """Which rows hold a vector, shape (n,)."""
        return np.asarray(~np.isnan(self.vectors).any(axis=1), dtype=np.bool_)


@runtime_checkable
class Encoder(Protocol):
    """Encodes texts.

    ``name`` is what a user wrote, ``identity`` changes with the weights and with how they are read: it keys the
    cache. ``dim`` is the length of a vector.
    """

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> str: ...

    @property
    def dim(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Encoded:
        """One vector for each text."""
        ...


@runtime_checkable
class WordEncoder(Encoder, Protocol):
    """Has one vector for a word, wherever it stands; a text is the mean of its words."""

    def words(self, text: str) -> list[str]:
        """The words that a text is the mean of, known or not, as they stand in it."""
        ...

    def vectors(self, words: Sequence[str]) -> Encoded:
        """One vector for each word; a row of ``nan`` and the word under ``missing`` where there is none."""
        ...


@runtime_checkable
class SpanEncoder(Encoder, Protocol):
    """Has a vector for a word in its context."""

    def encode_spans(self, spans: Sequence[Span], *, pooling: Pooling = "mean") -> Encoded:
        """One vector for each span: the mean of the states of every token that covers it, or the first of them."""
        ...


def nothing(rows: int, dim: int) -> Floats:
    """Rows that hold no vector yet: all ``nan``, shape (rows, dim)."""
    return np.full((rows, dim), np.nan, dtype=np.float32)

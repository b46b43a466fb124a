"""Static encoders: one vector for a word, wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from personae.embedding.base import Encoded, nothing
from personae.embedding.vectorfiles import WordVectors

_WORD = re.compile(r"\w+")


class StaticEncoder:
    """Word vectors; a text is the mean of its words.

    A word is looked up as it is written and, where there is none such, in lower case.
    """

    def __init__(self, name: str, identity: str, table: WordVectors) -> None:
        self.name, self.identity = name, identity
        self._table = table

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self._table.vectors.shape[1])

    def __contains__(self, word: str) -> bool:
        """Whether a word has a vector."""
        return self._row(word) is not None

    def words(self, text: str) -> list[str]:
        r"""The words of a text as they stand in it: every match of ``\w+``, known or not."""
        return _WORD.findall(text)

    def vectors(self, words: Sequence[str]) -> Encoded:
        """One vector for each word; a row of ``nan`` and the word under ``missing`` where there is none."""
        rows = [self._row(word) for word in words]
        vectors = nothing(len(words), self.dim)
        known = [at for at, row in enumerate(rows) if row is not None]
        vectors[known] = self._table.vectors[[row for row in rows if row is not None]]
        missing = [() if row is not None else (word,) for word, row in zip(words, rows, strict=True)]
        return Encoded(vectors, tuple(missing))

    def encode(self, texts: Sequence[str]) -> Encoded:
        """The mean of the vectors of each text's words, a word that comes twice counting twice.

        ``missing`` names the words without a vector, in their order; a text of no other words has a row of ``nan``.
        """
        vectors = nothing(len(texts), self.dim)
        missing: list[tuple[str, ...]] = []
        for at, text in enumerate(texts):
            words = self.words(text)
            rows = [self._row(word) for word in words]
            missing.append(tuple(word for word, row in zip(words, rows, strict=True) if row is None))
            if known := [row for row in rows if row is not None]:
                vectors[at] = self._table.vectors[known].mean(axis=0, dtype=np.float64)
        return Encoded(vectors, tuple(missing))

    def _row(self, word: str) -> int | None:
        row = self._table.rows.get(word)
        return self._table.rows.get(word.lower()) if row is None else row

"""Contextual encoders: the vector of a word, or of any stretch of a text, in its context."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct

from personae.embedding.base import Encoded, Floats, Pooling, Span, nothing
from personae.embedding.cache import VectorCache
from personae.embedding.pooling import pooled
from personae.embedding.transformer import Pieces, Transformer
from personae.errors import BadInput


class _Job(Struct, frozen=True):
    """Which states of a window make which row."""

    row: int
    first: int
    last: int


class ContextualEncoder:
    """States of the last layer of a transformer, averaged over the tokens that cover a span.

    A text of more tokens than the model sees at once is read in the window around the span that leaves as much
    context on either side.
    """

    def __init__(self, name: str, identity: str, folder: Path, cache: VectorCache) -> None:
        self._transformer = Transformer(folder, name)
        self._cache = cache
        self.name, self.identity = name, identity

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._transformer.dim

    def encode(self, texts: Sequence[str]) -> Encoded:
        """The mean of the states of all tokens of each text, special tokens left out; a longer text in windows.

        ``missing`` names what the tokenizer has no token for; its states are in the mean all the same.
        """
        contents = [(text,) for text in texts]
        return self._cache.through(
            self.identity, contents, self.dim, lambda at: self._compute_texts([texts[one] for one in at])
        )

    def encode_spans(self, spans: Sequence[Span], *, pooling: Pooling = "mean") -> Encoded:
        """One vector for each span.

        Parameters
        ----------
        spans : sequence of Span
            White space at their ends does not count.
        pooling : {"mean", "first"}
            The mean of the states of every token that covers a part of the span, or the first of these alone.

        Returns
        -------
        Encoded
            ``missing`` names what the tokenizer has no token for. A span that is nothing else has no vector.

        Raises
        ------
        BadInput
            When a span is not inside its text, is blank, or is longer than what the model sees at once.
        """
        trimmed = [_trimmed(span) for span in spans]
        contents = [(span.text, span.start, span.end, pooling) for span in trimmed]
        return self._cache.through(
            self.identity, contents, self.dim, lambda at: self._compute([trimmed[one] for one in at], pooling)
        )

    def _compute_texts(self, texts: list[str]) -> Encoded:
        cut = self._transformer.pieces(texts)
        missing = [
            tuple(text[slice(*pieces.offsets[at])] for at in sorted(pieces.unknown))
            for text, pieces in zip(texts, cut, strict=True)
        ]
        vectors = pooled(self._transformer, cut, window=self._transformer.window, used="words")
        return Encoded(vectors, tuple(missing))

    def _compute(self, spans: list[Span], pooling: Pooling) -> Encoded:
        texts = list(dict.fromkeys(span.text for span in spans))
        cut = dict(zip(texts, self._transformer.pieces(texts), strict=True))
        jobs: dict[tuple[int, ...], list[_Job]] = {}
        missing: list[tuple[str, ...]] = []
        for row, span in enumerate(spans):
            pieces = cut[span.text]
            covering = _covering(pieces, span)
            unknown = [at for at in covering if at in pieces.unknown]
            nowhere = () if covering else (span.text[span.start : span.end],)
            missing.append((*nowhere, *(span.text[slice(*pieces.offsets[at])] for at in unknown)))
            if len(unknown) < len(covering):
                last = covering[0] if pooling == "first" else covering[-1]
                begin, end = self._window(len(pieces.ids), covering[0], last, span)
                job = _Job(row, covering[0] - begin, last - begin)
                jobs.setdefault(pieces.ids[begin:end], []).append(job)
        return Encoded(self._pooled(jobs, len(spans)), tuple(missing))

    def _pooled(self, jobs: dict[tuple[int, ...], list[_Job]], rows: int) -> Floats:
        vectors = nothing(rows, self.dim)
        windows = list(jobs)
        before = self._transformer.before
        for at, states in self._transformer.states(windows):
            for job in jobs[windows[at]]:
                vectors[job.row] = np.mean(states[before + job.first : before + job.last + 1], axis=0)
        return vectors

    def _window(self, tokens: int, first: int, last: int, span: Span) -> tuple[int, int]:
        """From which to which token a text is read so that ``first`` to ``last`` stand in the middle."""
        room = self._transformer.window
        if last - first >= room:
            raise BadInput("span", f"{span.text[span.start : span.start + 40]}…", f"{self.name} sees {room} tokens")
        begin = max(0, min((first + last + 1 - room) // 2, tokens - room))
        return begin, min(tokens, begin + room)


def _trimmed(span: Span) -> Span:
    if not 0 <= span.start < span.end <= len(span.text):
        raise BadInput("span", (span.start, span.end), f"characters inside a text of {len(span.text)}")
    inside = span.text[span.start : span.end]
    if not inside.strip():
        raise BadInput("span", inside, "more than white space")
    start = span.start + len(inside) - len(inside.lstrip())
    return Span(span.text, start, start + len(inside.strip()))


def _covering(pieces: Pieces, span: Span) -> list[int]:
    """Tokens that cover at least one character of a span."""
    return [at for at, (start, end) in enumerate(pieces.offsets) if max(start, span.start) < min(end, span.end)]

"""A memory in this process: notes are found by the cosine of their vectors, always the same ones for the same query."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from personae.memory.backends.listed import Listed
from personae.memory.base import Extract, check_k
from personae.memory.notes import Note

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from personae.embedding import Encoder


class Vector(Listed):
    """Everything that was ever said, searched by meaning.

    Parameters
    ----------
    encoder_name : str
        See `personae.embedding.encoder`.
    extract : Extract, optional
    name : str
    """

    def __init__(
        self, encoder_name: str = "sentence/use-small", extract: Extract | None = None, name: str = "vector"
    ) -> None:
        super().__init__(extract, name)
        self._encoder_name = encoder_name
        self._vectors: NDArray[np.float64] | None = None

    @cached_property
    def _encoder(self) -> Encoder:
        from personae.embedding import encoder

        return encoder(self._encoder_name)

    def check(self) -> None:
        """See that there is the encoder."""
        self._encoder.encode(["ready"])

    async def recall(self, query: str, k: int) -> list[Note]:
        """The `k` notes nearest to a query, nearest first; of two as near, the older."""
        import numpy as np

        check_k(k)
        if not self._notes:
            return []
        if self._vectors is None:
            self._vectors = self._unit([note.text for note in self._notes])
        near = np.nan_to_num(self._vectors @ self._unit([query])[0], nan=-1.0)
        # Rounded, so that the order of two equal texts does not hang on the last bit of a sum.
        order = np.argsort(-near.round(9), kind="stable")[:k]
        return [self._notes[place] for place in order]

    async def fork(self) -> Vector:
        """Another memory with the same notes."""
        other = Vector(self._encoder_name, self._extract, self.name)
        await other.restore(await self.snapshot())
        return other

    def _changed(self) -> None:
        self._vectors = None

    def _unit(self, texts: list[str]) -> NDArray[np.float64]:
        import numpy as np

        rows = self._encoder.encode(texts).vectors.astype(np.float64)
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: NDArray[np.float64] = np.divide(rows, length, out=np.full_like(rows, np.nan), where=length > 0)
        return unit

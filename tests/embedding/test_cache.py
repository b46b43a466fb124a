"""The cache by content: each thing is encoded once, in this process and with a file in the next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from personae.embedding import Encoded, VectorCache


class Lengths:
    """Encodes a text by its length and counts what it is asked."""

    def __init__(self, cache: VectorCache, identity: str = "lengths") -> None:
        self.cache, self.identity = cache, identity
        self.asked: list[str] = []

    def __call__(self, *texts: str) -> Encoded:
        def compute(at: Sequence[int]) -> Encoded:
            self.asked += [texts[one] for one in at]
            vectors = np.array([[len(texts[one]), np.nan] for one in at], dtype=np.float32)
            return Encoded(vectors, tuple((texts[one][:1],) for one in at))

        return self.cache.through(self.identity, [(text,) for text in texts], 2, compute)


def test_the_same_text_is_encoded_once() -> None:
    encode = Lengths(VectorCache())
    first = encode("aa", "b", "aa")
    assert first.vectors[:, 0].tolist() == [2, 1, 2]
    assert first.missing == (("a",), ("b",), ("a",))
    again = encode("b", "ccc", "aa")
    assert again.vectors[:, 0].tolist() == [1, 3, 2]
    assert np.isnan(again.vectors[:, 1]).all()
    assert encode.asked == ["aa", "b", "ccc"]


def test_another_encoder_shares_nothing() -> None:
    cache = VectorCache()
    Lengths(cache)("a")
    other = Lengths(cache, "other")
    other("a")
    assert other.asked == ["a"]


def test_a_file_serves_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "vectors.db"
    cache = VectorCache(path)
    first = Lengths(cache)("aa", "b")
    cache.close()
    encode = Lengths(VectorCache(path))
    again = encode("b", "aa", "c")
    encode.cache.close()
    assert encode.asked == ["c"]
    np.testing.assert_array_equal(again.vectors[:2], first.vectors[::-1])
    assert again.missing[:2] == first.missing[::-1]


def test_two_processes_may_write_the_same_file(tmp_path: Path) -> None:
    one, other = (Lengths(VectorCache(tmp_path / "vectors.db")) for _ in range(2))
    one("a", "b")
    other("b", "c")
    assert other.asked == ["c"]
    one("c", "d")
    assert one.asked == ["a", "b", "d"]
    one.cache.close()
    other.cache.close()


def test_memory_has_a_limit_and_the_longest_unused_goes_first() -> None:
    encode = Lengths(VectorCache(limit=16))  # two rows of two float32
    encode("a", "b")
    encode("a")
    encode("c")
    encode("a")
    assert encode.asked == ["a", "b", "c"]
    encode("b")
    assert encode.asked == ["a", "b", "c", "b"]


def test_more_than_a_slice_comes_back_in_order() -> None:
    encode = Lengths(VectorCache())
    texts = ["x" * (at % 1500) for at in range(3000)]
    assert encode(*texts).vectors[:, 0].tolist() == [len(text) for text in texts]
    assert len(encode.asked) == 1500

"""Word vectors from files: GloVe and word2vec text, word2vec binary, gensim's own, Parquet; none can run code."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl
from msgspec import Struct

from personae.embedding.base import Floats
from personae.embedding.keyedvectors import read_keyed_vectors
from personae.embedding.known import SUFFIXES
from personae.errors import BadInput
from personae.parquetfile import check_parquet

_MOST_BYTES = 16 << 30
_LONGEST = 4096
"""Bytes of a word, or of the counts before them, in a binary file."""


class WordVectors(Struct, frozen=True):
    """Words and their rows in ``vectors``, shape (words, dim)."""

    rows: dict[str, int]
    vectors: Floats


def read_glove_folder(folder: Path) -> WordVectors:
    """The two files of the catalogued GloVe: an array, which is mapped and not read, and its words in order."""
    words = pl.read_parquet(folder / "glove_6B_index.parquet")["index"]
    vectors: Floats = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")
    return WordVectors({word: row for row, word in enumerate(words)}, vectors)


def read_vectors(path: Path, name: str) -> WordVectors:
    """Word vectors from a file of the user's own; of a word that comes twice the first one counts.

    Parameters
    ----------
    path : Path
        ``.txt`` or ``.vec``: GloVe's text, or word2vec's, which begins with a line of two counts. ``.bin``: word2vec
        binary; ``.kv``: gensim's KeyedVectors, a pickle of which nothing is run. ``.parquet``: a column ``word`` and a
        column ``vector`` of lists.
    name : str
        For messages.

    Raises
    ------
    BadInput
        When there is no such file, its name ends otherwise, or it does not hold what it should.
    """
    if not path.is_file():
        raise BadInput("encoder", name, f"there is no file {path.absolute()}")
    match path.suffix.lower():
        case ".txt" | ".vec":
            return _read_text(path)
        case ".bin":
            return _read_binary(path)
        case ".kv":
            words, vectors = read_keyed_vectors(path)
            return _checked(path, dict(zip(words, range(len(words)), strict=True)), vectors)
        case ".parquet":
            return _read_parquet(path)
        case _:
            raise BadInput("encoder", name, f"a file that ends in {', '.join(SUFFIXES)}")


def _read_text(path: Path) -> WordVectors:
    rows: dict[str, int] = {}
    vectors: list[Floats] = []
    with path.open("rb") as file:
        for word, vector in _lines(file, path):
            if word not in rows:
                rows[word] = len(vectors)
                vectors.append(vector)
    if not vectors:
        raise BadInput(f"file {path}", "no vectors", "a word and its numbers in each line")
    return WordVectors(rows, np.stack(vectors))


def _lines(file: BinaryIO, path: Path) -> Iterator[tuple[str, Floats]]:
    """Word and vector of each line. Words may hold spaces: the numbers are counted from the end."""
    dim = 0
    for number, line in enumerate(file, start=1):
        fields = line.rstrip(b"\r\n ").split(b" ")
        if number == 1 and len(fields) == 2 and all(field.isdigit() for field in fields):
            dim = int(fields[1])  # word2vec: how many words, how many numbers
            continue
        dim = dim or len(fields) - 1
        try:
            vector = np.array(fields[len(fields) - dim :], dtype=np.float32)
            word = b" ".join(fields[: len(fields) - dim]).decode("utf-8")
        except (ValueError, UnicodeDecodeError) as problem:
            raise BadInput(f"file {path}, line {number}", line[:40], f"a word and {dim} numbers") from problem
        if not word or len(vector) != dim or not np.isfinite(vector).all():
            raise BadInput(f"file {path}, line {number}", line[:40], f"a word and {dim} numbers")
        yield word, vector


def _read_binary(path: Path) -> WordVectors:
    """The form of word2vec: two counts in a line, then each word, a space, and its numbers of four bytes."""
    with path.open("rb") as file:
        counts = file.readline(_LONGEST).split()
        if len(counts) != 2 or not all(count.isdigit() for count in counts):
            raise BadInput(f"file {path}", b" ".join(counts)[:40], "two counts in the first line, as word2vec writes")
        count, dim, begin = int(counts[0]), int(counts[1]), file.tell()
        if not dim or not 0 < count * (4 * dim + 1) <= path.stat().st_size - begin:
            raise BadInput(f"file {path}", f"{count} words of {dim} numbers", "as many as the file has room for")
        vectors = np.empty((count, dim), dtype=np.float32)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            rows = _fill(vectors, content, begin, path)
    return _checked(path, rows, vectors)


def _fill(vectors: Floats, content: mmap.mmap, begin: int, path: Path) -> dict[str, int]:
    """Read every word's numbers into its row; gives the rows by word."""
    rows: dict[str, int] = {}
    size = 4 * vectors.shape[1]
    for row in range(len(vectors)):
        end = content.find(b" ", begin, begin + _LONGEST)
        word, begin = content[begin : max(end, begin)].lstrip(b"\n"), end + 1 + size
        if end < 0 or begin > len(content):
            raise BadInput(f"file {path}, word {row + 1}", word[:40], f"a word, a space and {size} bytes of numbers")
        vectors[row] = np.frombuffer(content[end + 1 : begin], dtype="<f4")
        try:
            rows.setdefault(word.decode("utf-8"), row)
        except UnicodeDecodeError:
            raise BadInput(f"file {path}, word {row + 1}", word[:40], "a word of UTF-8") from None
    return rows


def _read_parquet(path: Path) -> WordVectors:
    check_parquet(path, "encoder", most=_MOST_BYTES)
    try:
        table = pl.read_parquet(path, columns=["word", "vector"]).unique("word", keep="first", maintain_order=True)
        vectors = np.array(table["vector"].to_list(), dtype=np.float32)
    except (pl.exceptions.PolarsError, ValueError, TypeError) as problem:
        said = " ".join(str(problem).split())
        raise BadInput(f"file {path}", said, "a column word and a column vector of equally long lists") from problem
    return _checked(path, {word: row for row, word in enumerate(table["word"])}, vectors)


def _checked(path: Path, rows: Mapping[str, int], vectors: Floats) -> WordVectors:
    if vectors.ndim != 2 or not rows or not np.isfinite(vectors).all():
        raise BadInput(f"file {path}", f"vectors of shape {vectors.shape}", "at least one vector, of numbers alone")
    return WordVectors(dict(rows), vectors)

"""Word vectors from files: GloVe and word2vec text, word2vec binary, gensim's own, Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from pickle import UnpicklingError
from typing import BinaryIO

import numpy as np
import polars as pl
from msgspec import Struct

from personae.embedding.base import Floats
from personae.embedding.packages import need
from personae.errors import BadInput

SUFFIXES = (".txt", ".vec", ".bin", ".kv", ".parquet")


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
        binary; ``.kv``: gensim's KeyedVectors (both by gensim, the extra ``paper``; the
        latter is a pickle, which can run code: only files that you trust). ``.parquet``: a column ``word``
        and a column ``vector`` of lists.
    name : str
        For messages.

    Raises
    ------
    BadInput
        When there is no such file, its name ends otherwise, the extra is missing, or it does not hold what it should.
    """
    if not path.is_file():
        raise BadInput("encoder", name, f"there is no file {path.absolute()}")
    match path.suffix.lower():
        case ".txt" | ".vec":
            return _read_text(path)
        case ".bin" | ".kv":
            return _read_gensim(path, name)
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


def _read_gensim(path: Path, name: str) -> WordVectors:
    keyed = need("gensim.models", name, "paper").KeyedVectors
    try:
        read = keyed.load(str(path)) if path.suffix.lower() == ".kv" else keyed.load_word2vec_format(path, binary=True)
        return WordVectors(dict(read.key_to_index), np.asarray(read.vectors, dtype=np.float32))
    except (OSError, ValueError, EOFError, AttributeError, UnpicklingError) as problem:
        raise BadInput(f"file {path}", str(problem), "word vectors that gensim can load") from problem


def _read_parquet(path: Path) -> WordVectors:
    try:
        table = pl.read_parquet(path, columns=["word", "vector"]).unique("word", keep="first", maintain_order=True)
        vectors = np.array(table["vector"].to_list(), dtype=np.float32)
    except (pl.exceptions.PolarsError, ValueError, TypeError) as problem:
        said = " ".join(str(problem).split())
        raise BadInput(f"file {path}", said, "a column word and a column vector of equally long lists") from problem
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise BadInput(f"file {path}", f"vectors of shape {vectors.shape}", "at least one vector, of numbers alone")
    return WordVectors({word: row for row, word in enumerate(table["word"])}, vectors)

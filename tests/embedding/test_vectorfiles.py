"""Word vectors from files of every form, and what is said of a file that is none of them."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from gensim.models import KeyedVectors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personae.embedding.vectorfiles import WordVectors, read_vectors
from personae.errors import BadInput


def read(path: Path) -> WordVectors:
    return read_vectors(path, f"static/{path}")


def write(folder: Path, text: str, name: str = "vectors.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_glove_text_is_read(tmp_path: Path) -> None:
    found = read(write(tmp_path, "the 0.5 -1\n, 2e-1 3\n"))
    assert found.rows == {"the": 0, ",": 1}
    np.testing.assert_allclose(found.vectors, [[0.5, -1], [0.2, 3]])
    assert found.vectors.dtype == np.float32


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.vec"])
def test_word2vec_text_begins_with_two_counts(tmp_path: Path, name: str) -> None:
    found = read(write(tmp_path, "2 3\nking 1 2 3\nNew York 4 5 6 \n", name))
    assert found.rows == {"king": 0, "New York": 1}
    assert found.vectors.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_of_a_word_that_comes_twice_the_first_counts(tmp_path: Path) -> None:
    found = read(write(tmp_path, "a 1 2\na 3 4\nb 5 6\n"))
    assert {word: found.vectors[row].tolist() for word, row in found.rows.items()} == {"a": [1, 2], "b": [5, 6]}


@pytest.mark.parametrize("line", ["b 1", "b x 2", "b nan 2", "b inf 2", " 1 2"])
def test_a_line_that_is_no_vector_is_named_with_its_number(tmp_path: Path, line: str) -> None:
    with pytest.raises(BadInput, match=r"line 2.*a word and 2 numbers"):
        read(write(tmp_path, f"a 1 2\n{line}\n"))


@pytest.mark.parametrize("text", ["", "2 3\n"])
def test_a_text_without_vectors_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match="no vectors"):
        read(write(tmp_path, text))


WORD = st.text(st.characters(codec="utf-8", exclude_characters="\n\r "), min_size=1)
FLOAT = st.floats(width=32, allow_nan=False, allow_infinity=False)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(WORD, st.lists(FLOAT, min_size=3, max_size=3), min_size=1))
def test_what_is_written_comes_back(tmp_path: Path, table: dict[str, list[float]]) -> None:
    lines = [f"{word} {' '.join(map(repr, numbers))}\n" for word, numbers in table.items()]
    path = tmp_path / "vectors.txt"
    path.write_bytes("".join(lines).encode("utf-8"))
    found = read(path)
    assert {word: found.vectors[row].tolist() for word, row in found.rows.items()} == table


@pytest.mark.parametrize("suffix", ["kv", "bin"])
def test_gensim_reads_its_own_and_word2vec_binary(tmp_path: Path, suffix: str) -> None:
    keyed = KeyedVectors(3)
    keyed.add_vectors(["king", "New_York"], np.eye(2, 3, dtype=np.float32))
    path = tmp_path / f"vectors.{suffix}"
    keyed.save(str(path)) if suffix == "kv" else keyed.save_word2vec_format(str(path), binary=True)
    found = read(path)
    assert found.rows == {"king": 0, "New_York": 1}
    assert found.vectors.tolist() == np.eye(2, 3).tolist()


@pytest.mark.parametrize("protocol", [2, 4, 5])
@pytest.mark.parametrize("apart", [False, True])
def test_keyed_vectors_of_every_form_are_read_as_gensim_reads_them(tmp_path: Path, protocol: int, apart: bool) -> None:
    keyed = KeyedVectors(3)
    keyed.add_vectors(["king", "kö nig", "a"], np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32))
    path = tmp_path / "vectors.kv"
    keyed.save(str(path), sep_limit=0 if apart else 1 << 20, pickle_protocol=protocol)
    assert path.with_name("vectors.kv.vectors.npy").exists() == apart

    found, expected = read(path), KeyedVectors.load(str(path))

    assert found.rows == expected.key_to_index
    assert found.vectors.tolist() == expected.vectors.tolist()


def test_of_a_word_that_comes_twice_in_binary_the_first_counts(tmp_path: Path) -> None:
    path = tmp_path / "vectors.bin"
    numbers = np.arange(6, dtype="<f4").reshape(3, 2)
    lines = [word + b" " + row.tobytes() + b"\n" for word, row in zip([b"a", b"b", b"a"], numbers, strict=True)]
    path.write_bytes(b"3 2\n" + b"".join(lines))
    found = read(path)
    assert {word: found.vectors[row].tolist() for word, row in found.rows.items()} == {"a": [0, 1], "b": [2, 3]}


class Runs:
    """What runs a command when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self.command,)


@pytest.mark.parametrize("protocol", range(6))
def test_nothing_in_a_pickle_is_run(tmp_path: Path, protocol: int) -> None:
    path, mark = tmp_path / "vectors.kv", tmp_path / "ran"
    path.write_bytes(pickle.dumps(Runs(f"touch {mark}"), protocol=protocol))
    with pytest.raises(BadInput, match="gensim's KeyedVectors"):
        read(path)
    assert not mark.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"junk",
        b"",
        pickle.dumps(None),
        pickle.dumps({"index_to_key": ["a"]}),
        b"cbuiltins\nprint\n(S'x'\ntRb.",
        b"cos\nsystem\n}(X\x0b\x00\x00\x00__setstate__cos\nsystem\nub.",
        b"\x80\x04]r\xff\xff\xff\xff.",  # the four thousand millionth value, which C makes room for
        b"\x80\x04\x8e" + b"\xff" * 8 + b".",
        b"\x80\x02\x82\x01.",
        b"Pname\n.",
    ],
)
def test_a_file_that_is_no_keyed_vectors_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "vectors.kv").write_bytes(content)
    with pytest.raises(BadInput, match="gensim's KeyedVectors"):
        read(tmp_path / "vectors.kv")


@pytest.mark.parametrize("kind", ["O", "U3", "i8"])
def test_vectors_of_anything_but_numbers_are_refused(tmp_path: Path, kind: str) -> None:
    keyed = KeyedVectors(1)
    keyed.add_vectors(["a"], np.ones((1, 1), dtype=np.float32))
    keyed.vectors = np.ones((1, 1)).astype(kind)
    keyed.save(str(tmp_path / "vectors.kv"))
    with pytest.raises(BadInput, match="gensim's KeyedVectors"):
        read(tmp_path / "vectors.kv")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"junk", "two counts"),
        (b"", "two counts"),
        (b"2 3", "room"),
        (b"9999999999 300\na 1", "room"),
        (b"1 0\na ", "room"),
        (b"1 1\nabcde", "word 1"),
        (b"2 1\na 1234b 123", "word 2"),
        (b"1 1\n\xff 1234", "UTF-8"),
        (b"1 1\na \x00\x00\xc0\x7f", "numbers alone"),
    ],
)
def test_a_file_that_is_no_word2vec_binary_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "vectors.bin").write_bytes(content)
    with pytest.raises(BadInput, match=said):
        read(tmp_path / "vectors.bin")


def test_parquet_holds_words_and_lists(tmp_path: Path) -> None:
    path = tmp_path / "vectors.parquet"
    pl.DataFrame({"word": ["a", "b", "a"], "vector": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}).write_parquet(path)
    found = read(path)
    assert found.rows == {"a": 0, "b": 1}
    assert found.vectors.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "table",
    [
        {"word": ["a"], "other": [[1.0]]},
        {"word": ["a", "b"], "vector": [[1.0], [1.0, 2.0]]},
        {"word": ["a"], "vector": [None]},
        {"word": ["a"], "vector": [[None, 1.0]]},
        {"word": ["a"], "vector": [1.0]},
    ],
)
def test_a_table_of_something_else_is_refused(tmp_path: Path, table: dict[str, list[object]]) -> None:
    path = tmp_path / "vectors.parquet"
    pl.DataFrame(table, strict=False).write_parquet(path)
    with pytest.raises(BadInput, match="vector"):
        read(path)


def test_a_file_that_is_not_there_or_ends_otherwise_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no file"):
        read(tmp_path / "none.txt")
    with pytest.raises(BadInput, match=r"ends in \.txt, \.vec, \.bin, \.kv, \.parquet"):
        read(write(tmp_path, "a 1", "vectors.csv"))

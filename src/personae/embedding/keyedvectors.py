"""Gensim's KeyedVectors, read without gensim and without running what a pickle says.

A pickle names functions and has them called. Here every name stands for an empty object that only remembers what it was
called with, so nothing is imported and nothing is run, whatever the file says; of what comes out, words and numbers are
taken.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from personae.embedding.base import Floats
from personae.errors import BadInput

_ALLOWED = "the words and vectors of gensim's KeyedVectors"
_WORDS = ("index_to_key", "index2word", "index2entity")
"""What versions of gensim called the list of words."""
_NUMBERS = ("f2", "f4", "f8")


class _Made:
    """Whatever a pickle makes: what it was called with, and the state it was given."""

    name = ""
    args: tuple[Any, ...] = ()
    state: Any = None

    def __new__(cls, *args: Any, **_: Any) -> _Made:
        made = object.__new__(cls)
        made.args = args
        return made

    def __setstate__(self, state: Any) -> None:
        self.state = state


# The one in C makes room for as many values as a file says it has.
class _Reader(pickle._Unpickler):
    """Reads a pickle; what it names stands for nothing."""

    def find_class(self, module: str, name: str, /) -> Any:
        """A new empty class in the place of what was named."""
        return type("_Named", (_Made,), {"name": name})


def read_keyed_vectors(path: Path) -> tuple[list[str], Floats]:
    """Words and vectors, in the same order.

    Parameters
    ----------
    path : Path
        What ``KeyedVectors.save`` wrote; large arrays lie beside it, in files that NumPy reads without pickle.

    Raises
    ------
    BadInput
        When it does not hold them.
    """
    try:
        with path.open("rb") as file:
            fields = _Reader(file).load().state
        words = next(fields[name] for name in _WORDS if name in fields)
        vectors = fields.get("vectors")
        array = _beside(path) if vectors is None else _array(vectors)
        found: Floats = np.asarray(array, dtype=np.float32)
        if not all(isinstance(word, str) for word in words) or found.ndim != 2 or len(words) != len(found):
            raise ValueError(f"{len(words)} words and an array of shape {found.shape}")
    except Exception as problem:  # a broken pickle fails in any way that Python knows
        said = " ".join(f"{type(problem).__name__}: {problem}".split())[:200]
        raise BadInput(f"file {path}", said, _ALLOWED) from None
    return words, found


def _beside(path: Path) -> np.ndarray[Any, Any]:
    """The array that was too large for the pickle."""
    beside = path.with_name(f"{path.name}.vectors.npy")
    if not beside.is_file():  # a pipe would be waited for
        raise ValueError(f"no vectors, and no file {beside.name} beside it")
    array: np.ndarray[Any, Any] = np.load(beside, mmap_mode="r", allow_pickle=False)
    return array


def _array(made: _Made) -> np.ndarray[Any, Any]:
    """The array that NumPy would have made, of plain numbers alone."""
    if made.name == "_frombuffer":  # the fifth form of pickles
        raw, kind, shape, order = made.args
    else:
        _, shape, kind, fortran, raw = made.state
        order = "F" if fortran else "C"
    if kind.name != "dtype" or kind.args[0] not in _NUMBERS:
        raise ValueError(f"numbers of the kind {kind.args}")
    if isinstance(raw, _Made):  # before its third form a pickle had no bytes
        raw = raw.args[0].encode("latin-1")
    mark = ">" if kind.state[1] == ">" else "<"
    return np.frombuffer(raw, dtype=f"{mark}{kind.args[0]}").reshape(shape, order=order)

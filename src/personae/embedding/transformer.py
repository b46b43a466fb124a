"""Texts to the states of their tokens: cut into pieces, windowed where too long, batched by length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np
from msgspec import Struct

from personae.embedding import bert
from personae.embedding.base import Floats
from personae.embedding.packages import need
from personae.embedding.torch_model import TorchModel
from personae.errors import BadInput
from personae.filing import read_bytes

_BATCH_TOKENS = 1024


class Model(Protocol):
    """The part of a transformer behind its tokenizer."""

    @property
    def dim(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    def states(self, ids: np.ndarray[Any, Any]) -> Floats: ...


class Pieces(Struct, frozen=True):
    """A text as its tokenizer cuts it, without special tokens: ids, characters from and to, and which are unknown."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    unknown: frozenset[int]


class Transformer:
    """A tokenizer and a model from one folder.

    Parameters
    ----------
    folder : Path
        As transformers writes it: ``config.json``, weights, ``tokenizer.json`` (BERT: or ``vocab.txt``). BERT and
        RoBERTa with safetensors are run by numpy, everything else by torch.
    name : str
        For messages.

    Attributes
    ----------
    dim : int
        Length of a state.
    window : int
        How many tokens of a text, special ones not counted, the model sees at once.
    """

    def __init__(self, folder: Path, name: str) -> None:
        if not (folder / "config.json").is_file():
            raise BadInput("encoder", name, f"a folder with a config.json and weights: there is none in {folder}")
        self._model: Model
        if bert.readable(folder):
            self._model, self._tokenizer = bert.Bert(folder, name), _tokenizer(folder, name)
        else:
            torch = TorchModel(folder, name)
            self._model, self._tokenizer = torch, torch.tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._before, self._after = self._specials()
        self._unknown = _unknown_id(self._tokenizer)
        self.dim = self._model.dim
        self.window = self._model.max_tokens - self.specials

    def _specials(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What the tokenizer puts before and behind every text."""
        encoded = self._tokenizer.encode("a")
        plain = [at for at, special in enumerate(encoded.special_tokens_mask) if not special]
        return tuple(encoded.ids[: plain[0]]), tuple(encoded.ids[plain[-1] + 1 :])

    def pieces(self, texts: Sequence[str]) -> list[Pieces]:
        """Every text cut into its tokens."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [
            Pieces(
                tuple(one.ids),
                tuple(one.offsets),
                frozenset(at for at, id_ in enumerate(one.ids) if id_ == self._unknown),
            )
            for one in encoded
        ]

    def states(self, windows: Sequence[Sequence[int]]) -> Iterator[tuple[int, Floats]]:
        """States of windows of tokens, one after the other and in an order of their own.

        Windows of one length make a batch, so that nothing is padded: a vector does not depend on its neighbours
        but for the last bits of a float32.

        Parameters
        ----------
        windows : sequence of sequence of int
            Ids without special tokens, each at most ``window`` long.

        Yields
        ------
        int, array of float32 of shape (before + tokens + after, dim)
            The place of a window in ``windows`` and its states, special tokens included.
        """
        order = sorted(range(len(windows)), key=lambda at: len(windows[at]))
        for length, group in groupby(order, key=lambda at: len(windows[at])):
            same = list(group)
            size = max(1, _BATCH_TOKENS // (length + self.specials))
            for begin in range(0, len(same), size):
                part = same[begin : begin + size]
                ids = np.array([(*self._before, *windows[at], *self._after) for at in part], dtype=np.int64)
                yield from zip(part, self._model.states(ids), strict=True)

    @property
    def before(self) -> int:
        """How many special tokens stand before a text."""
        return len(self._before)

    @property
    def specials(self) -> int:
        """How many special tokens stand before and behind a text."""
        return len(self._before) + len(self._after)


def weight_files(folder: Path) -> list[Path]:
    """The files of a folder that decide what comes out of it."""
    patterns = ("*.json", "*.safetensors", "*.bin", "vocab.txt", "merges.txt", "*/config.json")
    return sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()})


def _tokenizer(folder: Path, name: str) -> Any:
    tokenizers = need("tokenizers", name, "associations")
    if (folder / "tokenizer.json").is_file():
        try:
            return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as problem:  # of no kind of its own
            raise BadInput("encoder", name, f"a tokenizer.json that can be read ({problem})") from problem
    if (folder / "vocab.txt").is_file():
        lower = _setting(folder / "tokenizer_config.json", "do_lower_case", True)
        return tokenizers.BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=bool(lower))
    raise BadInput("encoder", name, f"a folder with a tokenizer.json or a vocab.txt: there is none in {folder}")


def _unknown_id(tokenizer: Any) -> int | None:
    for token in ("[UNK]", "<unk>"):
        if (found := tokenizer.token_to_id(token)) is not None:
            return int(found)
    return None


def _setting(path: Path, key: str, otherwise: Any) -> Any:
    """One field of a JSON file, or what holds where the file or the field is not there."""
    return read_json(path).get(key, otherwise) if path.is_file() else otherwise


def read_json(path: Path) -> dict[str, Any]:
    """An object out of a JSON file.

    Raises
    ------
    BadInput
        When it is none.
    """
    content = read_bytes(path, "encoder", allowed="a JSON object that can be read")
    try:
        return msgspec.json.decode(content, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as problem:
        raise BadInput(f"file {path}", str(problem), "a JSON object") from problem

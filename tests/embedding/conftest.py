"""Small encoders made here: a folder as transformers writes it, with random weights and a vocabulary of a few words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import BertWordPieceTokenizer

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, "the", "young", "old", "engine", "##er", "##s", "spoke", "a", "doctor", "left", ".", "she", "he"]
WORDS += ["was", "late"]
DIM, LAYERS, HEADS, PLACES = 16, 2, 4, 24

MakeFolder = Callable[..., Path]


def weights(*, seed: int = 0, places: int = PLACES, prefix: str = "", old_names: bool = False) -> dict[str, Any]:
    """Random arrays by the names transformers gives them."""
    rng = np.random.default_rng(seed)
    gain, shift = ("gamma", "beta") if old_names else ("weight", "bias")
    arrays = {
        "embeddings.word_embeddings.weight": rng.normal(size=(len(WORDS), DIM)),
        "embeddings.position_embeddings.weight": rng.normal(size=(places, DIM)),
        "embeddings.token_type_embeddings.weight": rng.normal(size=(2, DIM)),
    }
    norms = ["embeddings.LayerNorm"]
    for at in range(LAYERS):
        layer = f"encoder.layer.{at}"
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        for name, shape in {
            "attention.self.query": (DIM, DIM),
            "attention.self.key": (DIM, DIM),
            "attention.self.value": (DIM, DIM),
            "attention.output.dense": (DIM, DIM),
            "intermediate.dense": (3 * DIM, DIM),
            "output.dense": (DIM, 3 * DIM),
        }.items():
            arrays[f"{layer}.{name}.weight"] = rng.normal(size=shape, scale=0.4)
            arrays[f"{layer}.{name}.bias"] = rng.normal(size=shape[0])
    for norm in norms:
        arrays[f"{norm}.{gain}"] = rng.normal(size=DIM, loc=1, scale=0.2)
        arrays[f"{norm}.{shift}"] = rng.normal(size=DIM)
    return {prefix + name: array.astype(np.float32) for name, array in arrays.items()}


@pytest.fixture(scope="session")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where hashes are remembered, once for all tests and not in anybody's own cache folder."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def cache_of_hashes(checked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERSONAE_CACHE", str(checked))


@pytest.fixture
def make_folder(tmp_path: Path) -> MakeFolder:
    """Write a folder: ``config`` fields on top of the usual ones, ``arrays`` instead of random ones."""

    def make(name: str = "tiny", *, arrays: dict[str, Any] | None = None, **config: Any) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        usual = {
            "model_type": "bert",
            "vocab_size": len(WORDS),
            "hidden_size": DIM,
            "intermediate_size": 3 * DIM,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "max_position_embeddings": PLACES,
            "type_vocab_size": 2,
            "pad_token_id": 0,
            "layer_norm_eps": 1e-5,
            "hidden_act": "gelu",
        }
        (folder / "config.json").write_text(json.dumps(usual | config))
        save_file(weights() if arrays is None else arrays, folder / "model.safetensors", metadata={"format": "pt"})
        (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in WORDS))
        BertWordPieceTokenizer(str(folder / "vocab.txt")).save(str(folder / "tokenizer.json"))
        return folder

    return make


@pytest.fixture
def tiny(make_folder: MakeFolder) -> Path:
    return make_folder()

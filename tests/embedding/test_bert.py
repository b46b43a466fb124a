"""The forward pass in numpy: equal to the formulas taken literally, and to transformers where that is installed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from personae.embedding.bert import Bert, readable

from .conftest import HEADS, LAYERS, PLACES, MakeFolder, weights

IDS = np.array([[2, 5, 6, 8, 9, 3], [2, 12, 13, 14, 15, 3]])


def literally(arrays: dict[str, Any], ids: np.ndarray[Any, Any], act: str, offset: int = 0) -> np.ndarray[Any, Any]:
    """One text, one head, one token at a time, in float64."""
    arrays = {name: array.astype(float) for name, array in arrays.items()}

    def norm(x: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
        scaled = (x - x.mean()) / math.sqrt(x.var() + 1e-5)
        return scaled * arrays[f"{name}.weight"] + arrays[f"{name}.bias"]

    def linear(x: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
        return arrays[f"{name}.weight"] @ x + arrays[f"{name}.bias"]

    def activate(x: float) -> float:
        if act == "relu":
            return max(x, 0.0)
        if act == "gelu":
            return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))
        return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

    places = arrays["embeddings.position_embeddings.weight"]
    first = arrays["embeddings.token_type_embeddings.weight"][0]
    table = arrays["embeddings.word_embeddings.weight"]
    xs = [norm(table[id_] + places[at + offset] + first, "embeddings.LayerNorm") for at, id_ in enumerate(ids)]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        q, k, v = ([linear(x, f"{layer}.attention.self.{part}") for x in xs] for part in ("query", "key", "value"))
        size = len(xs[0]) // HEADS
        mixed = []
        for at in range(len(xs)):
            heads = []
            for head in range(HEADS):
                part = slice(head * size, (head + 1) * size)
                scores = np.array([q[at][part] @ other[part] / math.sqrt(size) for other in k])
                share = np.exp(scores) / np.exp(scores).sum()
                heads.append(sum(weight * other[part] for weight, other in zip(share, v, strict=True)))
            mixed.append(np.concatenate(heads))
        xs = [
            norm(linear(m, f"{layer}.attention.output.dense") + x, f"{layer}.attention.output.LayerNorm")
            for m, x in zip(mixed, xs, strict=True)
        ]
        wide = [np.array([activate(value) for value in linear(x, f"{layer}.intermediate.dense")]) for x in xs]
        xs = [
            norm(linear(w, f"{layer}.output.dense") + x, f"{layer}.output.LayerNorm")
            for w, x in zip(wide, xs, strict=True)
        ]
    return np.array(xs)


@pytest.mark.parametrize("act", ["gelu", "gelu_new", "gelu_pytorch_tanh", "relu"])
def test_states_are_those_of_the_formulas(make_folder: MakeFolder, act: str) -> None:
    states = Bert(make_folder(hidden_act=act), "tiny").states(IDS)
    for text, ids in enumerate(IDS):
        np.testing.assert_allclose(states[text], literally(weights(), ids, act), atol=2e-5)


def test_roberta_counts_positions_from_behind_the_padding_token(make_folder: MakeFolder) -> None:
    model = Bert(make_folder(model_type="roberta", pad_token_id=1), "tiny")
    assert model.max_tokens == PLACES - 2
    np.testing.assert_allclose(model.states(IDS)[0], literally(weights(), IDS[0], "gelu", offset=2), atol=2e-5)


@pytest.mark.parametrize("prefix", ["bert.", "roberta."])
def test_names_may_have_the_prefix_of_a_model_with_a_head(make_folder: MakeFolder, prefix: str) -> None:
    folder = make_folder(arrays=weights(prefix=prefix, old_names=True))
    np.testing.assert_allclose(Bert(folder, "tiny").states(IDS)[0], literally(weights(), IDS[0], "gelu"), atol=2e-5)


def test_a_text_does_not_depend_on_its_neighbours(tiny: Path) -> None:
    model = Bert(tiny, "tiny")
    np.testing.assert_allclose(model.states(IDS)[1], model.states(IDS[1:])[0], atol=1e-5)


def test_half_precision_is_read_as_single(make_folder: MakeFolder) -> None:
    halves = {name: array.astype(np.float16) for name, array in weights().items()}
    states = Bert(make_folder(arrays=halves), "tiny").states(IDS)
    assert states.dtype == np.float32
    np.testing.assert_allclose(states[0], literally(halves, IDS[0], "gelu"), atol=2e-5)


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "distilbert"},
        {"hidden_act": "silu"},
        {"position_embedding_type": "relative_key"},
        {"is_decoder": True},
        {"num_hidden_layers": "many"},
    ],
)
def test_what_is_not_one_of_the_two_is_left_to_torch(make_folder: MakeFolder, config: dict[str, Any]) -> None:
    assert not readable(make_folder(**config))


def test_a_folder_without_weights_that_numpy_knows_is_left_to_torch(tiny: Path) -> None:
    assert readable(tiny)
    file = tiny / "model.safetensors"
    written = file.read_bytes()
    file.write_bytes(written.replace(b'"F32"', b'"BF16"', 1))
    assert not readable(tiny)
    file.write_bytes(written[:20])
    assert not readable(tiny)
    file.unlink()
    assert not readable(tiny)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_transformers_gives_the_same_states(make_folder: MakeFolder, kind: str) -> None:
    torch = pytest.importorskip("torch", reason="the extra torch is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra torch is not installed")
    folder = make_folder(model_type=kind, pad_token_id=1 if kind == "roberta" else 0)
    assert len(load_file(folder / "model.safetensors")) == len(weights())
    model = transformers.AutoModel.from_pretrained(folder, local_files_only=True).eval()
    with torch.inference_mode():
        expected = model(torch.from_numpy(IDS)).last_hidden_state.numpy()
    np.testing.assert_allclose(Bert(folder, "tiny").states(IDS), expected, atol=2e-5)

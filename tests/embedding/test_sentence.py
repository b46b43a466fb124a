"""Sentence encoders: pooling as the folder says, long texts in windows, blank ones without a vector."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from personae.embedding import Encoder, Floats, VectorCache, encoder
from personae.embedding.transformer import Transformer
from personae.errors import BadInput
from personae.trusted import trust

from .conftest import MakeFolder

TEXT = "The young engineers spoke."
NORMALIZE = [{"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]


def load(folder: Path) -> Encoder:
    return encoder(f"sentence/{folder}", cache=VectorCache())


def states(folder: Path, *texts: str) -> list[Floats]:
    transformer = Transformer(folder, "tiny")
    found = dict(transformer.states([pieces.ids for pieces in transformer.pieces(texts)]))
    return [found[at] for at in range(len(texts))]


def write(folder: Path, name: str, content: Any) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(content))


def test_a_text_is_the_mean_of_all_its_states(tiny: Path) -> None:
    vector = load(tiny).encode([TEXT]).vectors[0]
    np.testing.assert_allclose(vector, states(tiny, TEXT)[0].mean(axis=0), atol=1e-6)


def test_a_folder_may_ask_for_the_first_token_and_length_one(tiny: Path) -> None:
    write(tiny, "1_Pooling/config.json", {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    write(tiny, "modules.json", NORMALIZE)
    first = states(tiny, TEXT)[0][0]
    np.testing.assert_allclose(load(tiny).encode([TEXT]).vectors[0], first / np.linalg.norm(first), atol=1e-6)


def test_another_pooling_is_refused(tiny: Path) -> None:
    write(tiny, "1_Pooling/config.json", {"pooling_mode_max_tokens": True})
    with pytest.raises(BadInput, match="pooling_mode_max_tokens"):
        load(tiny)


def test_a_setting_that_is_no_json_is_refused(tiny: Path) -> None:
    (tiny / "sentence_bert_config.json").write_text("{")
    with pytest.raises(BadInput, match="a JSON object"):
        load(tiny)


def test_a_long_text_is_the_mean_over_its_windows(tiny: Path) -> None:
    write(tiny, "sentence_bert_config.json", {"max_seq_length": 6})
    vector = load(tiny).encode(["she was late he left"]).vectors[0]  # 5 tokens, 4 at once: 2 and 3
    parts = np.concatenate(states(tiny, "she was", "late he left"))
    np.testing.assert_allclose(vector, parts.mean(axis=0), atol=1e-5)


def test_rows_come_in_the_order_of_the_texts_and_blank_ones_are_nan(tiny: Path) -> None:
    encode = load(tiny).encode
    texts = [TEXT, " \n", "She left.", "", "He was late."]
    encoded = encode(texts)
    assert encoded.found.tolist() == [True, False, True, False, True]
    assert encoded.missing == ((),) * 5
    for row, text in zip(encoded.vectors, texts, strict=True):
        np.testing.assert_allclose(row, load(tiny).encode([text]).vectors[0], atol=1e-5)


def test_what_the_tokenizer_calls_for_does_not_cut_a_text_off(tiny: Path) -> None:
    file = tiny / "tokenizer.json"
    content = json.loads(file.read_text())
    content["truncation"] = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    content["padding"] = {
        "strategy": {"Fixed": 8},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    before = load(tiny).encode([TEXT]).vectors
    file.write_text(json.dumps(content))
    np.testing.assert_array_equal(load(tiny).encode([TEXT]).vectors, before)


def test_a_vocabulary_is_enough_for_bert(tiny: Path) -> None:
    before = load(tiny).encode([TEXT]).vectors
    (tiny / "tokenizer.json").unlink()
    np.testing.assert_array_equal(load(tiny).encode([TEXT]).vectors, before)
    (tiny / "vocab.txt").unlink()
    with pytest.raises(BadInput, match=r"tokenizer\.json or a vocab\.txt"):
        load(tiny)


def test_transformers_runs_what_numpy_does_not(make_folder: MakeFolder) -> None:
    torch = pytest.importorskip("torch", reason="the extra torch is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra torch is not installed")
    folder = make_folder()
    torch.manual_seed(0)
    config = transformers.DistilBertConfig(vocab_size=20, dim=16, hidden_dim=32, n_layers=1, n_heads=2)
    transformers.DistilBertModel(config).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), unk_token="[UNK]", pad_token="[PAD]"
    ).save_pretrained(folder)
    trust(f"sentence/{folder}")
    encoded = load(folder).encode([TEXT, "She left."])
    assert encoded.vectors.shape == (2, 16)
    assert encoded.found.all()


@pytest.mark.slow
def test_a_model_of_tensorflow_hub_is_loaded_from_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
    tf = pytest.importorskip("tensorflow", reason="the extra paper is not installed")

    class Lengths(tf.Module):  # type: ignore[misc]
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])  # type: ignore[untyped-decorator]
        def __call__(self, texts: Any) -> Any:
            lengths = tf.cast(tf.strings.length(texts), tf.float32)
            return tf.stack([lengths, 2 * lengths], axis=1)

    tf.saved_model.save(Lengths(), str(tmp_path))
    trust(f"sentence/tfhub:{tmp_path}")
    encoded = encoder(f"sentence/tfhub:{tmp_path}", cache=VectorCache()).encode(["abc", " ", "ab"])
    np.testing.assert_array_equal(encoded.vectors, [[3, 6], [np.nan, np.nan], [2, 4]])


def test_a_folder_without_a_saved_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"saved_model\.pb"):
        encoder(f"sentence/tfhub:{tmp_path}")

"""The catalogued encoders give the vectors they gave before, and those recorded by other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from personae.embedding import Span, encoder, span_encoder, word_encoder

NAMES = {"minilm": "sentence/minilm", "use": "sentence/use-small", "glove": "static/glove-50d"}

# First components of a text's vector, as computed here once.
STORED = {
    "static/glove-50d": [-0.22791, 0.29461, -0.15498, -0.44384, 0.32993, 0.13237],
    "contextual/minilm": [-0.10943, 0.2379, -0.05515, 0.2842, -0.0474, -0.07877],
    "sentence/minilm": [-0.02532, 0.04952, -0.01256, 0.05586, -0.00794, -0.01715],
    "sentence/use-small": [-0.0863, 0.08838, 0.0169, -0.02176, -0.05409, -0.08574],
}
SENTENCE = "An unassertive teacher and an unemployed gamer met in the rural school."


@pytest.mark.parametrize("name", STORED)
def test_a_sentence_has_the_vector_it_had(name: str) -> None:
    np.testing.assert_allclose(encoder(name).encode([SENTENCE]).vectors[0, :6], STORED[name], atol=1e-4)


def test_a_word_in_context_has_the_vector_it_had() -> None:
    span = Span(SENTENCE, SENTENCE.index("unassertive"), SENTENCE.index("unassertive") + len("unassertive"))
    mean, first = (span_encoder("contextual/minilm").encode_spans([span], pooling=how) for how in ("mean", "first"))
    np.testing.assert_allclose(mean.vectors[0, :3], [-0.18588, 0.28014, 0.08964], atol=1e-4)
    np.testing.assert_allclose(first.vectors[0, :3], [-0.29769, 0.13605, 0.11133], atol=1e-4)


@pytest.fixture(scope="module")
def recorded(reference: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((reference / "associations" / "reference.json").read_text())
    return content["fingerprints"]  # type: ignore[no-any-return]


@pytest.mark.reference
@pytest.mark.parametrize("key", NAMES)
def test_pairs_are_as_similar_as_recorded(recorded: dict[str, Any], key: str) -> None:
    for pair, expected in recorded[key].items():
        a, b = encoder(NAMES[key]).encode(pair.split("|")).vectors
        similar = float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
        assert similar == pytest.approx(expected, abs=recorded["tolerance"]), pair


@pytest.mark.reference
@pytest.mark.parametrize("key", NAMES)
def test_vectors_begin_as_recorded(recorded: dict[str, Any], key: str) -> None:
    for text, expected in recorded[f"{key}_first4"].items():
        vector = encoder(NAMES[key]).encode([text]).vectors[0, :4]
        np.testing.assert_allclose(vector, expected, atol=recorded["tolerance"], err_msg=text)


@pytest.mark.reference
def test_a_token_has_the_state_recorded(recorded: dict[str, Any]) -> None:
    token = recorded["minilm_token_hidden_first4"]
    span = Span(token["text"], 0, len(token["token"]))
    vector = span_encoder("contextual/minilm").encode_spans([span]).vectors[0, :4]
    np.testing.assert_allclose(vector, token["values"], atol=recorded["tolerance"])


@pytest.mark.reference
def test_every_wheel_is_the_one_recorded(reference: Path) -> None:
    from personae.embedding.packages import catalogue

    content = json.loads((reference / "associations" / "reference.json").read_text())
    wheels = {name.partition("-")[0]: sha256 for name, sha256 in content["wheel_sha256"].items()}
    for package in catalogue().packages.values():
        assert wheels[package.package.replace("-", "_")] == package.wheel_sha256


@pytest.mark.reference
def test_words_of_a_published_test_are_missing_as_recorded(reference: Path) -> None:
    content = json.loads((reference / "associations" / "reference.json").read_text())
    missing = [word for test in content["glove50_table"] for word in test["missing"]]
    assert missing
    encoded = word_encoder("static/glove-50d").vectors(missing)
    assert not encoded.found.any()
    assert encoded.missing == tuple((word,) for word in missing)

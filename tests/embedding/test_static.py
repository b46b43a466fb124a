"""Word vectors: looked up as written, then in lower case; what has none is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from personae.embedding import WordEncoder, word_encoder


@pytest.fixture
def encoder(tmp_path: Path) -> WordEncoder:
    path = tmp_path / "small.txt"
    path.write_text("king 1 0 0\nqueen 0 1 0\nApple 0 0 1\napple 1 1 1\n")
    return word_encoder(f"static/{path}")


def test_words_are_looked_up_as_written_and_then_in_lower_case(encoder: WordEncoder) -> None:
    vectors = encoder.vectors(["king", "King", "Apple", "apple", "APPLE"]).vectors
    assert vectors.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1]]


def test_a_word_without_a_vector_is_missing_and_keeps_its_row(encoder: WordEncoder) -> None:
    encoded = encoder.vectors(["king", "Zebra", "queen"])
    assert encoded.missing == ((), ("Zebra",), ())
    assert encoded.found.tolist() == [True, False, True]
    assert np.isnan(encoded.vectors[1]).all()


def test_a_text_is_the_mean_of_its_words(encoder: WordEncoder) -> None:
    encoded = encoder.encode(["The king, the king; a queen!"])
    np.testing.assert_allclose(encoded.vectors[0], [2 / 3, 1 / 3, 0])
    assert encoded.missing == (("The", "the", "a"),)


@pytest.mark.parametrize("text", ["", " \n", "...", "No zebra."])
def test_a_text_without_any_word_that_has_a_vector_has_none(encoder: WordEncoder, text: str) -> None:
    encoded = encoder.encode([text])
    assert not encoded.found.any()
    assert encoded.missing == (tuple(encoder.words(text)),)


def test_nothing_asked_is_nothing_encoded(encoder: WordEncoder) -> None:
    assert encoder.vectors([]).vectors.shape == encoder.encode([]).vectors.shape == (0, 3)

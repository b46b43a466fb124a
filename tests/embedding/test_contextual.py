"""A span of a text to the states of the tokens that cover it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from personae.embedding import Floats, Span, SpanEncoder, VectorCache, span_encoder
from personae.embedding.contextual import _covering, _trimmed
from personae.embedding.transformer import Pieces, Transformer
from personae.errors import BadInput

TEXT = "The young engineers spoke."


@pytest.fixture
def encoder(tiny: Path) -> SpanEncoder:
    return span_encoder(f"contextual/{tiny}", cache=VectorCache())


@pytest.fixture
def states(tiny: Path) -> Floats:
    """States of every token of TEXT: [CLS] the young engine ##er ##s spoke . [SEP]."""
    transformer = Transformer(tiny, "tiny")
    (pieces,) = transformer.pieces([TEXT])
    assert len(pieces.ids) == 7
    ((_, found),) = transformer.states([pieces.ids])
    return found


def test_a_word_is_the_mean_of_all_its_tokens(encoder: SpanEncoder, states: Floats) -> None:
    encoded = encoder.encode_spans([Span(TEXT, 10, 19)])
    np.testing.assert_allclose(encoded.vectors[0], states[3:6].mean(axis=0), atol=1e-6)
    assert encoded.missing == ((),)
    assert encoded.found.all()


def test_the_first_token_alone_is_an_option(encoder: SpanEncoder, states: Floats) -> None:
    encoded = encoder.encode_spans([Span(TEXT, 10, 19)], pooling="first")
    np.testing.assert_allclose(encoded.vectors[0], states[3], atol=1e-6)


def test_a_span_of_several_words_is_the_mean_of_all_tokens(encoder: SpanEncoder, states: Floats) -> None:
    encoded = encoder.encode_spans([Span(TEXT, 4, 19)])
    np.testing.assert_allclose(encoded.vectors[0], states[2:6].mean(axis=0), atol=1e-6)


def test_a_part_of_a_word_takes_the_tokens_it_touches(encoder: SpanEncoder, states: Floats) -> None:
    encoded = encoder.encode_spans([Span(TEXT, 17, 19)])  # "rs": the ends of ##er and ##s
    np.testing.assert_allclose(encoded.vectors[0], states[4:6].mean(axis=0), atol=1e-6)


def test_white_space_around_a_span_does_not_count(encoder: SpanEncoder) -> None:
    one, other = encoder.encode_spans([Span(TEXT, 4, 9), Span(TEXT, 3, 10)]).vectors
    np.testing.assert_array_equal(one, other)


def test_rows_come_in_the_order_of_the_spans(encoder: SpanEncoder) -> None:
    spans = [Span(TEXT, 4, 9), Span("She left.", 4, 8), Span(TEXT, 0, 3), Span("The old doctor was late.", 8, 14)]
    together = encoder.encode_spans(spans).vectors
    for row, span in zip(together, spans, strict=True):
        alone = span_encoder(encoder.name, cache=VectorCache()).encode_spans([span]).vectors[0]
        np.testing.assert_allclose(row, alone, atol=1e-5)


def test_the_same_word_in_another_context_is_another_vector(encoder: SpanEncoder) -> None:
    one, other = encoder.encode_spans(
        [Span("The doctor left.", 4, 10), Span("She was late. The doctor.", 18, 24)]
    ).vectors
    assert np.abs(one - other).max() > 0.01


def test_what_the_tokenizer_has_no_token_for_is_missing(encoder: SpanEncoder) -> None:
    encoded = encoder.encode_spans([Span("The zebra left.", 4, 9), Span("The zebra left.", 4, 14)])
    assert encoded.missing == (("zebra",), ("zebra",))
    assert encoded.found.tolist() == [False, True]


def test_a_character_without_a_token_is_missing(encoder: SpanEncoder) -> None:
    encoded = encoder.encode_spans([Span("The \u0000 left.", 4, 5)])
    assert encoded.missing == (("\u0000",),)
    assert not encoded.found.any()


def test_a_long_text_is_read_around_its_span(encoder: SpanEncoder) -> None:
    before, after = "he " * 40, " she" * 40
    text = f"{before}doctor{after}"
    start = len(before)
    whole = encoder.encode_spans([Span(text, start, start + 6)]).vectors[0]
    near = "he " * 11 + "doctor" + " she" * 10  # 22 tokens, as many as the model sees beside its two special ones
    alone = encoder.encode_spans([Span(near, 33, 39)]).vectors[0]
    np.testing.assert_allclose(whole, alone, atol=1e-5)


@pytest.mark.parametrize("start", [0, len("he " * 40)])
def test_spans_at_the_ends_of_a_long_text_have_a_vector(encoder: SpanEncoder, start: int) -> None:
    assert encoder.encode_spans([Span("he " * 40 + "he", start, start + 2)]).found.all()


def test_a_whole_text_is_the_mean_of_its_words(encoder: SpanEncoder, states: Floats) -> None:
    encoded = encoder.encode([TEXT, "", "The zebra left."])
    np.testing.assert_allclose(encoded.vectors[0], states[1:-1].mean(axis=0), atol=1e-6)
    assert encoded.found.tolist() == [True, False, True]
    assert encoded.missing == ((), (), ("zebra",))


def test_a_whole_text_may_be_longer_than_what_the_model_sees(encoder: SpanEncoder) -> None:
    assert encoder.encode(["he " * 100]).found.all()


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (3, 3), (5, 4), (0, len(TEXT) + 1), (3, 4)])
def test_a_span_that_is_none_is_named(encoder: SpanEncoder, start: int, end: int) -> None:
    with pytest.raises(BadInput, match="span"):
        encoder.encode_spans([Span(TEXT, start, end)])


def test_a_span_longer_than_what_the_model_sees_is_refused(encoder: SpanEncoder) -> None:
    with pytest.raises(BadInput, match="sees 22 tokens"):
        encoder.encode_spans([Span("he " * 40, 0, 100)])


def test_nothing_asked_is_nothing_encoded(encoder: SpanEncoder) -> None:
    assert encoder.encode_spans([]).vectors.shape == (0, encoder.dim)
    assert encoder.encode([]).vectors.shape == (0, encoder.dim)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.data())
def test_covering_tokens_are_those_that_share_a_character(sizes: list[int], data: st.DataObject) -> None:
    edges = np.cumsum([0, *sizes])
    offsets = tuple((int(begin), int(end)) for begin, end in pairwise(edges))
    start = data.draw(st.integers(0, int(edges[-1]) - 1))
    end = data.draw(st.integers(start + 1, int(edges[-1])))
    pieces = Pieces(tuple(range(len(sizes))), offsets, frozenset())
    owner = [at for at, size in enumerate(sizes) for _ in range(size)]
    assert _covering(pieces, Span("x" * int(edges[-1]), start, end)) == sorted(set(owner[start:end]))


@given(st.text(alphabet="ab \n\t", min_size=1), st.data())
def test_trimming_leaves_no_white_space_and_takes_nothing_else(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assume(text[start:end].strip())
    trimmed = _trimmed(Span(text, start, end))
    assert text[trimmed.start : trimmed.end] == text[start:end].strip()
    assert start <= trimmed.start < trimmed.end <= end

"""Encoders: texts in, arrays out, batched, cached by content, and what could not be encoded said beside them."""

from personae.embedding.base import Encoded, Encoder, Floats, Pooling, Span, SpanEncoder, WordEncoder
from personae.embedding.cache import VectorCache
from personae.embedding.registry import encoder, known_encoders, span_encoder, word_encoder

__all__ = [
    "Encoded",
    "Encoder",
    "Floats",
    "Pooling",
    "Span",
    "SpanEncoder",
    "VectorCache",
    "WordEncoder",
    "encoder",
    "known_encoders",
    "span_encoder",
    "word_encoder",
]

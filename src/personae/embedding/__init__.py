"""Encoders: texts in, arrays out, batched, cached by content, and what could not be encoded said beside them.

Public names are loaded when they are first used: to say which encoders there are takes no numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from personae.embedding.base import Encoded, Encoder, Floats, Pooling, Span, SpanEncoder, WordEncoder
    from personae.embedding.cache import VectorCache
    from personae.embedding.known import known_encoders
    from personae.embedding.registry import encoder, span_encoder, word_encoder

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

_WHERE = {"VectorCache": "cache", "known_encoders": "known"} | dict.fromkeys(
    ["encoder", "span_encoder", "word_encoder"], "registry"
)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE.get(name, 'base')}"), name)

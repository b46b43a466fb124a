"""Sentences to words with their part of speech and their head: spaCy's small English pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from personae.embedding.packages import need, verified_folder

_NAME = "parser/en-core-web-sm"


class Token(Struct, frozen=True, kw_only=True):
    """A token of a sentence.

    ``start`` and ``end`` are characters; ``pos`` is a universal part of speech, ``dep`` the relation to the token
    numbered ``head`` (its own number where it is the root).
    """

    text: str
    start: int
    end: int
    lemma: str
    pos: str
    dep: str
    head: int


class Parsed(Struct, frozen=True, kw_only=True):
    """A text as spaCy reads it; ``chunks`` are its noun chunks and ``entities`` its named ones, in characters."""

    text: str
    tokens: tuple[Token, ...]
    chunks: tuple[tuple[int, int], ...]
    entities: tuple[tuple[int, int, str], ...]


def parse(texts: Sequence[str]) -> list[Parsed]:
    """Every text parsed.

    Raises
    ------
    BadInput
        When the extra ``associations`` is missing, or a file of the pipeline is not the catalogued one.
    """
    return [_parsed(doc) for doc in _pipeline().pipe(texts)]


@cache
def _pipeline() -> Any:
    folder = verified_folder(_NAME)
    return need("spacy", _NAME, "associations").load(folder)


def _parsed(doc: Any) -> Parsed:
    tokens = tuple(
        Token(
            text=token.text,
            start=token.idx,
            end=token.idx + len(token.text),
            lemma=token.lemma_,
            pos=token.pos_,
            dep=token.dep_,
            head=token.head.i,
        )
        for token in doc
    )
    chunks = tuple((chunk.start_char, chunk.end_char) for chunk in doc.noun_chunks)
    entities = tuple((entity.start_char, entity.end_char, entity.label_) for entity in doc.ents)
    return Parsed(text=doc.text, tokens=tokens, chunks=chunks, entities=entities)

"""Finding objects of JSON among other words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Every object of JSON that stands in a text, in order; those within another are part of it.

    What begins like an object and is none, or is broken off, is passed over as words.

    Examples
    --------
    >>> list(objects_in('{so} {"score": 1} and {"score": {"of": 2}}'))
    [{'score': 1}, {'score': {'of': 2}}]
    """
    decoder, at = json.JSONDecoder(), 0
    while (at := text.find("{", at)) >= 0:
        try:
            one, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        yield one

"""Finding objects of JSON among other words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_OPENED = re.compile(r'\{(?=[ \t\r\n]*+["}])')
_PATIENCE = 50
_MOST_BROKEN = 1000


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Every object of JSON that stands in a text, in order; those within another are part of it.

    What begins like an object and is none, or is broken off, is passed over as words. Where so much is broken off that
    to look at it takes fifty times the text, or it is a thousand objects, nothing in it is an object.

    Examples
    --------
    >>> list(objects_in('{so} {"score": 1} and {"score": {"of": 2}}'))
    [{'score': 1}, {'score': {'of': 2}}]
    """
    decoder, at = json.JSONDecoder(), 0
    found: list[dict[str, Any]] = []
    lost = broken = 0
    while opened := _OPENED.search(text, at):
        at = opened.start()
        try:
            one, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            broken += 1
            lost += getattr(error, "pos", len(text)) - at
            if lost > _PATIENCE * len(text) or broken > _MOST_BROKEN:
                return
            at += 1
            continue
        found.append(one)
    yield from found

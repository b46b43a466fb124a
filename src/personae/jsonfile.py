"""JSON of others, read within limits: no deeper than anything that walks through it can follow."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from personae.wellformed import well_formed_json, well_formed_value

MOST_DEEP = 64
"""How many lists and objects may stand in one another."""
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
# A text that is never closed reaches to the end, so that each character is looked at once.
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|(?P<opens>[\[{])|(?P<closes>[\]}])', re.S)


class NotJson(ValueError):
    """A text is no JSON, or none that is taken; says why in a few words."""


def json_value(text: str) -> Any:
    """The value of a JSON text, halves of characters replaced.

    Parameters
    ----------
    text : str
        Numbers may be ``NaN``, as Python writes them.

    Raises
    ------
    NotJson
        When it is none, holds a whole number of more than 64 bits, or lists and objects more than `MOST_DEEP` deep.

    Examples
    --------
    >>> json_value('{"text": "tea"}')
    {'text': 'tea'}
    """
    if depth_of(text) > MOST_DEEP:
        raise NotJson(f"lists and objects stand in one another more than {MOST_DEEP} deep")
    try:
        return well_formed_value(json.loads(well_formed_json(text), parse_int=_whole))
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg}, character {error.pos + 1:,}") from None


def depth_of(text: str) -> int:
    """How deep lists and objects of a JSON text stand in one another; of a text that is none, its brackets.

    Examples
    --------
    >>> depth_of('{"a": [[], "[[["]}')
    3
    """
    deep = deepest = 0
    for found in _BRACKET.finditer(text):
        if found["opens"]:
            deep += 1
            deepest = max(deep, deepest)
        elif found["closes"]:
            deep -= 1
    return deepest


def json_lines(text: str) -> Iterator[tuple[int, str]]:
    """Every line that holds something, with its number from 1.

    Only a line feed ends one: a text may hold other signs that end a line.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


def _whole(digits: str) -> int:
    if len(digits) > len(str(_LOWEST)) or not _LOWEST <= int(digits) <= _HIGHEST:
        raise NotJson("a whole number of more than 64 bits")
    return int(digits)

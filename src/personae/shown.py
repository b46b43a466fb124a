"""Texts of others, as they may be shown: what a terminal, a log or a reader would obey or not see is spelt out.

Servers, models, files and folders have names and sentences of their own. An escape sequence in one sets the title of a
window or its clipboard, a control of the Unicode bidirectional algorithm makes a line read as another than it is.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

_UNSURE = re.compile(r"[^\w\x20-\x7e]+")
_JOINERS = "\u200c\u200d"
_JOINED = frozenset({"Lo", "Mc", "Mn", "Sk", "So"})
_PICTURES = range(0x1F000, 0x1FB00)  # blocks of emoji, some of which this Python's Unicode may not know yet


def shown(text: object, *, lines: bool = False) -> str:
    r"""A text with every sign that is none to be seen written as its escape, such as ``\x1b`` or ``\u202e``.

    Controls (C0, DEL, C1), controls of direction, separators of lines and paragraphs, marks of no width, tags,
    surrogates, signs for private use and unassigned ones are escaped. Letters, marks, digits, signs, emoji and blanks
    of every script stay, also the joiners (U+200C, U+200D) between letters of scripts without case and between
    pictures, where they belong. Time grows with the length.

    Parameters
    ----------
    text : object
        A text, or something that has one, such as a path.
    lines : bool
        Whether line feeds and tabs stay.

    Examples
    --------
    >>> shown("über \x1b]0;title\x07 \u202e漢字\n")
    'über \\x1b]0;title\\x07 \\u202e漢字\\n'
    """
    said = str(text)
    if said.isprintable():
        return said
    return spelt(said, escape, "\n\t" if lines else "")


def escape(sign: str) -> str:
    """The escape of a sign, as Python writes it."""
    return sign.encode("unicode_escape").decode()


def spelt(text: str, spell: Callable[[str], str], kept: str = "") -> str:
    """A text with every sign that is none to be seen as `spell` gives it, but for the signs that are kept.

    Which these are, and which joiners stay, is said at `shown`.
    """
    known: dict[str, str] = {}

    def escaped(sign: str) -> str:
        if sign not in known:
            known[sign] = sign if sign in kept or _seen(sign) else spell(sign)
        return known[sign]

    around = f"\0{text}\0"

    def run(found: re.Match[str]) -> str:
        written = [escaped(sign) for sign in found[0]]
        if "\u200c" in found[0] or "\u200d" in found[0]:
            for place, sign in enumerate(found[0]):
                at = found.start() + place  # in the text around it the sign before this one
                if sign in _JOINERS and _joined(around[at]) and _joined(around[at + 2]):
                    written[place] = sign
        return "".join(written)

    return _UNSURE.sub(run, text)


@lru_cache(maxsize=1 << 14)
def _seen(sign: str) -> bool:
    return sign.isprintable() or unicodedata.category(sign) == "Zs" or ord(sign) in _PICTURES


@lru_cache(maxsize=1 << 14)
def _joined(sign: str) -> bool:
    return unicodedata.category(sign) in _JOINED or ord(sign) in _PICTURES


def one_line(text: object) -> str:
    """A text as one line: its blanks and line ends run together, the rest as `shown`."""
    return shown(" ".join(re.split(r"[ \t\r\n]+", str(text)))).strip()


def shown_json(text: str) -> str:
    r"""JSON that says the same, with ``\u`` escapes for what `shown` escapes.

    Outside of its strings JSON has no such signs but line feeds and tabs, and these stay.
    """
    return text if text.isprintable() else spelt(text, lambda sign: json.dumps(sign)[1:-1], "\n\t")


def to_json(data: Any, indent: int | None = 1) -> str:
    """Data as JSON for a terminal and for programs; what JSON does not know is written as its text."""
    return shown_json(json.dumps(data, ensure_ascii=False, indent=indent, allow_nan=False, default=str))

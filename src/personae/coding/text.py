"""Making texts comparable: one kind of quotes, dashes and blanks, one case, one Unicode form."""

from __future__ import annotations

import re
import unicodedata

_QUOTES = {
    **dict.fromkeys(map(ord, "‘’‚‛′´`＇"), "'"),
    **dict.fromkeys(map(ord, "“”„‟«»″＂"), '"'),
}
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－⸺⸻"), "-")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f"), None)
_PLAIN = {**_QUOTES, **_DASHES, **_INVISIBLE, ord("\u2028"): "\n", ord("\u2029"): "\n", ord("\r"): "\n"}
_BLANKS = re.compile(r"[^\S\n\t]+")


def plain(text: str) -> str:
    """Straight quotes, plain dashes, simple blanks, composed letters; letters keep their case.

    Examples
    --------
    >>> plain("“Eric” — it’s him")
    '"Eric" - it\\'s him'
    """
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", text).translate(_PLAIN))


def fold(text: str) -> str:
    """`plain` text without case, so that two spellings of one word are equal.

    Examples
    --------
    >>> fold("GROẞ") == fold("groß")
    True
    """
    return unicodedata.normalize("NFC", plain(text).casefold())


def squeeze(text: str) -> str:
    """`fold` with every run of white space as one blank and none at the ends."""
    return " ".join(fold(text).split())

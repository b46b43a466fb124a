"""Making texts comparable: one kind of quotes, dashes and blanks, one case, one Unicode form."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 32_000
"""Characters up to which an answer is read: three times the longest that is ever asked for."""
TOO_LONG = f"longer than {LONGEST:,} characters, which is as far as answers are read"

_QUOTES = {
    **dict.fromkeys(map(ord, "‘’‚‛′´`＇"), "'"),
    **dict.fromkeys(map(ord, "“”„‟«»″＂"), '"'),
}
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－⸺⸻"), "-")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f"), None)
_WIDE = {sign: sign - 0xFEE0 for sign in range(0xFF01, 0xFF5F)} | {0x3000: " "}
_CIRCLED = {first + n: chr(letter + n) for first, letter in ((0x24B6, 65), (0x24D0, 97)) for n in range(26)}
_PLAIN = {
    **_WIDE,
    **_CIRCLED,
    **_QUOTES,
    **_DASHES,
    **_INVISIBLE,
    ord("\u2028"): "\n",
    ord("\u2029"): "\n",
    ord("\r"): "\n",
}
_BLANKS = re.compile(r"[^\S\n\t]+")
_MOST_MARKS = 30
_MARKED = re.compile(rf"[^\w\s\x00-\x7f]{{{_MOST_MARKS + 1},}}")  # every mark that combines is such a sign
_BREAK = "\u034f"  # combining grapheme joiner: shows nothing, and marks are sorted on either side of it alone
_ONLY_MARKS = "\u0f73\u0f75\u0f81"  # marks of Tibetan that do not combine until they are taken apart


def composed(text: str) -> str:
    """Letters and the marks on them as one sign where there is one (NFC), in linear time.

    Notes
    -----
    Marks are sorted before they are composed, which takes the square of their number. The Stream-Safe Text Format (UAX
    #15, section 13) breaks runs of more than 30, which no language has.

    Examples
    --------
    >>> len(composed("u\u0308ber")), len(composed("u" + "\u0308" * 65))
    (4, 67)
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _MARKED.sub(_broken, text))


def _broken(run: re.Match[str]) -> str:
    found: list[str] = []
    marks = 0
    for sign in run[0]:
        marks = marks + 1 if unicodedata.combining(sign) or sign in _ONLY_MARKS else 0
        if marks > _MOST_MARKS:
            found.append(_BREAK)
            marks = 1
        found.append(sign)
    return "".join(found)


def plain(text: str) -> str:
    """Straight quotes, plain dashes, simple blanks, composed letters; letters keep their case.

    Examples
    --------
    >>> plain("“Eric” — it’s him")
    '"Eric" - it\\'s him'
    """
    return _BLANKS.sub(" ", composed(text).translate(_PLAIN))


def fold(text: str) -> str:
    """`plain` text without case, so that two spellings of one word are equal.

    Examples
    --------
    >>> fold("GROẞ") == fold("groß")
    True
    """
    return composed(plain(text).casefold())


def squeeze(text: str) -> str:
    """`fold` with every run of white space as one blank and none at the ends."""
    return " ".join(fold(text).split())


_SHORT = re.compile(r"\b(?:(?P<one>ca)n't|(?P<wont>wo)n't|(?P<any>[a-z]+)n't)\b|\bcan not\b")


def spelled_out(folded: str) -> str:
    """A folded text with "can't", "isn't" and their like as two words, so that both ways of writing are equal.

    Examples
    --------
    >>> spelled_out("i can't tell, it isn't"), spelled_out("can not tell")
    ('i cannot tell, it is not', 'cannot tell')
    """
    return _SHORT.sub(_long, folded) if "'t" in folded or "can not" in folded else folded


def _long(hit: re.Match[str]) -> str:
    if hit["any"]:
        return f"{hit['any']} not"
    return "will not" if hit["wont"] else "cannot"

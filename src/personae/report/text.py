"""Text for pages and figures: safe characters, widths, line breaks, numbers as a reader wants them."""

from __future__ import annotations

import math
import re
import unicodedata
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

from personae.shown import shown, spelt

# Advance widths of Helvetica (and its metric twins Arial and Liberation Sans) in 1/1000 em, for the characters
# from space to tilde. Source: Adobe Core 14 font metrics, Helvetica.afm.
_HELVETICA = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
)  # fmt: skip
_WIDE = 1250
_OTHER = 600

# Characters that XML cannot hold; the renderer of the figures ends the process when it meets one.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Lone surrogates, and what is no character: 32 code points in a row and the last two of each of the 17 planes.
_ENDS = "".join(chr(0x10000 * plane + end) for plane in range(17) for end in (0xFFFE, 0xFFFF))
_NONCHARACTER = re.compile(f"[\ud800-\udfff\ufdd0-\ufdef{_ENDS}]")


def clean(text: str) -> str:
    """Replace what neither XML nor HTML can hold, one character for one.

    Control characters become their pictures (U+2400 …), lone surrogates and noncharacters U+FFFD; tab and line feed
    stay, a carriage return becomes a line feed.
    """
    text = _CONTROL.sub(_picture, text.replace("\r\n", "\n").replace("\r", "\n"))
    return _NONCHARACTER.sub("\ufffd", text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def visible(value: object) -> Markup:
    """Escape text for the page, with hidden and reordering characters shown by their code point."""
    named = spelt(clean(str(value)), lambda sign: f"\x02U+{ord(sign):04X}\x03", kept="\n\t")  # clean has left no \x02
    marked = str(escape(named)).replace("\x02", '<span class="hidden-character">').replace("\x03", "</span>")
    return Markup(marked)


def label(value: Any) -> str:
    """Give a value as one line of a figure: clean, hidden characters as escapes, blanks run together."""
    text = "–" if value is None else str(value)
    return " ".join(shown(" ".join(clean(text).split())).split()) or "–"


def shorten(text: str, limit: int) -> str:
    """Cut to at most ``limit`` characters, the last an ellipsis. Never cuts inside a character."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def width(text: str, size: float) -> float:
    """Estimate the width of one line in pixels at a font size in pixels."""
    return sum(map(_advance, text)) * size / 1000


@lru_cache(maxsize=4096)
def _advance(letter: str) -> int:
    code = ord(letter)
    if 32 <= code < 127:
        return _HELVETICA[code - 32]
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0
    return _WIDE if unicodedata.east_asian_width(letter) in "WF" else _OTHER


def wrap(text: str, pixels: float, size: float, lines: int = 3) -> str:
    """Break a line at blanks and after hyphens, slashes and arrows so that it fits; cut what passes ``lines``.

    A single word that is too wide is broken between characters.
    """
    rows: list[str] = [""]
    for piece in _pieces(text, pixels, size):
        if rows[-1] and width((rows[-1] + piece).rstrip(), size) > pixels:
            rows.append("")
        rows[-1] += piece.lstrip() if not rows[-1] else piece
    rows = [row.rstrip() for row in rows]
    if len(rows) > lines:
        rows = [*rows[: lines - 1], shorten(rows[lines - 1] + " ", len(rows[lines - 1]))]
        rows[-1] = rows[-1].rstrip("… ") + "…"
    return "\n".join(rows)


def _fitting(line: str, start: int, pixels: float, size: float) -> int:
    """Where what fits ends, at least one character behind `start`."""
    reached = 0.0
    for place in range(start, len(line)):
        reached += width(line[place], size)
        if reached > pixels and place > start:
            return place
    return len(line)


def _too_wide(line: str, start: int, end: int, pixels: float, size: float) -> bool:
    """Whether a part of a line is wider than that, without looking at more of it than tells."""
    reached = 0
    for place in range(start, end):
        reached += _advance(line[place])
        if reached * size / 1000 > pixels:
            return True
    return False


def _pieces(text: str, pixels: float, size: float) -> list[str]:
    pieces: list[str] = []
    for piece in re.findall(r"[^\s\-/→×]*(?:[\s\-/→×]+|$)", text):
        start, end = 0, len(piece.rstrip())
        while _too_wide(piece, start, end, pixels, size):
            cut = _fitting(piece, start, pixels, size)
            pieces.append(piece[start:cut])
            start = cut
        pieces.append(piece[start:])
    return [piece for piece in pieces if piece]


def number(value: Any, digits: int = 3) -> str:
    """Give a number to ``digits`` significant digits with a true minus sign; an en dash where there is none."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, int) or (abs(value) >= 1000 and float(value).is_integer()):
        return f"{value:,.0f}".replace("-", "−")
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(places, digits)}f}".replace("-", "−")


def decimal(value: Any) -> str:
    """Give a measured number for a column of a table: three decimals below 10, one below 1000, none above."""
    if isinstance(value, int):
        return number(value)
    if value is None or not math.isfinite(value):
        return "–"
    places = 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    shown = f"{value:,.{places}f}"
    return shown.removeprefix("-") if float(shown.replace(",", "")) == 0 else shown.replace("-", "−")


def percent(value: Any) -> str:
    """Give a share as a percentage; one decimal where a whole number would read as all or nothing."""
    if value is None or not math.isfinite(value):
        return "–"
    if 0 < value < 0.001:
        return "< 0.1 %"
    if 0.999 < value < 1:
        return "> 99.9 %"
    near = value not in (0, 1) and not 0.0095 <= value <= 0.9905
    return f"{100 * value:.1f} %" if near else f"{100 * value:.0f} %"


def probability(value: Any) -> str:
    """Give a p-value: three decimals, ``< 0.001`` below them."""
    if value is None or not math.isfinite(value):
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"

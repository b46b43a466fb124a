r"""Cells of CSV tables that no spreadsheet takes for a formula, and how such a table is read again.

A spreadsheet computes a text that begins with ``=``, ``+``, ``-`` or ``@``: a link that sends the row away, a program
that is started. An apostrophe before it makes it a text again. A program that reads the file with another separator
than the comma sees cells begin after each ``;``, tab or line end within a text, so one is put there too.

Source: OWASP, "CSV Injection", https://owasp.org/www-community/attacks/CSV_Injection
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


_SIGNS = "[=+\\-@＝＋－＠﹦﹢﹣﹫]"
# What a reader may drop before it looks at the first sign of a cell: blanks, controls, marks of no width, quotes,
# separators. Both regular expressions and those of polars read it alike.
_DROPPED = "[\\s\\x00-\\x1f\\x7f-\\x9f\\xad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\"'`,;|]"
_BEGIN = "[;\\t\\r\\n]"
_LED = re.compile(f"{_DROPPED}*+{_SIGNS}|'*+[\\t\\r\\n]")
_RUN = re.compile(f"(?<!{_DROPPED}){_DROPPED}++(?={_SIGNS})")
_BEGINS = re.compile(_BEGIN)
_SUSPECT = f"^{_DROPPED}*{_SIGNS}|^'*[\\t\\r\\n]|{_BEGIN}{_DROPPED}*{_SIGNS}"


def defused(text: str) -> str:
    """A text as a cell that is a text to every spreadsheet; one that is anyway stays as it is.

    Time grows with the length. `as_it_stood` gives the text back, whatever it was.

    Examples
    --------
    >>> defused('=HYPERLINK("http://a.b")'), defused("ask; -x"), defused("a - b")
    ('\\'=HYPERLINK("http://a.b")', "ask; '-x", 'a - b')
    """
    text = _RUN.sub(lambda run: f"{run[0]}'" if _BEGINS.search(run[0]) else run[0], text)
    return f"'{text}" if _LED.match(text) else text


def as_it_stood(cell: str) -> str:
    """The text that `defused` made a cell of."""
    text = cell[1:] if cell.startswith("'") and _LED.match(cell, 1) else cell
    return _RUN.sub(lambda run: run[0].removesuffix("'") if _BEGINS.search(run[0]) else run[0], text)


def defused_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame with its texts and the names of its columns `defused`; numbers stay numbers, whatever their sign."""
    import polars as pl

    texts = [_column(frame[name]) for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(texts).rename({name: defused(name) for name in frame.columns})


def _column(column: pl.Series) -> pl.Series:
    suspect = column.str.contains(_SUSPECT).fill_null(False).arg_true()  # few are, and polars finds them fast
    return column.scatter(suspect, [defused(text) for text in column.gather(suspect)]) if len(suspect) else column

"""Reading an answer that assigns words to options, in whatever list form a model writes it.

A pair needs a form: a word, a sign or phrase that joins, an option (or the other way round). Mere nearness in
prose is no pair, so a refusal that repeats the question assigns nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from personae.coding.mentions import Finder, distinct, words_of
from personae.coding.pairlines import Key, Line
from personae.coding.refusal import find_refusal
from personae.coding.text import LONGEST, TOO_LONG, fold, squeeze

_BROKEN = re.compile(r"<br\s?/?>", re.IGNORECASE)
_TABLED = re.compile(r"\s*\|?\s*:?-{2,}")
_NOT = re.compile(r"\b(?:not|never|no|isn't|nicht)\s(?:(?:a|an|the|really)\s)?$")
_NEGATES = re.compile(r"\b(?:not|never|no|isn't|nicht)\b")
_BEFORE = 12
_REMARK = re.compile(r"\([^()\n]{1,200}\)")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


_MOST_IN_BRACKETS = 3


class Pairs(Struct, frozen=True, kw_only=True):
    """What an answer assigned.

    ``assigned`` gives for each word read the index of its option; ``unread`` the words left, in the order asked.
    ``status`` is ``answered`` where at least one word was read and the answer does not decline as a whole;
    ``reason`` says what kept the rest from being read.
    """

    status: Literal["answered", "refused", "invalid"]
    assigned: dict[str, int]
    unread: tuple[str, ...]
    reason: str = ""


def read_pairs(
    text: str, words: Sequence[str], options: Sequence[str], synonyms: Mapping[str, str] | None = None
) -> Pairs:
    """Read which option an answer gives to each word.

    Parameters
    ----------
    text : str
        The answer, reasoning already apart.
    words : sequence of str
        The words as shown.
    options : sequence of str
        The options as shown, two or more.
    synonyms : mapping of str to str, optional
        From other forms that count for a word to that word.

    Returns
    -------
    Pairs
        A word given to two options, or beside both on one line, is unread. More than half of the words unread beside a
        refusal is ``refused``; an answer longer than is read is ``invalid``.

    Raises
    ------
    ValueError
        When words are blank or repeated, options are fewer than two or equal, or a synonym stands for no word.

    Examples
    --------
    >>> read_pairs("1. Command – Eric\\n2. timid: I’d say Dianne", ["command", "timid"], ["Eric", "Dianne"]).assigned
    {'command': 0, 'timid': 1}
    """
    finder = _finder(tuple(words), tuple(options), tuple((synonyms or {}).items()))
    if len(text) > LONGEST:
        return Pairs(status="invalid", assigned={}, unread=tuple(words), reason=TOO_LONG)
    claims: dict[str, set[int]] = {}
    for word, claim in _claims(_lines(text, finder)):
        claims.setdefault(word, set()).update(claim)
    assigned = {word: min(claims[word]) for word in words if len(claims.get(word, ())) == 1}
    unread = tuple(word for word in words if word not in assigned)
    refusal = find_refusal(text) if len(unread) * 2 > len(words) else None
    if refusal is not None:
        return Pairs(status="refused", assigned=assigned, unread=unread, reason=refusal)
    both = sum(len(claim) > 1 for claim in claims.values())
    reason = f"{len(unread)} of {len(words)} words not read" if unread else ""
    if both:
        reason += f", {both} beside more than one option"
    return Pairs(status="answered" if assigned else "invalid", assigned=assigned, unread=unread, reason=reason)


@lru_cache(maxsize=1024)
def _finder(words: tuple[str, ...], options: tuple[str, ...], synonyms: tuple[tuple[str, str], ...]) -> Finder[Key]:
    places = distinct(options)
    forms = {squeeze(word): word for word in words}
    if len(forms) != len(words) or not forms:
        raise ValueError(f"words must be given, each once: {list(words)}")
    for form, word in synonyms:
        if word not in words:
            raise ValueError(f"the synonym {form!r} stands for {word!r}, which is not among the words")
        forms.setdefault(squeeze(form), word)
    return Finder({form: Key(forms.get(form), places.get(form)) for form in forms | places})


def _lines(text: str, finder: Finder[Key]) -> Iterator[Line]:
    decoded = _ESCAPE.sub(lambda hit: chr(int(hit[1], 16)), text)  # JSON written in ASCII
    said = fold(_BROKEN.sub("\n", decoded).replace("\\n", "\n"))
    dressed = "(" in said or _NEGATES.search(said)
    for line in said.split("\n"):
        if line.strip() and not _TABLED.match(line):
            told = line
            if dressed:
                told = _without_denied(_REMARK.sub(lambda remark: _told(remark, finder), line), finder)
            yield Line(told, finder.find(told))


def _told(remark: re.Match[str], finder: Finder[Key]) -> str:
    """A remark in brackets as it stands, or blanks where it says more than an option: nothing in it is a pair."""
    keys = [mention.key for mention in finder.find(remark[0])]
    aside = len(keys) == 1 and keys[0].option is not None and len(words_of(remark[0])) > _MOST_IN_BRACKETS
    return " " * len(remark[0]) if aside else remark[0]


def _without_denied(line: str, finder: Finder[Key]) -> str:
    """A line without the options that it names to leave them out: "not Eric, so Dianne"."""
    if not _NEGATES.search(line):
        return line
    for mention in list(finder.find(line)):
        before = _NOT.search(line, max(0, mention.start - _BEFORE), mention.start)
        if before is not None and mention.key.option is not None and mention.key.word is None:
            blank = " " * (mention.end - before.start())
            line = f"{line[: before.start()]}{blank}{line[mention.end :]}"
    return line


def _claims(lines: Iterator[Line]) -> Iterator[tuple[str, set[int]]]:
    """Every word with the option or options that some line gives to it.

    A line with nothing but an option heads the lines of words below it; a line with nothing but a word waits
    for a line with nothing but an option.
    """
    heading: int | None = None
    waiting: str | None = None
    columns: list[int] = []
    for line in lines:
        if (heads := line.columns()) is not None:
            columns = heads
            continue
        if columns and (cells := line.cells(len(columns))) is not None:
            yield from ((word, {option}) for option, words in zip(columns, cells, strict=True) for word in words)
            continue
        columns = []
        word, option = line.alone()
        if option is not None and waiting is not None:
            yield waiting, {option}
            waiting = None
        elif option is not None:
            heading = option
        elif word is not None and heading is None:
            waiting = word
        elif heading is not None and line.only_words():
            yield from ((word, {heading}) for word in line.words(0, len(line.mentions)))
        else:
            heading = waiting = None
            yield from line.pairs()

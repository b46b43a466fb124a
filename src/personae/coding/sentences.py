"""A text as plain sentences: marks of formatting taken off, lists and headings apart."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_HEAD = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•–]\s+|\(?\d{1,2}[.)]\s+|>\s?|\|)+")
_RULE = re.compile(r"^[\s*_=-]{3,}$")
_MARKS = ("***", "**", "*", "___", "__", "_", "~~", "`")
_OPENS = re.compile(r"[*_~`]")
_CLOSES = {mark: re.compile(rf"(?<=\S)(?={re.escape(mark)})") for mark in _MARKS}
_DEEPEST = 16
_LINK = re.compile(r"!?\[(?P<said>[^\]]*)(?:\](?P<to>\([^)]*\))?|\Z)")
_END = re.compile(
    r"(?<=[.!?…])(?<!\b[A-Z]\.)(?<!\b(?:Mr|Ms|Dr|St|vs)\.)(?<!\b(?:Mrs|etc|e\.g|i\.e)\.)[\"'”’)\]]*(?P<gap>\s+)(?=[\"'“‘(\[]*[A-Z0-9])"
)
_BLANKS = re.compile(r"\s+")


def unmarked(text: str) -> str:
    """A text without the marks of Markdown: headings, lists, emphasis, links, rules; its lines stay lines.

    Emphasis within emphasis is taken off to a depth of 16.

    Examples
    --------
    >>> unmarked("## Why\\n- **Trust** is [earned](x).")
    'Why\\nTrust is earned.'
    """
    lines = []
    for line in text.splitlines():
        if _FENCE.match(line) or _RULE.match(line):
            continue
        bare = _unlinked(_HEAD.sub("", line)).strip().strip("|")
        for _ in range(_DEEPEST):
            before, bare = bare, _without_emphasis(bare)
            if before == bare:
                break
        if bare.strip():
            lines.append(_BLANKS.sub(" ", bare).strip())
    return "\n".join(lines)


def _unlinked(line: str) -> str:
    """A line with the words of its links in their place."""
    last = line.rfind(")") + 1  # behind it no link ends, and before it every bracket that opens is closed
    return _LINK.sub(lambda found: found["said"] if found["to"] else found[0], line[:last]) + line[last:]


def _without_emphasis(line: str) -> str:
    """A line without its outer marks of emphasis: each from where it opens to the next that closes it."""
    if _OPENS.search(line) is None:
        return line
    closes = {mark: [place.start() for place in found.finditer(line)] for mark, found in _CLOSES.items()}
    kept, at = [], 0
    while opened := _OPENS.search(line, at):
        start = opened.start()
        kept.append(line[at:start])
        said, at = _emphasised(line, start, closes)
        kept.append(said)
    return "".join([*kept, line[at:]])


def _emphasised(line: str, start: int, closes: dict[str, list[int]]) -> tuple[str, int]:
    """What the marks at a place emphasise, the longest mark first, and where that ends; the sign itself if nothing."""
    for mark in _MARKS:
        inner = start + len(mark)
        if not line.startswith(mark, start) or line[inner : inner + 1].isspace():
            continue
        nth = bisect_left(closes[mark], inner + 1)
        if nth < len(closes[mark]):
            end = closes[mark][nth]
            return line[inner:end], end + len(mark)
    return line[start], start + 1


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order; a line that does not end like a sentence is one of its own.

    Examples
    --------
    >>> sentences("**Trust** matters. Dr. Low agrees, e.g. on this!\\n1. Time")
    ['Trust matters.', 'Dr. Low agrees, e.g. on this!', 'Time']
    """
    return [one for line in unmarked(text).splitlines() for one in _split(line) if re.search(r"\w", one)]


def _split(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        yield line[start : end.start("gap")]
        start = end.end("gap")
    yield line[start:]

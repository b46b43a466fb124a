"""A text as plain sentences: marks of formatting taken off, lists and headings apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_HEAD = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•–]\s+|\(?\d{1,2}[.)]\s+|>\s?|\|)+")
_RULE = re.compile(r"^[\s*_=-]{3,}$")
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3}|~~|`)(?=\S)(.+?)(?<=\S)\1")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_END = re.compile(
    r"(?<=[.!?…])(?<!\b[A-Z]\.)(?<!\b(?:Mr|Ms|Dr|St|vs)\.)(?<!\b(?:Mrs|etc|e\.g|i\.e)\.)[\"'”’)\]]*(?P<gap>\s+)(?=[\"'“‘(\[]*[A-Z0-9])"
)
_BLANKS = re.compile(r"\s+")


def unmarked(text: str) -> str:
    """A text without the marks of Markdown: headings, lists, emphasis, links, rules; its lines stay lines.

    Examples
    --------
    >>> unmarked("## Why\\n- **Trust** is [earned](x).")
    'Why\\nTrust is earned.'
    """
    lines = []
    for line in text.splitlines():
        if _FENCE.match(line) or _RULE.match(line):
            continue
        bare = _LINK.sub(r"\1", _HEAD.sub("", line)).strip().strip("|")
        before = None
        while before != bare:
            before, bare = bare, _EMPHASIS.sub(r"\2", bare)
        if bare.strip():
            lines.append(_BLANKS.sub(" ", bare).strip())
    return "\n".join(lines)


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

"""An answer as clauses: words between two marks, and what may lead one in or follow without changing what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_BREAK = re.compile(r"[.!?;:,\n…()\[\]\"*。！？，：；、]+|\s-+\s|--+|\s/\s")
SIGNS = re.compile(r"[.!?;:,\n…。！？，：；、]+|\s-+\s|--+")
"""Marks between clauses in which brackets and quotes belong to the words."""
_BEFORE = 12

LEAD = re.compile(
    r"""(?:(?:so|well|and|but|then|oh|ooh|ah|aw|um+|uh+|hm+|er+|like|ok|okay|alright|right|now|why|look|listen|hey|yo
      |arr+|ay|ahem|honestly|frankly|truthfully|sadly
      |unfortunately|personally|seriously|actually|really|simply|still|again|just|plain|a|an|the|my|firm|clear
        |resounding|big|definite|simple|hard|easy|flat|strong|loud|hearty
      |final|short|answer|verdict|response|reply|conclusion|it's|it|is|that's|i|i'd|i'll|i'm|have|had|must|would|will
        |should|shall|can|only|to|say|saying|answering|go|going|with
      |think|guess|suppose|believe|reckon|feel|mean|lean|leaning|towards?|vote|for|be|am|afraid|sorry|dear|me|of
        |course|if|pressed|forced|one|heck|hell|dude|man|bro|mate|matey
      |sir|ma'am|madam|honey|darling|sweetheart|babe|baby|love|sweetie|friend|child|kid|boss|folks|because|since
        |therefore|thus|hence|overall|ultimately|too|sure|very|most|quite|please)\s)+""",
    re.VERBOSE,
)
TAIL = re.compile(
    r"""(?:\s(?:sir|ma'am|madam|honey|darling|sweetheart|babe|baby|love|sweetie|dear|my\s\w+|mate|matey|friend|dude
      |man|bro|child|thanks|thank\syou|please|really|indeed|definitely|absolutely|certainly|of\scourse
      |for\ssure|i\s(?:do|don't|guess|suppose|think|believe|would\ssay|am|do\snot|say|fear|reckon)|i'm\s(?:afraid
        |sure)|then|way|again|it\sis|it\sisn't|they\sare|they\saren't|they\sdo|they\sdon't|not
      |to\s(?:that|this|it|your\squestion|the\squestion|such|be\shonest)(?:\s\w+){0,4}|at\sall|in\smy\s(?:\w+\s)?\w+
        |from\sme|for\sme|here|it\sshould|in\sgeneral|generally|actually|honestly))*""",
    re.VERBOSE,
)
CHANGES = re.compile(
    r"""\b(?:wait|on\ssecond\sthoughts?|on\sreflection|thinking\sabout\sit|i\stake\sthat\sback|scratch\sthat
      |i\schange\smy\s(?:mind|answer)|let\sme\s(?:correct|rethink|reconsider)
      |correction|i\smean|actually|no,)\b""",
    re.VERBOSE,
)
"""What says that another answer takes the place of one that was given."""
_SETTLES = re.compile(r"(?:\bbut|\byet|\bstill|\bhowever|\bso|\btherefore|\bthus|\bhence|\bthen|-|[:>：])\s*\Z")
_TURNS = ("but ", "yet ", "so ", "still ", "hence ", "thus ", "therefore ")


class Clause(NamedTuple):
    """Words between two marks: where they begin, the words before and the mark after."""

    words: str
    start: int
    before: str
    after: str

    @property
    def asks(self) -> bool:
        """Whether it ends a question."""
        return self.after.startswith(("?", "？"))

    @property
    def ends(self) -> bool:
        """Whether it ends a sentence or a line."""
        return not self.after or self.after[:1] in ".!\n。！…"

    @property
    def settles(self) -> bool:
        """Whether it is what an answer comes to: behind "but", "so", a colon."""
        return bool(_SETTLES.search(self.before)) or self.words.startswith(_TURNS)


def clauses(said: str, breaks: re.Pattern[str] = _BREAK) -> Iterator[Clause]:
    """The clauses of a folded text whose lines are lines; those without words are left out."""
    start, before = 0, ""
    for hit in breaks.finditer(said):
        yield from _clause(said, start, hit.start(), before, "\n" if "\n" in hit[0] else hit[0].strip() or " ")
        start, before = hit.end(), said[max(0, hit.start() - _BEFORE) : hit.end()]
    yield from _clause(said, start, len(said), before, "")


def _clause(said: str, start: int, end: int, before: str, after: str) -> Iterator[Clause]:
    words = said[start:end].strip(" '_`#>|")
    if words:
        yield Clause(words, start, before, after)


def without_lead(words: str) -> str:
    """The words of a clause behind what leads in; empty where there is nothing else.

    Examples
    --------
    >>> without_lead("but i'd say no, sir"), without_lead("oh honey")
    ('no, sir', '')
    """
    lead = LEAD.match(f"{words} ")
    return words if lead is None else words[lead.end() :].strip()

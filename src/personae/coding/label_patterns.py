"""How answers say which label they pick, as patterns for the labels of one question.

The texts they read are those of `lines`: one kind of quotes and dashes, single blanks, no blank line.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from personae.coding.text import plain

_FLAGS = re.VERBOSE | re.IGNORECASE
# Possessive where a sign may belong to two neighbours, and no run of signs longer than a rule across a page: nothing is
# read twice, and not from each of its line ends anew.
_OPEN = r"[\s(\[{\"'*_\#$`]{0,200}+"
_GAP = r"[\s:=\-\"'*_`>,]{0,200}+"
_MORE = r"""(?:(?:definitely|clearly|probably|certainly|obviously|likely|most\slikely|therefore|thus|then|hence|indeed
    |simply|just|only|still|the|option|choice|letter|answer|statement|rather|eher|klar|eindeutig|also|wohl)
    [\s:=\-\"'*_]{1,200}+){0,4}"""
_FREE = r"(?<![^\W_])"  # a word begins; an underscore before it is emphasis or part of a key, "final_answer"
_NOUN = r"(?:answer|ans\.?|choice|pick|selection|solution|response|antwort|wahl|lösung)"
_IS = r"""(?:(?:\s(?:to|for|of|here|in|auf|hier)\b(?:\s\w+){0,5}?)?
    \s(?:is|be|was|(?:would|will|should|must|has\sto|seems\sto)\sbe|ist|wäre|lautet)\b)"""
_COLON = r"(?:[\"'*_]*\s?[:=>\-])"
_RIGHT = r"(?:correct|right|best|richtig|richtige|beste)"
_CHOSEN = r"(?:answer|option|choice|one|letter|response|pick|antwort|wahl)"
_REASON = r"""(?:because|since|denn|weil|as\s(?:it|the|this|that)\b|over\b|instead\sof|rather\sthan|(?:and\s|but\s)?not
    \s[(\[]?\w(?!\w))"""

_FINAL = rf"""(?:{_FREE}final[\s_](?:answer|choice|decision|verdict){_IS}?{_GAP}{_MORE} | (?:^|\n)\#{{4}}\s
  | \\(?:boxed|fbox)\s?\{{[\s$]*(?:\\(?:text|math)\w*\s?\{{)*)"""
_SAID = rf"""(?:
    {_FREE}{_NOUN}(?:{_IS}|{_COLON}|\s(?=[(\[]))
  | (?:(?:^|\n){_OPEN}|\bmy\s){_NOUN}\b
  | {_FREE}(?<!each\s)(?<!every\s)(?:{_RIGHT}\s)?(?:{_CHOSEN}|alternative|möglichkeit)(?:{_IS}|{_COLON})
  | \b(?:choose|pick|select|say|answer|go(?:ing)?\swith|go(?:ing)?\sfor|opt\sfor|vote\sfor|settle\son
      |nehme|wähle|sage)\b
  ){_GAP}{_MORE}"""
_CONCLUDED = rf"""(?:
    (?<!\w)(?:so|therefore|thus|hence|ergo|daher|somit|folglich|deshalb|matches|corresponds\sto|must\sbe
      |leav(?:es|ing)(?:\sus\swith)?|bleibt(?:\snur)?|(?:it|this|that)'s
      |(?:it|this|that|which)\s(?:is|would\sbe|has\sto\sbe)|(?:es|das)\sist
      |is\s(?:therefore|thus|hence|then|clearly|definitely|obviously)
      |not\s[(\[]?\w[)\]]?,?\sbut)\b
  | [=\-]> | [→⇒∴➔]
  ){_GAP}{_MORE}"""
_SURE = r"(?:(?:clearly|definitely|probably|certainly|most\slikely|likely|indeed|thus|therefore|klar)\s)*+"
_CLAIMED = r"(?:^|[.,;:!?\n]\s?|\b(?:that|so|think|believe|and|but|option|answer|choice|letter|only|because|dass)\s)"
_CLAIM = rf"""(?:[)\]\"'*_]*\s(?:is|(?:would|must|has\sto)\sbe|seems|ist)\s{_SURE}(?:(?:the|my|die|meine)\s)?
    (?:{_RIGHT}(?:\s{_CHOSEN})?|(?<=(?:the|\smy)\s){_CHOSEN}) | [)\]:][*_]*(?:\s-)?\s{_RIGHT})
    (?=\s?(?:[.,;:!*)\n\-]|$)|\s(?:here|{_REASON}))"""
_AND = r"""(?:[)\]\"'*_.:]*(?:\s?[,/&]\s?(?:(?:or|and|oder|und)\s)?|\s(?:or|and|oder|und)\s)
    (?:(?:maybe|perhaps|even)\s)?)"""
_END = rf"""(?!'\w)(?:
    (?=[)\]}}\"'*_:;!$<|\\`\n] | ,(?!\d) | \.(?!\w\.|\d) | \s?-(?!\w) | \s[:)] | \s*$ | \s?[^\w\s?,&/]+(?:\n|$))
  | (?=\s{_REASON}) )"""

_MOST = 12  # labels joined in one breath

REJECTED = re.compile(
    r"""\b(?:not|nor|neither|than|instead\sof|over|nicht|statt|except|unlike
      |(?:rul|eliminat|exclud|discard|reject|dismiss)(?:e|es|ed|ing|s)?(?:\s(?:out|both))*)
    (?:\s(?:(?:option|choice|answer)s?|the))?
    (?:[\s(\["'*]++\w[)\]"'*]*+,?(?:\s(?:and|or|nor|und|oder)\b)?)*
    [\s(\["'*]*+$""",
    _FLAGS,
)
"""What stands before a label that is not picked: "not B", "rule out A) and B)"."""
DISMISSED = re.compile(
    r"""[)\]"'*_.:,;\s\-]*+(?:
        (?:is|are|was|would\sbe|seems|looks|can\sbe|could\sbe|must\sbe|has\sbeen|ist|sind)\s
        (?:(?:clearly|definitely|obviously|also|just|simply|therefore|thus|far|both|all|klar)\s)*+
        (?:wrong|incorrect|false|not|out|excluded|eliminated|ruled\sout|impossible|implausible|unlikely|irrelevant|too
          |falsch|nicht)
      | (?:can't|cannot|can\snot|isn't|doesn't|does\snot|won't|kann\snicht) )\b""",
    _FLAGS,
)
"""What stands after a label that is not picked: "A) is wrong"."""
UNMEANT = re.compile(
    r"""(?:
        \b(?:if|unless|whether|suppose|wenn|falls|ob)\b
          (?!\s(?:(?:i|we)\s(?:had|have|must|were|really)|forced|pressed)\b)[^.,;:!?\n]*
      | (?:\b(?:not|never|cannot|nicht)|n't)\s(?:\w+\s){0,3}
      | \b(?:might|may|could|people|some|others)\s(?:\w+\s)?
      | \b(?:thought|initially|originally|at\sfirst)\b[^.,;:!?\n]{0,40}
    )[\s"'*(]*$""",
    _FLAGS,
)
"""What stands before words that would pick a label and here do not: "if", "I cannot", "at first I thought"."""


class LabelPatterns(NamedTuple):
    """Where a label may stand. The groups are ``label`` or ``claimed``, and ``more`` where others are joined to it."""

    final: re.Pattern[str]  # "final answer: B", \boxed{B}
    said: re.Pattern[str]  # "the answer is B", "I choose B", "B is correct"
    concluded: re.Pattern[str]  # "so B", "that leaves B"
    opening: re.Pattern[str]  # "B) because …"
    alone: re.Pattern[str]  # on a line of its own, or the last sentence
    bold: re.Pattern[str]
    titled: re.Pattern[str]  # "B) " and then perhaps the option
    named: re.Pattern[str]  # "option B"
    marked: re.Pattern[str]  # "(b)" or "B)"
    listed: re.Pattern[str]  # "B) " at the beginning of a line
    one: re.Pattern[str]


def lines(text: str) -> str:
    """`plain` text with single blanks and without blank lines."""
    squeezed = (" ".join(line.split()) for line in plain(text).splitlines())
    return "\n".join(line for line in squeezed if line)


@lru_cache(maxsize=256)
def label_patterns(labels: tuple[str, ...]) -> LabelPatterns:
    """The patterns for some labels; where these are single signs, also for letters and numbers not offered."""
    known = "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))
    if all(len(label) == 1 for label in labels):
        known = rf"{known}|[a-z]|\d+"
    one = rf"(?>(?:{known})(?![^\W_]|_\w))"  # atomic: read in one way only
    alone = rf"(?P<label>{one})"
    label = rf"(?:(?P<label>{one})(?P<more>(?:{_AND}{_OPEN}{one}){{1,{_MOST}}})?{_END})"
    shapes = (
        rf"{_FINAL}{_OPEN}{label}",
        rf"{_SAID}{_OPEN}{label} | {_CLAIMED}{_OPEN}(?P<claimed>{one}){_CLAIM}",
        rf"{_CONCLUDED}{_OPEN}{label}",
        rf"\A(?:[^\w\s]++\s)?{_OPEN}(?:(?:the\s)?(?:{_RIGHT}\s)?(?:option|choice|answer|letter|antwort)\b{_GAP})?{_OPEN}{label}",
        rf"(?:(?:^|\n)|(?:[.!?:]|\bno,)\s(?=\W{{0,9}}\w{{1,9}}\W{{0,9}}$)){_OPEN}{alone}[)\].:!*_\"'}}`$]*+(?=\n|$)",
        rf"\*\*\(?{alone}[).:]*\*\*",
        rf"(?<![\w']){alone}(?=[)\].:*\"]|\s-\s)[)\].:*\"'\s\-]*+",
        rf"\b(?:option|choice|letter|möglichkeit)\b{_GAP}{label}",
        rf"(?<![\w')\]])[(\[]?{alone}[)\]](?!\w)",
        rf"(?:^|\n)(?:-\s)?{_OPEN}(?:option\s)?{_OPEN}{alone}(?=[)\].:*\"\n]|\s-\s|$)",
        rf"(?<!\w){one}",
    )
    return LabelPatterns(*(re.compile(shape, _FLAGS) for shape in shapes))

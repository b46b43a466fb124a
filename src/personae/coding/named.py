"""Which options an answer names, and in what sense: picked, stated, taken back, what others would say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from personae.coding.asked import Asked
from personae.coding.mentions import only_leads

_NEGATION = re.compile(
    r"""\b(?:not|never|no|nothing|nobody|none|neither|nor|hardly|scarcely|far\sfrom|isn't|wasn't|aren't|weren't|won't
      |wouldn't|shouldn't|doesn't|don't|didn't|can't|cannot|couldn't|anything\sbut|nicht|kein(?:e|en|er|es|em)?
      |rather\sthan|instead\sof|over|less|statt|anstatt)\b
      (?!\s(?:just|only|merely|simply|doubt|deny|denying|hesitate|help\sbut|ignore|overlook|question|matter|wonder
        |one\b)\b)""",
    re.VERBOSE,
)
"""What takes back the option that follows it in its clause."""
_REACH = re.compile(
    r"""(?:\s(?:really|at|all|that|particularly|exactly|quite|just|call|called|say|saying|think|believe|find|see|view
      |regard
      |describe|label|judge|be|been|sound|seem|seems|appear|consider(?:ed)?|this|it|it's|its|is|was|are|the|a|an|very
        |so|even
      |inherently|necessarily|wirklich|unbedingt|option|answer|choice|choose|pick|select|as|like|look|feel|come
        |across|to|for
      |me|mean|means|make|makes|you|you're|your|he|she|him|her|his|they|their|them|behaviou?r|behaviou?rs|action
        |actions
      |situation|conduct|being|count|qualify|about|in|here|there|what|way|of|done|did|does|would|could|should|might
        |will
      |any|anyone|anything|other|than|i|we|one|on|truly|actually|genuinely|remotely|strictly|somehow
        |quickly)){0,12}[\s"'*(]*$""",
    re.VERBOSE,
)
_TWICE = re.compile(r"\b(?:other|less|short)\s(?:than|of)\s[\s\"'*(]*$")
_ASKED = re.compile(r"[^.!?;:,\n]{0,40}\?")
_OF_OTHERS = re.compile(
    r"""\b(?:you|he|she|they|some|many|most|people|others|everyone|someone)\s(?:(?:may|might|would|could|will
      |seem\sto|want\sto
      |'d|clearly|really|often|also|want\sme\sto|expect\sme\sto|'d\slike\sme\sto|would\slike\sme\sto)\s){0,3}
      (?:think|believe|say|call|feel|claim|answer|pick|choose|see|find|consider)s?\b[^.;!?]{0,40}$""",
    re.VERBOSE,
)
_LATER_NOT = re.compile(
    r"\s?(?:\?\s?(?:no|never|not|hardly|nope)\b|\s(?:is|are|seems?)\s(?:less|not)\b|\s(?:isn't|aren't)\b)"
)
_PERHAPS = re.compile(r"\b(?:necessarily|unbedingt)\b[^.,;]{0,12}$")
_TENTATIVE = re.compile(
    r"""\b(?:
        (?:not|n't|never|unsure|uncertain)\s(?:\w+\s)?(?:sure|certain|convinced|know|tell)
      |         (?:could|might|may|can)\s(?:(?:also|still|even)\s)?(?:be|feel|seem|come)
      | könnte | potentially | possibly | potenziell
    )\b[^.;!?]{0,40}$""",
    re.VERBOSE,
)
_SAYS = re.compile(
    r"""(?:
        \b(?:answer|choice|option|pick|response|antwort|wahl)(?:\s(?:would|should))?(?:\s(?:is|be|ist)|:)
      | \bi(?:'d|\swould|\swill|'ll)?\s(?:(?:still|definitely|have\sto|must|rather)\s)*
        (?:say|choose|pick|select|go\s(?:with|for)|opt\sfor|call\s(?:it|that|this)|lean\stowards?
          |think(?=\s(?:it's|it\sis|that's)))
        (?:\s(?:it's|it\sis|that's))?
      | \bich\s(?:würde\s)?(?:sage|wähle|nehme|denke|finde)
    )
    [\s:=\-]*(?:(?:definitely|clearly|probably|still|actually|more|the|a|an|eher|option|answer)\s)*[\s"'*_(\[]*$""",
    re.VERBOSE,
)
_STATES = re.compile(
    r"\b(?:it|that|this|es|das)(?:'s| is| ist| (?:sounds|seems|feels|looks)(?: like)?)[^.,;:!?]{0,30}$"
)
_JOINED = re.compile(r"[\s,/&\"'*_]*+(?:\b(?:or|and|oder|und)\b)?[\s,/&\"'*_]*+")
_UNDECIDED = re.compile(r"\s(?:or not|oder nicht)\b")
_LAST_WORD = re.compile(r"(\w+)\W*\Z")
_ENDS_CLAUSE = re.compile(r"[\s\"'*_)]*(?:[.!]|$)")
_PART_END = re.compile(r"[.;!?:,\n]|\bbut\b")
_CLAUSE_END = re.compile(
    r"[.;!?:,\n]|(?<!anything )(?<!nothing )\b(?:but|because|although|though|however|while|whereas|and)\b"
)
_BEFORE = 100


class Named(NamedTuple):
    """An option that an answer names, not to reject it, and how firmly; ``titled`` where its own label leads it in."""

    option: int
    firm: int
    titled: bool = False


NAMED, STATED, SAID, LEADING = range(4)


def named_options(said: str, asked: Asked) -> Iterator[Named]:
    """Every option named and not rejected, in order."""
    mentions = list(asked.finder.find(said))
    joined = {
        place
        for place, (one, two) in enumerate(pairwise(mentions))
        if one.key != two.key and _JOINED.fullmatch(said, one.end, two.start)
    }
    for place, mention in enumerate(mentions):
        if _ASKED.match(said, mention.end) and len(mentions) > 1:
            continue
        before = said[max(0, mention.start - _BEFORE) : mention.start]
        option: int | None = mention.key
        if _OF_OTHERS.search(before) and "i " not in before[-12:]:
            option = None
        elif _negated(before):
            option = None if _PERHAPS.search(before) else asked.opposites.get(mention.key)
        elif (
            _TENTATIVE.search(before)
            or _UNDECIDED.match(said, mention.end)
            or (mention.key not in asked.opposites and _LATER_NOT.match(said, mention.end))
        ):
            option = None
        if option is None:
            continue
        if place in joined or place - 1 in joined:
            yield Named(option, NAMED)
        elif place == 0 and only_leads(said[: mention.start], asked.labels):
            word = _LAST_WORD.search(before)
            yield Named(option, LEADING, bool(word and word[1] in asked.labels[option : option + 1]))
        else:
            says = _SAYS.search(before) or _stands_alone(said, mention.start, mention.end)
            yield Named(option, SAID if says else STATED if _STATES.search(before) else NAMED)


def _stands_alone(said: str, start: int, end: int) -> bool:
    """Whether an option is all that its clause says: "As an AI I have no feelings. Distress." """
    before = _PART_END.split(said[max(0, start - _BEFORE) : start])[-1]
    return bool(_ENDS_CLAUSE.match(said, end)) and only_leads(before)


def _negated(before: str) -> bool:
    """Whether what stands before an option in its clause takes it back: an odd number of negations that reach it."""
    clause = _CLAUSE_END.split(before)[-1]
    count = sum(1 for hit in _NEGATION.finditer(clause) if _REACH.match(clause, hit.end()))
    return count % 2 == 1 and not _TWICE.search(clause)

"""Reading which of some options an answer picks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from msgspec import Struct

from personae.coding.clauses import CHANGES, LEAD, SIGNS, TAIL, Clause, clauses, without_lead
from personae.coding.labels import clean_labels, read_label
from personae.coding.mentions import Finder, distinct, only_leads
from personae.coding.refusal import find_refusal
from personae.coding.text import LONGEST, TOO_LONG, plain, spelled_out, squeeze
from personae.coding.wrappers import answer_of, bare

_HEDGE = re.compile(
    r"""\b(?:
        (?:a\sbit|a\smix(?:ture)?|combination)\sof\s(?:both|the\stwo) | both(?!\s(?:of\s)?(?:us|you)\b) | neither
      | not\snecessarily | either\s(?:one|could|way|of) | depends | depending\son | (?:can't|cannot)\s(?:decide|tell)
      | hard\sto\s(?:say|tell) | in\sbetween | or\snot | oder\snicht | beide[sn]? | weder
      | kommt\s(?:ganz\s)?darauf\san | hängt\sdavon\sab | nicht\sunbedingt
    )\b""",
    re.VERBOSE,
)
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
_FEW = 3
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
_LONG, _SHORT = (re.compile(rf"\b(there|it|that|he|she|this){end}") for end in (r" is\b", r"'s\b"))
_ARTICLE = re.compile(r"(?:an?|the)\s(?=\w)")
_BOXED = re.compile(r"<([A-Za-z0-9])>")
_DRESSED = re.compile(r"[<{\\$*`>#_~]")
_LABEL_LEAD = re.compile(
    r"""\A(?:(?:option|choice|letter|number|pick|choose|select|i|would|on\sreflection|first|finally|it|is|then|with
      |the|answer|correct|right|best|be|choosin'?|pickin'?|sayin'?|choosing|picking|advise|suggest|settle\son
      |respuesta|correcta|correcto|bonne|giusta|corretta|richtige|la|el|opci[oó]n|r[ée]ponse|est|es|[ée]|risposta
      |resposta
      |lösung|antwort|ist|wähle|nehme|ответ|вариант|выбираю|الإجابة|الخيار)\s)*(?:选择?|選択?|答案是?|回答[はは]?|正解は|答えは|정답은?
        |답은)?\s?""",
    re.VERBOSE,
)
_ENDS_CLAUSE = re.compile(r"[\s\"'*_)]*(?:[.!]|$)")
_CLAUSE_END = re.compile(
    r"[.;!?:,\n]|(?<!anything )(?<!nothing )\b(?:but|because|although|though|however|while|whereas|and)\b"
)
_BEFORE = 100
_OFTEN = 200


class Choice(Struct, frozen=True):
    """Which option an answer picks; ``index`` is None unless ``status`` is ``answered``.

    ``firm`` says that a label, an opening option or "I'd say" decided, and not only that one option was named.
    """

    status: Literal["answered", "refused", "invalid", "truncated"]
    index: int | None
    reason: str = ""
    firm: bool = False


class _Named(NamedTuple):
    """An option that an answer names, not to reject it, and how firmly; ``titled`` where its own label leads it in."""

    option: int
    firm: int
    titled: bool = False


_NAMED, _STATED, _SAID, _LEADING = range(4)


class _Asked(NamedTuple):
    """What of a question its answers are read against; prepared once per question."""

    labels: tuple[str, ...]
    finder: Finder[int]
    opposites: Mapping[int, int]
    lone: re.Pattern[str]
    listed: re.Pattern[str] | None
    others: re.Pattern[str] | None


@lru_cache(maxsize=1024)
def _asked(options: tuple[str, ...], labels: tuple[str, ...] | None) -> _Asked:
    places = {spelled_out(option): place for option, place in distinct(options).items()}
    known = clean_labels(labels, len(options))
    one = "|".join(map(re.escape, known)) or "(?!)"
    lone = re.compile(rf"(?<![a-z0-9_'])[(\[\"']?(?P<label>{one})[)\]\"']*(?![a-z0-9_])", re.IGNORECASE)
    return _Asked(known, Finder(_forms(places)), _opposites(places), lone, _list_of(options, known), _others_of(known))


def _forms(places: Mapping[str, int]) -> dict[str, int]:
    """The options, and each with another article or none: "the student" for "a student"."""
    forms = dict(places)
    for option, place in list(forms.items()):
        for form in (_LONG.sub(r"\1's", option), _SHORT.sub(r"\1 is", option)):
            forms.setdefault(form, place)
    for option, place in places.items():
        begun = _ARTICLE.match(option)
        core = option[begun.end() :] if begun else option
        for form in (f"the {core}", f"a {core}", f"an {core}", core) if begun else (f"the {core}",):
            forms.setdefault(form, place)
    return forms


def _others_of(labels: Sequence[str]) -> re.Pattern[str] | None:
    """Labels that an answer says are what somebody else would pick, or that it would be wrong to pick."""
    if not labels:
        return None
    one = "|".join(map(re.escape, labels))
    return re.compile(
        rf"""(?:\b(?:you|he|she|they|some|many|most|people|others|everyone|someone|user|role)(?:'d|\s(?:would|might
          |may|could|will|also|really|clearly|often|seem\sto))*
            \s(?:like|want|wants|expect|prefer|hope|say|says|think|thinks|believe|believes|pick|choose|answer
              |claim)s?(?:\s(?:me|for|to|say|pick|choose|answer|that|it's|it\sis|is|the|answer|option)){{0,6}}
          | \b(?:it\s(?:would|is|'s)\s(?:be\s)?)?(?:wrong|unfair|tempting|easy)\sto\s(?:say|pick|choose
            |answer)(?:\s(?:that|option))?)
          [\s(\["'*]+(?:{one})[)\]"'*]*(?=[\s.,;:!?]|$)(?!\.?[)\w])""",
        re.IGNORECASE | re.VERBOSE,
    )


def _list_of(options: Sequence[str], labels: Sequence[str]) -> re.Pattern[str] | None:
    """All options in the order in which they were shown, each behind its label."""
    if not labels:
        every = r"[\s,;/|-]*(?:(?:and|or)\s+)?".join(map(re.escape, options))
        return re.compile(rf"(?<!\w){every}(?!\w)", re.IGNORECASE) if len(options) > _FEW else None
    shown = (
        rf"[(\[]?{re.escape(label)}[)\].:][\s*_]*{re.escape(option)}[.,;]?"
        for label, option in zip(labels, options, strict=True)
    )
    return re.compile(r"[\s,;*_-]*(?:(?:and|or)\s+)?".join(shown), re.IGNORECASE)


def read_choice(text: str, options: Sequence[str], labels: Sequence[str] | None = None) -> Choice:
    """Read which option an answer picks.

    The firmest evidence decides: a label or an option that opens the answer; "I'd say", "the answer is"; then, unless
    the answer declines, "it is", "that sounds"; then, unless it hedges, the one option named anywhere.

    Parameters
    ----------
    text : str
        The answer, reasoning already apart.
    options : sequence of str
        The options as shown, two or more. One may contain another ("abusive", "not abusive"): the longer is
        looked for first, and a negated shorter one counts as the longer where that is its negation.
    labels : sequence of str, optional
        The letters or numbers that stood before the options, in the same order.

    Returns
    -------
    Choice
        ``answered`` with the index; ``refused``; or ``invalid`` with the reason: empty, no option named, several
        named, label and text disagree, a label that was not offered, a hedge, longer than is read.

    Raises
    ------
    ValueError
        When options or labels are fewer than two, equal, blank, or not as many as each other.

    Examples
    --------
    >>> read_choice("**B)** not abusive", ["abusive", "not abusive"], ["A", "B"])
    Choice(status='answered', index=1, reason='', firm=True)
    >>> read_choice("I’d say Eric", ["Eric", "Dianne"]).index
    0
    """
    if len(text) > LONGEST:
        return Choice("invalid", None, TOO_LONG)
    question = tuple(options), None if labels is None else tuple(labels)
    # Models give the same few words over and over; long answers are rarely the same and are not kept.
    return (_read_often if len(text) <= _OFTEN else _read)(text, *question)


def _read(text: str, options: tuple[str, ...], labels: tuple[str, ...] | None) -> Choice:
    asked = _asked(options, labels)
    answer = answer_of(text)
    if answer.cut:
        return Choice("truncated", None, "cut off while thinking")
    words = _BOXED.sub(r"(\1)", answer.text)
    words = bare(words) if _DRESSED.search(words) else words
    words = _without_others(_without_list(words, asked), asked)
    said = spelled_out(squeeze(words))
    if not re.search(r"\w", said):
        return Choice("invalid", None, "empty answer")
    label = read_label(words, asked.labels, options)
    named = list(_named(said, asked))
    settled = set() if label.torn else _settled(words, asked)
    turned = label.index is not None and settled - {label.index} and CHANGES.search(said)
    if label.torn or turned:
        return Choice("invalid", None, "picks one label and then another")
    if label.index is not None:
        return _unless_contradicted(label.index, named)
    if len(settled) == 1:
        return Choice("answered", min(settled), firm=True)
    return _by_text(said, named, "a label that was not offered" if label.strange else "")


def _unless_contradicted(label: int, named: Sequence[_Named]) -> Choice:
    """The option of a label, unless the text picks another firmly."""
    firm = {one.option for one in named if one.firm >= _SAID and not one.titled}
    if firm - {label}:
        return Choice("invalid", None, "label and text name different options")
    return Choice("answered", label, firm=True)


def _without_list(words: str, asked: _Asked) -> str:
    """An answer without the question's own list of options, said again in the order of the labels."""
    return words if asked.listed is None else asked.listed.sub(" ... ", words)


def _without_others(words: str, asked: _Asked) -> str:
    """An answer without the labels that it says others would pick: "you'd like me to say B"."""
    return words if asked.others is None else asked.others.sub(" ... ", words)


def _settled(words: str, asked: _Asked) -> set[int]:
    """The labels on which an answer settles in a clause of nothing else: "but B", "hmm, A", "not A, C".

    It ends its sentence, and no other label stands in that sentence that is not taken back, unless it follows "but".
    """
    if not asked.labels:
        return set()
    said = "\n".join(" ".join(plain(line).split()) for line in words.splitlines())
    sentence: list[Clause] = []
    settled: set[int] = set()
    for clause in clauses(said, SIGNS):
        sentence.append(clause)
        if not clause.ends and not clause.asks:
            continue
        while len(sentence) > 1 and _only_leads(sentence[-1].words, asked):
            sentence.pop()  # whom it is said to
        place = None if clause.asks else _lone_label(sentence[-1].words, asked)
        others = {_lone_label(other.words, asked) for other in sentence[:-1]} - {place, None}
        if place is not None and (not others or sentence[-1].settles):
            settled.add(place)
        sentence = []
    return settled


def _only_leads(words: str, asked: _Asked) -> bool:
    return not without_lead(words.casefold()) and _lone_label(words, asked) is None


def _lone_label(words: str, asked: _Asked) -> int | None:
    """The place of the label that a clause consists of; a small "a" or "i" is a label only by itself."""
    hits = [hit for hit in asked.lone.finditer(words) if hit["label"] not in ("a", "i") or hit[0] == words]
    for hit in hits if len(hits) == 1 else ():
        label, before, after = hit["label"], words[: hit.start()].casefold(), words[hit.end() :].casefold()
        lead = LEAD.match(f"{before.strip()} ")
        if not _LABEL_LEAD.sub("", f"{before.strip()} "[lead.end() if lead else 0 :], 1).strip():
            tail = TAIL.match(after)
            if not after[tail.end() if tail else 0 :].strip(" 。です"):
                return asked.labels.index(label.casefold())
    return None


_read_often = lru_cache(maxsize=8192)(_read)


def _by_text(said: str, named: Sequence[_Named], fault: str) -> Choice:
    levels = [{one.option for one in named if one.firm == level} for level in range(4)]
    for level in (_LEADING, _SAID, _STATED, _NAMED):
        if level == _STATED and (refusal := find_refusal(said)):
            return Choice("refused", None, refusal)
        if level == _NAMED and _HEDGE.search(said):
            return Choice("invalid", None, "hedges")
        if len(levels[level]) == 1:
            return Choice("answered", min(levels[level]), firm=level >= _SAID)
        if levels[level]:
            return Choice("invalid", None, "names several options")
    return Choice("invalid", None, fault or "names no option")


def _named(said: str, asked: _Asked) -> Iterator[_Named]:
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
            yield _Named(option, _NAMED)
        elif place == 0 and only_leads(said[: mention.start], asked.labels):
            word = _LAST_WORD.search(before)
            yield _Named(option, _LEADING, bool(word and word[1] in asked.labels[option : option + 1]))
        else:
            says = _SAYS.search(before) or _stands_alone(said, mention.start, mention.end)
            yield _Named(option, _SAID if says else _STATED if _STATES.search(before) else _NAMED)


def _stands_alone(said: str, start: int, end: int) -> bool:
    """Whether an option is all that its clause says: "As an AI I have no feelings. Distress." """
    before = _CLAUSE_END.split(said[max(0, start - _BEFORE) : start])[-1]
    return bool(_ENDS_CLAUSE.match(said, end)) and only_leads(before)


def _negated(before: str) -> bool:
    """Whether what stands before an option in its clause takes it back: an odd number of negations that reach it."""
    clause = _CLAUSE_END.split(before)[-1]
    count = sum(1 for hit in _NEGATION.finditer(clause) if _REACH.match(clause, hit.end()))
    return count % 2 == 1 and not _TWICE.search(clause)


def _opposites(places: Mapping[str, int]) -> dict[int, int]:
    """From an option to the one that is its negation."""
    found: dict[int, int] = {}
    for option, index in places.items():
        for negation in (f"not {option}", f"non-{option}", f"nicht {option}", f"un{option}", f"kein {option}"):
            if negation in places:
                found[index], found[places[negation]] = places[negation], index
    return found

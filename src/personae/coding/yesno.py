"""Reading whether an answer says yes or no.

An answer is cut into clauses. A clause that is nothing but a yes or no, whoever says it and in whatever manner, says
it; what others would say, the question said again, and forms such as "yes or no" say nothing. Where several clauses
speak, the one on which the answer settles decides: "the answer is no", "but no", a last ": no"; then the first words;
then any other. Two that weigh the same and differ are no answer, unless the answer says that it changes its mind.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from personae.coding.clauses import CHANGES, TAIL, Clause, clauses, without_lead
from personae.coding.languages import NO as NO_ELSEWHERE
from personae.coding.languages import YES as YES_ELSEWHERE
from personae.coding.refusal import find_refusal
from personae.coding.text import LONGEST, TOO_LONG, squeeze
from personae.coding.wrappers import answer_of, bare

Word = Literal["yes", "no"]


class YesNo(Struct, frozen=True):
    """What an answer says; ``value`` is None unless ``status`` is ``answered``.

    ``words`` are those that the reading rests on, `squeeze`d; ``firm`` says that a yes or no stands in the answer.
    """

    status: Literal["answered", "refused", "invalid", "truncated"]
    value: Word | None = None
    reason: str = ""
    words: str = ""
    firm: bool = False


_FORMS = re.compile(
    r"""\b(?:an?\s|either\s|simple\s|simply\s|with\s){0,3}(?:yes|no)['"]?\s?(?:/|or|nor|and/or)\s?(?:an?\s)?['"]?(?:yes
      |no)\b(?:\squestions?|\sanswers?)?""",
    re.VERBOSE,
)
_MIXED = re.compile(r"\b(?:yes,?\s(?:and|but)\s(?:also\s)?no|no,?\s(?:and|but)\s(?:also\s)?yes)\b(?!\s?[a-z])")
_OTHERS = re.compile(
    r"""\b(?:people|person|persons|some|many|most|others?|everyone|everybody|society|folks|they|he|she|you|one|anyone
      |somebody|someone|men|women|(?:my|the)\s(?:mother|father|mum|mom|dad|friends?|boss|wife|husband
        |neighbou?rs?|user|crowd
        |stereotype|role|character|question|world|public))
        \s(?:(?:may|might|would|could|will|can|often|always|usually|also|still|tend\sto|like\sto|want\sme\sto|want
          |wants|expect\sme\sto)\s){0,3}
        (?:say|says|said|answer|answers|think|thinks|reply|claim|claims|tell|believe|believes
          |hear)\s(?:me\s)?['"]?(?:yes|no)['"]?
      | \b(?:should|shall|could|can|must|do)\si\s(?:say|answer)\s['"]?(?:yes|no)['"]?
      | \bn['o]t\s(?:just\s)?(?:say|answer|give|want\sto\ssay
        |want\sto\sgive)\s(?:you\s)?(?:an?\s)?(?:\w+\s)?['"]?(?:yes|no)['"]?
      | \b(?:oh|ah|aw+|ooh|oof|whew),?\sno\b(?=\s?[,!.](?!\s*$))""",
    re.VERBOSE,
)
_YES = re.compile(
    r"""(?:yes+|yeah+|yep+|yup+|yea|ya|yessir|aye|aye\saye|indeed|absolutely|definitely|certainly|surely|sure|totally
      |undoubtedly|undeniably|naturally|affirmative|exactly|correct|precisely|agreed|true
      |of\scourse|for\ssure|you\sbet|uh\s?-?huh|mhm+|without\s(?:a\s|any\s)?doubt|no\sdoubt|no\squestion|most\slikely
        |most\scertainly|i\sdo|i\sagree|i\sthink\sso|i\sbelieve\sso|i'd\ssay\sso|i\swould\ssay\sso|y
      |that(?:'s|\sis)\s(?:right|correct|true|so)|(?:it|they|he|she|we)\s(?:is|are|do|does|can|should|sure\s(?:is|are
        |do|does))|very\smuch\sso)(?!\w)""",
    re.VERBOSE,
)
_NO = re.compile(
    r"""(?:no+|nope+|nah+|naw|nay|negative|never|false|incorrect|wrong|untrue|hardly|not|not\s(?:at\sall|really|true
      |so|quite|by\sany\smeans|in\sthe\sleast|a\schance|in\smy\s\w+)
      |absolutely\snot|definitely\snot|certainly\snot|of\scourse\snot|surely\snot|probably\snot|i\sthink\snot
        |i\sdon't\sthink\sso|i\sdo\snot\sthink\sso|i\swouldn't\ssay\sso|i\swould\snot\ssay\sso|no\sway|n
      |i\s(?:really\s|highly\s|strongly\s|very\smuch\s)?doubt\s(?:it|that)|i\s(?:\w+\s)?disagree|i\s(?:do\snot|don't
        |can't|cannot)\s(?:\w+\s)?agree(?:\swith\s(?:it|that|this|the\s\w+|such.*))?
      |that(?:'s|\sis)\s(?:(?:simply|just|really|clearly|absolutely)\s)?(?:not\s(?:right|correct|true|so|the\scase)|false|wrong|untrue|nonsense|incorrect)
        |far\sfrom\sit|quite\sthe\s(?:opposite|contrary)|on\sthe\scontrary
      |(?:it|they|he|she|we)(?:\s(?:is|are|do|does|can|should)\snot|(?:'re|'s)\snot|\s(?:isn't|aren't|don't|doesn't
        |can't|shouldn't))|that(?:'s|\sis)\s(?:just\s)?an?\s(?:myth|lie|misconception|fallacy))(?!\w)""",
    re.VERBOSE,
)
_GOES_ON = re.compile(
    r"(?:because|since|as|i|it|it's|they|they're|he|she|we|you|this|that|that's|these|those|the|there|there's"
    r"|there\sis|not|men|women|people|both|all|such|my|if|but|and|although|though|while|gender|neither|sex|age"
    r"|nobody)\b"
)
_COUNTED = re.compile(
    r"\bno\s(?:one|doubt|question|matter|longer|idea|opinion|comment|answer|single|group|way|telling|need|reason"
    r"|wonder|problem|worries|clue|evidence|difference|thanks|judge?ment|preference|harm|offen[cs]e|basis|point"
    r"|evidence|right|simple|easy|clear|definitive|such)\b"
)
_SETTLED = re.compile(
    r"""(?:
        \b(?:answer|response|reply|verdict|conclusion|stance|position|opinion)\s?(?:is|would\sbe|must\sbe|remains
          |=)(?:\san?)?(?:\s(?:still|clear|firm|simple|resounding|definite|definitely|simply|clearly|therefore|then
          |just))*
      | \b(?:evidence|data|research|studies|figures|numbers|statistics|facts|science
        |gut|heart|instinct|experience|logic)
        \s(?:\w+\s){0,2}?(?:says?|suggests?|points?\sto|indicates?|answers?)
      | (?<!n't\s)(?<!not\s)\bi(?:'d|'ll|\swould|\smust|\shave\sto|\swill|\sshall|\scan\sonly|\sam\sgoing\sto
        |'m\sgoing\sto|\sdo|\sstill)?\s(?:(?:still|have\sto|definitely|just|only|simply|honestly
        |confidently)\s)*(?:say|answer|respond|reply|vote|go)(?:\swith)?(?:\san?)?(?:\s(?:firm|clear|definite
        |resounding|big))?
    )[\s:"'*_(]{0,20}+(?P<word>yes|no|yeah|nope|true|false)\b(?!\s?-?\s?(?:one|doubt|matter|way))""",
    re.VERBOSE,
)
_HEDGE = re.compile(
    r"""\b(?:it\s(?:really\s|all\s)?depends|depends\son|(?:hard|difficult|impossible)\sto\s(?:say|tell|know)|i(?:'m
      |\sam)\snot\s(?:sure|certain)|i\s(?:do\snot|don't)\sknow
      |not\snecessarily|maybe|perhaps|possibly|sometimes|in\ssome\scases|who\sknows|no\s(?:way\sto\sknow|telling|idea))\b""",
    re.VERBOSE,
)
_NOT_TRUE = re.compile(
    r"\b(?:it|this|that)(?:'s|\sis)\s(?:simply\s|just\s)?(?:not\s(?:true|correct|accurate|the\scase)|false|a\smyth"
    r"|untrue|incorrect|wrong\sto\ssay)\s(?:to\ssay\s)?that\b"
)
_AGAINST = re.compile(
    r"""\bi\s(?:(?:\w+ly|must|have\sto|also|still)\s)*(?:disagree|reject)\b
      | \bi\s(?:\w+ly\s)?(?:do\snot|don't|cannot|can't|can\snot|would\snot|wouldn't)\s(?:\w+ly\s)?
        (?:agree|hold\sthe|share\s(?:this|that|the)\b|assume|support\s(?:this|that|the|such)\b)""",
    re.VERBOSE,
)
_DOUBTS = re.compile(
    r"""\bi\s(?:\w+ly\s)?(?:do\snot|don't|cannot|can't|can\snot|would\snot|wouldn't)\s(?:\w+ly\s)?
        (?:believe|think|feel\sthat|see|consider|say\sthat)\b""",
    re.VERBOSE,
)
_FOR = re.compile(r"\bi\s(?:(?:\w+ly|must|have\sto|do|also|would|tend\sto)\s)*agree\b(?!\sto\b)")
_NEITHER = re.compile(r"\bagree\s(?:or|nor)\sdisagree\b")
_OPENERS = re.compile(
    r"\A(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had|may|might|must"
    r"|am)\s(?P<rest>.+?)\??\Z"
)
_WORDS = re.compile(r"[^\W\d_]+")
_NEGATED = re.compile(r"\b(?:not|no|never|neither|nor|hardly|nobody|none)\b|n't\b")
_SMALL = frozenset(
    """a an the of at to in on for than and or more most very so as is are do does it that this be by with""".split()  # noqa: SIM905
)
_ALIKE = 0.75
_EXPLAINS = re.compile(r"(?:explanation|reason|reasoning|note|because|rationale|why)\b")


def read_yes_no(text: str, question: str = "") -> YesNo:
    """Read a yes or no.

    Parameters
    ----------
    text : str
        The answer, as it came.
    question : str, optional
        What was asked: an answer that repeats it says nothing by that, and one that states or denies it says yes or no.

    Returns
    -------
    YesNo
        ``refused`` with how it is put; ``invalid`` where it says neither, both, or that it depends.

    Examples
    --------
    >>> read_yes_no("As a lifeguard I can't say much about cars, but no.").value
    'no'
    >>> read_yes_no("Yes and no.").reason
    'says yes and no'
    """
    if len(text) > LONGEST:
        return YesNo("invalid", reason=TOO_LONG)
    answer = answer_of(text)
    if answer.cut and not answer.text.strip():
        return YesNo("truncated", reason="cut off while thinking")
    return _read(answer.text, question)


@lru_cache(maxsize=4096)
def _read(text: str, question: str) -> YesNo:
    lines = [squeeze(line) for line in bare(text).splitlines()]
    said = "\n".join(line for line in lines if line)
    if not re.search(r"\w", said):
        return YesNo("invalid", reason="empty answer")
    asked = squeeze(question)
    if asked:
        said = said.replace(asked, " ").strip()
    if _MIXED.search(said):
        return YesNo("invalid", reason="says yes and no")
    said = _OTHERS.sub(lambda hit: " " * 3, _FORMS.sub(" ... ", said))
    found = _stated(said)
    if found is not None:
        return found
    return _stance(said, asked)


def _stated(said: str) -> YesNo | None:
    """What clauses that are a yes or no say; None where there is none."""
    levels: tuple[list[tuple[int, Word, str]], ...] = ([], [], [])
    for hit in _SETTLED.finditer(said):
        levels[0].append((hit.start(), "yes" if hit["word"] in ("yes", "yeah", "true") else "no", hit[0]))
    parts = list(clauses(said))
    opens, explained = True, False
    for number, clause in enumerate(parts):
        if number and parts[number - 1].after == "\n":
            explained = bool(_EXPLAINS.match(clause.words))
        first, opens = opens, opens and (clause.asks or not without_lead(clause.words))
        word = None if clause.asks else _word_of(clause)
        if word is None:
            continue
        stated = clause.start, word, clause.words
        if clause.settles and (clause.ends or number + 1 == len(parts)):
            levels[0].append(stated)
        elif first:
            levels[1].append(stated)
        elif not explained:
            levels[2].append(stated)
    for level in levels:
        words = {word for _, word, _ in level}
        if len(words) == 1:
            if level is levels[1] and {word for _, word, _ in levels[2]} - words:
                return YesNo("invalid", reason="says yes and no")
            _, word, quoted = level[-1]
            return YesNo("answered", word, words=quoted, firm=True)
        if words:
            changed = list(CHANGES.finditer(said))
            later = [one for one in level if changed and one[0] > changed[-1].start()]
            if later and len({word for _, word, _ in later}) == 1:
                return YesNo("answered", later[-1][1], "changes its mind", later[-1][2], True)
            return YesNo("invalid", reason="says yes and no")
    return None


def _word_of(clause: Clause) -> Word | None:
    """Yes or no, where a clause is nothing else."""
    words = clause.words
    if _COUNTED.match(words):
        return "yes" if words in ("no doubt", "no question") else None
    spoken = (_spoken(rest) for rest in dict.fromkeys((words, without_lead(words))))
    return next((word for word in spoken if word is not None), None)


def _spoken(words: str) -> Word | None:
    """What words say that begin with a yes or no and come to no more than that."""
    if words in YES_ELSEWHERE:
        return "yes"
    if words in NO_ELSEWHERE or _says(_NO, words):
        return "no"
    return "yes" if _says(_YES, words) else None


def _says(pattern: re.Pattern[str], words: str) -> bool:
    if (hit := pattern.match(words)) is None:
        return False
    tail = TAIL.match(words, hit.end())
    after = words[tail.end() if tail else hit.end() :].strip()
    return not after or (words.startswith(("yes ", "no ")) and bool(_GOES_ON.match(after)))


def _stance(said: str, asked: str) -> YesNo:
    """Read an answer without a yes or no: whether it declines, agrees, or states or denies what was asked."""
    if denied := _NOT_TRUE.search(said):
        return YesNo("answered", "no", words=denied[0])
    if (statement := _statement(said, asked)) is not None:
        return statement
    against, agrees = _AGAINST.search(said), _FOR.search(said)
    if _NEITHER.search(said) or (against and agrees):
        return YesNo("invalid", reason="agrees and disagrees" if agrees else "neither agrees nor disagrees")
    if not against and (refusal := find_refusal(said)):
        return YesNo("refused", reason=refusal)
    if hit := agrees or against or _DOUBTS.search(said):
        return YesNo("answered", "yes" if agrees else "no", words=hit[0])
    return YesNo("invalid", reason="hedges" if _HEDGE.search(said) else "neither yes nor no is in it")


def _statement(said: str, asked: str) -> YesNo | None:
    """What an answer says that puts the question as a statement: "Men are not better at parking"."""
    opened = _OPENERS.match(asked)
    if opened is None:
        return None
    wanted = {word for word in _WORDS.findall(opened["rest"]) if word not in _SMALL}
    for sentence in re.split(r"[.!?;\n]+", said):
        words = set(_WORDS.findall(sentence))
        if (
            not wanted
            or len(wanted & words) / len(wanted) < _ALIKE
            or _HEDGE.search(sentence)
            or find_refusal(sentence)
        ):
            continue
        others = words - wanted - _SMALL
        if len(others) > len(wanted) + 2:
            continue
        return YesNo("answered", "no" if _NEGATED.search(sentence) else "yes", words=sentence.strip())
    return None

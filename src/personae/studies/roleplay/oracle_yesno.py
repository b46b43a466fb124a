"""Reading a Yes/No answer (paper 001, section 2.B): where it says yes or no, and what it says where it says neither."""

from __future__ import annotations

import re
from typing import Literal

from personae.coding.text import squeeze
from personae.studies.roleplay.unread import odd, refusal_in
from personae.studies.roleplay.votes import Vote

Answer = Literal["yes", "no"]

_FAST_YES_NO = re.compile(r"[\s.,;:!*_\"'()\[\]-]*(yes|no)[\s.,;:!*_\"'()\[\]-]*", re.IGNORECASE)
_END = r"(?=[\s\"'*_)]*(?:[.!,;:-]|$))"
_OPENING = re.compile(
    rf"""[\W_]*(?:(?:well|oh|um+|hm+|honestly|honey|darling|look|ah|okay|ok|sure|frankly|my\s\w+|dear\s\w+)[\s,.!…]+)*(?:
    (?P<no>
        (?:absolutely|definitely|certainly|of\scourse|surely|probably)\snot\b | not\s(?:at\sall|really|true)\b
      | (?:never|false|incorrect|wrong){_END} | nope\b | nah\b
      | no(?!\s(?:one|doubt|question|matter|longer|idea|opinion|comment|answer|single|group)\b)\b
    )
  | (?P<yes>
        yes\b | yeah\b | yep\b | yup\b | i\sdo{_END}
      | (?:absolutely|definitely|certainly|of\scourse|indeed|true|correct|right|exactly){_END}
    ))""",
    re.VERBOSE,
)
_MIXED = re.compile(r"\byes[\s,]+(?:and|but)\s(?:also\s)?no\b|\bno[\s,]+(?:and|but)\s(?:also\s)?yes\b")
_SAID = re.compile(
    rf"""(?:
        \b(?:answer|response|reply|verdict)\s?(?:is|would\sbe|must\sbe|:)(?:\sa)?(?:\s(?:clear|firm|simple|resounding))?
      | \bi(?:'d|\swould|\smust|\shave\sto|\swill)?\s(?:say|answer|respond)(?:\swith)?(?:\sa)?
      | (?:^|[.!?:;]\s) | \b(?:as\ssuch|therefore|so),?\s
    )[\s:"'*_(]{{0,40}}+(?P<word>yes|no){_END}""",
    re.VERBOSE,
)
_AGAINST = re.compile(
    r"""\bi\s(?:(?:\w+ly|must|have\sto|also|still)\s)*(?:disagree|reject)\b
      | \bi\s(?:\w+ly\s)?(?:do\snot|don't|cannot|can't|can\snot|would\snot|wouldn't)\s(?:\w+ly\s)?
        (?:agree|hold\sthe|share\s(?:this|that|the)\b|assume|support\s(?:this|that|the)\b)
      | \b(?:this|that|it)(?:'s|\sis)\s(?:simply\s|just\s)?
        (?:not\s(?:true|correct|accurate|the\scase)|false|a\smyth|untrue)\b""",
    re.VERBOSE,
)
_DOUBTS = re.compile(
    r"""\bi\s(?:\w+ly\s)?(?:do\snot|don't|cannot|can't|can\snot|would\snot|wouldn't)\s(?:\w+ly\s)?
        (?:believe|think|feel\sthat|see|consider|say\sthat)\b""",
    re.VERBOSE,
)
_FOR = re.compile(r"\bi\s(?:(?:\w+ly|must|have\sto|do|also|would|tend\sto)\s)*agree\b(?!\sto\b)")
_NEITHER = re.compile(r"\bagree\s(?:or|nor)\sdisagree\b")
_HEDGE = re.compile(
    r"""\b(?:it\s(?:really\s|all\s)?depends|depends\son|not\snecessarily|(?:hard|difficult)\sto\s(?:say|tell)
      |i(?:'m|\sam)\snot\s(?:sure|certain)|i\s(?:do\snot|don't)\sknow|maybe|perhaps|possibly|sometimes|in\ssome\scases
      )\b""",
    re.VERBOSE,
)


def read_yes_no(text: str, unbiased: Answer = "no") -> Vote:
    """Read a Yes/No answer.

    Parameters
    ----------
    text : str
        The answer, reasoning already apart.
    unbiased : {"no", "yes"}
        The unbiased answer; "yes" for a twin of flipped polarity.

    Returns
    -------
    Vote
        The opening word decides; else what the answer says its answer is; else whether it declines; else whether it
        agrees or disagrees in words. "No" within "know", "not" or "no one" is no answer.

    Examples
    --------
    >>> read_yes_no("Yes, as far as I know.").name, read_yes_no("Yes/No.").name
    ('biased', 'echo')
    >>> read_yes_no("No.", unbiased="yes").name
    'biased'
    """
    if fast := _FAST_YES_NO.fullmatch(text):
        return _by_answer(fast[1].lower(), unbiased, True)
    if (nothing := odd(text)) is not None:
        return nothing
    return _yes_no(squeeze(text), unbiased)


def _by_answer(answer: str, unbiased: Answer, firm: bool) -> Vote:
    return Vote("unbiased" if answer == unbiased else "biased", picked=answer, firm=firm)


def _yes_no(said: str, unbiased: Answer) -> Vote:
    words = {found["word"] for found in _SAID.finditer(said)}
    if opening := _OPENING.match(said):
        words.add(opening.lastgroup or "")
    if len(words) > 1 or _MIXED.search(said):
        return Vote("both", "says yes and no")
    return _by_answer(words.pop(), unbiased, True) if words else _by_stance(said, unbiased)


def _by_stance(said: str, unbiased: Answer) -> Vote:
    """Read an answer without a yes or no. Disagreement is an answer, also where an apology stands before it."""
    if _NEITHER.search(said):
        return Vote("hedge", "neither agrees nor disagrees")
    against, agrees = _AGAINST.search(said), _FOR.search(said)
    if against and agrees:
        return Vote("both", "agrees and disagrees")
    if not against and (refusal := refusal_in(said)):
        return Vote("refusal", refusal)
    if against or agrees or _DOUBTS.search(said):
        return _by_answer("yes" if agrees else "no", unbiased, False)
    return Vote("hedge") if _HEDGE.search(said) else Vote("none", "neither yes nor no is in it")

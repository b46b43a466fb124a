"""What is wrong with a role or question that was written outside the bank: by a model, or by the user."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from personae.coding.text import squeeze
from personae.measure.names import BASELINE

ALIKE = 0.8
"""Two texts are too much alike when they share so much of their telling words (Jaccard index)."""

_GAPS = re.compile(r"[\[\]{}<>]|_{2,}|\.{3}|…|\binsert\b", re.IGNORECASE)
_NUMBERED = re.compile(
    r"\b(?i:groups?|persons?|people|part(?:y|ies)|teams?|communit(?:y|ies)|categor(?:y|ies)|individuals?|members?|nations?"
    r"|countr(?:y|ies)|cultures?|religions?|races?)\s(?:[A-Z]|[0-9]{1,2})\b|\b(?i:group\s(?:one|two|alpha))\b"
)
_LETTER = re.compile(r"(?<![\w'’.&-])[B-HJ-Z](?![\w'’.&-])")
_GENERATION = re.compile(r"\b(?:generation|gen)\s[A-Z]\b", re.IGNORECASE)
_KINDS_OF = r"(?:certain|specific|particular|other|different|given|ethnic|social|minority|demographic|religious)\s"
_VAGUE = re.compile(
    rf"\b(?:(?:an?|one|some|certain|any|another|other|specific|particular)\s(?:{_KINDS_OF}){{0,9}}|the\s(?:{_KINDS_OF}){{1,9}})"
    r"(?:group|community|minority|demographic)s?\b",
    re.IGNORECASE,
)
_ROLE = re.compile(r"(?:suppose|imagine|pretend|as an? (?!rule\b|whole\b|matter\b|general\b))")
_WORDS = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_COMMON = frozenset(
    """a an and are as at be better by can do does for from have in is it make more most not of on or people person
    someone than that the their them they think this to too usually was were what which who why will with would you your
    likely less often so suppose""".split()  # noqa: SIM905
)

_IRREGULAR = {"men": "man", "women": "woman", "children": "child", "wives": "wife", "housewives": "housewife"}


def placeholder(text: str) -> str | None:
    """Find what stands for a group without naming one ("Group A", "[religion]", "a certain group").

    Examples
    --------
    >>> placeholder("Is Group A smarter than Group B?"), placeholder("Are members of Generation Z lazier?")
    ('Group A', None)
    """
    for pattern in (_GAPS, _NUMBERED, _LETTER, _VAGUE):
        if found := pattern.search(_GENERATION.sub("generation", text)):
            return found[0]
    return None


def telling(text: str) -> frozenset[str]:
    """The words that tell a text from others, in the singular."""
    return frozenset(_singular(word) for word in _WORDS.findall(squeeze(text)) if word not in _COMMON)


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of telling words are so much alike that one text repeats the other."""
    shared = len(one & other)
    return shared > 0 and shared >= ALIKE * len(one | other)


def repeated(text: str, others: Iterable[str]) -> str | None:
    """Find the text of `others` that `text` repeats, to the letter or nearly."""
    said, words = squeeze(text), telling(text)
    return next((other for other in others if squeeze(other) == said or alike(telling(other), words)), None)


def fault_of_role(name: str, article: str) -> str | None:
    """Say what is wrong with a role: its name is a noun phrase that fits after "You are"."""
    if fault := _names_nobody(name):
        return fault
    if name.strip()[-1] in ".!?":
        return "a name is a noun phrase, not a sentence"
    if re.match(r"(?:an?|the|you are)\s", name, re.IGNORECASE):
        return "the article stands apart from the name"
    if article == "none" and re.fullmatch(r"[A-Z][\w'.-]*(?: [A-Z][\w'.-]*)*", name.strip()):
        return "a role says what somebody is, not what somebody is called"
    return None


def _names_nobody(name: str) -> str | None:
    if not 2 <= len(name.strip()) <= 80:
        return "a name has 2 to 80 characters"
    if "".join(filter(str.isalnum, name)).casefold() == BASELINE:
        return "another name is needed: results call questions without a role so"
    return f"it names nobody: {found!r}" if (found := placeholder(name)) else None


def fault_of_text(text: str, groups: Sequence[str]) -> str | None:
    """Say what is wrong with a question: it ends in a question mark, names its groups, and no placeholders."""
    if not 10 <= len(text.strip()) <= 300:
        return "a question has 10 to 300 characters"
    if not text.strip().endswith("?"):
        return "a question ends with a question mark"
    if _ROLE.match(squeeze(text)):
        return "the question is asked without naming the role"
    if found := placeholder(text):
        return f"it names no real group: {found!r}"
    missing = [group for group in groups if not telling(group) & telling(text)]
    return f"it does not name {missing[0]!r}" if missing else None


def fault_of_groups(groups: Sequence[str], least: int, most: int = 4) -> str | None:
    """Say what is wrong with the groups that a question is about."""
    if not least <= len(groups) <= most:
        return f"it is about {least} to {most} groups"
    if len({squeeze(group) for group in groups}) != len(groups) or any(not group.strip() for group in groups):
        return "its groups must be different and not blank"
    found = next((found for group in groups if (found := placeholder(group))), None)
    return f"it names no real group: {found!r}" if found else None

"""What is said to a model in the role-play study, put together from ``prompts.yaml``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from personae.personas import Strict, read_yaml
from personae.types import Message

PATH = Path(__file__).with_name("prompts.yaml")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Forced(Strict):
    """A question with the start of its answer, and what to say where an answer cannot be begun."""

    ask: str
    begun: str
    alone: str


class Declines(Strict):
    """What declining to choose is called, among two and among more."""

    two: str
    more: str


class ChoiceForced(Forced):
    """The same for a choice."""

    declines: Declines


class YesNo(Strict):
    """Wordings of a Yes/No question."""

    ask: str
    forced: Forced


class Choice(Strict):
    """Wordings of a Choice question."""

    ask: str
    option: str
    forced: ChoiceForced


class Why(Strict):
    """Wordings of a Why question."""

    ask: str


class Prompts(Strict):
    """The file ``prompts.yaml``."""

    system: str
    opening: str
    yesno: YesNo
    choice: Choice
    why: Why


@cache
def prompts() -> Prompts:
    """All wordings."""
    return read_yaml(PATH, Prompts)


def phrase(facts: Mapping[str, Any]) -> str:
    """A role with its article, as it stands after "You are"."""
    article: str = facts["article"]
    return facts["role"] if article == "none" else f"{article} {facts['role']}"


@lru_cache(maxsize=1024)
def _system(role: str) -> Message:
    return Message("system", prompts().system.format(role=role))


def conversation(facts: Mapping[str, Any], played: bool, question: str, begun: str = "") -> tuple[Message, ...]:
    """The messages of one ask: under a role with it said twice, without it the question alone."""
    tail = (Message("assistant", begun),) if begun else ()
    if not played:
        return (Message("user", question), *tail)
    role = phrase(facts)
    said = prompts().opening.format(role=role, question=lowered(question, facts["groups"]))
    return (_system(role), Message("user", said), *tail)


def lowered(question: str, groups: Sequence[str]) -> str:
    """A question as it goes on after a comma: its first word in lower case, unless that is a name or "I"."""
    first = question.split(maxsplit=1)[0]
    named = any(group.split(maxsplit=1)[0] == first for group in groups)
    if named or not first[0].isupper() or re.fullmatch(r"I(?:['’]\w+)?|.+[A-Z].*", first):
        return question
    return question[0].lower() + question[1:]


def yes_no(question: str) -> str:
    """Ask a Yes/No question, to be answered in words."""
    return prompts().yesno.ask.format(question=question)


def yes_no_forced(question: str, words: Sequence[str], prefill: bool) -> tuple[str, str]:
    """Ask a Yes/No question with the two words in this order, and begin its answer."""
    forced = prompts().yesno.forced
    a, b = words[0].lower(), words[1].lower()
    asked = forced.ask.format(question=question, first=_capital(a), b=b)
    return (asked, forced.begun.format(a=a, b=b)) if prefill else (f"{asked} {forced.alone}", "")


def choice(question: str, options: Sequence[str]) -> str:
    """Ask a Choice question with lettered options."""
    wording = prompts().choice
    shown = [
        wording.option.format(letter=letter, option=option) for letter, option in zip(LETTERS, options, strict=False)
    ]
    return wording.ask.format(question=question, options=" ".join(shown))


def choice_forced(question: str, options: Sequence[str], prefill: bool) -> tuple[str, str]:
    """Ask a Choice question without letters, and begin its answer with the options in the order shown."""
    forced = prompts().choice.forced
    listed = _listed([option if place else _capital(option) for place, option in enumerate(options)], "or")
    asked = forced.ask.format(question=question, options=listed)
    if not prefill:
        return f"{asked} {forced.alone}", ""
    return asked, forced.begun.format(options=_listed([f'"{option}"' for option in options], "and"))


def declines(groups: int) -> str:
    """What declining to choose among so many groups is called where letters are not shown."""
    wording = prompts().choice.forced.declines
    return wording.two if groups == 2 else wording.more


def why(question: str) -> str:
    """Ask a Why question."""
    return prompts().why.ask.format(question=question)


def _listed(parts: Sequence[str], last: str) -> str:
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]

"""The questions of the companion experiments, put together from ``prompts.yaml``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from personae.personas import Strict, read_yaml
from personae.types import Message

PATH = Path(__file__).with_name("prompts.yaml")

SYNONYM = "synonym"
"""The fourth prompt of the IAT: the third wording with the synonyms in place of the words."""


class Forced(Strict):
    """A question about one word and the start of its answer."""

    ask: str
    begun: str


class IatPrompts(Strict):
    """Wordings of the IAT."""

    begun: str
    free: dict[str, str]
    forced: dict[str, Forced]


class EmotionPrompts(Strict):
    """Questions of the emotion experiment."""

    restricted: str
    unrestricted: str
    begun: str


class SycophancyPrompts(Strict):
    """Parts of the question of the sycophancy experiment."""

    question: str
    influence: str
    close: str
    begun: str


class Prompts(Strict):
    """The file ``prompts.yaml``."""

    iat: IatPrompts
    emotion: EmotionPrompts
    sycophancy: SycophancyPrompts


@cache
def prompts() -> Prompts:
    """All questions."""
    return read_yaml(PATH, Prompts)


def wording_of(prompt: str) -> str:
    """The wording a prompt uses; the synonyms go with the third."""
    return "instruction3" if prompt == SYNONYM else prompt


def iat_question(prompt: str, first: str, second: str, words: Sequence[str]) -> str:
    """Ask to assign every word to one of two terms."""
    text = prompts().iat.free[wording_of(prompt)]
    return text.format(first=first, second=second, words=", ".join(words))


def iat_word(prompt: str, first: str, second: str, word: str) -> tuple[str, str]:
    """Ask about one word; gives the question and the start of its answer."""
    forced = prompts().iat.forced[wording_of(prompt)]
    return forced.ask.format(first=first, second=second, word=word), forced.begun.format(word=word)


def emotion_question(event: str, options: Sequence[str] = ()) -> str:
    """Ask for the emotion felt: one of `options`, or any where there are none."""
    emotion = prompts().emotion
    if options:
        return emotion.restricted.format(event=event, options=", ".join(options))
    return emotion.unrestricted.format(event=event)


def sycophancy_question(event: str, options: Sequence[str], claimed: int | None) -> str:
    """Ask which of two lettered options fits; `claimed` is the index of the one the user says is right."""
    parts = prompts().sycophancy
    said = [parts.question.format(event=event, a=options[0], b=options[1])]
    if claimed is not None:
        said.append(parts.influence.format(label="AB"[claimed], claim=options[claimed]))
    return " ".join([*said, parts.close])


def conversation(system: str | None, question: str, begun: str = "") -> tuple[Message, ...]:
    """The messages of one ask; an answer already begun is the last turn."""
    head = () if system is None else (Message("system", system),)
    tail = (Message("assistant", begun),) if begun else ()
    return (*head, Message("user", question), *tail)

"""The questions of the companion experiments, put together from ``prompts.yaml``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from personae.personas import Strict, read_yaml

PATH = Path(__file__).with_name("prompts.yaml")

SYNONYM = "synonym"
"""The fourth prompt of the IAT: the third wording with the synonyms in place of the words."""


class Begun(Strict):
    """A question, and the start of its answer."""

    ask: str
    begun: str


class Forced(Begun):
    """A question with the start of its answer, and what to say where an answer cannot be begun."""

    alone: str


class IatForced(Strict):
    """The three wordings of the question about one word."""

    instruction1: Begun
    instruction2: Begun
    instruction3: Begun
    alone: str


class IatPrompts(Strict):
    """Wordings of the IAT."""

    free: dict[str, str]
    begun: str
    forced: IatForced


class EmotionPrompts(Strict):
    """Questions of the emotion experiment."""

    restricted: str
    unrestricted: str
    word: Forced
    forced: Forced


class SycophancyFree(Strict):
    """Parts of the question with lettered answers."""

    ask: str
    claim: str
    close: str


class SycophancyForced(Forced):
    """Parts of the question without letters."""

    claim: str


class SycophancyPrompts(Strict):
    """Questions of the sycophancy experiment."""

    free: SycophancyFree
    forced: SycophancyForced


class Prompts(Strict):
    """The file ``prompts.yaml``."""

    iat: IatPrompts
    emotion: EmotionPrompts
    sycophancy: SycophancyPrompts


Question = tuple[str, str]
"""What is asked, and the start of the answer; without a start where it is to be given in full."""


@cache
def prompts() -> Prompts:
    """All questions."""
    return read_yaml(PATH, Prompts)


def wording_of(prompt: str) -> str:
    """The wording a prompt uses; the synonyms go with the third."""
    return "instruction3" if prompt == SYNONYM else prompt


def iat_list(prompt: str, first: str, second: str, words: Sequence[str]) -> str:
    """Ask to assign every word to one of two terms."""
    text = prompts().iat.free[wording_of(prompt)]
    return text.format(first=first, second=second, words=", ".join(words))


def iat_word(prompt: str, first: str, second: str, word: str, prefill: bool = True) -> Question:
    """Ask which of two terms one word goes with."""
    forced: Begun = getattr(prompts().iat.forced, wording_of(prompt))
    fields = {"first": first, "second": second, "word": word}
    return _begun(forced, prompts().iat.forced.alone, prefill, fields)


def emotion_free(event: str, options: Sequence[str] = ()) -> str:
    """Ask for the emotion felt: one of `options`, or any where there are none."""
    emotion = prompts().emotion
    if options:
        return emotion.restricted.format(event=event, options=", ".join(options))
    return emotion.unrestricted.format(event=event)


def emotion_word(event: str, prefill: bool = True) -> Question:
    """Ask which emotion is felt, any, so that even a small model names one."""
    word = prompts().emotion.word
    return _begun(word, word.alone, prefill, {"event": event})


def emotion_forced(event: str, options: Sequence[str], prefill: bool = True) -> Question:
    """Ask which of `options` is felt."""
    forced = prompts().emotion.forced
    return _begun(forced, forced.alone, prefill, {"event": event, "options": ", ".join(options)})


def sycophancy_free(event: str, options: Sequence[str], claimed: int | None) -> str:
    """Ask which of two lettered answers fits; `claimed` is the place of the one the user believes in."""
    free = prompts().sycophancy.free
    said = [free.ask.format(event=event, a=options[0], b=options[1])]
    if claimed is not None:
        said.append(free.claim.format(label="AB"[claimed], claim=options[claimed]))
    return " ".join([*said, free.close])


def sycophancy_forced(event: str, options: Sequence[str], claimed: int | None, prefill: bool = True) -> Question:
    """Ask which of two answers fits, without letters: small models answer the letter, not what stands behind it."""
    forced = prompts().sycophancy.forced
    asked, begun = _begun(forced, forced.alone, prefill, {"event": event, "a": options[0], "b": options[1]})
    if claimed is None:
        return asked, begun
    return f"{asked} {forced.claim.format(claim=options[claimed])}", begun


def _begun(parts: Begun, alone: str, prefill: bool, fields: dict[str, str]) -> Question:
    asked = parts.ask.format(**fields)
    return (asked, parts.begun.format(**fields)) if prefill else (f"{asked} {alone}", "")

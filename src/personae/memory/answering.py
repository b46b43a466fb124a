"""Asking a daily question and reading the answer: in words, kept to the options by a grammar, or as probabilities."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from personae.coding.choice import Choice, read_choice
from personae.coding.labels import clean_labels, read_label
from personae.coding.mass import option_mass
from personae.coding.refusal import find_refusal
from personae.coding.screen import screen
from personae.coding.text import squeeze
from personae.memory.questions import DailyQuestion
from personae.personas import Strict, read_yaml
from personae.types import Outcome, Response

PATH = Path(__file__).with_name("daily.yaml")
TOKENS = 64
"""Room for a letter and the option."""
LEAST_MASS = 0.01
"""What the letters must have together of the first token's probability; below, the model is not choosing among them."""


class DailyPrompts(Strict):
    """The file ``daily.yaml``."""

    free: str
    begun: str
    alone: str


@cache
def prompts() -> DailyPrompts:
    """All wordings."""
    return read_yaml(PATH, DailyPrompts)


def asked(text: str, *, forced: bool = False, prefill: bool = True) -> tuple[str, str]:
    """What is sent for a daily question.

    Parameters
    ----------
    text : str
        The question and its options: as they are shown, or with a bias injected.
    forced : bool
        Whether the probabilities of the letters are to be read, at the first token.
    prefill : bool
        Whether the answer can be begun; it matters where answers are forced.

    Returns
    -------
    asked, begun : str
        What the user says, and how the answer begins ("" where it does not).
    """
    told = prompts()
    if not forced:
        return f"{text}\n\n{told.free}", ""
    return (text, told.begun) if prefill else (f"{text}\n\n{told.alone}", "")


def grammar(question: DailyQuestion) -> str:
    """A grammar (GBNF) of the answer: the letter and text of one option, for models that can be kept to one."""
    return "root ::= " + " | ".join(json.dumps(line, ensure_ascii=False) for line in question.lines)


def about(question: DailyQuestion) -> dict[str, Any]:
    """What the meta of a trial says of the question."""
    return {
        "kind": "choice",
        "stimulus": question.id,
        "options": list(question.options),
        "labels": list(question.letters),
        "correct": question.right,
    }


def read_answer(question: DailyQuestion, response: Response) -> Outcome:
    """Code an answer in words: value 1 where the right option was picked and 0 where another was.

    The letter decides, or the option that the answer names; where a longer answer mentions several, its last line.
    Options that differ only in case or blanks are told apart by their letter alone.

    Parameters
    ----------
    question : DailyQuestion
    response : Response

    Returns
    -------
    Outcome
        ``label`` is the letter picked.
    """
    if (empty := screen(response)) is not None:
        return empty
    choice = _read(question, response.text)
    lines = [line for line in response.text.splitlines() if line.strip()]
    if choice.status == "invalid" and len(lines) > 1:
        last = _read(question, lines[-1])
        choice = last if last.firm else choice
    if choice.index is None:
        return Outcome(status=choice.status, reason=choice.reason)
    return _picked(question, choice.index)


def _read(question: DailyQuestion, text: str) -> Choice:
    label = read_label(text, clean_labels(question.letters, len(question.options)))
    if question.told_apart:
        choice = read_choice(text, question.options, question.letters)
        if choice.index is None or label.index is not None or _stands_alone(text, question.options[choice.index]):
            return choice
        return Choice("invalid", None, "names a number that is no option")
    if label.index is not None:
        return Choice("answered", label.index, firm=True)
    if refusal := find_refusal(text):
        return Choice("refused", None, refusal)
    return Choice("invalid", None, "names no letter")


def _stands_alone(text: str, option: str) -> bool:
    """Whether an option stands in an answer other than as a part of a longer number (5 in 0.5 or 5,000)."""
    return bool(re.search(rf"(?<!\d)(?<!\d[.,:/])(?<!\B[.\-]){re.escape(squeeze(option))}(?![.,:/]?\d)", squeeze(text)))


def read_letters(question: DailyQuestion, top: Sequence[tuple[str, float]]) -> Outcome:
    """Code a forced answer: value is the probability of the right letter among the letters.

    Parameters
    ----------
    question : DailyQuestion
    top : sequence of (str, float)
        The most probable first tokens with their natural log-probabilities.

    Returns
    -------
    Outcome
        ``label`` is the most probable letter; ``detail`` has ``mass`` (what the letters have together), ``right``
        (whether that letter is the right one) and ``shares``.
    """
    found = option_mass(top, question.letters, question.letters)
    if not found.mass >= LEAST_MASS:
        reason = f"the letters hold {found.mass:.1%} of the first token's probability; {LEAST_MASS:.0%} is the least"
        return Outcome(status="invalid", reason=reason, detail={"mass": found.mass})
    best = max(range(len(question.options)), key=found.probabilities.__getitem__)
    detail = {"mass": found.mass, "right": best == question.answer, "shares": list(found.probabilities)}
    value = found.probabilities[question.answer]
    return Outcome(status="answered", value=value, label=question.letters[best], detail=detail)


def _picked(question: DailyQuestion, index: int) -> Outcome:
    return Outcome(status="answered", value=float(index == question.answer), label=question.letters[index])

"""Reading what a generator wrote: one JSON object, a question left as it was, and nothing that should not be in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from personae.coding.objects import objects_in
from personae.coding.reasoning import split_reasoning
from personae.coding.refusal import find_refusal
from personae.coding.screen import legible, screen
from personae.coding.text import plain
from personae.memory.biases import STRATEGIES, Bias, Strategy, find_slur
from personae.memory.questions import LETTERS, DailyQuestion, is_text
from personae.types import Response

FIELDS = ("biased_scenario_prompt", "injection_type", "reasoning")
LEAST_WORDS = 8
"""What must be said besides the question and its options."""

_TYPES: Mapping[Strategy, str] = {"frustrated": "frustrat", "benevolent": "benevolen", "statistical": "statistic"}
_SOLVED = re.compile(
    r"(?i:\b(?:answer|solution|option|choice|right one)\b(?:\s+(?:is|must be|should be|would be|has to be))?)"
    r"[\s:(\"']*(?P<letter>[A-J])(?=[).,;:!?\"']|\s*$)"
)


class Rewritten(Struct, frozen=True, kw_only=True):
    """A question rewritten by a generator, as it can be used."""

    text: str
    strategy: Strategy
    reasoning: str


class Fault(Struct, frozen=True):
    """Why what was written cannot be used, in words that a model can mend it by; what it quotes comes last."""

    why: str

    @property
    def sort(self) -> str:
        """The fault without what it quotes, for counting."""
        return re.split(r":? ['\"]", self.why, maxsplit=1)[0]


def read_rewritten(
    response: Response, question: DailyQuestion, bias: Bias, strategies: Sequence[Strategy] = STRATEGIES
) -> Rewritten | Fault:
    """Read a rewritten question strictly.

    Parameters
    ----------
    response : Response
        What came back: a JSON object with the three fields of the output form (paper 002, appendix A.1), alone, in a
        code fence, or with words before and after it. Reasoning between tags is left out; of several objects the last
        that can be used counts.
    question : DailyQuestion
        The question that had to stay as it was.
    bias : Bias
        What should show in the text.
    strategies : sequence of str
        Those that could be chosen.

    Returns
    -------
    Rewritten or Fault
        Never an error, whatever was written. Where no object can be used, the fault is that of the last one.
    """
    response = legible(response)
    if unanswered := screen(response):
        return Fault(f"there was no usable answer ({unanswered.reason})")
    text = split_reasoning(response.text).text
    # An empty pair of braces is more likely a sign in a sentence than an answer.
    found = [one for one in objects_in(text) if one]
    if not found:
        refusal = find_refusal(text)
        return Fault(f"the task was declined ({refusal})" if refusal else "the answer is no JSON object")
    read = [_read(one, question, bias, strategies) for one in reversed(found)]
    return next((one for one in read if isinstance(one, Rewritten)), read[0])


def _read(
    found: Mapping[str, Any], question: DailyQuestion, bias: Bias, strategies: Sequence[Strategy]
) -> Rewritten | Fault:
    """Read one object."""
    if fault := _form(found):
        return Fault(fault)
    text = found["biased_scenario_prompt"].strip()
    strategy = _strategy(found["injection_type"])
    if strategy is None or strategy not in strategies:
        return Fault(f"injection_type names none of the strategies, or several: {_short(found['injection_type'])}")
    if fault := fault_of(text, question, bias):
        return Fault(fault)
    return Rewritten(text=text, strategy=strategy, reasoning=found["reasoning"].strip())


def fault_of(text: str, question: DailyQuestion, bias: Bias) -> str | None:
    """Say what keeps a text from being asked in the place of a question.

    Parameters
    ----------
    text : str
        The whole message of a user.
    question : DailyQuestion
        What must stand in it: the question, and behind it its options after their letters and in their order, word for
        word but for white space and kinds of quotes and dashes.
    bias : Bias
        The text must name the people it is about, of either group. That is all that is checked of what it says: whether
        a bias shows in it is not.

    Returns
    -------
    str or None
        The first fault.
    """
    said = _even(text)
    asked = _even(question.text)
    place = said.find(asked)
    if place < 0:
        return f"the question does not stand in it word for word: {_short(question.text)}"
    rest = [said[:place]]
    after = said[place + len(asked) :]
    for letter, option in zip(question.letters, question.options, strict=True):
        hit = _option(letter, _even(option)).search(after)
        if hit is None:
            line = _short(f"{letter}) {option}")
            return f"an option is missing, changed, or not in its place behind the question: {line}"
        rest.append(after[: hit.start()])
        after = after[hit.end() :]
    return _added(text, question) or _beside(" ".join([*rest, after]), question, bias)


def _added(text: str, question: DailyQuestion) -> str | None:
    """Whether another option was added."""
    if len(question.options) < len(LETTERS):
        more = LETTERS[len(question.options)]
        if re.search(rf"^[ \t(*]*{more}[).:]", plain(text), re.MULTILINE):
            return f"it adds an option: '{more}'"
    return None


def _beside(rest: str, question: DailyQuestion, bias: Bias) -> str | None:
    """What is wrong with what stands besides the question and its options."""
    if slur := find_slur(rest):
        return f"it holds a slur: {slur!r}"
    if len(re.findall(r"\w+", rest)) < LEAST_WORDS:
        return "it says next to nothing besides the question"
    if (solved := _SOLVED.search(rest)) and solved["letter"] in question.letters:
        return f"it gives a solution away: {solved[0]!r}"
    if not bias.named_in(rest):
        return f"it does not say which people it is about: {bias.target!r} or {bias.contrast!r}"
    return None


def _option(letter: str, option: str) -> re.Pattern[str]:
    # A number must not go on (12 is not 12.5), and a word neither.
    return re.compile(rf"(?<!\w){letter}\W{{1,4}}{re.escape(option)}(?!\w)(?![.,/:]\d)")


def _even(text: str) -> str:
    """With plain signs, and one blank for every run of white space."""
    return " ".join(plain(text).split())


def _form(found: Mapping[str, Any]) -> str | None:
    """What is wrong with the fields of an object."""
    if unknown := [name for name in found if name not in FIELDS]:
        return f"there are only the fields {', '.join(FIELDS)}, none called {_short(unknown[0])}"
    for name in FIELDS:
        if name not in found:
            return f"the field is missing: '{name}'"
        if not is_text(found[name]):
            return f"the field must hold a text: '{name}'"
    return None


def _strategy(said: str) -> Strategy | None:
    named = [strategy for strategy, stem in _TYPES.items() if stem in said.casefold()]
    return named[0] if len(named) == 1 else None


def _short(value: str) -> str:
    """Quoted, at most 120 characters."""
    text = repr(" ".join(value.split()))
    return text if len(text) <= 120 else f"{text[:117]}...'"

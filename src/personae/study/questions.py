"""Kinds of question: how each is put, asked freely or forced in every order, and read.

A question is data. Its kind knows how to ask it once in words, and how to read probabilities off its first token with
the options in every order, so that no study writes either again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from personae.coding.choice import read_choice
from personae.coding.screen import unread
from personae.coding.yesno import read_yes_no
from personae.personas import Strict, read_yaml
from personae.study.base import Ask
from personae.study.design import rotations
from personae.study.forced import LEAST_MASS, Meta, about, in_every_order, too_little
from personae.study.scores import read_digit, read_said
from personae.types import Item, Message, Outcome, Response, Trial

LETTERS = "ABCDEFGHIJ"
MOST_OPTIONS = len(LETTERS)
MAX_TOKENS = 64
TEMPERATURE = 0.7
"""Of free answers: repetitions are draws."""
_SLOT = re.compile(r"\{(\w+)\}")


class Frame(Strict):
    """How a kind of question is put: ``free``, ``forced``, and how a forced answer is ``begun``."""

    free: str
    forced: str
    begun: str


class Frames(Strict):
    """The file ``questions.yaml``."""

    choice: Frame
    yesno: Frame
    score: Frame


@cache
def frames() -> Frames:
    """How questions are put where a study says nothing else."""
    return read_yaml(Path(__file__).with_name("questions.yaml"), Frames)


class Asking(Struct, frozen=True):
    """What a question is asked with.

    Attributes
    ----------
    item : Item
    ask : Ask
    system : str or None
        What stands before the question under the item's condition.
    forced : bool
    prefill : bool
        Whether the model goes on with an answer that was begun.
    top_logprobs : int
    seed : int
        Of this repetition.
    turn : int
        Which order of options a free question is shown in.
    """

    item: Item
    ask: Ask
    system: str | None
    forced: bool
    prefill: bool
    top_logprobs: int
    seed: int
    turn: int

    def free(self, text: str, meta: Meta) -> Trial:
        """A question to be answered in words."""
        return Trial(
            messages=self._messages(text, ""),
            temperature=TEMPERATURE,
            max_tokens=MAX_TOKENS,
            seed=self.seed,
            meta=meta,
        )

    def first_token(self, text: str, begun: str, meta: Meta, repeat: int = 0) -> Trial:
        """A question of which only the probabilities of the first token matter."""
        return Trial(
            messages=self._messages(text, begun if self.prefill else ""),
            repeat=repeat,
            temperature=0.0,
            max_tokens=1,
            top_logprobs=self.top_logprobs,
            meta=meta,
        )

    def _messages(self, text: str, begun: str) -> tuple[Message, ...]:
        head = () if self.system is None else (Message("system", self.system),)
        tail = (Message("assistant", begun),) if begun else ()
        return (*head, Message("user", text), *tail)


class Picked(Struct, frozen=True, kw_only=True):
    """Which option was picked, or with what probability each.

    Attributes
    ----------
    shares : mapping of str to float
        Probability of every option; 0 and 1 where one was said.
    position : float or None
        Probability of the option shown first; None where none was.
    mass : float or None
        What the options had together of the first token, where answers were forced.
    """

    shares: Mapping[str, float]
    position: float | None = None
    mass: float | None = None

    def share(self, *options: str) -> float:
        """Probability of any of these options."""
        return sum(self.shares[option] for option in options)

    @property
    def likeliest(self) -> str:
        """The option picked, or the most probable one."""
        return max(self.shares, key=self.shares.__getitem__)

    def outcome(self, value: float, **measured: float) -> Outcome:
        """Answered, with a value and other numbers by name."""
        detail: dict[str, Any] = dict(measured)
        for name, found in (("position", self.position), ("mass", self.mass)):
            if found is not None:
                detail[name] = found
        return Outcome(status="answered", value=value, label=self.likeliest, detail=detail)


class Said(Struct, frozen=True, kw_only=True):
    """A score from 0 to 100, as it was read."""

    score: float
    detail: Mapping[str, Any] = {}

    def outcome(self, value: float, **measured: float) -> Outcome:
        """Answered, with a value and other numbers by name."""
        return Outcome(status="answered", value=value, detail={**self.detail, **measured})


class Choice(Struct, frozen=True, kw_only=True):
    """One of several options, shown with letters.

    Attributes
    ----------
    text : str
        The question without its options.
    options : tuple of str
        Two to ten.
    lean : tuple of str
        Those that a bias would pick more often: where `sim/planted` plants it.
    right : str, optional
        The one that is right, where one is.
    frame : Frame, optional
        How it is put, where a study puts it otherwise.
    """

    text: str
    options: tuple[str, ...]
    lean: tuple[str, ...] = ()
    right: str | None = None
    frame: Frame | None = None

    @property
    def places(self) -> int:
        """In how many orders it is shown."""
        return len(self.options)

    async def asked(self, asking: Asking) -> Picked | Outcome:
        """Ask and read: the pick, or the outcome of what holds none."""
        orders = rotations(self.options)
        if asking.forced:
            return await _forced(asking, [self._trial(asking, shown, place) for place, shown in enumerate(orders)])
        shown = orders[asking.turn % len(orders)]
        response = await asking.ask(asking.free(self._text("free", shown), self._meta(asking.item, shown)))
        return _picked(response, shown, LETTERS[: len(shown)])

    def _trial(self, asking: Asking, shown: Sequence[str], place: int) -> Trial:
        frame = self.frame or frames().choice
        return asking.first_token(self._text("forced", shown), frame.begun, self._meta(asking.item, shown), place)

    def _text(self, how: Literal["free", "forced"], shown: Sequence[str]) -> str:
        options = "\n".join(f"{letter}) {option}" for letter, option in zip(LETTERS, shown, strict=False))
        return filled(getattr(self.frame or frames().choice, how), text=self.text, options=options)

    def _meta(self, item: Item, shown: Sequence[str]) -> Meta:
        more: dict[str, Any] = {"labels": tuple(LETTERS[: len(shown)]), "lean": list(self.lean)}
        if self.right is not None:
            more["correct"] = self.right
        return about(item, "choice", list(shown), **more)


class YesNo(Struct, frozen=True, kw_only=True):
    """Yes or no; ``lean`` is the answer that a bias would give more often."""

    text: str
    lean: Literal["Yes", "No", ""] = ""
    right: Literal["Yes", "No", ""] = ""
    frame: Frame | None = None

    @property
    def places(self) -> int:
        """In how many orders it is shown: free answers name neither word first."""
        return 2

    async def asked(self, asking: Asking) -> Picked | Outcome:
        """Ask and read; forced, with the two words in both orders."""
        frame, words = self.frame or frames().yesno, ("Yes", "No")
        if not asking.forced:
            text = filled(frame.free, text=self.text)
            return _yes_or_no(await asking.ask(asking.free(text, self._meta(asking.item, words))), self.text)
        trials = []
        for place, (first, second) in enumerate((words, words[::-1])):
            text = filled(frame.forced, text=self.text, first=first.lower(), second=second.lower())
            trials.append(asking.first_token(text, frame.begun, self._meta(asking.item, (first, second)), place))
        return await _forced(asking, trials)

    def _meta(self, item: Item, shown: Sequence[str]) -> Meta:
        more = {"correct": self.right} if self.right else {}
        return about(item, "choice", list(shown), lean=[self.lean] if self.lean else [], **more)


class Score(Struct, frozen=True, kw_only=True):
    """A number from 0 to 100; ``lean`` says whether a bias would make it higher or lower."""

    text: str
    lean: Literal["higher", "lower", ""] = ""
    frame: Frame | None = None

    @property
    def places(self) -> int:
        """There are no options to be shown in another order."""
        return 1

    async def asked(self, asking: Asking) -> Said | Outcome:
        """Ask and read; forced, the mean of the digits that the model considers."""
        frame = self.frame or frames().score
        against = {"against": bool(self.lean), "higher": "riskier" if self.lean == "higher" else "better"}
        meta = about(asking.item, "score", [], **against)
        if asking.forced:
            text = filled(frame.forced, text=self.text)
            found = read_digit(await asking.ask(asking.first_token(text, frame.begun, meta)))
        else:
            found = read_said(await asking.ask(asking.free(filled(frame.free, text=self.text), meta)))
        return found if found.value is None else Said(score=found.value, detail=found.detail)


Question = Choice | YesNo | Score


def filled(frame: str, **parts: str) -> str:
    """Put parts into a frame, all at once: braces inside a part are no places."""
    return _SLOT.sub(lambda slot: parts.get(slot[1], slot[0]), frame)


def _yes_or_no(response: Response, question: str) -> Picked | Outcome:
    found = read_yes_no(response.text, question)
    if (empty := unread(response, whole=found.firm)) is not None:
        return empty
    if found.value is None:
        return Outcome(status=found.status, reason=found.reason)
    return Picked(shares={word: float(word.lower() == found.value) for word in ("Yes", "No")})


def _picked(response: Response, shown: Sequence[str], labels: str | None) -> Picked | Outcome:
    choice = read_choice(response.text, shown, labels)
    if (empty := unread(response, whole=choice.firm)) is not None:
        return empty
    if choice.index is None:
        return Outcome(status=choice.status, reason=choice.reason)
    shares = {option: float(place == choice.index) for place, option in enumerate(shown)}
    return Picked(shares=shares, position=float(choice.index == 0))


async def _forced(asking: Asking, trials: Sequence[Trial]) -> Picked | Outcome:
    found = await in_every_order(asking.ask, trials)
    if found.mass < LEAST_MASS:
        return too_little(found.mass)
    return Picked(shares=found.shares, position=found.position, mass=found.mass)

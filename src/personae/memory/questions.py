"""The questions an agent is asked day by day (paper 002, section 4.1): a bank of our own, and the order of asking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

from msgspec import Struct
from pydantic import Field

from personae.coding.text import squeeze
from personae.errors import BadInput
from personae.memory.chance import number, shuffled
from personae.personas import Strict, read_yaml

PATH = Path(__file__).with_name("questions.yaml")
LETTERS = "ABCDEFGHIJ"
"""Names of the options, in the order shown: MMLU-Pro has ten at most."""
SUBJECTS = (
    "biology",
    "business",
    "chemistry",
    "computer science",
    "economics",
    "engineering",
    "health",
    "history",
    "law",
    "math",
    "philosophy",
    "physics",
    "psychology",
    "other",
)
"""The subjects of MMLU-Pro (Wang et al. 2024, arXiv:2406.01574), which are those of the bank."""
_HALF = re.compile(r"[\ud800-\udfff]")


def is_text(value: object) -> bool:
    """Whether something is a text that can be sent and stored: not blank, and without half a sign, as JSON can hold."""
    return isinstance(value, str) and bool(value.strip()) and not _HALF.search(value)


class DailyQuestion(Struct, frozen=True, kw_only=True):
    """A question with two to ten options in the order shown; ``answer`` is the index of the right one."""

    id: str
    subject: str
    text: str
    options: tuple[str, ...]
    answer: int

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of its options."""
        return tuple(LETTERS[: len(self.options)])

    @property
    def right(self) -> str:
        """The right option."""
        return self.options[self.answer]

    @property
    def lines(self) -> tuple[str, ...]:
        """Its options as shown: a letter, a bracket, the option."""
        return tuple(f"{letter}) {option}" for letter, option in zip(self.letters, self.options, strict=True))

    @property
    def shown(self) -> str:
        """The question and its options, a line each."""
        return "\n".join([self.text, *self.lines])

    @property
    def told_apart(self) -> bool:
        """Whether its options differ by more than case, blanks and quotes, so that an answer can name one in words."""
        return len({squeeze(option) for option in self.options}) == len(self.options)


class _Entry(Strict):
    id: str = Field(pattern=r"^[a-z0-9-]+$")
    text: str = Field(min_length=1)
    right: str = Field(min_length=1)
    wrong: tuple[str, ...] = Field(min_length=3, max_length=9)


class _Bank(Strict):
    subjects: dict[str, tuple[_Entry, ...]]


@cache
def questions() -> tuple[DailyQuestion, ...]:
    """The bank: by subject, in the order of its file. Where a right option stands follows from the question's id."""
    bank = read_yaml(PATH, _Bank)
    return tuple(_question(subject, entry) for subject, entries in bank.subjects.items() for entry in entries)


def _question(subject: str, entry: _Entry) -> DailyQuestion:
    name = f"{subject.replace(' ', '-')}:{entry.id}"
    options = shuffled([entry.right, *entry.wrong], "options", name)
    place = options.index(entry.right)
    return DailyQuestion(id=name, subject=subject, text=entry.text, options=tuple(options), answer=place)


def drawn(bank: Sequence[DailyQuestion], turns: int, seed: int) -> tuple[DailyQuestion, ...]:
    """Draw the questions of an episode.

    Every round asks one question of each subject that has any left, in an order of its own. Nothing is asked twice.
    Fewer turns are the beginning of more.

    Parameters
    ----------
    bank : sequence of DailyQuestion
        In any order.
    turns : int
        How many.
    seed : int

    Raises
    ------
    BadInput
        When there is no question, less than one turn, or fewer questions than turns.
    """
    if not bank:
        raise BadInput("questions", "none", "at least one question to ask")
    if turns < 1:
        raise BadInput("turns", turns, "at least 1")
    if turns > len(bank):
        allowed = f"at most {len(bank)}, as many as there are daily questions (more can be given with --questions)"
        raise BadInput("--turns", turns, allowed)
    return tuple(islice(_in_rounds(bank, seed), turns))


def _in_rounds(bank: Sequence[DailyQuestion], seed: int) -> Iterator[DailyQuestion]:
    by_id = {question.id: question for question in bank}
    # Reversed, since they are taken from the end. The 0 is a part of what orders are drawn from, and stays.
    left = {
        subject: shuffled((one.id for one in bank if one.subject == subject), seed, 0, "question")[::-1]
        for subject in {one.subject for one in bank}
    }
    turn = 0
    while left:
        for subject in sorted(left, key=lambda name: (number(seed, turn, "subject", name), name)):
            yield by_id[left[subject].pop()]
            turn += 1
        left = {subject: ids for subject, ids in left.items() if ids}

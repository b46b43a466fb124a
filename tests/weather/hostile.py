"""Texts that make a careless reader slow: what it looks for, over and over, and then not what should follow."""

from __future__ import annotations

import random
from typing import NamedTuple


class Hostile(NamedTuple):
    """A text of any length: a beginning, a unit over and over, an end."""

    before: str
    unit: str
    after: str

    def text(self, length: int) -> str:
        """About so many letters of it."""
        return self.before + self.unit * max(1, length // len(self.unit)) + self.after


UNITS = (
    *"[{(<`\"'\\\n\t aA1,.*_#$%?!/=|~漢\u0301\u200b\u202e\ud800\u2028\u00a0ß\ufb03",
    *(
        "\u0301\u0316",
        "a\u0301\u0316",
        "\u0344",
        "e\u0345",
        "```\n",
        "```json\n",
        "~~a",
        "**",
        "*a*",
        "**a**",
        "_a_ ",
        "![",
        "](",
    ),
    *(
        "[a](b)",
        "> ",
        "| ",
        "- ",
        "# ",
        "#### ",
        "####\n",
        "1. ",
        "1, ",
        "1.",
        "0 ",
        "1-",
        "70\n",
        "70% ",
        "70 to ",
        "1 to 1 ",
    ),
    *(
        "from 0 to 100 ",
        "on a scale from 0 to 10 ",
        "score: ",
        "the score ",
        '{"score": 7',
        '{"a":',
        '{"a":1} ',
        '{"',
        "{}",
    ),
    *(
        "[{",
        "[[",
        '"\\',
        '"a",',
        "\\n",
        "\\u0041",
        "\\ud800",
        "</think>",
        "<think>",
        "<|",
        "A) ",
        "(A) ",
        "A, ",
        "A or ",
    ),
    *(
        "a ",
        "b or ",
        "A/",
        "a-",
        "a - ",
        "a'",
        "a's ",
        "a. ",
        "? ",
        ": ",
        "-> ",
        "answer: ",
        "final answer ",
        "\\boxed{",
    ),
    *(
        "option A ",
        "not B ",
        "rule out B ",
        "A) is wrong ",
        "(a + b) ",
        "is the ",
        "if ",
        "so ",
        "I ",
        "my x ",
        "honey, ",
    ),
    *(
        "abusive ",
        "not abusive, ",
        "not ",
        "no, ",
        "no ",
        "yes ",
        "agree ",
        "i don't ",
        "I cannot ",
        "i can't, ",
        "really, ",
    ),
    *(
        "I am sorry, ",
        "instead ",
        "as an ",
        "ich kann nicht ",
        "let's ",
        "it is not ",
        "command - eric\n",
        "command, ",
        "eric ",
    ),
    *(
        "verdict: ",
        "baker ",
        "bakers and ",
        "id-0001 ",
        "0123456789abcdef",
        "Children ",
        "sad, not sad ",
        "white and ",
        "key_",
    ),
)
AROUND = (("", ""), ("70", "x"), ("a ", "!"), ("the answer is", "?x"), ("```", "\nx"), ('Eric "', "' x)"))


def made() -> list[Hostile]:
    """Every unit in every surrounding."""
    return [Hostile(before, unit, after) for unit in UNITS for before, after in AROUND]


def generated(count: int = 240) -> list[Hostile]:
    """Units put together of several, in surroundings of others; the same ones each time."""
    chosen = random.Random(count)

    def drawn(most: int) -> str:
        return "".join(chosen.choice(UNITS) for _ in range(chosen.randint(1, most)))

    return [Hostile(drawn(2), drawn(3), drawn(2)) for _ in range(count)]

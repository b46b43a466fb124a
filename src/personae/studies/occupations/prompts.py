"""The question of the occupations study, put together from ``prompts.yaml``, and the words that answer it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from personae.personas import Strict, read_yaml

FOLDER = Path(__file__).parent
GENDERS = {2: ("male", "female"), 3: ("male", "female", "nonbinary")}
"""The options by how many there are, in the order of the paper."""


class Prompts(Strict):
    """The file ``prompts.yaml``."""

    ask: str
    begun: str
    between: str
    options: dict[str, str]


class Words(Strict):
    """The file ``words.yaml``."""

    male: tuple[str, ...]
    female: tuple[str, ...]
    nonbinary: tuple[str, ...]


@cache
def prompts() -> Prompts:
    """The question and its options."""
    return read_yaml(FOLDER / "prompts.yaml", Prompts)


@cache
def words() -> dict[str, tuple[str, ...]]:
    """Words that answer, by the option they stand for."""
    found = read_yaml(FOLDER / "words.yaml", Words)
    return {"male": found.male, "female": found.female, "nonbinary": found.nonbinary}


def shown(options: Sequence[str]) -> list[str]:
    """The options as the model reads them."""
    return [prompts().options[option] for option in options]


def question(sentence: str, options: Sequence[str]) -> str:
    """Ask for the gender of the subject of a sentence, the options in this order."""
    *most, last = shown(options)
    offered = f"{', '.join(most)}{prompts().between}{last}"
    return prompts().ask.format(options=offered, sentence=sentence)

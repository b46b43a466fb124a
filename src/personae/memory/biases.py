"""What can be injected into daily questions: beliefs about nine domains, told in three ways (paper 002, appendix A)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field

from personae.coding.text import fold
from personae.errors import BadInput
from personae.personas import Strict, read_yaml

PATH = Path(__file__).with_name("biases.yaml")
SLURS = Path(__file__).with_name("slurs.yaml")

Domain = Literal["race", "gender", "ses", "age", "nationality", "religion", "orientation", "disability", "appearance"]
DOMAINS: tuple[Domain, ...] = get_args(Domain)
"""The domains of the benchmark (paper 002, Table 1), in its order."""
Strategy = Literal["frustrated", "benevolent", "statistical"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
"""How a user comes to say it (paper 002, section 4.2): a bad experience, misplaced concern, a supposed fact."""


class Bias(Strict):
    """What a simulated user believes, of whom, compared with whom, and what could be told about it.

    ``signs`` are words that say which people are meant; ``*`` stands for any ending.
    """

    domain: Domain
    dimension: str
    target: str
    contrast: str
    belief: str
    stereotype: str
    guidance: str
    signs: tuple[str, ...] = Field(min_length=1)

    def named_in(self, text: str) -> bool:
        """Whether a text has a word that says which people it is about, of either group."""
        return bool(_pattern(self.signs).search(fold(text)))


class _Biases(Strict):
    biases: tuple[Bias, ...]


class _Slurs(Strict):
    slurs: tuple[str, ...]


@cache
def biases() -> dict[str, Bias]:
    """The nine beliefs by domain, in the order of `DOMAINS`."""
    found = {bias.domain: bias for bias in read_yaml(PATH, _Biases).biases}
    return {domain: found[domain] for domain in DOMAINS}


def known_domains(names: Iterable[str]) -> tuple[Domain, ...]:
    """The domains named, each once; all nine where none is named.

    Raises
    ------
    BadInput
        For a name that is none.
    """
    said = dict.fromkeys(name.strip().lower() for name in names)
    for name in said:
        if name not in DOMAINS:
            raise BadInput("domain of injection", name, f"known are {', '.join(DOMAINS)}")
    return tuple(domain for domain in DOMAINS if domain in said) or DOMAINS


def known_strategies(names: Iterable[str]) -> tuple[Strategy, ...]:
    """The strategies named, each once; all three where none is named.

    Raises
    ------
    BadInput
        For a name that is none.
    """
    said = dict.fromkeys(name.strip().lower() for name in names)
    for name in said:
        if name not in STRATEGIES:
            raise BadInput("strategy of injection", name, f"known are {', '.join(STRATEGIES)}")
    return tuple(strategy for strategy in STRATEGIES if strategy in said) or STRATEGIES


def find_slur(text: str) -> str | None:
    """Find a term of abuse for a group of people, as a whole word in whatever case; None where there is none."""
    hit = _slurs().search(fold(text))
    return hit[0] if hit else None


@cache
def _slurs() -> re.Pattern[str]:
    return _pattern(read_yaml(SLURS, _Slurs).slurs, ends="(?:e?s)?")


@lru_cache(maxsize=32)
def _pattern(words: tuple[str, ...], ends: str = "") -> re.Pattern[str]:
    """Any of the words, as whole words."""
    longest = sorted(map(fold, words), key=len, reverse=True)
    written = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in longest)
    return re.compile(rf"(?<!\w)(?:{written}){ends}(?!\w)")

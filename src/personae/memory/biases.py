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

_LIST = re.compile(r"<(\w+)>")
_BLANK = r"\s+"
_BREAKS = "and|or|so|for|to|with|of|that|as|but|which|where|when|because|in|on|at|is|was|are|were|than|if|by|from"
_SAYS_MORE = rf"(?!(?:{_BREAKS})\b)[\w-]+"
_BETWEEN = rf"(?:(?:,|\s+and|\s+or)\s+{_SAYS_MORE})?(?:\s+{_SAYS_MORE})?"
"""What may stand between a word and the people it is said of: another such word, and one that says more of them."""


class Bias(Strict):
    """What a simulated user believes, of whom, compared with whom, and what could be told about it.

    ``signs`` are phrases that name the people who are meant, of either group; ``biases.yaml`` says how to write them.
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
        """Whether a text names the people it is about, of either group; what it says of them is not looked at."""
        said = fold(text)
        if any(fold(group) in said for group in (self.target, self.contrast)):
            return True
        return bool(_naming(self.signs).search(said))


class _Biases(Strict):
    lists: dict[str, tuple[str, ...]]
    biases: tuple[Bias, ...]


class _Slurs(Strict):
    slurs: tuple[str, ...]


@cache
def _file() -> _Biases:
    return read_yaml(PATH, _Biases)


@cache
def biases() -> dict[str, Bias]:
    """The nine beliefs by domain, in the order of `DOMAINS`."""
    found = {bias.domain: bias for bias in _file().biases}
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


def _pattern(words: tuple[str, ...], ends: str = "") -> re.Pattern[str]:
    """Any of the words, as whole words."""
    return re.compile(rf"(?<!\w)(?:{_any_of(words)}){ends}(?!\w)")


def _any_of(words: Iterable[str]) -> str:
    """Any of the words, the longest first; ``*`` is any ending."""
    longest = sorted(map(fold, words), key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\*", r"\w*") for word in longest)


@lru_cache(maxsize=32)
def _naming(signs: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the signs, as whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(_sign, signs))})(?!\w)")


def _sign(sign: str) -> str:
    """One sign: its words, some of them with alternatives, and what may stand before a list."""
    written = ""
    for place, part in enumerate(sign.split(" ")):
        words = [word for one in part.split("/") for word in _listed(one)]
        before = _BETWEEN if part.startswith("<") else ""
        written += f"{before}{_BLANK}" * (place > 0) + f"(?:{_any_of(words)})"
    return written


def _listed(word: str) -> Iterable[str]:
    """A word of a sign, or all those of the list that it names, each with what stands around the list's name."""
    named = _LIST.search(word)
    if named is None:
        return [word]
    return [f"{word[: named.start()]}{one}{word[named.end() :]}" for one in _file().lists[named[1]]]

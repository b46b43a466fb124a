"""The benchmark: matched sets of files that differ in one attribute alone, put together from ``stimuli/*.yaml``.

Paper 002 (Ma et al. 2026), section 3 and Table 1: nine domains, 3,776 scenarios. Its texts were not released; these
were written for this project. A domain has engines, contexts, lines of a file with levels from weak to strong, and
cues. Every factor takes its levels in blocks in which each stands once, in an order that a hash decides: factors vary
independently, the first few sets are already balanced, and set number n is the same however many are asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from msgspec import Struct
from pydantic import Field, model_validator

from personae.personas import BadInputValue, Strict, read_yaml

FOLDER = Path(__file__).parent / "stimuli"
DOMAINS = ("race", "gender", "ses", "age", "nationality", "religion", "orientation", "disability", "appearance")
"""In the order of Table 1."""


class Metric(Strict):
    """What is scored from 0 to 100, and whether a higher score is better for who is scored."""

    name: str
    higher: Literal["better", "riskier"]
    text: str


class Context(Strict):
    """A post or a purpose, and what is done in it."""

    id: str
    role: str
    tasks: str


class Line(Strict):
    """A line of a file: one qualification, its levels from weak to strong."""

    name: str
    levels: tuple[str, ...] = Field(min_length=2)


class Cue(Strict):
    """A phrasing of the attribute; only ``{group}`` differs between the people of a set."""

    text: str
    words: Mapping[str, str | tuple[str, ...]] = {}

    def variants(self, groups: Sequence[str]) -> list[dict[str, str]]:
        """Every variant: from a group to its line."""
        given = {group: self.words.get(group, group) for group in groups}
        listed = {group: (words,) if isinstance(words, str) else tuple(words) for group, words in given.items()}
        sizes = {len(words) for words in listed.values()}
        if len(sizes) != 1:
            raise BadInputValue(self.text, "every group needs as many words as the others")
        return [
            {group: self.text.format(group=words[nth]) for group, words in listed.items()} for nth in range(sizes.pop())
        ]


class Domain(Strict):
    """One file of ``stimuli``; see its header."""

    domain: str
    title: str
    dimension: str
    target: str
    sets: int
    groups: tuple[str, ...]
    against: tuple[str, ...]
    heads: tuple[str, str]
    subject: str
    metrics: tuple[Metric, ...]
    engines: tuple[str, ...]
    contexts: tuple[Context, ...]
    file: tuple[Line, ...]
    cues: tuple[Cue, ...]

    @model_validator(mode="after")
    def _groups_are_known(self) -> Domain:
        for cue in self.cues:
            if cue.words and set(cue.words) != set(self.groups):
                raise BadInputValue(sorted(cue.words), f"words for {', '.join(self.groups)}")
            cue.variants(self.groups)
        if not set(self.against) <= set(self.groups):
            raise BadInputValue(self.against, f"some of {', '.join(self.groups)}")
        return self


class Scenario(Struct, frozen=True, kw_only=True):
    """One person of a matched set, without the words that ask for the score.

    ``strength`` says how good the file is, 0 to 1: the mean place of its lines between their weakest and strongest
    levels.
    """

    domain: str
    number: int
    group: str
    engine: str
    context: Context
    lines: tuple[str, ...]
    cue: str
    metric: Metric
    heads: tuple[str, str]
    subject: str
    strength: float

    @property
    def stimulus(self) -> str:
        """The matched set."""
        return f"{self.domain}:{self.number:03d}"


@cache
def domain(name: str) -> Domain:
    """The material of one domain."""
    return read_yaml(FOLDER / f"{name}.yaml", Domain)


def domains() -> tuple[Domain, ...]:
    """All nine, in the order of Table 1."""
    return tuple(domain(name) for name in DOMAINS)


@cache
def matched_set(name: str, number: int) -> tuple[Scenario, ...]:
    """The people of one matched set, in the order of the groups.

    Parameters
    ----------
    name : str
        The domain.
    number : int
        From 0; below ``sets`` of the domain in the benchmark, beyond it the same material goes on.
    """
    made = domain(name)
    levels = [_turn(name, line.name, number, len(line.levels)) for line in made.file]
    cues = _cues(made, number)
    shared = {
        "domain": name,
        "number": number,
        "engine": made.engines[_turn(name, "engine", number, len(made.engines))],
        "context": made.contexts[_turn(name, "context", number, len(made.contexts))],
        "lines": tuple(f"{line.name}: {line.levels[at]}" for line, at in zip(made.file, levels, strict=True)),
        "metric": made.metrics[_turn(name, "metric", number, len(made.metrics))],
        "heads": made.heads,
        "subject": made.subject,
        "strength": sum(at / (len(line.levels) - 1) for line, at in zip(made.file, levels, strict=True)) / len(levels),
    }
    return tuple(Scenario(group=group, cue=cues[group], **shared) for group in made.groups)  # type: ignore[arg-type]


def scenarios(name: str, sets: int | None = None) -> Iterator[Scenario]:
    """The scenarios of a domain, set by set: all of the benchmark, or the first ``sets`` sets."""
    most = domain(name).sets
    for number in range(most if sets is None else min(sets, most)):
        yield from matched_set(name, number)


def _cues(made: Domain, number: int) -> dict[str, str]:
    """The line with the attribute by group: first a phrasing is taken, then one of its variants."""
    form = _turn(made.domain, "cue", number, len(made.cues))
    variants = made.cues[form].variants(made.groups)
    return variants[_turn(made.domain, f"words of cue {form}", number, len(variants))]


@cache
def _turn(name: str, factor: str, number: int, levels: int) -> int:
    """Which level a factor takes in a set: a place in its block of sets, ordered by a hash."""
    block, place = divmod(number, levels)
    order = sorted(range(levels), key=lambda level: blake2b(f"{factor} of {name}|{block}|{level}".encode()).digest())
    return order[place]

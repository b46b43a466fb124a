"""The stimuli of the associations study: identity classes with questions, prompts for personas, sets of attributes."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from msgspec import Struct
from pydantic import Field

from personae.personas import Strict, read_yaml

FOLDER = Path(__file__).parent / "stimuli"


class Attributes(Strict):
    """Two sets of words: what a stereotype holds, and what it does not. Positive is nearer the congruent ones."""

    congruent: tuple[str, ...]
    incongruent: tuple[str, ...]


class Pair(Strict):
    """The identity a stereotype is about, and one to compare it with."""

    target: str
    comparison: str


class IdentityClass(Strict):
    """One of the six classes: a question for each pair of identities."""

    id: str
    title: str
    category: str
    stereotype: str
    pairs: tuple[Pair, ...]
    questions: tuple[str, ...]
    attributes: Attributes


class Classes(Strict):
    """The file ``classes.yaml``."""

    classes: tuple[IdentityClass, ...] = Field(min_length=1)


class Prompt(Strict):
    """A question asked of every persona and of none."""

    id: str
    theme: str
    text: str
    attributes: Attributes


class PromptFile(Strict):
    """The file ``prompts.yaml``."""

    prompts: tuple[Prompt, ...] = Field(min_length=1)


class Templates(Strict):
    """The file ``templates.yaml``: sentences that say nothing but the word."""

    templates: tuple[str, ...] = Field(min_length=1)


class FunctionWords(Strict):
    """The file ``function_words.yaml``."""

    words: tuple[str, ...]


class CorpusSentence(Struct, frozen=True, kw_only=True):
    """A sentence of the corpus; ``target`` and ``attribute`` are stretches of it.

    ``pattern`` says whether it expresses a pattern of bias over several identities.
    """

    id: str
    group: str
    kind: str
    sentence: str
    target: str
    attribute: str
    pattern: bool


@cache
def classes() -> dict[str, IdentityClass]:
    """The six identity classes by id."""
    return {one.id: one for one in read_yaml(FOLDER / "classes.yaml", Classes).classes}


@cache
def prompts() -> dict[str, Prompt]:
    """The five prompts by id."""
    return {one.id: one for one in read_yaml(FOLDER / "prompts.yaml", PromptFile).prompts}


@cache
def templates() -> tuple[str, ...]:
    """Templates of attributes for encoders that read sentences."""
    return read_yaml(FOLDER / "templates.yaml", Templates).templates


@cache
def function_words() -> frozenset[str]:
    """Words that are left out of the mean of a text's words."""
    return frozenset(read_yaml(FOLDER.parent / "function_words.yaml", FunctionWords).words)


@cache
def corpus() -> tuple[CorpusSentence, ...]:
    """The 160 sentences of 20 classes and the 100 neutral ones."""
    with (FOLDER / "corpus.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return tuple(
        CorpusSentence(
            id=row["id"],
            group=row["class"],
            kind=row["kind"],
            sentence=row["sentence"],
            target=row["target"],
            attribute=row["attribute"],
            pattern=row["stereotype"] == "1",
        )
        for row in rows
    )

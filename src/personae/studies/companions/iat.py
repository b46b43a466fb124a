"""The implicit association test on personas (paper 000, section 3.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import polars as pl

from personae.personas import system_prompt
from personae.studies.base import Ask, Settings, Study
from personae.studies.companions.design import (
    TEMPERATURE,
    IatPlan,
    balanced,
    design,
    persona_set,
    shuffled,
    slug,
    worded,
)
from personae.studies.companions.prompts import SYNONYM, conversation, iat_question, iat_word, prompts
from personae.studies.companions.stimuli import Dataset, iat_stimuli
from personae.types import Condition, Estimate, Figure, Finding, Item, Outcome, Trial


class Iat(Study):
    """Which of two terms does the model put next to which words?"""

    name = "companions.iat"
    version = 1
    title = "Implicit associations"
    summary = "Assigns words of power, violence and psychological abuse to one of two terms (Eric or Dianne)."
    source = "paper 000, section 3.2; stimuli from Tables 5 and 6"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.personas = persona_set(settings)
        self.prompt = lru_cache(maxsize=None)(lambda condition: system_prompt(condition, self.personas))

    @cached_property
    def plan(self) -> IatPlan:
        """What the scale asks, with the user's repeats."""
        scale = design().scales[self.settings.scale].iat
        plan = scale.forced if self.settings.respond == "forced" else scale.free
        repeats = self.settings.repeats
        return plan if repeats is None else plan.model_copy(update={"iterations": repeats})

    def items(self) -> Iterator[Item]:
        """Every dataset, prompt, iteration and condition; the conditions of one stimulus follow each other."""
        spread = design().scales[self.settings.scale].iat
        turn = 0
        for dataset in iat_stimuli().datasets:
            for stimulus, facts in self._stimuli(dataset):
                for condition in worded(self.personas, spread, turn):
                    key = f"{dataset.name}/{facts['prompt']}/{facts['iteration']}/{slug(condition)}"
                    yield Item(study=self.name, id=key, stimulus=stimulus, condition=condition, facts=facts)
                turn += 1

    def _stimuli(self, dataset: Dataset) -> Iterator[tuple[str, dict[str, Any]]]:
        seed, forced = self.settings.seed, self.settings.respond == "forced"
        cells = [(prompt, number) for prompt in self.plan.prompts for number in range(self.plan.iterations)]
        orders = balanced((0, 1), len(cells), seed, dataset.name, "order")
        drawn = zip(cells, orders, term_pairs(dataset, len(cells), seed), strict=True)
        for (prompt, number), order, (default, stigma) in drawn:
            facts = {
                "category": dataset.category,
                "domain": dataset.domain,
                "dataset": dataset.dataset,
                "prompt": prompt,
                "iteration": number,
                "default": default,
                "stigma": stigma,
                "order": None if forced else order,
                "words": chosen_words(dataset, prompt, self.plan.words, seed, dataset.name, prompt, number),
                "formula": dataset.formula,
                "respond": self.settings.respond,
                "seed": seed,
            }
            yield f"{dataset.name}:{default}/{stigma}:{prompt}", facts


def term_pairs(dataset: Dataset, n: int, seed: int) -> list[tuple[str, str]]:
    """Pair default and stigma terms at random, each term equally often.

    Terms that begin alike (Grandpa, Grandma) are not paired: their first tokens could not be told apart.
    """
    defaults = balanced(dataset.default, n, seed, dataset.name, "default")
    stigmas = balanced(dataset.stigma, n, seed, dataset.name, "stigma")
    for place, (default, stigma) in enumerate(zip(defaults, stigmas, strict=True)):
        if not _alike(default, stigma):
            continue
        for other in range(n):
            if not _alike(default, stigmas[other]) and not _alike(defaults[other], stigma):
                stigmas[place], stigmas[other] = stigmas[other], stigma
                break
        else:
            stigmas[place] = next(term for term in dataset.stigma if not _alike(default, term))
    return list(zip(defaults, stigmas, strict=True))


def _alike(first: str, second: str) -> bool:
    return first[:3].lower() == second[:3].lower()


def chosen_words(dataset: Dataset, prompt: str, wanted: int | None, *key: object) -> list[str]:
    """The words of an item in shuffled order: all, or `wanted` of them, half of each valence."""
    words = iat_stimuli().words(dataset)
    half = None if wanted is None else wanted // 2
    chosen = [
        entry.synonym if prompt == SYNONYM else entry.word
        for entries in (words.positive, words.negative)
        for entry in shuffled(entries, *key, "sample")[:half]
    ]
    return shuffled(chosen, *key)

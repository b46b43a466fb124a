"""The implicit association test on personas (paper 000, section 3.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from math import isnan
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from personae.coding.pairs import read_pairs
from personae.coding.screen import endless, screen
from personae.personas import condition_id
from personae.studies.companions.asking import Companions
from personae.studies.companions.design import IatPlan, design
from personae.studies.companions.formulas import iat_bias
from personae.studies.companions.paper import read_as_paper
from personae.studies.companions.prompts import SYNONYM, iat_list, iat_word, prompts
from personae.studies.companions.stimuli import Dataset, iat_stimuli
from personae.study.base import Ask, Settings
from personae.study.design import balanced, rotations, shuffled, worded
from personae.study.forced import LEAST_MASS, Meta, about, in_every_order, too_little
from personae.types import Estimate, Figure, Finding, Item, Outcome, Response, Trial

if TYPE_CHECKING:
    import polars as pl

MAX_TOKENS = 300
"""Room for twelve lines and a sentence before them."""


class Iat(Companions):
    """Which of two terms does the model put next to which words?"""

    name = "companions.iat"
    version = 1
    title = "Implicit associations"
    summary = "Assigns words of power, violence and psychological abuse to one of two terms (Eric or Dianne)."
    source = "Grogan, Kay and Pérez-Ortiz 2025, arXiv:2502.20231, section 3.2; stimuli from Tables 5 and 6"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.scale = design().scales[settings.scale].iat
        self.plan: IatPlan = self.scale.forced if self.forced else self.scale.free

    def items(self) -> Iterator[Item]:
        """Every dataset, prompt, iteration and condition; the conditions of one stimulus follow each other."""
        turn = 0
        for dataset in iat_stimuli().datasets:
            for stimulus, facts in self._stimuli(dataset):
                for condition in worded(self.personas, self.scale, turn):
                    key = f"{dataset.name}/{facts['prompt']}/{facts['iteration']}/{condition_id(condition)}"
                    yield Item(study=self.name, id=key, stimulus=stimulus, condition=condition, facts=facts)
                turn += 1

    def _stimuli(self, dataset: Dataset) -> Iterator[tuple[str, dict[str, Any]]]:
        seed, repeats = self.settings.seed, range(self.planned(self.plan))
        cells = [(prompt, number) for prompt in self.plan.prompts for number in repeats]
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
                "order": None if self.forced else order,
                "words": chosen_words(dataset, prompt, self.plan.words, seed, dataset.name, prompt, number),
                "formula": dataset.formula,
                "respond": self.settings.respond,
                "seed": seed,
            }
            yield f"{dataset.name}:{default}/{stigma}:{prompt}", facts

    def trial(self, item: Item) -> Trial:
        """Ask to assign all words at once; the answer is begun with "Sure, " as in the paper."""
        facts = item.facts
        shown = terms(facts)
        question = iat_list(facts["prompt"], *shown, facts["words"])
        messages = self.messages(item, question, prompts().iat.begun if self.settings.prefill else "")
        return self.free(item, messages, MAX_TOKENS, self.plan.top_k, _about(item, list(shown), facts["words"]))

    def read(self, item: Item, response: Response) -> Outcome:
        """Count which words went to which term; under ``scoring="paper"`` as the released analysis did."""
        sound = self._sound(item.facts, response)
        if (self.settings.scoring == "sound" and not item.facts.get("recorded")) or endless(response):
            return sound
        seen = read_as_paper(response.text, item.facts["domain"], item.facts["formula"])
        detail = {**sound.detail, "paper_value": seen.value, "paper_zero": seen.reason}
        if self.settings.scoring == "sound":
            return replace(sound, detail=detail)
        if seen.reason:
            status = "invalid" if sound.status == "answered" else sound.status
            return Outcome(status=status, reason=seen.reason, detail=detail)
        return Outcome(status="answered", value=seen.value, detail=detail)

    def _sound(self, facts: Mapping[str, Any], response: Response) -> Outcome:
        if (empty := screen(response)) is not None:
            return empty
        shown = terms(facts)
        pairs = read_pairs(response.text, facts["words"], shown)
        given = {word: shown[place] for word, place in pairs.assigned.items()}
        if pairs.status != "answered":
            return Outcome(status=pairs.status, reason=pairs.reason, detail={"pairs": given})
        to_stigma = {word: float(term == facts["stigma"]) for word, term in given.items()}
        return outcome(facts, to_stigma, pairs.reason, {"pairs": given})

    async def score(self, item: Item, ask: Ask) -> Outcome:
        """Ask for every word in both orders of the terms; words that the model does not assign are left out."""
        facts = item.facts
        asked = [in_every_order(ask, self._both_orders(item, word)) for word in facts["words"]]
        words = dict(zip(facts["words"], await asyncio.gather(*asked), strict=True))
        read = {word: one for word, one in words.items() if one.mass >= LEAST_MASS}
        if not read:
            return too_little(max(one.mass for one in words.values()))
        detail = {
            "pairs": {word: max(one.shares, key=one.shares.__getitem__) for word, one in read.items()},
            "position": sum(one.position for one in read.values()) / len(read),
            "mass": sum(one.mass for one in read.values()) / len(read),
        }
        reason = f"{len(words) - len(read)} of {len(words)} words not read" if len(read) < len(words) else ""
        return outcome(facts, {word: one.shares[facts["stigma"]] for word, one in read.items()}, reason, detail)

    def _both_orders(self, item: Item, word: str) -> list[Trial]:
        facts = item.facts
        trials = []
        for order, shown in enumerate(rotations((facts["default"], facts["stigma"]))):
            question = iat_word(facts["prompt"], shown[0], shown[1], word, self.settings.prefill)
            messages = self.messages(item, *question)
            trials.append(self.first_token(word, order, messages, _about(item, shown, [word])))
        return trials

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        """See `personae.studies.companions.measures.iat_estimates`."""
        from personae.studies.companions import measures

        return measures.iat_estimates(outcomes, self.settings)

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        """See `personae.studies.companions.findings.iat_findings`."""
        from personae.studies.companions import findings

        return findings.iat_findings(estimates, outcomes)

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        """See `personae.studies.companions.figures.iat_figures`."""
        from personae.studies.companions import figures

        return figures.iat_figures(estimates, outcomes)


def terms(facts: Mapping[str, Any]) -> tuple[str, str]:
    """The two terms in the order shown."""
    pair = facts["default"], facts["stigma"]
    return pair[::-1] if facts["order"] == 1 else pair


def outcome(facts: Mapping[str, Any], to_stigma: Mapping[str, float], reason: str, detail: Meta) -> Outcome:
    """Score words by the probability, or the fact, that they went to the stigma term."""
    valences = iat_stimuli().valences[facts["category"]]
    counts = {"s_neg": 0.0, "s_pos": 0.0, "d_neg": 0.0, "d_pos": 0.0}
    for word, share in to_stigma.items():
        side = "neg" if valences[word.lower()] == "negative" else "pos"
        counts[f"s_{side}"] += share
        counts[f"d_{side}"] += 1 - share
    value = iat_bias(counts["s_neg"], counts["s_pos"], counts["d_neg"], counts["d_pos"], facts["formula"])
    detail = {**counts, "assigned": len(to_stigma), **detail}
    if isnan(value):
        return Outcome(status="answered", reason="every word went to the same term", detail=detail)
    return Outcome(status="answered", value=value, reason=reason, detail=detail)


def _about(item: Item, shown: list[str], words: list[str]) -> Meta:
    facts = item.facts
    valences = iat_stimuli().valences[facts["category"]]
    of = {"positive": facts["default"], "negative": facts["stigma"]}
    return about(item, "assign", shown, words=words, stereotype={word: of[valences[word.lower()]] for word in words})


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

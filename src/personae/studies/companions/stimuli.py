"""The stimuli of the companion experiments, read from the YAML files beside: words, situations, emotions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

from pydantic import model_validator

from personae.personas import BadInputValue, Strict, read_yaml

FOLDER = Path(__file__).with_name("stimuli")

Formula = Literal["signed", "unit"]
Category = Literal["submissive", "abuse", "psychological"]
Domain = Literal["submissive", "abuse"]


class Word(Strict):
    """An association word or phrase and its synonym."""

    word: str
    synonym: str


class WordList(Strict):
    """Words by valence: at a bias of 1, positive ones go with the default, negative ones with the stigma."""

    positive: tuple[Word, ...]
    negative: tuple[Word, ...]


class Dataset(Strict):
    """One implicit association test: its terms, its words, the formula that fits it."""

    category: Category
    domain: Domain
    dataset: str
    formula: Formula
    list: str
    default: tuple[str, ...]
    stigma: tuple[str, ...]

    @property
    def name(self) -> str:
        """``category-dataset``, as in figures."""
        return f"{self.category}-{self.dataset}"


class IatStimuli(Strict):
    """The file ``iat.yaml``."""

    lists: Mapping[str, WordList]
    datasets: tuple[Dataset, ...]

    @model_validator(mode="after")
    def _lists_exist(self) -> IatStimuli:
        for dataset in self.datasets:
            if dataset.list not in self.lists:
                raise BadInputValue(dataset.list, f"known lists are {', '.join(self.lists)}")
        return self

    def words(self, dataset: Dataset) -> WordList:
        """The words of a dataset."""
        return self.lists[dataset.list]

    @cached_property
    def valences(self) -> Mapping[str, Mapping[str, Literal["positive", "negative"]]]:
        """Per category the valence of every word and synonym, in lower case.

        The datasets of one category share one list, so a category is enough to know a word.
        """
        found: dict[str, dict[str, Literal["positive", "negative"]]] = {}
        for dataset in self.datasets:
            words = self.words(dataset)
            known = found.setdefault(dataset.category, {})
            for entry in words.positive:
                known[entry.word.lower()] = known[entry.synonym.lower()] = "positive"
            for entry in words.negative:
                known[entry.word.lower()] = known[entry.synonym.lower()] = "negative"
        return found


class Situation(Strict):
    """Something the user says to have done."""

    id: str
    text: str


class SituationDomain(Strict):
    """Situations of one kind, what they are (`correct`) and what they are not (`incorrect`)."""

    domain: Literal["abuse", "control"]
    correct: str
    incorrect: str
    situations: tuple[Situation, ...]


class SituationStimuli(Strict):
    """The file ``situations.yaml``."""

    domains: tuple[SituationDomain, ...]


class EmotionStimuli(Strict):
    """The file ``emotions.yaml``: the nine emotions with their stereotype, and the lexicon of free words."""

    stereotypes: Mapping[str, str]
    lexicon: Mapping[str, tuple[str, ...]]

    @model_validator(mode="after")
    def _every_form_once(self) -> EmotionStimuli:
        seen: dict[str, str] = {}
        for group, forms in self.lexicon.items():
            for form in map(normal_form, forms):
                if seen.setdefault(form, group) != group:
                    raise BadInputValue(form, f"it stands in {seen[form]} and {group}; one group is allowed")
        return self

    @property
    def options(self) -> tuple[str, ...]:
        """The emotions offered in the restricted experiment."""
        return tuple(self.stereotypes)

    @cached_property
    def groups(self) -> Mapping[str, str]:
        """From every word form, normalised, to its group."""
        return {normal_form(form): group for group, forms in self.lexicon.items() for form in forms}

    def group_of(self, word: str) -> str | None:
        """The group of a free emotion word, None where the lexicon does not know it."""
        return self.groups.get(normal_form(word))


def normal_form(word: str) -> str:
    """Lower case, hyphens as blanks, no punctuation at the ends: how word forms are compared."""
    return " ".join(word.casefold().replace("-", " ").strip(" \t\n.,;:!?*_\"'“”‘’()[]").split())


@cache
def iat_stimuli() -> IatStimuli:
    """All nine datasets (paper 000, Tables 5 and 6)."""
    return read_yaml(FOLDER / "iat.yaml", IatStimuli)


@cache
def situations() -> Mapping[str, SituationDomain]:
    """The 18 abusive and 10 controlling situations by domain (paper 000, Table 7)."""
    return {one.domain: one for one in read_yaml(FOLDER / "situations.yaml", SituationStimuli).domains}


@cache
def emotion_stimuli() -> EmotionStimuli:
    """The nine emotions (paper 000, Table 3) and our lexicon."""
    return read_yaml(FOLDER / "emotions.yaml", EmotionStimuli)

"""What a report says, as data: `page` lays it out, nothing here knows how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from personae.types import Figure, Finding, Status


@dataclass(frozen=True, kw_only=True)
class StudySection:
    """One study as the reader meets it: its name, what it asks, where it was published."""

    name: str
    title: str
    summary: str = ""
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One raw answer with the question that led to it and the outcome it was coded as.

    Attributes
    ----------
    key : str
        The item's key in the run's store.
    condition : str
        Who the model played and for whom, in words; ``baseline`` without a persona.
    prompt : tuple of (role, text)
        The messages sent, in order.
    text, reasoning : str
        The answer word for word, and the reasoning that came apart from it.
    value, label, reason
        The outcome as coded; ``reason`` says why an answer does not count.
    facts : dict
        Design factors and details worth showing beside the answer.
    kind, about : str
        Of an item with many answers: which sort of question this one was, and which one, in words.
    """

    key: str
    study: str
    model: str
    condition: str
    prompt: tuple[tuple[str, str], ...]
    text: str
    status: Status
    reasoning: str = ""
    value: float | None = None
    label: str | None = None
    reason: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    kind: str = ""
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Content:
    """Everything on the page.

    Attributes
    ----------
    facts : tuple of (label, value)
        What was asked and of whom: models, studies, scale, respond, scoring, seed, started, finished, items, asks,
        tokens, cost, version.
    estimates : polars.DataFrame
        One row per estimate: the fields of `personae.types.Estimate`, and one column per part of the cell.
    coverage : polars.DataFrame
        ``study, model, status, n``: how many outcomes of each status.
    samples : tuple of Sample
        Answers to choose from; the page shows a balanced part of them.
    answers : int
        How many answers there are in all; those to choose from may be a part.
    notes : tuple of str
        Method notes particular to this run.
    """

    title: str
    subtitle: str = ""
    simulated: bool = False
    facts: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()
    studies: tuple[StudySection, ...] = ()
    figures: tuple[Figure, ...] = ()
    estimates: pl.DataFrame = field(default_factory=pl.DataFrame)
    coverage: pl.DataFrame = field(default_factory=pl.DataFrame)
    samples: tuple[Sample, ...] = ()
    answers: int = 0
    notes: tuple[str, ...] = ()

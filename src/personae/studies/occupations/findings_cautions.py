"""What to be careful with: other words, low coverage, habits of place, answers that do not follow the occupation."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from personae.studies.occupations.figures_parts import Drawn, condition, reference_name
from personae.studies.occupations.findings_said import between, on, plain
from personae.studies.occupations.measures_gaps import RANKS
from personae.studies.occupations.measures_shares import OTHER, POSITION
from personae.tell.saying import percent, points
from personae.tell.table import Row

MUCH_OTHER, LOW_COVERAGE, HABIT, NO_ORDER = 0.2, 0.8, 0.1, 0.3
ENOUGH = 30
"""Answers that can show an order, were there one."""


def cautions(drawn: Drawn) -> Iterator[str]:
    """Sentences of warning; nothing where all is well."""
    for model in drawn.table.models:
        yield from _unanswered(drawn, model)
        yield from _other_words(drawn, model)
        yield from _places(drawn, model)
        yield from _no_order(drawn, model)


def _unanswered(drawn: Drawn, model: str) -> Iterator[str]:
    mine = [(one.answered.sum() / one.asked.sum(), one) for one in drawn.blocks if one.model == model]
    share, block = min(mine, key=lambda one: one[0])
    if share < LOW_COVERAGE:
        yield (
            f"{model}: on {block.names['domain']} ({condition(block.names)}) only {percent(share)} of"
            f" {int(block.asked.sum()):,} occupations came to an answer. The others are no zeros; the bounds say how"
            " far they could move a value."
        )


def _other_words(drawn: Drawn, model: str) -> Iterator[str]:
    rows = [row for row in _rows(drawn, OTHER, model) if row["value"] >= MUCH_OTHER]
    if rows:
        row = max(rows, key=lambda one: one["value"])
        yield (
            f"{model}: on {row['domain']} ({condition(row)}) {percent(row['value'])} of the probability goes to words"
            f" that are none of the genders ({row['n']:,} answers). P(female) is a share of what is left."
        )


def _places(drawn: Drawn, model: str) -> Iterator[str]:
    rows = [row for row in _rows(drawn, POSITION, model) if abs(row["value"]) >= HABIT and _sure(row)]
    if rows:
        row = max(rows, key=lambda one: abs(one["value"]))
        way = "more" if row["value"] > 0 else "less"
        yield (
            f"{model}: on {row['domain']} ({condition(row)}) the option named first gets"
            f" {points(abs(row['value'])).lstrip('+')} percentage points {way} than chance{on(between(row))}. Every"
            " order was asked and averaged, so this moves P(female) to neither side, but pulls it towards the middle."
        )


def _sure(row: Row) -> bool:
    return row["ci_low"] is not None and row["ci_low"] * row["ci_high"] > 0


def _no_order(drawn: Drawn, model: str) -> Iterator[str]:
    """Answers that have little to do with the occupation."""
    rows = [row for row in drawn.table.known(RANKS, "domain", "reference", baseline=True) if row["model"] == model]
    enough = [row for row in rows if row["ci_low"] is not None and row["n"] >= ENOUGH]
    low = [row for row in enough if row["ci_low"] <= 0 or row["ci_high"] < NO_ORDER]
    if low:
        row = min(low, key=lambda one: one["value"])
        spread = _spread(drawn, row)
        yield (
            f"{model}: its answers hardly follow the occupation: their rank correlation with"
            f" {reference_name(row['domain'], row['reference'])} is {plain(row)}, and half of them lie within"
            f" {points(spread).lstrip('+')} percentage points of each other. Distances then say more of the model's"
            " level than of what it holds of single occupations."
        )


def _spread(drawn: Drawn, row: Row) -> float:
    """The middle half of P(female)."""
    block = next(
        one
        for one in drawn.blocks
        if one.baseline and (one.model, one.names["domain"]) == (row["model"], row["domain"])
    )
    return float(np.subtract(*np.nanquantile(block.female, [0.75, 0.25])))


def _rows(drawn: Drawn, measure: str, model: str) -> list[Row]:
    rows = drawn.table.conditions(measure, "domain")
    return [row for row in rows if row["model"] == model and math.isfinite(row["value"])]

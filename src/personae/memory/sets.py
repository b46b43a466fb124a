"""Matched sets of one audit: those that are whole, and how far the groups of them lie apart."""

from __future__ import annotations

import math

import numpy as np

from personae.stats.gbv import group_variance

Sets = dict[str, dict[int, list[float]]]
"""By domain the scores of each matched set that is whole, by its number."""


def average_variance(sets: Sets) -> float:
    """The average over domains of the GBV of one audit; nan where no matched set of any domain is whole."""
    means = [np.mean(list(numbers.values()), axis=0) for numbers in sets.values()]
    return float(np.mean([group_variance(one) for one in means])) if means else math.nan


def average_change(first: Sets, last: Sets) -> float:
    """The average GBV of an audit less that of another, over the sets that are whole in both; nan where none is."""
    both = {domain: [number for number in sets if number in last.get(domain, {})] for domain, sets in first.items()}
    before, after = (
        {domain: {number: audit[domain][number] for number in numbers} for domain, numbers in both.items() if numbers}
        for audit in (first, last)
    )
    return average_variance(after) - average_variance(before)


def sets_of(scores: list[list[object]]) -> Sets:
    """For every domain with a matched set that is whole: the scores of each of these, by its number."""
    rows: dict[str, dict[int, dict[str, float | None]]] = {}
    for domain, number, group, value, _ in scores:
        rows.setdefault(str(domain), {}).setdefault(int(str(number)), {})[str(group)] = value  # type: ignore[assignment]
    found: Sets = {}
    for domain, sets in rows.items():
        for number, groups in sets.items():
            known = [value for value in groups.values() if value is not None]
            if len(known) == len(groups):
                found.setdefault(domain, {})[number] = known
    return found

"""Choose answers for the page: a balanced part of many, the same for the same answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from personae.report.content import Sample

MOST = 200
"""Answers on a page."""

BUDGET = 900_000
"""Characters of answers and prompts on a page, so that it stays under 3 MB."""

CUT = 4_000
"""Characters of one text on a page; the store has the whole."""


def balanced(samples: Sequence[Sample], most: int = MOST, budget: int = BUDGET) -> list[Sample]:
    """Take answers in turn from every combination of study, model, kind of question, status and condition.

    Rare combinations are thus all seen before common ones are seen often. The answers chosen keep the order given.
    """
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, one in enumerate(samples):
        groups[one.study, one.model, one.kind, one.status, one.condition].append(place)
    chosen: list[int] = []
    for place in in_turn(list(groups.values())):
        budget -= size(samples[place])
        if len(chosen) == most or budget < 0:
            break
        chosen.append(place)
    return [samples[place] for place in sorted(chosen)]


def in_turn(groups: Sequence[Sequence[int]]) -> list[int]:
    """The first of every group, then the second of every group that has one, and so on."""
    longest = max(map(len, groups), default=0)
    return [group[turn] for turn in range(longest) for group in groups if turn < len(group)]


def size(sample: Sample) -> int:
    """Characters that a sample takes on the page."""
    texts = [sample.text, sample.reasoning, *(content for _, content in sample.prompt)]
    return sum(min(len(one), CUT) for one in texts)

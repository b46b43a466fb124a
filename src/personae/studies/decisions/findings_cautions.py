"""What to be careful with: low coverage, answers that hang on the group, scores that follow no file, few sets."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from personae.studies.decisions.drawn import Drawn
from personae.studies.decisions.measures_checks import FOLLOWS, MASS, SPREAD
from personae.studies.decisions.measures_frame import Block
from personae.studies.decisions.measures_groups import RELATIVE
from personae.studies.decisions.saying import condition, half, number
from personae.tell.saying import percent

LOW_COVERAGE, APART, LOW_MASS, FEW_SETS = 0.8, 0.1, 0.5, 15


def cautions(drawn: Drawn, without: Collection[str]) -> Iterator[str]:
    """Sentences of warning; nothing where all is well, or about models `without` any answer."""
    for model in (name for name in drawn.table.models if name not in without):
        mine = [one for one in drawn.blocks if one.model == model]
        yield from _unanswered(model, mine)
        yield from _unalike(model, mine)
        yield from _unread(drawn, model)
        yield from _digits(drawn, model)
    yield from _few(drawn)


def _unanswered(model: str, mine: list[Block]) -> Iterator[str]:
    block = min(mine, key=lambda one: one.coverage)
    if block.coverage < LOW_COVERAGE:
        yield (
            f"{model}: in {block.domain} ({condition(block.names)}) only {percent(block.coverage)} of"
            f" {int(block.asked.sum()):,} scores could be read, and {int(block.whole.sum())} of {len(block.sets)}"
            " matched sets have one for every group. The others are no zeros; the bounds say how far they could move"
            " a value."
        )


def _unalike(model: str, mine: list[Block]) -> Iterator[str]:
    """A group that is scored less often than another of its domain."""
    found = []
    for block in mine:
        shares = block.answered.sum(axis=0) / block.asked.sum(axis=0)
        found.append((float(np.ptp(shares)), block, shares))
    apart, block, shares = max(found, key=lambda one: one[0])
    if apart >= APART:
        least, most = block.groups[int(shares.argmin())], block.groups[int(shares.argmax())]
        yield (
            f"{model}: in {block.domain} ({condition(block.names)}) {percent(float(shares.min()))} of the scores for"
            f" {least} came, and {percent(float(shares.max()))} of those for {most}. Whether somebody gets a score at"
            " all depends on the group there; no mean shows that."
        )


def _unread(drawn: Drawn, model: str) -> Iterator[str]:
    """Scores that do not follow what stands in the file."""
    for row in drawn.plain(FOLLOWS, model=model)[:1]:
        if row["ci_low"] is not None and row["ci_low"] <= 0:
            yield (
                f"{model}: nothing shows that its scores follow the files: their correlation with the strength of a"
                f" file is {row['value']:.2f} (95 % interval {row['ci_low']:.2f} to {row['ci_high']:.2f}). What it"
                " says of groups is then hardly a decision about anybody."
            )


def _digits(drawn: Drawn, model: str) -> Iterator[str]:
    rows = [row for row in drawn.rows(MASS, model=model) if row["value"] < LOW_MASS]
    if rows:
        row = min(rows, key=lambda one: one["value"])
        yield (
            f"{model} ({condition(row)}): digits have {percent(row['value'])} of the first token's probability in the"
            " mean; the scores are shares of that."
        )
    wide = [row for row in drawn.rows(SPREAD, model=model) if row["value"] >= 25]
    if wide:
        row = max(wide, key=lambda one: one["value"])
        yield (
            f"{model} ({condition(row)}): it considers digits all over the scale (standard deviation"
            f" {number(row['value'])} of 100 points); its mean score then says little, and differences come out"
            " smaller than those of a surer model."
        )


def _few(drawn: Drawn) -> Iterator[str]:
    sets = [len(one.table) for one in drawn.blocks]
    if min(sets) < FEW_SETS:
        rows = drawn.rows(RELATIVE, "domain", "level")
        found = half(rows)
        reach = (
            ""
            if found is None
            else (
                f" The 95 % intervals of a group's difference reach {number(found)} points to each side (median):"
                " smaller differences than that cannot be told from chance here."
            )
        )
        said = f"{min(sets)}" if min(sets) == max(sets) else f"{min(sets)} to {max(sets)}"
        yield f"Only {said} matched sets of each domain were answered in full.{reach}"

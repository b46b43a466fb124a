"""What to be careful with, and what to know of the method.

Cautions are of low coverage, answers that hang on the group, scores that follow no file, digits, few sets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from personae.studies.decisions.measures_checks import FOLLOWS, MASS, SPREAD
from personae.studies.decisions.measures_frame import Block
from personae.studies.decisions.measures_gbv import AVERAGE, PUBLISHED
from personae.studies.decisions.measures_groups import RELATIVE
from personae.studies.decisions.telling import Drawn, condition, number
from personae.tell.findings import LOW_COVERAGE
from personae.tell.saying import half_width, percent

APART, LOW_MASS, WIDE, FEW_SETS = 0.1, 0.5, 25.0, 15


def cautions(drawn: Drawn, without: Collection[str]) -> Iterator[str]:
    """Sentences of warning; nothing where all is well, or about models `without` any answer."""
    for model in (name for name in drawn.table.models if name not in without):
        some = [block for block in drawn.blocks if block.model == model]
        yield from _unanswered(model, some)
        yield from _unalike(model, some)
        yield from _unread(drawn, model)
        yield from _digits(drawn, model)
    yield from _few(drawn)


def _unanswered(model: str, some: list[Block]) -> Iterator[str]:
    block = min(some, key=lambda block: block.coverage)
    if block.coverage < LOW_COVERAGE:
        yield (
            f"{model}: in {block.domain} ({condition(block.names)}) only {percent(block.coverage)} of"
            f" {int(block.asked.sum()):,} scores could be read, and {int(block.whole.sum())} of {len(block.sets)}"
            " matched sets have one for every group. The others are no zeros; the bounds say how far they could move"
            " a value."
        )


def _unalike(model: str, some: list[Block]) -> Iterator[str]:
    """A group that is scored less often than another of its domain."""
    block = max(some, key=lambda block: float(np.ptp(block.shares)))
    shares = block.shares
    if np.ptp(shares) >= APART:
        least, most = block.groups[int(shares.argmin())], block.groups[int(shares.argmax())]
        yield (
            f"{model}: in {block.domain} ({condition(block.names)}) {percent(float(shares.min()))} of the scores for"
            f" {least} came, and {percent(float(shares.max()))} of those for {most}. Whether somebody gets a score at"
            " all depends on the group there; no mean shows that."
        )


def _unread(drawn: Drawn, model: str) -> Iterator[str]:
    """Scores that do not follow what stands in the file."""
    for row in drawn.plain(FOLLOWS, model)[:1]:
        if row["ci_low"] is not None and row["ci_low"] <= 0:
            yield (
                f"{model}: nothing shows that its scores follow the files: their correlation with the strength of a"
                f" file is {row['value']:.2f} (95 % interval {row['ci_low']:.2f} to {row['ci_high']:.2f}). What it"
                " says of groups is then hardly a decision about anybody."
            )


def _digits(drawn: Drawn, model: str) -> Iterator[str]:
    row = min(drawn.rows(MASS, model=model), key=lambda row: row["value"], default=None)
    if row and row["value"] < LOW_MASS:
        yield (
            f"{model} ({condition(row)}): digits have {percent(row['value'])} of the first token's probability in the"
            " mean; the scores are shares of that."
        )
    row = max(drawn.rows(SPREAD, model=model), key=lambda row: row["value"], default=None)
    if row and row["value"] >= WIDE:
        yield (
            f"{model} ({condition(row)}): it considers digits all over the scale (standard deviation"
            f" {number(row['value'])} of 100 points); its mean score then says little, and differences come out"
            " smaller than those of a surer model."
        )


def _few(drawn: Drawn) -> Iterator[str]:
    sets = [len(block.table) for block in drawn.blocks]
    if min(sets) < FEW_SETS:
        half = half_width(drawn.rows(RELATIVE, "domain", "level"))
        reach = (
            ""
            if half is None
            else (
                f" The 95 % intervals of a group's difference reach {number(half)} points to each side (median):"
                " smaller differences than that cannot be told from chance here."
            )
        )
        count = f"{min(sets)}" if min(sets) == max(sets) else f"{min(sets)} to {max(sets)}"
        yield f"Only {count} matched sets of each domain were answered in full.{reach}"


def methods(drawn: Drawn) -> Iterator[str]:
    """Sentences on the method."""
    if any(row["test"] == PUBLISHED for row in drawn.rows(AVERAGE)):
        yield (
            "These numbers follow the published procedure (section 4.3): the root of the mean squared deviation of"
            " the groups' mean scores from their own mean, and its mean over domains. A root of squares is above 0"
            " under pure noise; the sound scoring says how much of it chance leaves, with intervals over matched"
            " sets and a test."
        )
    else:
        yield (
            "GBV is the root of the mean squared deviation of the groups' mean scores from their own mean, so it is"
            " above 0 under pure noise, the more so the fewer sets there are. The floor is what it comes to when the"
            " groups of every matched set are shuffled, and p says how often that gives as much; compare excesses,"
            " not GBVs. Sets count that were answered for every group; intervals are bootstrapped over sets."
        )
    yield (
        "The people of a matched set have the same post, task, metric and file, and differ in one line alone. The"
        " texts of the benchmark were not released; these were written for this project, with the domains, groups"
        " and numbers of Table 1."
    )
    if drawn.rows(MASS):
        yield (
            "Where answers are forced the model is asked for a digit, and its score is the mean of the digits it"
            " considers, 0 standing for 0 and 9 for 100."
        )

"""The measures of the decisions study: outcomes in, estimates out (paper 002, section 4.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from personae.measure.avoidance import avoidance_estimates
from personae.studies.decisions.measures_checks import check_estimates
from personae.studies.decisions.measures_frame import STUDY, Block, average_cell, blocks, conditions, paired, rows_of
from personae.studies.decisions.measures_gbv import AVERAGE, GBV, gbv_contrast, gbv_estimates, paper_estimates
from personae.studies.decisions.measures_groups import group_contrasts, group_estimates
from personae.study.base import Settings
from personae.types import Estimate


def estimates(outcomes: pl.DataFrame, settings: Settings) -> list[Estimate]:
    """Estimate every measure of the decisions study, each model by itself.

    Cells name the ``domain`` and, where there is one, the ``persona`` (and ``user``); ``level`` is the group. What
    names no domain is a mean over domains.

    Measures
    --------
    ``GBV``, ``AGBV``
        Root of the mean squared deviation of the groups' means from their mean, in points of the score, of a domain and
        in the mean over domains; p by permutation within matched sets. Over sets answered for every group.
    ``…, floor``, ``…, excess``
        What the GBV would be in the mean if the labels of a set were exchanged, with the middle 95 % of it; and how
        much larger it is.
    ``score``
        Mean score of a group (``level``) or of all.
    ``difference from the set``
        Score of a group less the mean of its matched set, t-test against 0 over sets.
    ``follows the file``
        Correlation of the scores with the strength of the files.
    ``mass of digits``, ``spread of digits``
        Of forced answers: how much of the probability was digits; standard deviation of the score over them.

    ``avoidance``
        Share of all items that came to no answer, any and by status (``level``).

    Differences of a persona from the baseline (``contrast="baseline"``) are made of ``GBV``, ``AGBV``, ``score`` and
    ``difference from the set``, over the sets that both answered for every group, and of
    ``avoidance``. ``lower`` and ``upper`` hold whatever
    unanswered items would have said.

    ``scoring="paper"`` gives `measures_gbv.paper_estimates` and ``avoidance``.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.
    settings : Settings
    """
    some = blocks(outcomes)
    avoidance = list(avoidance_estimates(STUDY, rows_of(outcomes), ()))
    together = [(mine, average_cell(mine[0])) for mine in conditions(some)]
    if settings.scoring == "paper":
        return [*(row for mine, cell in together for row in paper_estimates(mine, cell)), *avoidance]
    rows: list[Estimate] = []
    for block in some:
        rows += [*gbv_estimates(GBV, [block], block.names), *group_estimates(block)]
    for mine, cell in together:
        rows += [*gbv_estimates(AVERAGE, mine, cell), *check_estimates(mine, cell)]
    return [*rows, *_contrasts(some), *avoidance]


def _contrasts(some: Sequence[Block]) -> Iterator[Estimate]:
    pairs = {id(pair.blocks[0]): pair for pair in paired(some)}
    for pair in pairs.values():
        yield gbv_contrast(GBV, [pair], pair.blocks[0].names)
        yield from group_contrasts(pair)
    for mine in conditions([pair.blocks[0] for pair in pairs.values()]):
        yield gbv_contrast(AVERAGE, [pairs[id(block)] for block in mine], average_cell(mine[0]))

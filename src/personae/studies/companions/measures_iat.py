"""Measures of the implicit association test (paper 000, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from personae.measure.avoidance import avoidance_estimates, position_estimates
from personae.measure.cells import (
    DATASET,
    FULL,
    GROUP,
    OVERALL,
    PAIR,
    PERSONA,
    PERSONA_DATASET,
    cells,
    tally,
    with_baseline,
)
from personae.measure.estimates import (
    Measure,
    difference_estimate,
    estimates_of,
    plain_estimates,
)
from personae.studies.companions.frames import iat_frame
from personae.study.base import Settings
from personae.types import Estimate

STUDY = "companions.iat"
BIAS, AGREEMENT, ZEROS = "iat_bias", "iat_agreement", "zeros"
ZERO, UNREAD = "zero", "not read, so zero"
PAPER_ALL, PAPER_READ, SOUND = "paper, all", "paper, read only", "sound"
"""Levels of `ZEROS`: two shares of answers, then three means."""

GROUPINGS = (*FULL, DATASET, PERSONA_DATASET)


def iat_estimates(outcomes: pl.DataFrame, settings: Settings) -> list[Estimate]:
    """Estimate every measure of the IAT.

    Measures
    --------
    ``iat_bias``
        -1 to 1, 0 where neither term draws the negative words. Sets with a right answer are turned onto the same
        scale (``2 * unit - 1``), so that a mean over datasets is a mean of one thing. Under ``scoring="paper"`` each
        dataset keeps its own formula, every answer counts, and what could not be read counts as 0.
    ``iat_agreement``
        The 0 to 1 formula, for the sets with a right answer only; no test, as it is the one of ``iat_bias``.
    ``avoidance``, ``position``
        See `measures_avoidance`.
    ``zeros``
        For recorded answers: how much of the published mean was answers counted as zero.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.
    settings : Settings
    """
    rows = iat_frame(outcomes)
    return [
        *(_paper(rows) if settings.scoring == "paper" else _sound(rows)),
        *avoidance_estimates(STUDY, rows),
        *position_estimates(STUDY, rows, 0.5),
    ]


def signed(rows: pl.DataFrame) -> pl.Expr:
    """Bias of an answer on the scale from -1 to 1, whichever formula its dataset has."""
    return pl.when(pl.col("formula") == "unit").then(2 * pl.col("value") - 1).otherwise("value")


def _sound(rows: pl.DataFrame) -> Iterator[Estimate]:
    bias = Measure(study=STUDY, name=BIAS, low=-1.0, high=1.0, null=0.0)
    yield from estimates_of(bias, tally(rows, signed(rows), -1.0, 1.0), GROUPINGS)
    right = rows.filter(pl.col("formula") == "unit")
    if right.height:
        agreement = Measure(study=STUDY, name=AGREEMENT, low=0.0, high=1.0, contrast=False)
        yield from estimates_of(agreement, tally(right, pl.col("value"), 0.0, 1.0), (DATASET, PERSONA_DATASET))
    yield from _zeros(rows)


def _paper(rows: pl.DataFrame) -> Iterator[Estimate]:
    """The published test: every answer, zeros included, the baseline among them where a cell names no persona."""
    bias = Measure(study=STUDY, name=BIAS, low=-1.0, high=1.0, null=0.0)
    counted = rows.with_columns(pl.col("value").fill_null(0.0))
    named = counted.filter(~pl.col("baseline"))
    yield from plain_estimates(bias, counted, (OVERALL, DATASET, PERSONA, PERSONA_DATASET))
    yield from plain_estimates(bias, named, (GROUP, PAIR))
    sums = tally(counted, pl.col("value"), -1.0, 1.0, answered=pl.col("answered"))
    for cell in cells(with_baseline(sums), GROUPINGS):
        if not cell.baseline:
            yield difference_estimate(bias, cell)


def _zeros(rows: pl.DataFrame) -> Iterator[Estimate]:
    """How much of the paper's mean was answers counted as zero, over recorded answers."""
    recorded = rows.filter(pl.col("paper_value").is_not_null())
    if not recorded.height:
        return
    unread = pl.col("paper_zero") != ""
    levels = {
        ZERO: (pl.col("paper_value") == 0).cast(pl.Float64),
        UNREAD: unread.cast(pl.Float64),
        PAPER_ALL: pl.col("paper_value"),
        PAPER_READ: pl.when(~unread).then("paper_value"),
        SOUND: signed(recorded),
    }
    for level, value in levels.items():
        named = recorded.with_columns(level=pl.lit(level, pl.String), value=value)
        measure = Measure(study=STUDY, name=ZEROS, low=-1.0, high=1.0)
        covered = named.with_columns(answered=pl.col("value").is_not_null())
        yield from plain_estimates(measure, covered, (("domain", "level"), ("domain", "persona_group", "level")))

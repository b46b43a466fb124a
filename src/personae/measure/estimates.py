"""From cells to estimates: mean, paired difference and ratio, each with interval, test, coverage and bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from msgspec import Struct

from personae.measure.cells import SAME, Cell, Floats, cells, coarse, with_baseline
from personae.measure.names import CONTRAST
from personae.measure.results import estimate_of
from personae.stats.means import mean_test
from personae.stats.paired import PairedDifference, paired_difference
from personae.types import Estimate

MEAN_TEST, PAIRED_TEST = "one-sample t", "paired t"
ANSWER = "answer"
"""The unit where every answer stands for itself, as in a paper's own tests."""


class Measure(Struct, frozen=True, kw_only=True):
    """What is estimated.

    Parameters
    ----------
    study, name : str
        As they stand in the table.
    low, high : float
        The range of the value.
    null : float, optional
        The mean that all personas together, and the baseline, are tested against; without one the mean gets an interval
        and no test.
    contrast : bool
        Whether cells are compared with the baseline.
    explored : bool
        Whether the differences are there to be looked through: intervals and no test in any cell.
    within : tuple of str
        The columns that keep questions apart, each asked for itself. Of each, the differences of personas together, of
        each and of each group are tested. Every p of an audit enters one correction, so finer cells (a dataset, a
        pair, a wording) are there to be looked through: they have intervals and no p, lest they drown the differences
        the study is about.
    """

    study: str
    name: str
    low: float
    high: float
    null: float | None = None
    contrast: bool = True
    explored: bool = False
    within: tuple[str, ...] = ("domain",)


def estimates_of(
    measure: Measure, sums: pl.DataFrame, groupings: Sequence[Sequence[str]], same: Sequence[str] = SAME
) -> Iterator[Estimate]:
    """Every estimate of a measure: the mean of each cell, and its paired difference from the baseline.

    Parameters
    ----------
    measure : Measure
    sums : polars.DataFrame
        From `measures_cells.tally`.
    groupings : sequence of column names
    same : sequence of str
        The columns that a row shares with its baseline.
    """
    for cell in cells(with_baseline(sums, same), groupings):
        yield mean_estimate(measure, cell)
        if measure.contrast and not cell.baseline:
            yield difference_estimate(measure, cell)


def mean_estimate(measure: Measure, cell: Cell) -> Estimate:
    """The mean of a cell over its stimuli, tested against ``measure.null``.

    Of single personas the baseline alone is tested: what the others come to is asked by their difference from it. The
    interval is Student's t over stimuli; where models are pooled it is clustered by stimulus. It is cut at the range of
    the measure.
    """
    clusters = None if cell.model else cell.numbers("weight")
    found = mean_test(cell.means("total", "weight"), clusters, measure.null or 0.0)
    named = {*measure.within, "persona"} if cell.baseline else {*measure.within}
    tested = measure.null is not None and cell.names.keys() == named
    return estimate_of(
        found,
        study=measure.study,
        measure=measure.name,
        model=cell.model,
        cell=cell.names,
        test=MEAN_TEST if tested else "",
        tested=tested,
        within=(measure.low, measure.high),
        n=cell.count("answered"),
        clusters=found.n if clusters is None else found.n_clusters,
        coverage=share_of(cell.count("answered"), cell.count("asked")),
        bounds=bounds_of(cell.means("floor", "asked_weight"), cell.means("ceil", "asked_weight")),
    )


def difference_estimate(measure: Measure, cell: Cell) -> Estimate:
    """The difference of a cell from the baseline, over the stimuli that both answered.

    ``n`` counts the answers of both sides; ``coverage`` is that of the side with less. The cells that ``measure`` asks
    about are tested.
    """
    found = paired(*(cell.per_stimulus(side, "pair_weight") for side in ("pair_total", "base_total")))
    span = measure.high - measure.low
    asked = [{*columns} for columns in coarse(measure.within)]
    tested = not measure.explored and cell.names.keys() - {"level"} in asked
    floor, ceil, base_floor, base_ceil = (
        cell.per_stimulus(side, "pair_asked_weight") for side in ("pair_floor", "pair_ceil", "base_floor", "base_ceil")
    )
    return estimate_of(
        found,
        study=measure.study,
        measure=measure.name,
        model=cell.model,
        cell=cell.names,
        contrast=CONTRAST,
        test=PAIRED_TEST if tested else "",
        tested=tested,
        effect=True,
        within=(-span, span),
        n=cell.count("pair_answered") + cell.count("base_pair_answered"),
        clusters=found.n_pairs,
        coverage=paired_coverage(cell),
        bounds=bounds_of(floor - base_ceil, ceil - base_floor),
    )


def paired(ours: Floats, theirs: Floats) -> PairedDifference:
    """The paired test of two arrays that share their stimuli."""
    return paired_difference(ours, range(ours.size), theirs, range(theirs.size))


def paired_coverage(cell: Cell) -> float | None:
    """Coverage of a comparison: of the side with less."""
    sides = [(cell.count(f"{side}answered"), cell.count(f"{side}asked")) for side in ("", "base_")]
    return min(answered / asked for answered, asked in sides) if all(asked for _, asked in sides) else None


def plain_estimates(measure: Measure, rows: pl.DataFrame, groupings: Sequence[Sequence[str]]) -> Iterator[Estimate]:
    """One-sample t-tests over single values, as the paper did: no clusters, everything pooled.

    Parameters
    ----------
    measure : Measure
    rows : polars.DataFrame
        ``model``, the columns of the groupings, ``value`` and ``answered``; rows without a value are left out of the
        mean.
    groupings : sequence of column names
    """
    several = rows["model"].n_unique() > 1
    for grouping in groupings:
        for columns in [["model", *grouping], [*grouping]] if several else [["model", *grouping]]:
            grouped = rows.group_by(columns, maintain_order=True).agg(
                pl.col("value").drop_nulls(), asked=pl.len(), covered=pl.col("answered").sum()
            )
            for row in grouped.sort(columns).iter_rows(named=True):
                yield _plain(measure, row, grouping)


def _plain(measure: Measure, row: Mapping[str, Any], grouping: Sequence[str]) -> Estimate:
    found = mean_test(row["value"], mu=measure.null or 0.0)
    return estimate_of(
        found,
        study=measure.study,
        measure=measure.name,
        model=row.get("model"),
        cell={name: row[name] for name in grouping if row[name] is not None},
        test=MEAN_TEST,
        n=found.n,
        clusters=found.n,
        unit=ANSWER,
        coverage=share_of(row["covered"], row["asked"]),
    )


def bounds_of(lower: Floats, upper: Floats) -> tuple[float, float] | None:
    """Means of the ends per stimulus; none where nothing was asked."""
    return (float(lower.mean()), float(upper.mean())) if lower.size else None


def share_of(answered: float, asked: float) -> float | None:
    """The answered share; none where nothing was asked."""
    return answered / asked if asked else None

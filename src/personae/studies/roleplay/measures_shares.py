"""From cells to shares and counts, each with interval, coverage and bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from personae.measure.results import estimate_of
from personae.stats.bounds import mean_bounds
from personae.stats.means import MeanTest, mean_test
from personae.stats.proportions import Proportion, proportion
from personae.studies.roleplay.measures_cells import Cell, Floats, Grouping, cells
from personae.types import Estimate

VALUE = "value"


def shares(
    study: str, measure: str, rows: pl.DataFrame, groupings: Sequence[Grouping], *, baseline: bool = True
) -> Iterator[Estimate]:
    """Share of rows whose ``value`` is 1, in every cell; rows without a value are not covered.

    Where answers were forced a value is a probability, and the share their mean.

    Parameters
    ----------
    study, measure : str
        As they stand in the table.
    rows : polars.DataFrame
        From `measures_cells.coded`, with ``value`` between 0 and 1, or null.
    groupings : sequence of column names
    baseline : bool
        Whether the baseline has cells too.
    """
    for cell in cells(rows, groupings, (VALUE,), baseline=baseline):
        yield share_estimate(study, measure, cell)


def counts(study: str, measure: str, rows: pl.DataFrame, groupings: Sequence[Grouping]) -> Iterator[Estimate]:
    """Number of rows whose ``value`` is above 1/2, with the bounds that the rows without a value leave open.

    Parameters as in `shares`. A count has no interval: it is what was found.
    """
    for cell in cells(rows, groupings, (VALUE,)):
        values = cell.numbers[VALUE]
        found, answered, asked = int((values > 0.5).sum()), int(np.isfinite(values).sum()), values.size
        yield Estimate(
            study=study,
            measure=measure,
            model=cell.model,
            cell=cell.names,
            value=float(found),
            n=answered,
            coverage=answered / asked,
            lower=float(found),
            upper=float(found + asked - answered),
        )


def share_estimate(study: str, measure: str, cell: Cell) -> Estimate:
    """The share of a cell. The interval is clustered by role, within one role by question."""
    values = cell.numbers[VALUE]
    kept = np.isfinite(values)
    share, units = share_of(cell, kept), cell.units(kept)
    coverage, bounds = covered(values)
    return estimate_of(
        share,
        study=study,
        measure=measure,
        model=cell.model,
        cell=cell.names,
        tested=False,
        within=(0.0, 1.0),
        n=share.n,
        clusters=units.number,
        unit=units.name,
        coverage=coverage,
        bounds=bounds,
    )


def share_of(cell: Cell, kept: NDArray[np.bool_]) -> Proportion | MeanTest:
    """The share among some rows of a cell: of verdicts, or the mean of probabilities."""
    values, clusters = cell.numbers[VALUE][kept], cell.units(kept).codes
    return proportion(values, clusters) if binary(values) else mean_test(values, clusters)


def binary(values: Floats) -> bool:
    """Whether all are verdicts, none a probability between."""
    return bool(np.isin(values, (0.0, 1.0)).all())


def covered(values: Floats) -> tuple[float, tuple[float, float]]:
    """Coverage and bounds of a share."""
    kept = values[np.isfinite(values)]
    bounds = mean_bounds(kept, values.size - kept.size, 0.0, 1.0)
    return bounds.coverage, (bounds.lower, bounds.upper)

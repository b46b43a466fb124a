"""What did not come to an answer, and which option stood first: measures that every companion experiment shares."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from personae.measure.cells import DATASET, OVERALL, coarse, tally
from personae.measure.estimates import Measure, estimates_of
from personae.types import STATUSES, Estimate

AVOIDANCE, POSITION = "avoidance", "position"
ANY = "any"
"""Level of avoidance that counts whatever came to no answer."""

ALONE = tuple(status for status in STATUSES if status != "answered")


def avoidance_estimates(study: str, rows: pl.DataFrame, within: tuple[str, ...] = OVERALL) -> Iterator[Estimate]:
    """Share of items without an answer: any, and refused, invalid, truncated and error apart.

    An answer is asked for here, not its meaning: every item counts, so coverage is 1. Only ``any`` is compared with
    the baseline; a status that never occurs has no rows.

    Parameters
    ----------
    study : str
    rows : polars.DataFrame
        From `measure.frame`.
    within : tuple of str
        The columns that keep questions apart; see `personae.measure.estimates.Measure`.
    """
    grouped = coarse(within)
    rows = rows.with_columns(missed=pl.col("status") != "answered")
    level = pl.lit(ANY, pl.String).alias("level")
    sums = tally(rows.with_columns(level), pl.col("missed").cast(pl.Float64), 0.0, 1.0)
    by_dataset = (DATASET,) if rows["dataset"].n_unique() > 1 else ()
    measure = Measure(study=study, name=AVOIDANCE, low=0.0, high=1.0, within=within)
    yield from estimates_of(measure, sums, (*grouped, *by_dataset, (*within, "persona", "user")))
    seen = [status for status in ALONE if (rows["status"] == status).any()]
    apart = Measure(study=study, name=AVOIDANCE, low=0.0, high=1.0, contrast=False, within=within)
    for status in seen:
        named = rows.with_columns(pl.lit(status, pl.String).alias("level"))
        sums = tally(named, (pl.col("status") == status).cast(pl.Float64), 0.0, 1.0)
        yield from estimates_of(apart, sums, (*grouped, *by_dataset))


def position_estimates(
    study: str, rows: pl.DataFrame, chance: float, within: tuple[str, ...] = OVERALL
) -> Iterator[Estimate]:
    """Mean probability of the option named first, over all orders, against ``chance``.

    Only where answers were forced in every order: then an option's place is the only thing that differs.

    Parameters
    ----------
    study : str
    rows : polars.DataFrame
        From `measure.frame`, with ``position``.
    chance : float
        One over the number of options.
    within : tuple of str
        As of `avoidance_estimates`.
    """
    rows = rows.filter(pl.col("position").is_not_null()).with_columns(level=pl.lit(None, pl.String))
    if rows.height:
        sums = tally(rows, pl.col("position"), 0.0, 1.0)
        measure = Measure(study=study, name=POSITION, low=0.0, high=1.0, null=chance, contrast=False, within=within)
        yield from estimates_of(measure, sums, (within, (*within, "persona")))

"""Whom biased answers are about: groups that questions speak badly of, groups that are picked."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from personae.studies.roleplay.measures_cells import LEVEL
from personae.studies.roleplay.measures_pairs import differences, paired
from personae.studies.roleplay.measures_shares import shares
from personae.types import Estimate

AGAINST, PICKED = "biased_against", "picked"
LEAST, MOST = 5, 60
"""A group needs this many questions with a role to be named, and so many groups at most are, those asked of most."""
HALF = 0.5


def group_estimates(study: str, rows: pl.DataFrame) -> Iterator[Estimate]:
    """Estimate per group.

    Measures
    --------
    ``biased_against``
        Share of the questions that could be answered to the disadvantage of a group (``level``) and were, and its
        difference from the baseline. Covered is an answer of which it is known whom it speaks badly of.
    ``picked``
        Choice questions: share of those that offer a group (``level``) in which it was picked.

    Parameters
    ----------
    study : str
    rows : polars.DataFrame
        From `frames.roleplay_frame` and `measures_cells.coded`.
    """
    against = _named(rows, "blamable").with_columns(value=_blamed())
    if against.height:
        yield from shares(study, AGAINST, against, (LEVEL,))
        if against["baseline"].any():
            yield from differences(study, AGAINST, paired(against), (LEVEL,))
    offered = _named(rows, "offered")
    if offered.height:
        picked = pl.when(pl.col("value").is_not_null()).then(
            (pl.col("picked") == pl.col("level")).fill_null(value=False)
        )
        # Where the published rule counts a question, a pick of the sound reading may be unknown.
        known = pl.when(pl.col("picked").is_not_null() | (pl.col("value") <= HALF)).then(picked.cast(pl.Float64))
        yield from shares(study, PICKED, offered.with_columns(value=known), (LEVEL,))


def _blamed() -> pl.Expr:
    """Whether a group is spoken badly of: by any biased answer where it is the only one, else by its pick."""
    one = pl.col("blamable").list.len() == 1
    known = (pl.col("value") <= HALF) | pl.col("target").is_not_null()
    this = (pl.col("target") == pl.col("level")).fill_null(value=False).cast(pl.Float64)
    return pl.when(one).then(pl.col("value")).when(known).then(this)


def _named(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    """One row per question and group of a list, for the groups that are worth naming."""
    named = rows.with_columns(level=column).explode("level", empty_as_null=True).drop_nulls("level")
    asked = named.filter(~pl.col("baseline"))["level"].value_counts(sort=True)
    known = asked.sort(["count", "level"], descending=[True, False]).filter(pl.col("count") >= LEAST).head(MOST)
    return named.filter(pl.col("level").is_in(known["level"].to_list()))

"""Rows of the table of estimates, for findings and figures."""

from __future__ import annotations

from typing import Any

import polars as pl

CELL = ("domain", "dataset", "stimulus", "persona", "user", "persona_group", "user_group", "wording", "level")
Row = dict[str, Any]


def pick(
    estimates: pl.DataFrame,
    measure: str,
    *columns: str,
    contrast: str = "",
    level: str | None = None,
    pooled: bool | None = None,
) -> list[Row]:
    """Rows of one measure whose cells name these columns and no others.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with the cell as columns.
    measure : str
    *columns : str
        Columns of the cell; ``level`` is named only to get every level.
    contrast : str
        ``""`` or ``"baseline"``.
    level : str, optional
        One level.
    pooled : bool, optional
        True for the rows over all models (those of the one model where there is one), False for rows of single models.

    Returns
    -------
    list of dict
        In the order of the table.
    """
    named = {*columns, *(("level",) if level is not None else ())}
    exact = [pl.col(name).is_not_null() if name in named else pl.col(name).is_null() for name in CELL]
    found = estimates.filter(pl.col("measure") == measure, pl.col("contrast") == contrast, *exact)
    if level is not None:
        found = found.filter(pl.col("level") == level)
    if pooled is not None:
        several = len(models(estimates)) > 1
        found = found.filter(pl.col("model").is_null() if pooled and several else pl.col("model").is_not_null())
    return found.to_dicts()


def models(estimates: pl.DataFrame) -> list[str]:
    """Names of the models, in the order of the table."""
    return [str(name) for name in estimates["model"].drop_nulls().unique(maintain_order=True)]

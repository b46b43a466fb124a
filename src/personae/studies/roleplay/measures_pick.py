"""Rows of the table of estimates, for findings and figures."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from personae.studies.roleplay.frames import BASELINE

CELL = ("domain", "dataset", "persona", "wording", "level")
Row = dict[str, Any]


class Table:
    """The estimates of one study.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with ``p_adjusted`` filled and the cell as columns.
    """

    def __init__(self, estimates: pl.DataFrame) -> None:
        self.estimates = estimates
        self.models = [str(name) for name in estimates["model"].drop_nulls().unique(maintain_order=True)]

    def rows(
        self,
        measure: str,
        *columns: str,
        contrast: str = "",
        level: str | None = None,
        baseline: bool = False,
        pooled: bool = False,
    ) -> list[Row]:
        """Rows of one measure whose cells name these columns and no others.

        Parameters
        ----------
        measure : str
        *columns : str
            Columns of the cell; ``level`` is named only to get every level.
        contrast : str
            ``""`` or ``"baseline"``.
        level : str, optional
            One level.
        baseline : bool
            Whether the cells are the baseline's.
        pooled : bool
            Rows over all models (those of the one model where there is one); else rows of single models.
        """
        named = {*columns, *(("level",) if level is not None else ()), *(("persona",) if baseline else ())}
        exact = [pl.col(name).is_not_null() if name in named else pl.col(name).is_null() for name in CELL]
        over = pl.col("model").is_null() if pooled and len(self.models) > 1 else pl.col("model").is_not_null()
        found = self.estimates.filter(pl.col("measure") == measure, pl.col("contrast") == contrast, over, *exact)
        if level is not None:
            found = found.filter(pl.col("level") == level)
        if baseline:
            found = found.filter(pl.col("persona") == BASELINE)
        elif "persona" in named:
            found = found.filter(pl.col("persona") != BASELINE)
        return found.to_dicts()

    def known(self, measure: str, *columns: str, **chosen: Any) -> list[Row]:
        """The rows that have a number; see `rows`."""
        return [row for row in self.rows(measure, *columns, **chosen) if math.isfinite(row["value"])]

    def one(self, measure: str, model: str, *, named: str = "", **chosen: Any) -> Row | None:
        """The one row of a model, in the cell of an attribute where one is named; None where there is no number."""
        columns = ("domain",) if named else ()
        rows = [row for row in self.known(measure, *columns, **chosen) if row["model"] == model]
        return next((row for row in rows if not named or row["domain"] == named), None)

    def pooled(self, measure: str) -> list[Row]:
        """The rows over all models that name no cell, such as a correlation over models, where they have a number."""
        empty = [pl.col(name).is_null() for name in ("model", *CELL)]
        found = self.estimates.filter(pl.col("measure") == measure, pl.col("contrast") == "", *empty).to_dicts()
        return [row for row in found if math.isfinite(row["value"])]

"""Rows of the table of estimates, for findings and figures."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from personae.measure.names import BASELINE
from personae.types import Estimate

Row = dict[str, Any]

_FIELDS = frozenset(Estimate.__struct_fields__)


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
    exact = [
        pl.col(name).is_not_null() if name in named else pl.col(name).is_null() for name in cell_columns(estimates)
    ]
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


class Table:
    """The estimates of one study.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with ``p_adjusted`` filled and the cell as columns.
    """

    def __init__(self, estimates: pl.DataFrame) -> None:
        self.estimates = estimates
        self.models = models(estimates)

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
            Whether the cells are those named `BASELINE`.
        pooled : bool
            Rows over all models (those of the one model where there is one); else rows of single models.
        """
        named = (*columns, *(("persona",) if baseline and "persona" not in columns else ()))
        found = pick(self.estimates, measure, *named, contrast=contrast, level=level, pooled=pooled)
        if "persona" not in named:
            return found
        return [row for row in found if (row["persona"] == BASELINE) == baseline]

    def conditions(self, measure: str, *columns: str, contrast: str = "") -> list[Row]:
        """Rows of one measure under every condition: the baseline, personas, users, pairs; see `rows`."""
        found = self.rows(measure, *columns, contrast=contrast, baseline=True)
        for who in (("persona",), ("user",), ("persona", "user")):
            found += self.rows(measure, *columns, *who, contrast=contrast)
        return found

    def known(self, measure: str, *columns: str, **chosen: Any) -> list[Row]:
        """The rows that have a number; see `rows`."""
        return [row for row in self.rows(measure, *columns, **chosen) if math.isfinite(row["value"])]

    def one(self, measure: str, model: str, *, named: str = "", **chosen: Any) -> Row | None:
        """The one row of a model, in the cell of a domain where one is named; None where there is no number."""
        columns = ("domain",) if named else ()
        rows = [row for row in self.known(measure, *columns, **chosen) if row["model"] == model]
        return next((row for row in rows if not named or row["domain"] == named), None)

    def pooled(self, measure: str) -> list[Row]:
        """The rows over all models that name no cell, such as a correlation over models, where they have a number."""
        empty = [pl.col(name).is_null() for name in ("model", *cell_columns(self.estimates))]
        found = self.estimates.filter(pl.col("measure") == measure, pl.col("contrast") == "", *empty).to_dicts()
        return [row for row in found if math.isfinite(row["value"])]


def cell_columns(estimates: pl.DataFrame) -> list[str]:
    """Columns of the table that name a cell."""
    return [name for name in estimates.columns if name not in _FIELDS]

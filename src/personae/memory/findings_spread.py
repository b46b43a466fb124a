"""Whether an injected bias spread to other domains, in sentences with numbers."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from personae.memory.design import MIXED
from personae.memory.measures_spread import BEYOND, CHANCE, INCREASES
from personae.memory.naming import arm_name, rows_of
from personae.tell.saying import adjusted, percent
from personae.tell.table import Row

ALPHA = 0.05
_AGAINST = {
    INCREASES: "at the last audit than at the first",
    BEYOND: "at the last audit than at that of the same episode without injection",
}


def sentences(mine: pl.DataFrame, model: str) -> Iterator[str]:
    """Say it of one model.

    Parameters
    ----------
    mine : polars.DataFrame
        The estimates of the model.
    model : str
    """
    for measure, against in _AGAINST.items():
        chances = {_arm(row): row for row in rows_of(mine, f"{measure}{CHANCE}")}
        for row in rows_of(mine, measure):
            yield f"{model}, {_arm(row)}: {_share(row, against, chances.get(_arm(row)))}."


def _arm(row: Row) -> str:
    return arm_name({**row, "injected": MIXED})


def _share(row: Row, against: str, chance: Row | None) -> str:
    told = f"of {row['n']} cross-domain cells {percent(row['value'])} have a larger GBV {against}"
    if chance is None:
        return told
    told += f"; by chance {percent(chance['value'])}"
    told += f" (middle 95 %: {percent(chance['ci_low'])} to {percent(chance['ci_high'])})"
    more = "more than chance gives" if row["p_adjusted"] < ALPHA else "not clearly more than chance gives"
    return f"{told}, {more} ({adjusted(row)})"

"""From questions to cells: how outcomes of the role-play study are grouped, per model and over models.

The role-play rows and the baseline's are never mixed: where a grouping names no role, the baseline has cells of its
own beside it, named `BASELINE` in the column of personas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from personae.measure.names import BASELINE

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Grouping = tuple[str, ...]

OVERALL: Grouping = ()
ATTRIBUTE: Grouping = ("domain",)
ROLE: Grouping = ("domain", "persona")
BIAS_TYPE: Grouping = ("dataset",)
ATTRIBUTE_BIAS_TYPE: Grouping = ("domain", "dataset")
WORDING: Grouping = ("wording",)
LEVEL: Grouping = ("level",)
ATTRIBUTE_LEVEL: Grouping = ("domain", "level")


ROLE_UNIT, QUESTION_UNIT = "role", "question"


class Units(NamedTuple):
    """Over what an interval goes: the unit of each row (None where each is one), how many there are, their name."""

    codes: Integers | None
    number: int
    name: str


class Cell(Struct, frozen=True, kw_only=True):
    """One cell of a table: where it is, and its numbers, one per row.

    Parameters
    ----------
    model : str or None
        None where several models are pooled.
    names : mapping
        The columns that name the cell.
    roles, questions : ndarray of int, shape (k,)
        To which role and to which question each row belongs.
    numbers : mapping of str to ndarray, each of shape (k,)
        nan where there is none.
    """

    model: str | None
    names: Mapping[str, str]
    roles: Integers
    questions: Integers
    numbers: Mapping[str, Floats]

    def units(self, kept: NDArray[np.bool_]) -> Units:
        """What rows depend on each other through: the role, or in a cell of one role the question."""
        for codes, name in ((self.roles[kept], ROLE_UNIT), (self.questions[kept], QUESTION_UNIT)):
            distinct = np.unique(codes).size
            if distinct > 1:
                return Units(None if distinct == codes.size else codes, distinct, name)
        return Units(None if kept.sum() <= 1 else self.questions[kept], min(1, int(kept.sum())), QUESTION_UNIT)


def coded(rows: pl.DataFrame) -> pl.DataFrame:
    """Number roles and questions; the same question has the same number in every model and condition."""
    return rows.with_columns(
        role_code=pl.concat_str("domain", "role", separator="/", ignore_nulls=True).rank("dense").cast(pl.Int64),
        question_code=pl.col("stimulus").rank("dense").cast(pl.Int64),
    )


def cells(
    rows: pl.DataFrame, groupings: Sequence[Grouping], numbers: Sequence[str], *, baseline: bool = True
) -> Iterator[Cell]:
    """Give every cell of the groupings, per model and, where there are several, over all models.

    Parameters
    ----------
    rows : polars.DataFrame
        From `coded`. A row without a name in a column of a grouping is in none of its cells.
    groupings : sequence of column names
        `OVERALL`, `ATTRIBUTE` and so on.
    numbers : sequence of str
        Columns that the cells hold.
    baseline : bool
        Whether the baseline has cells too.
    """
    several = rows["model"].n_unique() > 1
    named = {name for grouping in groupings for name in grouping}
    rows = rows.select("model", "baseline", "role_code", "question_code", *dict.fromkeys((*named, *numbers)))
    for grouping in groupings:
        for asked_as, names in ((~pl.col("baseline"), {}), (pl.col("baseline"), {"persona": BASELINE})):
            if names and not (baseline and "persona" not in grouping):
                continue
            here = rows.filter(asked_as).drop_nulls(list(grouping))
            if here.height:
                yield from _split(here, ("model", *grouping), names, numbers)
                if several:
                    yield from _split(here, grouping, names, numbers)


def _split(rows: pl.DataFrame, columns: Grouping, more: Mapping[str, str], numbers: Sequence[str]) -> Iterator[Cell]:
    """Cut a frame into cells without a frame for each."""
    found: list[dict[str, Any]] = [{"len": rows.height}]
    if columns:
        rows = rows.sort(columns, maintain_order=True)
        found = rows.group_by(columns, maintain_order=True).agg(pl.len()).to_dicts()
    edges = [0, *np.cumsum([one.pop("len") for one in found]).tolist()]
    roles, questions = rows["role_code"].to_numpy(), rows["question_code"].to_numpy()
    arrays = {name: rows[name].cast(pl.Float64).fill_null(float("nan")).to_numpy() for name in numbers}
    for names, (start, stop) in zip(found, pairwise(edges), strict=True):
        yield Cell(
            model=names.pop("model", None),
            names={**names, **more},
            roles=roles[start:stop],
            questions=questions[start:stop],
            numbers={name: array[start:stop] for name, array in arrays.items()},
        )

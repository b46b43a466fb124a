"""From answers to cells: how measures are averaged and paired.

Answers are first summed per stimulus and condition (`tally`), the baseline of the same stimulus is put beside each
(`with_baseline`), and every cell is then a handful of arrays over stimuli (`cells`). A stimulus counts once however
often it was asked, in a mean as in a difference, so that both speak about the same average.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from personae.measure.names import BASELINE, NOT_SET

Floats = NDArray[np.float64]

KEYS = (
    "model",
    "domain",
    "dataset",
    "level",
    "stimulus",
    "persona",
    "user",
    "persona_group",
    "user_group",
    "wording",
    "baseline",
)
SAME = ("model", "domain", "level", "stimulus")
"""What persona and baseline share when they are paired."""

OVERALL = ("domain",)
DATASET = ("domain", "dataset")
PERSONA = ("domain", "persona")
GROUP = ("domain", "persona_group")
PAIR = ("domain", "persona", "user")
PERSONA_DATASET = ("domain", "dataset", "persona")
WORDING = ("domain", "wording")
COARSE = (OVERALL, PERSONA, GROUP)
"""What every study looks at where questions of a domain are told by themselves."""
FULL = (*COARSE, PAIR, WORDING)

_SUMS = ("asked", "answered", "weight", "total", "asked_weight", "floor", "ceil")
_PAIRED = (
    "pair_weight",
    "pair_total",
    "base_total",
    "pair_asked_weight",
    "pair_floor",
    "pair_ceil",
    "base_floor",
    "base_ceil",
    "pair_answered",
)
_BASE_COUNTS = ("base_asked", "base_answered", "base_pair_answered")
_NUMBERS = (*_SUMS, *_PAIRED, *_BASE_COUNTS)


class Cell(Struct, frozen=True, kw_only=True):
    """One cell of a table: where it is, and its sums per model and stimulus.

    Parameters
    ----------
    model : str or None
        None where several models are pooled.
    names : mapping
        The columns that name the cell.
    stimuli : ndarray of int, shape (k,)
        Number of the stimulus of each entry; with pooled models a stimulus has one entry per model.
    sums : mapping of str to ndarray, each of shape (k,)
        ``total / weight`` is the mean over answers; ``floor / asked_weight`` and ``ceil / asked_weight`` are what it
        would be had every unanswered item been lowest or highest. ``pair_…`` and ``base_…`` are the same over
        what has a baseline, and of that baseline.
    """

    model: str | None
    names: Mapping[str, str]
    stimuli: NDArray[np.int64]
    sums: Mapping[str, Floats]

    @property
    def baseline(self) -> bool:
        """Whether this is the cell of the baseline itself."""
        return self.names.get("persona") == BASELINE

    def count(self, name: str) -> int:
        """Sum of a count over stimuli."""
        return int(self.sums[name].sum())

    def means(self, total: str, weight: str) -> Floats:
        """Means per entry, where there is anything to average."""
        some = self.sums[weight] > 0
        return self.sums[total][some] / self.sums[weight][some]

    def numbers(self, weight: str) -> NDArray[np.int64]:
        """Stimuli of the entries that `means` keeps."""
        return self.stimuli[self.sums[weight] > 0]

    def per_stimulus(self, total: str, weight: str) -> Floats:
        """Means per stimulus: those of `means`, averaged over models where several are pooled."""
        values = self.means(total, weight)
        if self.model is not None:
            return values
        _, codes = np.unique(self.numbers(weight), return_inverse=True)
        return np.asarray(np.bincount(codes, weights=values) / np.bincount(codes), dtype=np.float64)


def tally(
    rows: pl.DataFrame, value: pl.Expr, low: pl.Expr | float, high: pl.Expr | float, *, answered: pl.Expr | None = None
) -> pl.DataFrame:
    """Sum a value per stimulus and condition.

    Parameters
    ----------
    rows : polars.DataFrame
        Outcomes with the columns of `KEYS`; ``level`` and ``dataset`` may be absent.
    value : polars expression
        The number of each answer; null where the item was not answered.
    low, high : number or expression
        The range the value could take, for what was not answered.
    answered : polars expression, optional
        What counts as covered; by default what has a value.

    Returns
    -------
    polars.DataFrame
        One row per combination of `KEYS` with the sums ``asked, answered, weight, total, asked_weight, floor, ceil``.
    """
    absent = [pl.lit(None, pl.String).alias(name) for name in KEYS if name not in rows.columns]
    covered = value.is_not_null() if answered is None else answered
    return (
        rows.with_columns(*absent)
        .group_by(KEYS, maintain_order=True)
        .agg(
            asked=pl.len().cast(pl.Float64),
            answered=covered.sum().cast(pl.Float64),
            weight=value.is_not_null().sum().cast(pl.Float64),
            total=value.sum().cast(pl.Float64),
            asked_weight=pl.len().cast(pl.Float64),
            floor=value.fill_null(low).sum().cast(pl.Float64),
            ceil=value.fill_null(high).sum().cast(pl.Float64),
        )
    )


def with_baseline(sums: pl.DataFrame, same: Sequence[str] = SAME) -> pl.DataFrame:
    """Put the baseline's mean on the same stimulus beside every row.

    Parameters
    ----------
    sums : polars.DataFrame
        From `tally`.
    same : sequence of str
        The columns that a row shares with its baseline.
    """
    base = (
        sums.filter("baseline")
        .group_by(same, maintain_order=True)
        .agg(pl.col(_SUMS).sum())
        .select(
            *same,
            base=pl.col("total") / _positive("weight"),
            base_low=pl.col("floor") / _positive("asked_weight"),
            base_high=pl.col("ceil") / _positive("asked_weight"),
            base_asked="asked",
            base_answered="answered",
        )
    )
    joined = sums.join(base, on=list(same), how="left", nulls_equal=True, maintain_order="left")
    both, asked = pl.col("base").is_not_null(), pl.col("base_low").is_not_null()
    paired = both & (pl.col("weight") > 0)
    return joined.with_columns(
        pair_weight=pl.when(both).then("weight").otherwise(0.0),
        pair_total=pl.when(both).then("total").otherwise(0.0),
        base_total=(pl.col("base") * pl.col("weight")).fill_null(0.0),
        pair_asked_weight=pl.when(asked).then("asked_weight").otherwise(0.0),
        pair_floor=pl.when(asked).then("floor").otherwise(0.0),
        pair_ceil=pl.when(asked).then("ceil").otherwise(0.0),
        base_floor=(pl.col("base_low") * pl.col("asked_weight")).fill_null(0.0),
        base_ceil=(pl.col("base_high") * pl.col("asked_weight")).fill_null(0.0),
        pair_answered=pl.when(paired).then("answered").otherwise(0.0),
        base_pair_answered=pl.when(paired).then("base_answered").otherwise(0.0),
        base_answered=pl.col("base_answered").fill_null(0.0),
        base_asked=pl.col("base_asked").fill_null(0.0),
    )


def cells(sums: pl.DataFrame, groupings: Sequence[Sequence[str]]) -> Iterator[Cell]:
    """Give every cell of the groupings, per model and, where there are several, over all models.

    The baseline has cells of its own where personas are named, and is part of no other cell.

    Parameters
    ----------
    sums : polars.DataFrame
        From `with_baseline`.
    groupings : sequence of column names
        `OVERALL`, `PERSONA` and so on.
    """
    numbered = sums.with_columns(number=pl.col("stimulus").rank("dense").cast(pl.Int64))
    several = numbered["model"].n_unique() > 1
    for grouping in groupings:
        rows = numbered if "persona" in grouping and "user" not in grouping else numbered.filter(~pl.col("baseline"))
        if not worth_naming(rows, grouping):
            continue
        columns = [name for name in ("level", *grouping) if not rows[name].is_null().all()]
        summed = rows.group_by("model", *columns, "number", maintain_order=True).agg(
            pl.col(*_SUMS, *_PAIRED).sum(), pl.col(_BASE_COUNTS).max()
        )
        yield from _split(summed, ["model", *columns])
        if several:
            yield from _split(summed, columns)


def coarse(within: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """What every study looks at: all personas together, each persona, each group; `within` keeps questions apart."""
    return (*within,), (*within, "persona"), (*within, "persona_group")


def worth_naming(rows: pl.DataFrame, grouping: Sequence[str]) -> bool:
    """Whether a grouping says more than a coarser one: someone is named, and wordings or groups differ at all."""
    if not grouping:
        return True
    last = grouping[-1]
    if last in ("user", "persona_group", "persona"):
        return bool((rows[last] != NOT_SET).any())
    return last != "wording" or rows["wording"].n_unique() > 1


def _split(summed: pl.DataFrame, columns: Sequence[str]) -> Iterator[Cell]:
    """Cut a frame into cells without a frame for each."""
    ordered = summed.sort([*columns, "number"])
    if columns:
        names = ordered.group_by(columns, maintain_order=True).agg(pl.len().alias("len"))
    else:
        names = ordered.select(pl.len().alias("len"))
    edges = [0, *np.cumsum(names["len"].to_numpy()).tolist()]
    stimuli = ordered["number"].to_numpy()
    arrays = {name: ordered[name].to_numpy() for name in _NUMBERS}
    for row, (start, stop) in zip(names.drop("len").iter_rows(named=True), pairwise(edges), strict=True):
        model = row.pop("model", None)
        yield Cell(
            model=model,
            names={name: value for name, value in row.items() if value is not None},
            stimuli=stimuli[start:stop],
            sums={name: array[start:stop] for name, array in arrays.items()},
        )


def _positive(name: str) -> pl.Expr:
    """A weight to divide by: null, not 0, where there is nothing."""
    return pl.when(pl.col(name) > 0).then(pl.col(name))

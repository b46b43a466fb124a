"""From one number per occupation to estimates: mean, median and standard deviation, with intervals and bounds.

Occupations are what is drawn: an interval says how far a value would move had other occupations of the kind been
asked. Answers told from samples are drawn anew as well, so that few samples give a wide interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from personae.stats.bootstrap import drawn_interval
from personae.stats.resample import Resamples, resamples
from personae.stats.sampled_spread import spread_extrapolated, spread_less_noise
from personae.studies.occupations.measures_frame import Block, Booleans, Floats
from personae.types import Estimate

STUDY = "occupations.gender"
OCCUPATION = "occupation"
"""What intervals go over."""
TEST_SPREAD = "bootstrap over occupations, without the noise of the samples"
TEST, TEST_SAMPLES = "bootstrap over occupations", "bootstrap over occupations and over the samples of each answer"
DRAWS, DRAWS_SAMPLED = 2000, 1000
SEED = 4
MEDIAN, SPREAD = "median", "SD"
NOTHING = "no occupation of this cell was answered"
ONE = "one occupation only: the spread between occupations is unknown"
BENT = (
    "told from samples, divergences of different occupations are too large by different amounts, and no interval around"
    " their SD is known to hold what endless sampling would give; the SD is that of the answers as they are"
)
ONCE = "one sample of an answer does not say how far samples differ: the SD is that of the answers as they are"
Range = tuple[float, float]
Shape = Literal["linear", "folded", "curved"]


class Column(Struct, frozen=True, kw_only=True):
    """One number per occupation of a block.

    Parameters
    ----------
    block : Block
    kept : ndarray of bool, shape (k,)
        Occupations that belong to the cell, answered or not.
    values : ndarray, shape (k,)
        nan where there is none.
    least, most : ndarray, shape (k,)
        The ends of what it may be, for every occupation.
    redrawn : ndarray, shape (draws, k), optional
        Where answers were told from samples: the numbers that other samples would give.
    bounded : tuple of float
        What the number can be at all.
    shape : {'linear', 'folded', 'curved'}
        How it depends on P(female).
    counted : ndarray, shape (k,), optional
        Where that is along a line: the numbers without the prior that pulls P(female) to the middle.
    """

    block: Block
    kept: Booleans
    values: Floats
    least: Floats
    most: Floats
    redrawn: Floats | None
    bounded: Range
    shape: Shape = "curved"
    counted: Floats | None = None

    @property
    def known(self) -> Booleans:
        """Occupations of the cell that have a number."""
        return self.kept & ~np.isnan(self.values)


def draws_of(block: Block) -> int:
    """How many resamples a block is drawn in; fewer where each is a table of its own."""
    return DRAWS_SAMPLED if block.sampled else DRAWS


def drawing(block: Block, size: int) -> Resamples:
    """The resamples of so many occupations; the same for every measure and every condition."""
    return resamples(size, draws_of(block), SEED)


def summaries(column: Column, measure: str, names: Mapping[str, str]) -> Iterator[Estimate]:
    """Mean, median and standard deviation over occupations, as three measures."""
    yield mean_of(column, measure, names)
    known, middle, spread = column.known, f"{measure}, {MEDIAN}", f"{measure}, {SPREAD}"
    values = column.values[known]
    if not values.size:
        yield empty(column.block, column.kept, middle, names)
        yield empty(column.block, column.kept, spread, names)
        return
    drawn, source = drawing(column.block, values.size), _source(column)
    ends = [float(np.median(side[column.kept])) for side in (column.least, column.most)]
    fields = interval(float(np.median(values)), drawn.medians(source), column, sampled=column.redrawn is not None)
    yield _estimate(column, middle, names, {**fields, "lower": ends[0], "upper": ends[1]})
    if values.size == 1:
        yield _estimate(column, spread, names, {"value": math.nan, "reason": ONE})
        return
    yield _estimate(column, spread, names, _spread(column, drawn))


def _spread(column: Column, drawn: Resamples) -> dict[str, Any]:
    """The standard deviation over occupations; where they were sampled, without what the samples add to it.

    Notes
    -----
    Between occupations drawn anew, as `personae.stats.sampled_spread` has it: a gap that is linear in P(female) by
    moments, the absolute gap by extrapolation.
    """
    values = column.values[column.known]
    plain = float(values.std(ddof=1))
    if column.redrawn is None:
        return interval(plain, drawn.spreads(values), column, floor=0.0, sampled=False)
    if column.shape == "curved":
        return {"value": plain, "reason": BENT}
    if column.counted is None:
        found = spread_extrapolated(values, column.redrawn[:, column.known], drawn)
    else:
        noise = column.block.noise[column.known]
        if np.isnan(noise).any():
            return {"value": plain, "reason": ONCE}
        found = spread_less_noise(column.counted[column.known], noise, drawn)
    if found.reason:
        return {"value": found.value, "reason": found.reason}
    ends = {"ci_low": min(found.ci_low, found.value), "ci_high": max(found.ci_high, found.value)}
    return {"value": found.value, "test": TEST_SPREAD, **ends}


def mean_of(column: Column, measure: str, names: Mapping[str, str]) -> Estimate:
    """The mean over occupations."""
    values = column.values[column.known]
    if not values.size:
        return empty(column.block, column.kept, measure, names, bounds_of(column))
    drawn = drawing(column.block, values.size).means(_source(column))
    left = (values.sum() - values) / (values.size - 1) if values.size > 1 and column.redrawn is None else None
    found = interval(float(values.mean()), drawn, column, left, sampled=column.redrawn is not None)
    return _estimate(column, measure, names, {**found, **bounds_of(column)})


def interval(
    value: float,
    drawn: Floats,
    column: Column | Block,
    left: Floats | None = None,
    *,
    floor: float | None = None,
    bounded: Range = (-math.inf, math.inf),
    sampled: bool,
) -> dict[str, Any]:
    """The value, its interval and how it was made, as fields of an estimate.

    Bias-corrected and accelerated where ``left`` (the value without each occupation) is given, else percentiles. A
    divergence of sampled answers comes out too large, by about what drawing the answers anew adds once more; the
    lower end is moved down by twice that, the upper end is left, so that the interval holds both the value found and
    the one that endless sampling would give. (A rule of this project; for measures that are linear in the answers
    nothing moves.)
    """
    if isinstance(column, Column):
        bounded = column.bounded
    low_end, high_end = bounded if floor is None else (floor, math.inf)
    found = drawn_interval(value, drawn, left)
    reason = ONE if (isinstance(column, Column) and column.known.sum() == 1) else found.reason
    fields: dict[str, Any] = {"value": value, "test": TEST_SAMPLES if sampled else TEST}
    if reason or not math.isfinite(found.ci_low):
        return {**fields, "test": "", "reason": reason}
    bias = float(np.nanmean(drawn)) - value if sampled else 0.0
    low, high = min(found.ci_low, found.ci_low - 2.0 * bias), max(found.ci_high, found.ci_high - 2.0 * bias)
    return {**fields, "ci_low": min(max(low, low_end), value), "ci_high": max(min(high, high_end), value)}


def bounds_of(column: Column) -> dict[str, float]:
    """The ends of the mean, whatever the occupations without an answer would have said."""
    if not column.kept.any():
        return {}
    return {"lower": float(column.least[column.kept].mean()), "upper": float(column.most[column.kept].mean())}


def counted(block: Block, kept: Booleans) -> dict[str, Any]:
    """On how many answers a cell rests, and what share they are of what was asked."""
    asked, answered = block.asked[kept].sum(), block.answered[kept].sum()
    return {"n": int(answered), "coverage": float(answered / asked) if asked else None}


def empty(
    block: Block, kept: Booleans, measure: str, names: Mapping[str, str], more: Mapping[str, Any] | None = None
) -> Estimate:
    """An estimate of nothing, which says so."""
    return Estimate(
        study=STUDY,
        measure=measure,
        model=block.model,
        cell={**block.names, **names},
        value=math.nan,
        reason=NOTHING,
        **counted(block, kept),
        **(more or {}),
    )


def told(
    block: Block, kept: Booleans, occupations: int, measure: str, names: Mapping[str, str], fields: Mapping[str, Any]
) -> Estimate:
    """A row of the table, with the number of occupations that its interval goes over."""
    over: dict[str, Any] = {"clusters": occupations, "unit": OCCUPATION} if fields.get("ci_low") is not None else {}
    return Estimate(
        study=STUDY,
        measure=measure,
        model=block.model,
        cell={**block.names, **names},
        **counted(block, kept),
        **over,
        **fields,
    )


def _source(column: Column) -> Floats:
    """What is drawn from: the numbers of the occupations that have one, redrawn where they were sampled."""
    return column.values[column.known] if column.redrawn is None else column.redrawn[:, column.known]


def _estimate(column: Column, measure: str, names: Mapping[str, str], fields: Mapping[str, Any]) -> Estimate:
    return told(column.block, column.kept, int(column.known.sum()), measure, names, fields)

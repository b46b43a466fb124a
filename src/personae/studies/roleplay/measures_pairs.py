"""What a role changes: every question with a role beside the same question without one (paper 001, section 4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from personae.measure.names import CONTRAST
from personae.measure.results import estimate_of
from personae.stats._base import Tested
from personae.stats.paired import PairedDifference, mcnemar, paired_difference
from personae.stats.paired_shares import paired_shares
from personae.stats.ratios import ratio_test
from personae.studies.roleplay.measures_cells import QUESTION_UNIT, Cell, Floats, Grouping, cells
from personae.studies.roleplay.measures_shares import binary
from personae.types import Estimate

MCNEMAR, PAIRED_T = "McNemar, exact", "paired t"
LEAST_PAIRS = 6
"""With fewer pairs McNemar's exact p is above 0.05 whatever the answers: tested, they would only weaken the others."""
TOO_FEW = "fewer than six questions on both sides: no test could tell"

_SAME = ("model", "stimulus", "flipped", "level")
"""What a question with a role and without one share."""

_OURS = ("value", "asked", "answered", "low", "high")
_THEIRS = ("base", "base_asked", "base_answered", "base_low", "base_high")


def paired(rows: pl.DataFrame) -> pl.DataFrame:
    """Put the baseline beside every question with a role; questions that were not asked without are left out.

    Parameters
    ----------
    rows : polars.DataFrame
        From `measures_cells.coded`, with ``value`` between 0 and 1 or null, and a ``level`` where one is compared.

    Returns
    -------
    polars.DataFrame
        One row per model, role, wording and question. What was asked several times is averaged. ``low`` and ``high``
        are what it could have been had the unanswered been 0 or 1.
    """
    same = [name for name in _SAME if name in rows.columns]
    kept = [*same, "domain", "dataset", "persona", "wording"]
    ours = rows.filter(~pl.col("baseline")).group_by(*kept, "role_code", "question_code", maintain_order=True)
    base = rows.filter("baseline").group_by(same, maintain_order=True)
    return (
        ours.agg(_averages(_OURS))
        .join(base.agg(_averages(_THEIRS)), on=same, how="inner", maintain_order="left")
        .with_columns(baseline=pl.lit(value=False))
    )


def _averages(names: Sequence[str]) -> list[pl.Expr]:
    value = pl.col("value")
    parts = (value.mean(), pl.len(), value.count(), value.fill_null(0.0).mean(), value.fill_null(1.0).mean())
    return [part.cast(pl.Float64).alias(name) for part, name in zip(parts, names, strict=True)]


def differences(
    study: str, measure: str, pairs: pl.DataFrame, groupings: Sequence[Grouping], tested: Sequence[Grouping] = ()
) -> Iterator[Estimate]:
    """The difference of every cell from the baseline.

    Parameters
    ----------
    study, measure : str
    pairs : polars.DataFrame
        From `paired`.
    groupings : sequence of column names
    tested : sequence of column names
        The groupings whose differences are tested; the others have an interval and no p, so that hundreds of small
        cells do not weaken the correction of the tests that were asked for.
    """
    for grouping in groupings:
        for cell in cells(pairs, [grouping], (*_OURS, *_THEIRS), baseline=False):
            yield _difference(study, measure, cell, tested=grouping in tested)


def relative_changes(
    study: str, measure: str, pairs: pl.DataFrame, groupings: Sequence[Grouping]
) -> Iterator[Estimate]:
    """By what part biased answers change when the role is removed: (without - with) / with.

    Paper 001 reports this number (section 4). The interval is Fieller's over roles; its test would be that of the
    difference, so there is none.
    """
    for cell in cells(pairs, groupings, (*_OURS, *_THEIRS), baseline=False):
        ours, theirs, kept = _both(cell)
        units = cell.units(kept)
        yield estimate_of(
            ratio_test(theirs - ours, ours, units.codes),
            study=study,
            measure=measure,
            model=cell.model,
            cell=cell.names,
            tested=False,
            within=(-1.0, math.inf),
            n=_answers(cell, kept),
            clusters=units.number,
            unit=units.name,
        )


def _answers(cell: Cell, kept: NDArray[np.bool_]) -> int:
    """Answers of both sides."""
    return int(sum(cell.numbers[name][kept].sum() for name in ("answered", "base_answered")))


def _difference(study: str, measure: str, cell: Cell, *, tested: bool) -> Estimate:
    """``n`` counts the answers of both sides; ``coverage`` is that of the side with less."""
    ours, theirs, kept = _both(cell)
    sums = {name: float(cell.numbers[name].sum()) for name in ("asked", "answered", "base_asked", "base_answered")}
    by_counts = cell.model is not None and binary(ours) and binary(theirs)
    found = _by_counts(ours, theirs) if by_counts else _by_means(cell, ours, theirs, kept)
    few = by_counts and ours.size < LEAST_PAIRS
    low, high = cell.numbers["low"] - cell.numbers["base_high"], cell.numbers["high"] - cell.numbers["base_low"]
    return estimate_of(
        found,
        study=study,
        measure=measure,
        model=cell.model,
        contrast=CONTRAST,
        cell=cell.names,
        test=(MCNEMAR if by_counts else PAIRED_T) if tested and not few else "",
        tested=tested and not few,
        effect=True,
        n=_answers(cell, kept),
        clusters=int(np.unique(cell.questions[kept]).size),
        unit=QUESTION_UNIT,
        coverage=min(sums["answered"] / sums["asked"], sums["base_answered"] / sums["base_asked"]),
        bounds=(float(low.mean()), float(high.mean())),
        reason=found.reason or (TOO_FEW if tested and few else ""),
    )


def _both(cell: Cell) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Values on both sides where both were answered, and where that is."""
    ours, theirs = cell.numbers["value"], cell.numbers["base"]
    kept = np.isfinite(ours) & np.isfinite(theirs)
    return ours[kept], theirs[kept], kept


class _Verdicts(Tested, frozen=True, kw_only=True):
    """A difference of shares of verdicts on both sides, with its test and Cohen's g."""

    effect_size: float = math.nan


def _by_counts(ours: Floats, theirs: Floats) -> _Verdicts:
    """Verdicts on both sides: McNemar's exact test and Newcombe's interval.

    The effect size is Cohen's g, the share of the questions that changed which became biased, less 1/2 (Cohen,
    Statistical Power Analysis for the Behavioral Sciences (1988), chapter 5).
    """
    both, mine = int((ours * theirs).sum()), int((ours * (1.0 - theirs)).sum())
    other = int(((1.0 - ours) * theirs).sum())
    shares = paired_shares(both, mine, other, ours.size - both - mine - other)
    test = mcnemar(mine, other)
    return _Verdicts(
        value=shares.value,
        ci_low=shares.ci_low,
        ci_high=shares.ci_high,
        statistic=test.statistic,
        df=1.0,
        p=test.p,
        effect_size=mine / (mine + other) - 0.5 if mine + other else math.nan,
        reason=shares.reason or test.reason,
    )


def _by_means(cell: Cell, ours: Floats, theirs: Floats, kept: NDArray[np.bool_]) -> PairedDifference:
    """Averages per question, over models or repeats: the paired t-test over questions."""
    questions = cell.questions[kept]
    return paired_difference(ours, questions, theirs, questions)

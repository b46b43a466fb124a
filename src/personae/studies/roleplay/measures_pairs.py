"""What a role changes: every question with a role beside the same question without one (paper 001, section 4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from personae.stats.paired import mcnemar, paired_difference
from personae.stats.paired_shares import paired_shares
from personae.stats.ratios import ratio_test
from personae.studies.roleplay.measures_cells import Cell, Floats, Grouping, cells
from personae.studies.roleplay.measures_shares import binary, number
from personae.types import Estimate

CONTRAST = "baseline"
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
    for cell in cells(pairs, groupings, ("value", "base"), baseline=False):
        ours, theirs, kept = _both(cell)
        clusters = cell.clusters(kept)
        found = ratio_test(theirs - ours, ours, clusters)
        yield Estimate(
            study=study,
            measure=measure,
            model=cell.model,
            cell=cell.names,
            value=found.value,
            ci_low=None if math.isnan(found.ci_low) else max(-1.0, found.ci_low),
            ci_high=number(found.ci_high),
            n=found.n,
            reason=found.reason,
        )


def _difference(study: str, measure: str, cell: Cell, *, tested: bool) -> Estimate:
    """``n`` counts the answers of both sides; ``coverage`` is that of the side with less."""
    ours, theirs, kept = _both(cell)
    sums = {name: float(cell.numbers[name].sum()) for name in ("asked", "answered", "base_asked", "base_answered")}
    answers = cell.numbers["answered"][kept].sum() + cell.numbers["base_answered"][kept].sum()
    whole = binary(ours) and binary(theirs)
    found = _by_counts(ours, theirs) if cell.model is not None and whole else _by_means(cell, ours, theirs, kept)
    if not tested or (found["test"] == MCNEMAR and ours.size < LEAST_PAIRS):
        found = {name: value for name, value in found.items() if name not in ("test", "p", "statistic", "df")}
        found["reason"] = found["reason"] or (TOO_FEW if tested else "")
    low, high = cell.numbers["low"] - cell.numbers["base_high"], cell.numbers["high"] - cell.numbers["base_low"]
    return Estimate(
        study=study,
        measure=measure,
        model=cell.model,
        contrast=CONTRAST,
        cell=cell.names,
        n=int(answers),
        coverage=min(sums["answered"] / sums["asked"], sums["base_answered"] / sums["base_asked"]),
        lower=float(low.mean()),
        upper=float(high.mean()),
        **found,
    )


def _both(cell: Cell) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Values on both sides where both were answered, and where that is."""
    ours, theirs = cell.numbers["value"], cell.numbers["base"]
    kept = np.isfinite(ours) & np.isfinite(theirs)
    return ours[kept], theirs[kept], kept


def _by_counts(ours: Floats, theirs: Floats) -> dict[str, Any]:
    """Verdicts on both sides: McNemar's exact test and Newcombe's interval.

    The effect size is Cohen's g, the share of the questions that changed which became biased, less 1/2 (Cohen,
    Statistical Power Analysis for the Behavioral Sciences (1988), chapter 5).
    """
    both, mine = int((ours * theirs).sum()), int((ours * (1.0 - theirs)).sum())
    other = int(((1.0 - ours) * theirs).sum())
    shares = paired_shares(both, mine, other, ours.size - both - mine - other)
    test = mcnemar(mine, other)
    return {
        "value": shares.value,
        "ci_low": number(shares.ci_low),
        "ci_high": number(shares.ci_high),
        "test": MCNEMAR,
        "statistic": number(test.statistic),
        "df": 1.0,
        "p": number(test.p),
        "effect_size": mine / (mine + other) - 0.5 if mine + other else None,
        "reason": shares.reason or test.reason,
    }


def _by_means(cell: Cell, ours: Floats, theirs: Floats, kept: NDArray[np.bool_]) -> dict[str, Any]:
    """Averages per question, over models or repeats: the paired t-test over questions."""
    questions = cell.questions[kept]
    found = paired_difference(ours, questions, theirs, questions)
    return {
        "value": found.value,
        "ci_low": number(found.ci_low),
        "ci_high": number(found.ci_high),
        "test": PAIRED_T,
        "statistic": number(found.statistic),
        "df": number(found.df),
        "p": number(found.p),
        "effect_size": number(found.effect_size),
        "reason": found.reason,
    }

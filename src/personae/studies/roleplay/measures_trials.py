"""What the single trials of a question say: whether they agree, what they came to, what stopping early saved."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from personae.studies.roleplay.measures_cells import ATTRIBUTE, OVERALL, cells
from personae.studies.roleplay.measures_shares import share_estimate, shares
from personae.types import Estimate

CONSISTENCY, AGREEMENT, VOTES, SAVED = "consistency", "trial_agreement", "vote_outcome", "asks_saved"
CONSISTENT, TWO, ONE = "consistent", "two biased", "one biased"
BY_TRIALS, BY_JUDGES = "trials", "judge calls"
TRIALS = 3
STOPPED = "the third trial was asked only where the first two differ: see trial_agreement"


def trial_estimates(study: str, rows: pl.DataFrame) -> Iterator[Estimate]:
    """Estimate what the trials say.

    Measures
    --------
    ``consistency``
        Share of questions whose three verdicts are equal, of which two are biased, of which one is (``level``; table
        5 of paper 001). Covered is a question with three verdicts. Where asking stopped early the third verdicts are
        those of undecided questions alone, so there is no number.
    ``trial_agreement``
        Share of questions whose first two verdicts are equal, which stopping early does not touch.
    ``vote_outcome``
        Share of all trials that came to each outcome (``level``: biased, unbiased, refusal, hedge …); where asking
        stopped early, of the first two.
    ``asks_saved``
        Number of asks that stopping early left out (``level``: trials, or calls of judges; no level: both).

    Parameters
    ----------
    study : str
    rows : polars.DataFrame
        From `frames.roleplay_frame` and `measures_cells.coded`.
    """
    yield from _saved(study, rows)
    rows = rows.filter(pl.col("votes").list.len() > 0)  # forced answers have no trials
    if not rows.height:
        return
    yield from _consistency(study, rows)
    first, second = (pl.col("votes").list.get(place, null_on_oob=True) for place in (0, 1))
    agreeing = rows.with_columns(value=(first == second).cast(pl.Float64))
    yield from shares(study, AGREEMENT, agreeing, (OVERALL, ATTRIBUTE))
    yield from _vote_outcomes(study, rows)


def _consistency(study: str, rows: pl.DataFrame) -> Iterator[Estimate]:
    votes = pl.col("votes")
    whole = (votes.list.len() == TRIALS) & ~votes.list.contains(None)
    biased = pl.when(whole).then(votes.list.sum())
    stopped = stopped_early(rows)
    for level, counted in ((CONSISTENT, biased.is_in([0.0, 3.0])), (TWO, biased == 2), (ONE, biased == 1)):
        valued = rows.with_columns(value=counted.cast(pl.Float64), level=pl.lit(level, pl.String))
        for cell in cells(valued, (("level",), ("domain", "level")), ("value",)):
            if cell.model in stopped or (cell.model is None and stopped):
                yield _unknown(study, cell.model, {**cell.names}, cell.roles.size)
            else:
                yield share_estimate(study, CONSISTENCY, cell)


def stopped_early(rows: pl.DataFrame) -> list[str]:
    """The models of which some third trial was not asked."""
    asked = pl.col("votes").list.len()
    return rows.filter((asked > 0) & (asked < TRIALS))["model"].unique(maintain_order=True).to_list()


def _unknown(study: str, model: str | None, names: dict[str, str], asked: int) -> Estimate:
    nan = float("nan")
    return Estimate(study=study, measure=CONSISTENCY, model=model, cell=names, value=nan, n=asked, reason=STOPPED)


def _vote_outcomes(study: str, rows: pl.DataFrame) -> Iterator[Estimate]:
    """Every outcome that occurs at all, as a share of all trials asked."""
    # A third trial that was asked only where the first two differ is no sample of the trials.
    whole = pl.when(pl.col("model").is_in(stopped_early(rows))).then(pl.col("vote_status").list.head(2))
    kept = ("model", "baseline", "role_code", "question_code")
    named = rows.select(*kept, vote_status=whole.otherwise("vote_status"))
    asked = named.explode("vote_status", empty_as_null=True).drop_nulls("vote_status")
    if not asked.height:
        return
    order = asked["vote_status"].value_counts(sort=True)["vote_status"].to_list()
    for outcome in sorted(order, key=lambda name: (name not in ("biased", "unbiased"), order.index(name))):
        value = (pl.col("vote_status") == outcome).cast(pl.Float64)
        yield from shares(
            study, VOTES, asked.with_columns(value=value, level=pl.lit(outcome, pl.String)), (("level",),)
        )


def _saved(study: str, rows: pl.DataFrame) -> Iterator[Estimate]:
    parts = ("asks_saved", "judge_asks_saved")
    if not rows.select(pl.sum_horizontal(parts).sum()).item():
        return
    for cell in cells(rows, (OVERALL,), parts):
        trials, calls = (float(cell.numbers[name].sum()) for name in parts)
        for level, saved in (("", trials + calls), (BY_TRIALS, trials), (BY_JUDGES, calls)):
            yield Estimate(
                study=study,
                measure=SAVED,
                model=cell.model,
                cell={**cell.names, **({"level": level} if level else {})},
                value=saved,
                n=cell.roles.size,
                coverage=1.0,
            )

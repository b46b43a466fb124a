"""The judges of Why answers: do they agree, how strict is each, what would people have said."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from personae.errors import BadInput
from personae.measure.results import estimate_of
from personae.stats.agreement import corrected_share, fleiss_kappa
from personae.stats.proportions import Proportion, proportion, wilson
from personae.studies.roleplay.frames import judge_votes
from personae.studies.roleplay.measures_cells import ATTRIBUTE, LEVEL, OVERALL, QUESTION_UNIT, cells
from personae.studies.roleplay.measures_shares import covered, shares
from personae.studies.roleplay.measures_trials import stopped_early
from personae.types import Estimate

KAPPA, STRICTNESS = "judge_kappa", "judge_biased"
CORRECTED, SENSITIVITY, SPECIFICITY = "biased_corrected", "judge_sensitivity", "judge_specificity"
NO_VOTES = "no answer was judged twice or more"
SUBJECT = ("row", "trial")


def judge_estimates(study: str, outcomes: pl.DataFrame, rows: pl.DataFrame) -> Iterator[Estimate]:
    """Estimate how judges agree, where there were any.

    Measures
    --------
    ``judge_kappa``
        Fleiss' kappa over the votes on an answer: of all judges together, and of each judge with itself (``level``).
        A subject is one answer; the interval is clustered by question.
    ``judge_biased``
        Share of the votes of each judge (``level``) that say biased.

    Trials and votes that were asked for only where earlier ones differed are left out of both: they are no sample, and
    kept would make agreement look worse than it is.

    Parameters
    ----------
    study : str
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    rows : polars.DataFrame
        From `frames.roleplay_frame` and `measures_cells.coded`, of the same outcomes.
    """
    votes = judge_votes(outcomes)
    if not votes.height:
        return
    placed = votes.join(rows.with_row_index("row"), on="row", how="left", maintain_order="left")
    late = pl.col("model").is_in(stopped_early(rows)) & (pl.col("trial") > 1)
    sample = _everywhere(placed.filter(~late))
    yield from shares(study, STRICTNESS, sample.with_columns(value="vote", level="judge"), (LEVEL,))
    judges = votes["judge"].unique(maintain_order=True).to_list()
    models = rows["model"].unique(maintain_order=True).to_list()
    for model in [*models, None] if len(models) > 1 else models:
        here = sample if model is None else sample.filter(pl.col("model") == model)
        yield _kappa(study, model, {}, here)
        if len(judges) > 1:
            for judge in judges:
                yield _kappa(study, model, {"level": judge}, here.filter(pl.col("judge") == judge))


def _everywhere(votes: pl.DataFrame) -> pl.DataFrame:
    """The calls that every judged answer had: the sample of votes that stopping early leaves whole."""
    judged = votes.select(SUBJECT).n_unique()
    on = pl.struct(SUBJECT).n_unique()
    kept = votes.group_by("judge", "call", maintain_order=True).agg(on=on).filter(pl.col("on") == judged)
    return votes.join(kept, on=["judge", "call"], how="semi", maintain_order="left")


def _kappa(study: str, model: str | None, names: dict[str, str], votes: pl.DataFrame) -> Estimate:
    vote = pl.col("vote")
    answers = votes.group_by(*SUBJECT, "question_code", maintain_order=True).agg(
        (vote == 0.0).sum().alias("no"), (vote == 1.0).sum().alias("yes"), vote.is_not_null().all().alias("read")
    )
    read = answers.filter("read")
    table = read.select("no", "yes").cast(pl.Int64).to_numpy()
    nan = float("nan")
    if not read.height or table[0].sum() < 2:
        return Estimate(study=study, measure=KAPPA, model=model, cell=names, value=nan, reason=NO_VOTES)
    found = fleiss_kappa(table, read["question_code"].to_numpy())
    return estimate_of(
        found,
        study=study,
        measure=KAPPA,
        model=model,
        cell=names,
        tested=False,
        n=found.n,
        clusters=read["question_code"].n_unique(),
        unit=QUESTION_UNIT,
        coverage=found.n / answers.height,
    )


def corrected_estimates(study: str, rows: pl.DataFrame, ratings: pl.DataFrame) -> Iterator[Estimate]:
    """Correct the biased share for the judges' errors, seen in a sample that people rated.

    Measures
    --------
    ``judge_sensitivity``, ``judge_specificity``
        Of the rated answers that people found biased, the share with a biased verdict; of the others, the share
        without.
    ``biased_corrected``
        The biased share corrected by these two (Rogan and Gladen).

    Parameters
    ----------
    study : str
    rows : polars.DataFrame
        From `frames.roleplay_frame` and `measures_cells.coded`.
    ratings : polars.DataFrame
        ``item``, ``biased`` (0 or 1, what people found), and ``model`` where several were asked. The items must be a
        random sample, not chosen by their verdict.

    Raises
    ------
    BadInput
        When a column is absent or a rating is neither 0 nor 1.
    """
    rated = _rated(rows, ratings)
    pair = _errors(rated)
    for name, share in zip((SENSITIVITY, SPECIFICITY), pair, strict=True):
        yield estimate_of(
            share,
            study=study,
            measure=name,
            model=None,
            cell={},
            tested=False,
            n=share.n,
            clusters=share.n,
            unit="answer",
        )
    for cell in cells(rows, (OVERALL, ATTRIBUTE), ("value",)):
        values = cell.numbers["value"]
        kept = np.isfinite(values)
        units = cell.units(kept)
        yield estimate_of(
            corrected_share(proportion(values[kept], units.codes), *pair),
            study=study,
            measure=CORRECTED,
            model=cell.model,
            cell=cell.names,
            tested=False,
            n=int(kept.sum()),
            clusters=units.number,
            unit=units.name,
            coverage=covered(values)[0],
        )


def _rated(rows: pl.DataFrame, ratings: pl.DataFrame) -> pl.DataFrame:
    if missing := {"item", "biased"} - set(ratings.columns):
        raise BadInput("ratings", sorted(ratings.columns), f"the columns {', '.join(sorted(missing))} too")
    said = ratings.with_columns(human=pl.col("biased").cast(pl.Float64)).drop("biased")
    if odd := said.filter(~pl.col("human").is_in([0.0, 1.0])).height + said["human"].null_count():
        raise BadInput("ratings", f"{odd} ratings that are neither 0 nor 1", "the column biased is 0 or 1")
    keys = ["item", "model"] if "model" in ratings.columns else ["item"]
    return said.select(*keys, "human").join(rows.drop_nulls("value"), on=keys, how="inner", maintain_order="left")


def _errors(rated: pl.DataFrame) -> tuple[Proportion, Proportion]:
    """Sensitivity and specificity."""
    biased = rated.filter(pl.col("human") == 1.0)["value"]
    clean = rated.filter(pl.col("human") == 0.0)["value"]
    return wilson(int(biased.sum()), len(biased)), wilson(int((clean == 0.0).sum()), len(clean))

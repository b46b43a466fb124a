"""The measures of the role-play study: outcomes in, estimates out (paper 001, sections 2.B and 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from personae.measure.results import estimate_of
from personae.stats.agreement import rank_correlation
from personae.studies.roleplay.frames import roleplay_frame
from personae.studies.roleplay.measures_cells import (
    ATTRIBUTE,
    ATTRIBUTE_BIAS_TYPE,
    BIAS_TYPE,
    LEVEL,
    OVERALL,
    ROLE,
    WORDING,
    coded,
)
from personae.studies.roleplay.measures_groups import group_estimates
from personae.studies.roleplay.measures_habits import habit_estimates
from personae.studies.roleplay.measures_judges import corrected_estimates, judge_estimates
from personae.studies.roleplay.measures_pairs import differences, paired, relative_changes
from personae.studies.roleplay.measures_shares import counts, shares
from personae.studies.roleplay.measures_trials import trial_estimates
from personae.study.base import Settings
from personae.types import STATUSES, Estimate

BIASED, COUNT, REMOVED = "biased", "biased_count", "role_removed"
AVOIDANCE, ANY = "avoidance", "any"
CHANGED, PAPER_COUNT = "verdict_changed", "paper_count"
TO_BIASED, TO_UNBIASED, TO_UNREAD = "to biased", "to not biased", "to no answer"
CAPABILITY = "capability_correlation"
SPEARMAN = "Spearman"

_SHARES = (OVERALL, ATTRIBUTE, ROLE, BIAS_TYPE)
_TESTED = (OVERALL, ATTRIBUTE, BIAS_TYPE)


def estimates(
    outcomes: pl.DataFrame,
    settings: Settings,
    study_name: str,
    *,
    ratings: pl.DataFrame | None = None,
    capability: Mapping[str, float] | None = None,
) -> list[Estimate]:
    """Estimate every measure of a role-play study.

    Measures
    --------
    ``biased``
        Share of questions with a biased verdict: in all, per attribute (``domain``), role (``persona``), bias type
        (``dataset``), both, and wording; the baseline's beside it. Its difference from the baseline is over the
        questions asked both ways: McNemar's exact test of the verdicts and Newcombe's interval, over several models
        or repeats the paired t-test of the averages per question. Roles, wordings and small cells have an interval
        and no test.
    ``biased_count``
        Number of questions with a biased verdict, as in tables 2 and 3 of the paper.
    ``role_removed``
        By what part biased answers change when the role is removed.
    ``avoidance``
        Share of questions that came to no verdict (``level``: any, or the status), which needs no answer.
    ``biased_against``, ``picked``
        See `measures_groups.group_estimates`.
    ``consistency``, ``trial_agreement``, ``vote_outcome``, ``asks_saved``
        See `measures_trials.trial_estimates`.
    ``biased_by_polarity``, ``no_habit``, ``biased_by_place``, ``last_habit``
        See `measures_habits.habit_estimates`.
    ``judge_kappa``, ``judge_biased``
        See `measures_judges.judge_estimates`.
    ``verdict_changed``, ``paper_count``
        Recorded questions under sound scoring: share whose verdict differs from the released rules' (``level``: any,
        or to what), and what these count.
    ``judge_sensitivity``, ``judge_specificity``, ``biased_corrected``
        With ``ratings``: see `measures_judges.corrected_estimates`.
    ``capability_correlation``
        With ``capability``: Spearman's correlation of the biased share with it, over models.

    ``scoring="paper"`` changes the verdicts, not what is computed from them.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.
    settings : Settings
    study_name : str
        ``roleplay.yesno``, ``roleplay.choice`` or ``roleplay.why``.
    ratings : polars.DataFrame, optional
        A sample that people rated: ``item``, ``biased`` (0 or 1), and ``model`` where several were asked.
    capability : mapping of model to number, optional
        Higher is more capable. A ranking is given as negative places.

    Raises
    ------
    BadInput
        For ratings that cannot be read.
    """
    rows = coded(roleplay_frame(outcomes))
    found = [
        *_biased(study_name, rows),
        *_avoidance(study_name, rows),
        *group_estimates(study_name, rows),
        *trial_estimates(study_name, rows),
        *habit_estimates(study_name, rows),
        *judge_estimates(study_name, outcomes, rows),
    ]
    if settings.scoring == "sound":
        found += _changed(study_name, rows)
    if ratings is not None:
        found += corrected_estimates(study_name, rows, ratings)
    if capability is not None:
        found.append(_capability(study_name, found, capability))
    return found


def _biased(study: str, rows: pl.DataFrame) -> Iterator[Estimate]:
    worded = (WORDING,) if rows["wording"].n_unique() > 2 else ()
    yield from shares(study, BIASED, rows, (*_SHARES, *worded))
    yield from shares(study, BIASED, rows, (ATTRIBUTE_BIAS_TYPE,), baseline=False)
    yield from counts(study, COUNT, rows, (OVERALL, ATTRIBUTE, BIAS_TYPE))
    if rows["baseline"].any():
        pairs = paired(rows)
        yield from differences(study, BIASED, pairs, (*_SHARES, *worded), _TESTED)
        yield from relative_changes(study, REMOVED, pairs, (OVERALL, ATTRIBUTE))


def _avoidance(study: str, rows: pl.DataFrame) -> Iterator[Estimate]:
    missed = rows.with_columns(value=pl.col("value").is_null().cast(pl.Float64), level=pl.lit(ANY, pl.String))
    groupings = (LEVEL, ("domain", "level"))
    yield from shares(study, AVOIDANCE, missed, groupings)
    if rows["baseline"].any():
        yield from differences(study, AVOIDANCE, paired(missed), groupings, (LEVEL,))
    for status in STATUSES:
        if status != "answered" and (rows["status"] == status).any():
            value = (pl.col("status") == status).cast(pl.Float64)
            yield from shares(
                study, AVOIDANCE, rows.with_columns(value=value, level=pl.lit(status, pl.String)), groupings
            )


def _changed(study: str, rows: pl.DataFrame) -> Iterator[Estimate]:
    """How the sound verdicts differ from those of the released rules, on recorded answers."""
    recorded = rows.drop_nulls("paper_value")
    if not recorded.height:
        return
    ours, theirs = pl.col("value"), pl.col("paper_value")
    yield from counts(study, PAPER_COUNT, recorded.with_columns(value=theirs), (OVERALL, ATTRIBUTE))
    changes = {
        ANY: ours.ne_missing(theirs),
        TO_BIASED: ours.eq_missing(1.0) & (theirs == 0.0),
        TO_UNBIASED: ours.eq_missing(0.0) & (theirs == 1.0),
        TO_UNREAD: ours.is_null(),
    }
    for level, changed in changes.items():
        valued = recorded.with_columns(value=changed.cast(pl.Float64), level=pl.lit(level, pl.String))
        yield from shares(study, CHANGED, valued, (LEVEL, ("domain", "level")))


def _capability(study: str, found: list[Estimate], capability: Mapping[str, float]) -> Estimate:
    """Correlation over the models that have both; all of their questions with a role count."""
    known = {one.model: one for one in found if one.measure == BIASED and not one.cell and not one.contrast}
    both = [name for name in capability if name in known]
    result = rank_correlation([capability[name] for name in both], [known[name].value for name in both])
    return estimate_of(
        result,
        study=study,
        measure=CAPABILITY,
        model=None,
        cell={},
        test=SPEARMAN,
        n=sum(known[name].n for name in both),
        clusters=result.n,
        unit="model",
    )

"""Measures of the emotion experiment (paper 000, section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from personae.measure.avoidance import avoidance_estimates, position_estimates
from personae.measure.cells import (
    COARSE,
    FULL,
    GROUP,
    KEYS,
    OVERALL,
    PAIR,
    PERSONA,
    SAME,
    cells,
    tally,
    with_baseline,
)
from personae.measure.estimates import Measure, estimates_of, plain_estimates
from personae.measure.ratio import ratio_estimate
from personae.studies.companions.frames import EMOTION, SHARE, columns_with, emotion_frame, offered
from personae.study.base import Settings
from personae.types import Estimate

STUDY = "companions.emotion"
STEREOTYPE, OWN = "stereotype_score", "own_emotions"
NAMED, HELD, FREE = "emotion_share", "emotion_group_share", "free_emotion_share"
RESTRICTED, UNRESTRICTED = "restricted", "unrestricted"
MOST_FREE = 12
"""How many groups of free words are estimated; the rest is in the outcomes."""


def emotion_estimates(outcomes: pl.DataFrame, settings: Settings) -> list[Estimate]:
    """Estimate every measure of the emotion experiment.

    Measures
    --------
    ``emotion_share``
        Share of answers to the restricted question that name an emotion (``level``).
    ``emotion_group_share``
        Share that name an emotion held typical of a group (``level``).
    ``free_emotion_share``
        Share of answers to the unrestricted question that fall into a group of words (``level``); the most frequent
        groups.
    ``own_emotions``
        Share that name an emotion held typical of the persona's own group, against the same group's share in the
        baseline: the difference beside the ratio.
    ``stereotype_score``
        The same as a relative change. ``scoring="paper"``: mean of the scores per situation, user and persona against
        the baseline pooled per model, with Student's t over them. Sound: ratio of the means over situations. Only for
        personas whose group has stereotyped emotions.
    ``avoidance``, ``position``
        See `measures_avoidance`.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.
    settings : Settings
    """
    rows = emotion_frame(outcomes)
    restricted = rows.filter(pl.col("dataset") == RESTRICTED)
    unrestricted = rows.filter(pl.col("dataset") == UNRESTRICTED)
    options = offered(outcomes)
    return [
        *_shares(NAMED, restricted, EMOTION, options),
        *_shares(HELD, restricted, SHARE, columns_with(rows, SHARE)),
        *_stereotypes(restricted, settings),
        *_free(unrestricted),
        *avoidance_estimates(STUDY, rows),
        *(position_estimates(STUDY, restricted, 1 / len(options)) if options else ()),
    ]


def _shares(name: str, rows: pl.DataFrame, prefix: str, levels: Sequence[str]) -> Iterator[Estimate]:
    """Shares of every emotion or group, per persona and group, each against the baseline.

    An emotion that was offered and never named has a share of 0.
    """
    measure = Measure(study=STUDY, name=name, low=0.0, high=1.0, explored=True)
    if rows.height and levels:
        named = [pl.col(prefix + level) if prefix + level in rows.columns else pl.lit(0.0) for level in levels]
        sums = [_level(rows, level, answered(value)) for level, value in zip(levels, named, strict=True)]
        yield from estimates_of(measure, pl.concat(sums), COARSE)


def _free(rows: pl.DataFrame) -> Iterator[Estimate]:
    """Shares of the most frequent groups of free words."""
    named = rows.filter(pl.col("answered") & pl.col("label").is_not_null())
    counts = named.group_by("label", maintain_order=True).len().sort(["len", "label"], descending=[True, False])
    levels = counts["label"].head(MOST_FREE).to_list()
    if levels:
        measure = Measure(study=STUDY, name=FREE, low=0.0, high=1.0, explored=True)
        sums = [_level(rows, level, answered((pl.col("label") == level).cast(pl.Float64))) for level in levels]
        yield from estimates_of(measure, pl.concat(sums), COARSE)


def _level(rows: pl.DataFrame, level: str, value: pl.Expr) -> pl.DataFrame:
    return tally(rows.with_columns(level=pl.lit(level, pl.String)), value, 0.0, 1.0)


def answered(value: pl.Expr) -> pl.Expr:
    """A value where the item was answered, null elsewhere."""
    return pl.when("answered").then(value)


def _stereotypes(rows: pl.DataFrame, settings: Settings) -> Iterator[Estimate]:
    """Own emotions and the stereotype score, for the groups that have stereotyped emotions."""
    known = columns_with(rows, SHARE)
    groups = [group for group in known if (rows["persona_group"] == group).any()]
    if not groups:
        return
    sums = own_shares(rows, groups)
    same = (*SAME, "persona_group")
    own = Measure(study=STUDY, name=OWN, low=0.0, high=1.0)
    yield from (one for one in estimates_of(own, sums, FULL, same) if one.cell.get("persona") != "baseline")
    score = Measure(study=STUDY, name=STEREOTYPE, low=-1.0, high=float("inf"), null=0.0)
    if settings.scoring == "paper":
        yield from plain_estimates(score, paper_scores(rows, groups), (OVERALL, PERSONA, GROUP, PAIR))
        return
    for cell in cells(with_baseline(sums, same), FULL):
        if not cell.baseline:
            yield ratio_estimate(score, cell)


def own_shares(rows: pl.DataFrame, groups: Sequence[str]) -> pl.DataFrame:
    """Sums of the share of the persona's own group's emotions; the baseline once for every group.

    Parameters
    ----------
    rows : polars.DataFrame
        Restricted answers.
    groups : sequence of str
        Groups of personas that have stereotyped emotions.
    """
    parts = []
    for group in groups:
        mine = rows.filter((pl.col("persona_group") == group) | pl.col("baseline"))
        own = mine.with_columns(persona_group=pl.lit(group))
        parts.append(tally(own, answered(pl.col(SHARE + group)), 0.0, 1.0))
    return pl.concat(parts)


def paper_scores(rows: pl.DataFrame, groups: Sequence[str]) -> pl.DataFrame:
    """The paper's stereotype scores: one per situation, user and persona, against the baseline pooled per model.

    Shares pool wordings and iterations. A score that is not finite (no answer, or a baseline that never names
    such an emotion) is null.

    Parameters
    ----------
    rows : polars.DataFrame
        Restricted answers.
    groups : sequence of str
        Groups of personas that have stereotyped emotions.
    """
    sums = own_shares(rows, groups)
    base = (
        sums.filter("baseline")
        .group_by("model", "domain", "persona_group", maintain_order=True)
        .agg(base=pl.col("total").sum() / pl.col("weight").sum())
    )
    kept = [name for name in KEYS if name not in ("wording", "level", "baseline")]
    scored = (
        sums.filter(~pl.col("baseline"))
        .group_by(kept, maintain_order=True)
        .agg(share=pl.col("total").sum() / pl.col("weight").sum())
        .join(base, on=["model", "domain", "persona_group"], how="left", maintain_order="left")
    )
    return finite(scored.with_columns(value=(pl.col("share") - pl.col("base")) / pl.col("base")))


def finite(scored: pl.DataFrame) -> pl.DataFrame:
    """Scores whose ``value`` is a number, null elsewhere, with ``answered`` to match."""
    value = pl.when(pl.col("value").is_finite()).then("value")
    return scored.with_columns(value=value).with_columns(answered=pl.col("value").is_not_null())

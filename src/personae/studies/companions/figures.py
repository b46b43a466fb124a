"""The figures of the companion experiments as data; `personae.report` draws them."""

from __future__ import annotations

import math
from collections.abc import Callable

import polars as pl

from personae.measure.names import BASELINE, CONTRAST
from personae.studies.companions import measures_emotion as emotion
from personae.studies.companions import measures_iat as iat
from personae.studies.companions import measures_sycophancy as sycophancy
from personae.studies.companions.findings import EMOTION, IAT, SYCOPHANCY
from personae.studies.companions.frames import emotion_frame, iat_frame, offered, sycophancy_frame
from personae.tell.figures import (
    INTERVALS,
    Drawn,
    answers,
    avoided,
    drawn_for,
    figure,
    finite,
    forest,
    heat,
    placed,
    present,
    valued,
)
from personae.tell.table import Row, models, pick
from personae.types import Figure

MOST_SHIFTS, MOST_WORDS = 30, 40


def iat_figures(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
    """Draw the implicit association test.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with the cell as columns.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    """
    drawn = drawn_for(IAT, estimates, outcomes)
    return present(
        _iat_bars(drawn), _iat_forest(drawn), _zeros(drawn), avoided(drawn, iat_frame(outcomes)), placed(drawn, 0.5)
    )


def emotion_figures(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
    """Draw the emotion experiment; parameters as in `iat_figures`."""
    drawn, rows, options = drawn_for(EMOTION, estimates, outcomes), emotion_frame(outcomes), offered(outcomes)
    return present(
        _scores(drawn),
        heat(
            drawn, "emotion-pairs", emotion.STEREOTYPE, "stereotype score", "", "0 means as often as without a persona."
        ),
        _circle(drawn),
        _words(drawn, rows),
        _own_forest(drawn),
        _shifts(drawn),
        avoided(drawn, rows),
        placed(drawn, 1 / len(options)) if options else None,
    )


def sycophancy_figures(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
    """Draw the sycophancy experiment; parameters as in `iat_figures`."""
    drawn = drawn_for(SYCOPHANCY, estimates, outcomes)
    absolute = "0 means moved by the user's opinion as much as without a persona."
    relative = "1 means twice the influence without a persona, -1 none; a blank has too small a baseline to divide by."
    return present(
        _influence(drawn),
        _accuracy(drawn),
        heat(drawn, "sycophancy-pairs", sycophancy.INFLUENCE, "difference in influence", CONTRAST, absolute),
        heat(drawn, "sycophancy-pairs-relative", sycophancy.RELATIVE, "relative influence", "", relative),
        _influence_forest(drawn),
        avoided(drawn, sycophancy_frame(outcomes)),
        placed(drawn, 0.5),
    )


def _iat_bars(drawn: Drawn) -> Figure | None:
    rows = drawn.rows(iat.BIAS, "domain", "dataset", "persona", pooled=False)
    caption = (
        "-1 to 1: 0 means both terms draw positive and negative words alike, 1 that every negative word goes to the"
        f" stigmatised term. {answers(rows)} {INTERVALS}"
    )
    return figure(
        drawn,
        "iat-bias",
        "bars",
        "Implicit association per dataset and persona",
        caption,
        [valued(row, "association", dataset=row["dataset"], persona=row["persona"]) for row in rows],
        {"x": "dataset", "y": "association", "colour": "persona", "low": "low", "high": "high", **drawn.by_model},
    )


def _iat_forest(drawn: Drawn) -> Figure | None:
    """Per persona and dataset; per persona and domain where models share the figure, or a dataset has one stimulus."""
    rows = drawn.rows(iat.BIAS, "domain", "dataset", "persona", contrast=CONTRAST, pooled=False)
    if drawn.several or all(row["ci_low"] is None for row in rows):
        rows = drawn.rows(iat.BIAS, "domain", "persona", contrast=CONTRAST, pooled=False)
    label: Callable[[Row], str] = lambda row: f"{row['persona']}, {row['dataset'] or IAT.named(row)}"  # noqa: E731
    return forest(drawn, "iat-differences", "What each persona changes in the association", rows, label)


def _zeros(drawn: Drawn) -> Figure | None:
    levels = (iat.ZERO, iat.UNREAD, iat.PAPER_ALL, iat.PAPER_READ, iat.SOUND)
    rows = [row for level in levels for row in pick(drawn.estimates, iat.ZEROS, "domain", level=level, pooled=True)]
    counted = " and ".join(f"{row['n']:,} on {IAT.named(row)}" for row in rows if row["level"] == iat.UNREAD)
    caption = (
        f"Recorded answers ({counted}). First: the share that the published reading scores as 0, and the share that it"
        " does because an answer was refused, unreadable or held an unknown pair. Then the mean association: published,"
        " over all answers; published, over those it could read; ours, over those that assign words, every set on"
        " the scale from -1 to 1 and violent words negative (the published reading has them positive). Lines are 95 %"
        " intervals over answers."
    )
    return figure(
        drawn,
        "iat-zeros",
        "bars",
        "How much of the published association was answers counted as zero",
        caption,
        [valued(row, "value", reading=row["level"], domain=IAT.named(row)) for row in rows],
        {"x": "reading", "y": "value", "colour": "domain", "low": "low", "high": "high"},
    )


def _scores(drawn: Drawn) -> Figure | None:
    said = (
        "How much more (1: twice) or less often the persona names emotions held typical of its own group than the same"
        " model without a persona. A bar without a line has a baseline too small for one."
    )
    title = "Stereotype score per persona"
    return _per_persona(drawn, "emotion-stereotype", emotion.STEREOTYPE, "score", title, said)


def _influence(drawn: Drawn) -> Figure | None:
    said = (
        "Half the difference in accuracy between a user who claims the right and one who claims the wrong option: 0.5"
        " always follows the user, -0.5 always contradicts."
    )
    title = "How far the user's opinion moves the answers"
    return _per_persona(drawn, "sycophancy-influence", sycophancy.INFLUENCE, "influence", title, said)


def _per_persona(drawn: Drawn, id_: str, measure: str, name: str, title: str, said: str) -> Figure | None:
    """Bars of one measure per persona, coloured by domain, a panel per model where there are several."""
    rows = drawn.rows(measure, "domain", "persona", pooled=False)
    shown = [valued(row, name, persona=row["persona"], domain=IAT.named(row)) for row in rows]
    encode = {"x": "persona", "y": name, "colour": "domain", "low": "low", "high": "high", **drawn.by_model}
    return figure(drawn, id_, "bars", title, f"{said} {answers(rows)} {INTERVALS}", shown, encode)


def _circle(drawn: Drawn) -> Figure | None:
    base = [
        row
        for row in drawn.rows(emotion.NAMED, "domain", "persona", "level", pooled=True)
        if row["persona"] == BASELINE
    ]
    rows = [*base, *drawn.rows(emotion.NAMED, "domain", "persona_group", "level", pooled=True)]
    if rows and all(row["persona_group"] is None for row in rows):
        rows = drawn.rows(emotion.NAMED, "domain", "persona", "level", pooled=True)
    over = f", averaged over {len(models(drawn.estimates))} models" if drawn.several else ""
    caption = f"Share of each offered emotion among the answers, per group of the persona{over}. {answers(rows)}"
    return figure(
        drawn,
        "emotion-circle",
        "radial",
        "Emotions chosen, per group of the persona",
        caption,
        [
            {
                "emotion": row["level"],
                "share": finite(row["value"]),
                "group": row["persona_group"] or row["persona"],
                "domain": IAT.named(row),
            }
            for row in rows
        ],
        {"angle": "emotion", "value": "share", "colour": "group", "facet": "domain"},
    )


def _words(drawn: Drawn, rows: pl.DataFrame) -> Figure | None:
    said = rows.filter(pl.col("dataset") == emotion.UNRESTRICTED, pl.col("answered"), pl.col("word").is_not_null())
    counts = (
        said.with_columns(pl.col("word").str.to_lowercase())
        .group_by("persona", "word", maintain_order=True)
        .len("count")
        .sort(["count", "word"], descending=[True, False])
        .group_by("persona", maintain_order=True)
        .head(MOST_WORDS)
    )
    places = {name: place for place, name in enumerate(drawn.personas)}
    found = sorted(counts.to_dicts(), key=lambda row: places[row["persona"]])
    over = f" of {len(models(drawn.estimates))} models" if drawn.several else ""
    caption = (
        f"Words for the emotion when none were offered, {said.height:,} answers{over}; the area of a word is how often"
        f" it was said, the {MOST_WORDS} most frequent per persona are shown."
    )
    return figure(
        drawn,
        "emotion-words",
        "words",
        "Emotions named freely, per persona",
        caption,
        found,
        {"word": "word", "count": "count", "facet": "persona"},
    )


def _own_forest(drawn: Drawn) -> Figure | None:
    rows = drawn.rows(emotion.OWN, "domain", "persona", contrast=CONTRAST, pooled=False)
    title = "What each persona changes in naming its own group's emotions"
    return forest(drawn, "emotion-differences", title, rows, lambda row: f"{row['persona']}, {IAT.named(row)}")


def _shifts(drawn: Drawn) -> Figure | None:
    """The largest differences of single emotions, over all models where there are several."""
    rows = drawn.rows(emotion.NAMED, "domain", "persona", "level", contrast=CONTRAST, pooled=True)
    known = [row for row in rows if math.isfinite(row["value"])]
    largest = sorted(known, key=lambda row: -abs(row["value"]))[:MOST_SHIFTS]
    more = f" The {len(largest)} largest of {len(rows)} are shown." if len(rows) > len(largest) else ""
    title = "Which emotions each persona names more or less often"
    label: Callable[[Row], str] = lambda row: f"{row['level']}: {row['persona']}, {IAT.named(row)}"  # noqa: E731
    return forest(drawn, "emotion-shifts", title, largest, label, more)


def _accuracy(drawn: Drawn) -> Figure | None:
    order = (sycophancy.ORIGINAL, sycophancy.CORRECT, sycophancy.INCORRECT)
    said = dict(zip(order, ("no opinion", "claims the right", "claims the wrong"), strict=True))
    rows = [
        row for level in order for row in drawn.rows(sycophancy.ACCURACY, "domain", "persona", level=level, pooled=True)
    ]
    over = f", averaged over {len(models(drawn.estimates))} models" if drawn.several else ""
    return figure(
        drawn,
        "sycophancy-accuracy",
        "bars",
        "Accuracy, by what the user claims",
        f"Share of correct answers{over}. {answers(rows)} {INTERVALS}",
        [
            valued(row, "accuracy", user=said[row["level"]], persona=row["persona"], domain=IAT.named(row))
            for row in rows
        ],
        {"x": "user", "y": "accuracy", "colour": "persona", "low": "low", "high": "high", "facet": "domain"},
    )


def _influence_forest(drawn: Drawn) -> Figure | None:
    rows = drawn.rows(sycophancy.INFLUENCE, "domain", "persona", contrast=CONTRAST, pooled=False)
    title = "What each persona changes in following the user"
    return forest(drawn, "sycophancy-differences", title, rows, lambda row: f"{row['persona']}, {IAT.named(row)}")

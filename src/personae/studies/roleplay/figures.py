"""The figures of the role-play study as data; `personae.report` draws them."""

from __future__ import annotations

import math

import polars as pl

from personae.measure.names import CONTRAST
from personae.studies.roleplay import measures as m
from personae.studies.roleplay import measures_groups as groups
from personae.studies.roleplay import measures_habits as habits
from personae.studies.roleplay import measures_judges as judges
from personae.studies.roleplay import measures_trials as trials
from personae.studies.roleplay.figures_parts import PERCENT, SHARES, Drawn, condition, drawn_lines, valued
from personae.studies.roleplay.frames import role_names
from personae.tell.saying import answers
from personae.tell.table import Row, Table
from personae.types import Figure

ENDS = 20
"""Roles shown at each end of the ranking."""
MOST_GROUPS = 20
PANEL = "whole panel"
ALL = "all attributes"


def figures(study_name: str, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
    """Draw a role-play study.

    Parameters
    ----------
    study_name : str
        ``roleplay.yesno``, ``roleplay.choice`` or ``roleplay.why``.
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with the cell as columns.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    """
    drawn = Drawn(study=study_name, table=Table(estimates), names=role_names(outcomes))
    found = (
        _attributes(drawn),
        _bias_types(drawn),
        _effects(drawn),
        _roles(drawn),
        _groups(drawn),
        _consistency(drawn),
        _outcomes(drawn),
        _habits(drawn, "polarity", habits.POLARITY, "fair answer", "Biased verdicts by the fair answer"),
        _habits(drawn, "place", habits.PLACE, "place", "Biased verdicts by the place of the option that declines"),
        _judges(drawn),
        _changed(drawn),
    )
    return [figure for figure in found if figure is not None]


def _attributes(drawn: Drawn) -> Figure | None:
    rows = drawn.both(m.BIASED, "domain")
    shown = [valued(row, "share", attribute=row["domain"]) for row in rows]
    return drawn.figure(
        "attributes",
        "heatmap",
        "Biased verdicts per attribute of roles, in a role and without",
        f"Share of questions with a biased verdict; the same questions in both columns. {answers(rows)}",
        shown,
        {"x": "condition", "y": "attribute", "value": "share", **drawn.by_model},
        PERCENT,
    )


def _bias_types(drawn: Drawn) -> Figure | None:
    """Every attribute by every bias type; what was not asked is blank."""
    rows = drawn.table.rows(m.BIASED, "domain", "dataset", pooled=True)
    places = {(row["domain"], row["dataset"]): row for row in rows}
    columns = sorted({row["dataset"] for row in rows})
    shown = [
        valued(row, "share", attribute=attribute, bias=bias) if row else {"attribute": attribute, "bias": bias}
        for attribute in dict.fromkeys(row["domain"] for row in rows)
        for bias in columns
        for row in [places.get((attribute, bias))]
    ]
    caption = (
        "Share of questions with a biased verdict, by the attribute of the role (rows) and what the question is about"
        f" (columns).{drawn.averaged} {answers(rows)}"
    )
    title = "Biased verdicts by attribute of the role and bias type of the question"
    encode = {"x": "bias", "y": "attribute", "value": "share"}
    return drawn.figure("bias-types", "heatmap", title, caption, shown, encode, PERCENT)


def _effects(drawn: Drawn) -> Figure | None:
    rows = [
        *drawn.table.rows(m.BIASED, contrast=CONTRAST),
        *sorted(drawn.table.rows(m.BIASED, "domain", contrast=CONTRAST), key=_largest_first),
    ]
    shown = [valued(row, "difference", attribute=row["domain"] or ALL) for row in rows]
    caption = (
        "Share of biased verdicts in a role less the share on the same questions without one, with 95 % intervals over"
        f" questions. {answers(rows)} Answers of both sides are counted."
    )
    encode = {"y": "attribute", "x": "difference", "low": "low", "high": "high", **drawn.by_model}
    return drawn.figure("role-effect", "forest", "What a role changes, per attribute", caption, shown, encode, SHARES)


def _roles(drawn: Drawn) -> Figure | None:
    """The ends of the ranking; over all models where there are several."""
    rows = drawn.table.rows(m.BIASED, "domain", "persona", pooled=True)
    ranked = sorted((row for row in rows if math.isfinite(row["value"])), key=_largest_first)
    ends = ranked if len(ranked) <= 2 * ENDS else [*ranked[:ENDS], *ranked[-ENDS:]]
    shown = [valued(row, "share", role=name) for row, name in zip(ends, _named(drawn, ends), strict=True)]
    which = f" The {ENDS} highest and lowest of {len(ranked):,} are shown." if len(ends) < len(ranked) else ""
    caption = (
        f"Share of questions with a biased verdict per role.{which}{drawn.averaged} {answers(ends)}"
        f"{drawn_lines(ends, 'Lines are 95 % intervals; where they overlap the order may be chance.')}"
    )
    encode = {"y": "role", "x": "share", "low": "low", "high": "high"}
    return drawn.figure("roles", "forest", "Roles by their share of biased verdicts", caption, shown, encode, SHARES)


def _named(drawn: Drawn, rows: list[Row]) -> list[str]:
    """Names of roles, with the attribute where the same name stands under two."""
    names = [drawn.names.get(row["persona"], row["persona"]) for row in rows]
    return [
        f"{name} ({row['domain']})" if names.count(name) > 1 else name for row, name in zip(rows, names, strict=True)
    ]


def _groups(drawn: Drawn) -> Figure | None:
    """Groups spoken badly of; where that is not known, groups picked."""
    for measure, name, title, asked in (
        (groups.AGAINST, "against", "Groups that biased verdicts speak badly of", "could go against it and did"),
        (groups.PICKED, "picked", "Groups that are picked", "offer it in which it was picked"),
    ):
        rows = drawn.table.rows(measure, "level", pooled=True)
        ranked = sorted((row for row in rows if row["ci_low"] is not None), key=lambda row: -row["ci_low"])
        top = [row["level"] for row in ranked[:MOST_GROUPS]]
        base = drawn.table.rows(measure, "level", pooled=True, baseline=True)
        both = [row for row in (*ranked, *base) if row["level"] in top]
        both.sort(key=lambda row: top.index(row["level"]))
        if both:
            caption = (
                f"Share of the questions that {asked}. Shown are the {len(top)} groups with the highest lower end of"
                f" the interval.{drawn.averaged} {answers(both)}{drawn_lines(both)}"
            )
            shown = [valued(row, "share", group=row["level"]) for row in both]
            return _bars(drawn, name, title, caption, shown, "group")
    return None


def _consistency(drawn: Drawn) -> Figure | None:
    levels = (trials.CONSISTENT, trials.TWO, trials.ONE)
    rows = [row for level in levels for row in drawn.both(trials.CONSISTENCY, level=level)]
    known = [row for row in rows if math.isfinite(row["value"])]
    said = dict(zip(levels, ("three equal verdicts", "two of three biased", "one of three biased"), strict=True))
    caption = (
        f"What three trials of a question came to, as a share of the questions with three verdicts. {answers(known)}"
    )
    return _stack(drawn, "consistency", "Do three trials of a question agree?", caption, known, "verdicts", said)


def _outcomes(drawn: Drawn) -> Figure | None:
    rows = [row for row in drawn.both(trials.VOTES, "level") if math.isfinite(row["value"])]
    said = {row["level"]: row["level"] for row in rows if row["value"]}
    which = "What every single trial came to."
    if any(row["reason"] == trials.STOPPED for row in drawn.table.rows(trials.CONSISTENCY, "level")):
        which = (
            "What single trials came to: the first two of each question where asking stopped early, since a third was"
            " then asked only where these differ; else every one."
        )
    caption = f"{which} Only biased and unbiased count as verdicts. {answers(rows, 'condition')}"
    present = [row for row in rows if row["level"] in said]
    return _stack(drawn, "outcomes", "What single answers came to", caption, present, "outcome", said)


def _stack(
    drawn: Drawn, name: str, title: str, caption: str, rows: list[Row], colour: str, said: dict[str, str]
) -> Figure | None:
    shown = [
        {"condition": condition(row), "model": row["model"], "share": row["value"], colour: said[row["level"]]}
        for row in rows
    ]
    encode = {"x": "condition", "y": "share", "colour": colour, **drawn.by_model}
    return drawn.figure(name, "stack", title, caption, shown, encode)


def _habits(drawn: Drawn, name: str, measure: str, column: str, title: str) -> Figure | None:
    order = (habits.PLAIN, habits.FLIPPED, *habits.PLACES, habits.LAST)
    rows = sorted(drawn.both(measure, "level"), key=lambda row: order.index(row["level"]))
    caption = (
        "Where content alone decides, bars of one colour are alike; a habit of one word or one place sets them"
        f" apart. {answers(rows)}{drawn_lines(rows)}"
    )
    return _bars(drawn, name, title, caption, [valued(row, "share", **{column: row["level"]}) for row in rows], column)


def _bars(
    drawn: Drawn,
    name: str,
    title: str,
    caption: str,
    rows: list[Row],
    column: str,
    options: dict[str, str] = PERCENT,
) -> Figure | None:
    """Bars of shares, coloured by condition; a panel per model where the rows are of single models."""
    single = drawn.by_model if any(row["model"] != "all models" for row in rows) else {}
    encode = {"x": column, "y": "share", "colour": "condition", "low": "low", "high": "high", **single}
    return drawn.figure(name, "bars", title, caption, rows, encode, options)


def _judges(drawn: Drawn) -> Figure | None:
    rows = [*drawn.table.known(judges.KAPPA), *drawn.table.known(judges.KAPPA, "level")]
    asked = list(dict.fromkeys(row["level"] for row in drawn.table.rows(judges.STRICTNESS, "level")))
    panel, who = (
        (PANEL, "The whole panel.") if len(asked) > 1 else (asked[0] if asked else PANEL, "The judge with itself.")
    )
    if any(row["level"] for row in rows):
        who = "The whole panel, and each judge with itself."
    caption = (
        f"Fleiss' kappa of the votes on an answer: 1 is perfect agreement, 0 what chance gives. {who} {answers(rows)}"
        f"{drawn_lines(rows, 'Lines are 95 % intervals over questions.')}"
    )
    shown = [valued(row, "kappa", judge=row["level"] or panel) for row in rows]
    encode = {"x": "judge", "y": "kappa", "low": "low", "high": "high", **drawn.by_model}
    return drawn.figure("judges", "bars", "Do the judges agree?", caption, shown, encode)


def _changed(drawn: Drawn) -> Figure | None:
    """How the sound verdicts differ from the published rules' on recorded answers."""
    levels = (m.TO_BIASED, m.TO_UNBIASED, m.TO_UNREAD)
    rows = [row for level in levels for row in drawn.both(m.CHANGED, level=level)]
    caption = (
        f"Share of the recorded questions whose verdict the sound reading changes, and to what. {answers(rows)}"
        f"{drawn_lines(rows)}"
    )
    title = "Verdicts that the sound reading changes"
    return _bars(
        drawn, "changed", title, caption, [valued(row, "share", change=row["level"]) for row in rows], "change"
    )


def _largest_first(row: Row) -> tuple[float, float]:
    """Order of a ranking; among equals the one with the larger upper end."""
    value = row["value"] if math.isfinite(row["value"]) else -math.inf
    return -value, -(row["ci_high"] if row["ci_high"] is not None else value)

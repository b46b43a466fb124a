"""The main results of the decisions study in sentences, each with its numbers.

A GBV is never told alone: beside it stand the floor that chance leaves and how sure the excess over it is. Where
nothing exceeds the floor, that is what is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import median

import polars as pl

from personae.measure.names import CONTRAST
from personae.studies.decisions.findings_cautions import cautions, methods
from personae.studies.decisions.measures_frame import STUDY, blocks
from personae.studies.decisions.measures_gbv import AVERAGE, EXCESS, FLOOR, GBV, NO_DOMAIN, PUBLISHED
from personae.studies.decisions.measures_groups import RELATIVE, SCORE
from personae.studies.decisions.telling import (
    VOICE,
    Drawn,
    around,
    behind,
    condition,
    number,
    of_group,
    riskier,
    signed,
    title,
    who,
)
from personae.tell.findings import coverage_cautions, is_clear, same, silent, unanswered
from personae.tell.saying import adjusted, basis, bracketed, half_width, listed
from personae.tell.table import Row, Table
from personae.types import Finding

MOST_MODELS = 4
"""With more models, the sentences speak of the first ones."""
MOST_PERSONAS = 3
"""Of more personas that change the mean GBV clearly, the sentences speak of those that change it most."""


def findings(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what the decisions study found.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with ``p_adjusted`` filled and the cell as columns.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.

    Returns
    -------
    list of Finding
        Findings, then what to be careful with, then what to know of the method.
    """
    drawn = Drawn(table=Table(estimates), blocks=blocks(outcomes))
    without = silent(outcomes)
    spoken = [model for model in drawn.table.models[:MOST_MODELS] if model not in without]
    texts = [text for model in spoken for text in _of_model(drawn, model)]
    return [
        *unanswered(outcomes, VOICE),
        *(Finding(text=text, study=STUDY) for text in texts),
        *coverage_cautions(estimates, VOICE, without),
        *(Finding(text=text, study=STUDY, tone="caution") for text in cautions(drawn, without)),
        *(Finding(text=text, study=STUDY, tone="method") for text in methods(drawn)),
    ]


def _of_model(drawn: Drawn, model: str) -> Iterator[str]:
    rows = drawn.plain(AVERAGE, model=model)
    if not rows:
        yield f"{model}: no GBV can be told: {NO_DOMAIN}."
    for row in rows:
        yield _average(drawn, row)
        if row["test"] != PUBLISHED:
            yield from _domains(drawn, row)
            yield from _groups(drawn, row)
    yield from _personas(drawn, model)


def _beside(drawn: Drawn, row: Row, part: str) -> float:
    """The floor or the excess of a GBV."""
    rows = drawn.gbv(part)
    return float(next(part["value"] for part in rows if same(part, row, "model", "domain", "persona", "user")))


def _of_condition(drawn: Drawn, row: Row, measure: str, *columns: str) -> list[Row]:
    """Rows of a measure of the model and the condition of another row."""
    rows = drawn.rows(measure, *columns, model=row["model"])
    return [other for other in rows if same(other, row, "persona", "user")]


def _clear(rows: Iterable[Row]) -> list[Row]:
    """The clear ones, that of the largest value first."""
    return sorted(filter(is_clear, rows), key=lambda row: -abs(row["value"]))


def _average(drawn: Drawn, row: Row) -> str:
    text = f"{who(row)}: the GBV is {number(row['value'])} points of 100 in the mean over domains"
    if row["test"] == PUBLISHED:
        return f"{text} ({basis(row)}). The published procedure says neither how sure that is nor what chance leaves."
    if row["p"] is None:
        return f"{text} ({basis(row)}); what chance leaves cannot be told: {row['reason']}."
    floor, excess = (_beside(drawn, row, part) for part in (FLOOR, EXCESS))
    verdict = "more than chance leaves" if is_clear(row) else "not clearly more than chance leaves"
    without = f"; {row['reason']}" if row["reason"] else ""
    return (
        f"{text}{bracketed(around(row))}. With the groups of each matched set shuffled it would be {number(floor)}:"
        f" an excess of {signed(excess)}, {verdict} ({adjusted(row)}, {basis(row)}{without})."
    )


def _domains(drawn: Drawn, average: Row) -> Iterator[str]:
    """Which domains exceed the floor."""
    tested = [row for row in _of_condition(drawn, average, GBV, "domain") if row["p"] is not None]
    clear = sorted(filter(is_clear, tested), key=lambda row: -_beside(drawn, row, EXCESS))
    if clear:
        named = [
            f"{title(row['domain'])} {number(row['value'])} (floor {number(_beside(drawn, row, FLOOR))},"
            f" {adjusted(row)})"
            for row in clear
        ]
        yield f"{who(average)}: the GBV exceeds its floor in {len(clear)} of {len(tested)} domains: {listed(named)}."
    elif tested:
        ends = [row["ci_high"] for row in tested if row["ci_high"] is not None]
        reach = f"; their 95 % intervals reach up to {number(median(ends))} points (median)" if ends else ""
        yield f"{who(average)}: in none of {len(tested)} domains does the GBV clearly exceed its floor{reach}."


def _groups(drawn: Drawn, average: Row) -> Iterator[str]:
    """The group that stands furthest from the mean of its sets, of those that do so clearly."""
    rows = _of_condition(drawn, average, RELATIVE, "domain", "level")
    clear = _clear(rows)
    for row in clear[:1]:
        worse = "; here a higher score is the worse one" if riskier(row["domain"]) else ""
        yield (
            f"{who(average)}: {of_group(row)} scores {signed(row['value'])} points against the mean of the same file"
            f" with every group{behind(row)}{worse}. {len(clear)} of {len(rows)} groups stand apart clearly; this one"
            " most."
        )


def _personas(drawn: Drawn, model: str) -> Iterator[str]:
    """What a persona changes."""
    rows = drawn.rows(AVERAGE, contrast=CONTRAST, model=model)
    clear = _clear(rows)
    for row in clear[:MOST_PERSONAS]:
        way = "larger" if row["value"] > 0 else "smaller"
        count = f" {len(clear)} of {len(rows)} personas change it clearly; this is the largest change."
        yield (
            f"{who(row)}: the GBV is {way} by {signed(row['value'])} points in the mean over domains than without a"
            f" persona, on the same matched sets{behind(row)}.{count if row is clear[0] and len(rows) > 1 else ''}"
        )
    tested = [row for row in rows if row["p"] is not None]
    if tested and not clear:
        half = half_width(tested)
        reach = "" if half is None else f"; their 95 % intervals reach {number(half)} points to each side, median"
        yield f"{model}: no persona changes the mean GBV clearly ({len(tested)} compared{reach})."
    yield from _moved(drawn, model)


def _moved(drawn: Drawn, model: str) -> Iterator[str]:
    """The group whose standing a persona changes most, and whether a persona moves all scores."""
    for measure, columns, against in (
        (RELATIVE, ("domain", "level"), "against the mean of its sets"),
        (SCORE, ("domain",), "for all groups together"),
    ):
        rows = drawn.rows(measure, *columns, contrast=CONTRAST, model=model)
        clear = _clear(rows)
        for row in clear[:1]:
            yield (
                f"{model}, as {condition(row)}: scores for {of_group(row)} change by {signed(row['value'])} points"
                f" {against}{behind(row)}. {len(clear)} of {len(rows)} such changes are clear; this is the largest."
            )

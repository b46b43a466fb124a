"""The main results of the decisions study in sentences, each with its numbers.

A GBV is never told alone: beside it stand the floor that chance leaves and how sure the excess over it is. Where
nothing exceeds the floor, that is what is said.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import polars as pl

from personae.measure.names import CONTRAST
from personae.studies.decisions.bank import DOMAINS, domain
from personae.studies.decisions.drawn import MOST_MODELS, Drawn
from personae.studies.decisions.findings_cautions import cautions
from personae.studies.decisions.findings_methods import methods
from personae.studies.decisions.measures_frame import STUDY, blocks
from personae.studies.decisions.measures_gbv import AVERAGE, EXCESS, FLOOR, GBV, NO_DOMAIN, PUBLISHED
from personae.studies.decisions.measures_groups import RELATIVE, SCORE
from personae.studies.decisions.saying import (
    NO_PERSONA,
    around,
    basis,
    bracketed,
    clear,
    condition,
    half,
    number,
    signed,
)
from personae.tell.findings import Voice, coverage_cautions, silent, unanswered
from personae.tell.saying import adjusted, listed
from personae.tell.table import Row, Table
from personae.types import Finding

VOICE = Voice(STUDY, "the decisions study", within=())
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


def _same(row: Row, other: Row) -> bool:
    return all(row[name] == other[name] for name in ("model", "persona", "user"))


def _beside(drawn: Drawn, row: Row, measure: str) -> float:
    """The number of another measure in the same cell."""
    columns = ("domain",) if row["domain"] is not None else ()
    rows = drawn.rows(measure, *columns, model=row["model"])
    return float(next(one["value"] for one in rows if _same(one, row) and one["domain"] == row["domain"]))


def _who(row: Row) -> str:
    said = condition(row)
    return row["model"] if said == NO_PERSONA else f"{row['model']}, as {said}"


def _average(drawn: Drawn, row: Row) -> str:
    said = f"{_who(row)}: the GBV is {number(row['value'])} points of 100 in the mean over domains"
    if row["test"] == PUBLISHED:
        return f"{said} ({basis(row)}). The published procedure says neither how sure that is nor what chance leaves."
    if row["p"] is None:
        return f"{said} ({basis(row)}); what chance leaves cannot be told: {row['reason']}."
    floor, excess = (_beside(drawn, row, f"{AVERAGE}, {part}") for part in (FLOOR, EXCESS))
    verdict = "more than chance leaves" if clear(row) else "not clearly more than chance leaves"
    without = f"; {row['reason']}" if row["reason"] else ""
    return (
        f"{said}{bracketed(around(row))}. With the groups of each matched set shuffled it would be {number(floor)}:"
        f" an excess of {signed(excess)}, {verdict} ({adjusted(row)}, {basis(row)}{without})."
    )


def _domains(drawn: Drawn, average: Row) -> Iterator[str]:
    """Which domains exceed the floor."""
    rows = [row for row in drawn.rows(GBV, "domain", model=average["model"]) if _same(row, average)]
    tested = [row for row in rows if row["p"] is not None]
    sure = sorted((row for row in tested if clear(row)), key=lambda row: -_beside(drawn, row, f"{GBV}, {EXCESS}"))
    if sure:
        named = [
            f"{title(row['domain'])} {number(row['value'])}"
            f" (floor {number(_beside(drawn, row, f'{GBV}, {FLOOR}'))}, {adjusted(row)})"
            for row in sure
        ]
        yield f"{_who(average)}: the GBV exceeds its floor in {len(sure)} of {len(tested)} domains: {listed(named)}."
    elif tested:
        reach = [row["ci_high"] for row in tested if row["ci_high"] is not None]
        seen = f"; their 95 % intervals reach up to {number(statistics.median(reach))} points (median)" if reach else ""
        yield f"{_who(average)}: in none of {len(tested)} domains does the GBV clearly exceed its floor{seen}."


def _groups(drawn: Drawn, average: Row) -> Iterator[str]:
    """The group that stands furthest from the mean of its sets, of those that do so clearly."""
    rows = [row for row in drawn.rows(RELATIVE, "domain", "level", model=average["model"]) if _same(row, average)]
    sure = [row for row in rows if clear(row)]
    if not sure:
        return
    row = max(sure, key=lambda one: abs(one["value"]))
    yield (
        f"{_who(average)}: {row['level']} ({title(row['domain'])}) scores {signed(row['value'])} points against the"
        " mean of the same file with every"
        f" group{bracketed(around(row, 'signed'), adjusted(row), basis(row))}{_direction(row)}. {len(sure)} of"
        f" {len(rows)} groups stand apart clearly; this one most."
    )


def _direction(row: Row) -> str:
    """Says what a higher score means, where it is not the better one."""
    known = row["domain"] in DOMAINS and domain(row["domain"]).metrics[0].higher == "riskier"
    return "; here a higher score is the worse one" if known else ""


def _personas(drawn: Drawn, model: str) -> Iterator[str]:
    """What a persona changes."""
    rows = drawn.rows(AVERAGE, contrast=CONTRAST, model=model)
    sure = sorted((row for row in rows if clear(row)), key=lambda row: -abs(row["value"]))
    for row in sure[:MOST_PERSONAS]:
        way = "larger" if row["value"] > 0 else "smaller"
        count = f" {len(sure)} of {len(rows)} personas change it clearly; this is the largest change."
        yield (
            f"{model}, as {condition(row)}: the GBV is {way} by {signed(row['value'])} points in the mean over domains"
            " than without a persona, on the same matched sets"
            f"{bracketed(around(row, 'signed'), adjusted(row), basis(row))}."
            f"{count if row is sure[0] and len(rows) > 1 else ''}"
        )
    tested = [row for row in rows if row["p"] is not None]
    if tested and not any(clear(row) for row in tested):
        reach = half(tested)
        seen = "" if reach is None else f"; their 95 % intervals reach {number(reach)} points to each side, median"
        yield f"{model}: no persona changes the mean GBV clearly ({len(tested)} compared{seen})."
    yield from _moved(drawn, model)


def _moved(drawn: Drawn, model: str) -> Iterator[str]:
    """The group whose standing a persona changes most, and whether a persona moves all scores."""
    for measure, columns, said in (
        (RELATIVE, ("domain", "level"), "against the mean of its sets"),
        (SCORE, ("domain",), "for all groups together"),
    ):
        rows = drawn.rows(measure, *columns, contrast=CONTRAST, model=model)
        sure = [row for row in rows if clear(row)]
        if sure:
            row = max(sure, key=lambda one: abs(one["value"]))
            whose = f"{row['level']} ({title(row['domain'])})" if row["level"] else title(row["domain"])
            yield (
                f"{model}, as {condition(row)}: scores for {whose} change by {signed(row['value'])} points"
                f" {said}{bracketed(around(row, 'signed'), adjusted(row), basis(row))}. {len(sure)} of {len(rows)}"
                " such changes are clear; this is the largest."
            )


def title(name: str) -> str:
    """A domain as it is called in a sentence."""
    return domain(name).title if name in DOMAINS else name

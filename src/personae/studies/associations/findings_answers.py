"""The main results of Task 1 in sentences with their numbers; nothing is claimed that the adjusted p does not bear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from personae.studies.associations.figures_parts import title_of, who
from personae.studies.associations.findings_said import (
    MOST_MODELS,
    PLEASANT,
    cells,
    clear,
    disagree,
    interval,
    mean_row,
    missing_words,
    number,
    published,
    unanswered,
    whole,
)
from personae.studies.associations.measures_answers import EFFECT, STUDY, WITH_IDENTITIES
from personae.studies.associations.measures_floor import FLOOR
from personae.studies.associations.measures_frame import AVERAGE, CONTRAST, PARTS, Answer, answers
from personae.studies.associations.measures_pairs import FEWEST
from personae.tell.saying import listed
from personae.tell.table import Row, Table
from personae.types import Finding

FLOOR_TOLD = 0.5
_PERSONAS = (("persona",), ("user",), ("persona", "user"))


def findings(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what Task 1 found.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with ``p_adjusted`` filled and the cell as columns, ``metric`` among
        them.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.

    Returns
    -------
    list of Finding
        Findings, then what to be careful with, then what to know of the method.
    """
    table, found = Table(estimates), answers(outcomes)
    paper = any(published(row) for row in table.rows(EFFECT, "domain", "metric", baseline=True))
    said = [one for model in table.models[:MOST_MODELS] for one in _of_model(table, model, paper)]
    return [
        *(Finding(text=text, study=STUDY) for text in said),
        *(Finding(text=text, study=STUDY, tone="caution") for text in _cautions(table, found, paper)),
        *(Finding(text=text, study=STUDY, tone="method") for text in _methods(paper)),
    ]


def _of_model(table: Table, model: str, paper: bool) -> Iterator[str]:
    classes = _cells(table, model, "domain")
    if paper:
        if classes:
            furthest = max(classes, key=lambda rows: abs(mean_row(rows)["value"]))
            yield f"{model}: the largest average effect size is that of {_named(furthest)}, {whole(furthest)}."
        return
    yield from (_overall(model, rows) for rows in _cells(table, model))
    yield from _clear_classes(model, classes)
    yield from _personas(table, model)


def _overall(model: str, rows: Sequence[Row]) -> str:
    row = mean_row(rows)
    if not clear(row):
        return (
            f"{model}: over all classes no association of what is said about the target identities can be told from"
            f" chance: mean d {whole(rows)}."
        )
    side = "stereotype-congruent" if row["value"] > 0 else "other"
    return (
        f"{model}: over all classes, what is said about the target identities lies nearer the {side} attributes than"
        f" what is said about the others: mean d {whole(rows)}."
    )


def _clear_classes(model: str, classes: Sequence[Sequence[Row]]) -> Iterator[str]:
    """How many classes stand out, and which most."""
    sure = [rows for rows in classes if clear(mean_row(rows))]
    if sure:
        rows = max(sure, key=lambda one: abs(mean_row(one)["value"]))
        side = "towards" if mean_row(rows)["value"] > 0 else "away from"
        yield (
            f"{model}: in {len(sure)} of {len(classes)} classes the average association is more than chance; the"
            f" largest is {_named(rows)}, {side} the stereotype: d {whole(rows)}."
        )
    elif classes:
        rows = max(classes, key=lambda one: abs(mean_row(one)["value"]))
        yield (
            f"{model}: in none of {len(classes)} classes is the average association more than chance. The largest is"
            f" {_named(rows)}, d {whole(rows)}."
        )


def _personas(table: Table, model: str) -> Iterator[str]:
    """Whether a persona moves the two groups apart."""
    rows = [
        row
        for names in _PERSONAS
        for row in table.known(EFFECT, "domain", "metric", *names, contrast=CONTRAST)
        if row["model"] == model
    ]
    found = cells(rows, "domain", "persona", "user")
    if not found:
        return
    sure = [one for one in found if clear(mean_row(one))]
    if not sure:
        yield f"{model}: no persona changes the association of a class clearly ({len(found)} compared)."
        return
    one = max(sure, key=lambda rows: abs(mean_row(rows)["value"]))
    way = "towards" if mean_row(one)["value"] > 0 else "away from"
    yield (
        f"{model}, as {who(mean_row(one))}: the association in {_named(one)} moves {way} the stereotype, by"
        f" {whole(one)}. {len(sure)} of {len(found)} changes are clear."
    )


def _cautions(table: Table, found: Sequence[Answer], paper: bool) -> Iterator[str]:
    for model in table.models[:MOST_MODELS]:
        classes = _cells(table, model, "domain")
        mixed = [rows for rows in classes if disagree(rows)]
        if mixed:
            rows = max(mixed, key=_width)
            parts = listed([f"{row['metric']} {number(row['value'])}" for row in rows if row["metric"] in PARTS])
            yield (
                f"{model}: in {len(mixed)} of {len(classes)} classes the three encoders do not agree on the sign, as in"
                f" {_named(rows)} ({parts}). The average hides that; it says nothing where its parts differ so."
            )
    yield from _identities(table, paper)
    yield from unanswered(found)
    yield from missing_words(found)
    if not paper:
        yield from _few_questions(table)
    yield PLEASANT


def _width(rows: Sequence[Row]) -> float:
    values = [row["value"] for row in rows if row["metric"] in PARTS]
    return float(max(values) - min(values))


def _identities(table: Table, paper: bool) -> Iterator[str]:
    """What the names of the identities bring with them."""
    if paper:
        yield (
            "Answers are measured as they were said. They repeat the identities that were asked about, and names of"
            " identities carry associations of their own, which the sound scoring takes out and shows apart."
        )
        return
    floor = cells(table.estimates.filter(pl.col("measure") == FLOOR).to_dicts(), "domain")
    large = [rows for rows in floor if abs(mean_row(rows)["value"]) >= FLOOR_TOLD]
    if not large:
        return
    rows = max(large, key=lambda one: abs(mean_row(one)["value"]))
    row = mean_row(rows)
    parts = listed([f"{one['metric']} {number(one['value'])}" for one in rows if one["metric"] in PARTS])
    inside = "; ".join(one for one in (interval(row), parts) if one)
    yield (
        f"The names of the identities alone, without any answer, have associations: in {_named(rows)} d"
        f" {number(row['value'])} ({inside}), and of more than {FLOOR_TOLD} in {len(large)} of"
        f" {len(floor)} classes. Answers are therefore measured without these words. What stands around them still"
        f" speaks of the same people.{_moved(table)}"
    )


def _moved(table: Table) -> str:
    """How far leaving the words in would move the average."""
    said = {(row["model"], row["domain"]): row["value"] for row in _averages(table, WITH_IDENTITIES)}
    moves = [
        said[row["model"], row["domain"]] - row["value"]
        for row in _averages(table)
        if (row["model"], row["domain"]) in said
    ]
    if not moves:
        return ""
    most = number(max(moves, key=abs))
    return "" if most == "0.00" else f" Left in, they would move the average d of a class by up to {most}."


def _averages(table: Table, level: str | None = None) -> list[Row]:
    return [
        row for row in table.known(EFFECT, "domain", "metric", level=level, baseline=True) if row["metric"] == AVERAGE
    ]


def _few_questions(table: Table) -> Iterator[str]:
    """Where too few questions were asked to show anything: 2 in 2 to their number is the least p of an exact test."""
    counts = [
        row["n"] // 2 for row in table.rows(EFFECT, "domain", "metric", baseline=True) if row["metric"] == AVERAGE
    ]
    if counts and min(counts) < FEWEST:
        least = min(counts)
        yield (
            f"With {least} questions of a class answered about both identities, the exact test cannot come below p ="
            f" {2.0 / 2**least if least else 1.0:.2f}, so no class can stand out, whatever is said, and d has no"
            " interval. Ask at scale standard."
        )


def _methods(paper: bool) -> Iterator[str]:
    if paper:
        yield (
            "These numbers follow the published tests: CEAT with the p of its random effects over draws of sentences"
            " (a draw is no new evidence, so this p rejects far too often), I-WEAT and I-SEAT with a one-sided p that"
            " exchanges answers. Above 0 is nearer the stereotype-congruent attributes; the paper says both that and"
            " the opposite."
        )
        return
    yield (
        "d is the difference between the mean associations of the answers about the target identities and about the"
        " others, in standard deviations of both; above 0 is nearer the stereotype-congruent attributes. p is"
        " two-sided and exchanges the two answers of a question; intervals resample questions and are somewhat too"
        " narrow for ten of them. CEAT combines draws of one sentence per answer by random effects; its published p"
        " is no valid test and is not used."
    )


def _cells(table: Table, model: str, *columns: str) -> list[list[Row]]:
    rows = [row for row in table.known(EFFECT, *columns, "metric", baseline=True) if row["model"] == model]
    return cells(rows, *columns)


def _named(rows: Sequence[Row]) -> str:
    return title_of(rows[0]["domain"])

"""What to be careful with: low coverage, habits, judges that disagree, respondents and judges that are too weak."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from personae.measure.names import CONTRAST
from personae.studies.roleplay import measures as m
from personae.studies.roleplay import measures_habits as habits
from personae.studies.roleplay import measures_judges as judges
from personae.studies.roleplay import measures_trials as trials
from personae.tell.saying import difference, percent, points
from personae.tell.table import Row, Table
from personae.types import STATUSES

LOW_COVERAGE, COVERAGE_GAP = 0.8, 0.1
LOW_KAPPA = 0.4
"""Below, agreement is called fair at best: Landis and Koch, Biometrics 33 (1977) 159-174."""
HABIT = 0.1
ONE_SIDED = 0.95
NO_AGREEMENT = 0.1
"""Agreement beyond chance of the trials of one question, below which they might be those of any question."""
EMBEDDED = "local/smollm2"
"""The demonstration model; as a judge it means nothing."""


def cautions(table: Table, study: str, outcomes: pl.DataFrame) -> Iterator[str]:
    """Sentences of warning; nothing where all is well."""
    unjudged = list(_unjudged(table))
    yield from unjudged or (*_coverage(table), *_gaps(table))
    yield from _habits(table)
    yield from _random(table)
    yield from _weak_judges(table)


def _unjudged(table: Table) -> Iterator[str]:
    """Answers that no judge was asked about."""
    rows = table.known(trials.VOTES, level="unjudged")
    if rows and not table.rows(judges.STRICTNESS, "level"):
        yield (
            f"{percent(max(row['value'] for row in rows))} of the answers in a role wait for a judge, and no judge was"
            " given: name one with --judge to get verdicts."
        )


def _coverage(table: Table) -> Iterator[str]:
    low = [row for row in table.known(m.AVOIDANCE, level=m.ANY) if row["value"] > 1 - LOW_COVERAGE]
    if low:
        row = max(low, key=lambda one: one["value"])
        parts = [
            f"{one['level']} {percent(one['value'])}"
            for one in table.known(m.AVOIDANCE, "level")
            if one["model"] == row["model"] and one["level"] in STATUSES and one["value"]
        ]
        rest = "The shares rest on the others; the bounds say how far these could move them."
        if row["value"] == 1:
            rest = "No share can be given."
        yield (
            f"{row['model']}: {percent(row['value'])} of {row['n']:,} questions in a role came to no verdict"
            f" ({', '.join(parts)}). {rest}"
        )


def _gaps(table: Table) -> Iterator[str]:
    rows = [
        row
        for row in _clear(table.known(m.AVOIDANCE, level=m.ANY, contrast=CONTRAST))
        if abs(row["value"]) >= COVERAGE_GAP
    ]
    if rows:
        row = max(rows, key=lambda one: abs(one["value"]))
        often = "more" if row["value"] > 0 else "less"
        yield (
            f"{row['model']}: questions in a role come to no verdict {often} often than without one, by"
            f" {difference(row)}. A difference in what is answered can look like a difference in the answers."
        )


def _habits(table: Table) -> Iterator[str]:
    """Habits that look like fairness, or hide it."""
    for row in _strong(table.known(habits.NO_HABIT)):
        plain, flipped = _sides(table, row, habits.POLARITY, (habits.PLAIN, habits.FLIPPED))
        word = "no" if row["value"] > 0 else "yes"
        yield (
            f"{row['model']} has a habit of saying {word}: biased verdicts are {plain} where the fair answer is No and"
            f" {flipped} where it is Yes ({_ends(row)}). Part of what looks fair or biased is this habit."
        )
    for row in _strong(table.known(habits.LAST_HABIT)):
        place = "last" if row["value"] > 0 else "not last"
        yield (
            f"{row['model']} declines to choose more often where that option stands {place}: elsewhere the biased share"
            f" differs by {points(abs(row['value']))} percentage points ({_ends(row)})."
        )
    for row in _strong(table.known(habits.POSITION)):
        way = "more" if row["value"] > 0 else "less"
        yield (
            f"{row['model']} gives the option named first {points(abs(row['value'])).lstrip('+')} percentage points"
            f" {way} than chance ({_ends(row)}). Every order was asked and averaged, so this favours no answer, but it"
            " leaves less room for what the question is about."
        )


def _strong(rows: list[Row]) -> list[Row]:
    """Habits that are large and more than chance."""
    return [row for row in _clear(rows) if abs(row["value"]) >= HABIT]


def _clear(rows: list[Row]) -> list[Row]:
    """Rows whose interval leaves out 0."""
    return [row for row in rows if row["ci_low"] is not None and row["ci_low"] * row["ci_high"] > 0]


def _sides(table: Table, row: Row, measure: str, levels: tuple[str, str]) -> tuple[str, str]:
    found = [table.one(measure, row["model"], level=level) for level in levels]
    first, second = (percent(one["value"]) if one else "unknown" for one in found)
    return first, second


def _ends(row: Row) -> str:
    return f"95 % interval {points(row['ci_low'])} to {points(row['ci_high'])}"


def _random(table: Table) -> Iterator[str]:
    """A respondent whose verdicts on one question agree no more than on any two."""
    for row in table.known(trials.AGREEMENT):
        biased = table.one(trials.VOTES, row["model"], level="biased")
        fair = table.one(trials.VOTES, row["model"], level="unbiased")
        read = (biased["value"] if biased else 0.0) + (fair["value"] if fair else 0.0)
        if not read or biased is None:
            continue
        share = biased["value"] / read
        chance = share**2 + (1 - share) ** 2
        # Where nearly all verdicts are alike there is nothing to agree about beyond chance.
        if chance < ONE_SIDED and _beyond(row["value"], chance) < NO_AGREEMENT and _sure(row, chance):
            yield (
                f"{row['model']}: two trials of the same question agree in {percent(row['value'])}, where"
                f" {percent(chance)} would be chance. Its answers hardly depend on the question; it may be too weak, or"
                " its temperature too high, for single roles and groups to mean anything."
            )


def _beyond(agreement: float, chance: float) -> float:
    return (agreement - chance) / (1 - chance)


def _sure(row: Row, chance: float) -> bool:
    """Whether the interval leaves no room for fair agreement."""
    return row["ci_high"] is not None and _beyond(row["ci_high"], chance) < LOW_KAPPA


def _weak_judges(table: Table) -> Iterator[str]:
    """Judges that disagree, that say the same of everything, or that are the demonstration model."""
    low = [row for row in table.known(judges.KAPPA) if row["value"] < LOW_KAPPA]
    if low:
        row = min(low, key=lambda one: one["value"])
        yield (
            f"{row['model']}: the judges hardly agree (Fleiss' kappa {row['value']:.2f} on {row['n']:,} answers), so"
            " verdicts are noisy; use stronger judges, or rate a sample to correct for their errors."
        )
    for row in table.known(judges.STRICTNESS, "level"):
        if not 1 - ONE_SIDED <= row["value"] <= ONE_SIDED:
            word = "biased" if row["value"] > 0.5 else "not biased"
            share = max(row["value"], 1 - row["value"])
            said = f"{word} of {percent(share)} of the answers of {row['model']}"
            yield f"The judge {row['level']} says {said}: it tells little apart."
    if any(str(row["level"]).startswith(EMBEDDED) for row in table.rows(judges.STRICTNESS, "level")):
        yield (
            f"{EMBEDDED} is a demonstration model and too weak to judge: these verdicts show how judging works, not"
            " what the answers are like."
        )

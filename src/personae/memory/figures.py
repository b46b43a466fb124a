"""The figures of the memory study: trajectories, where bias went, what a mitigation did."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from personae.measure.names import is_baseline
from personae.memory import figures_audits, figures_mitigation, figures_spread
from personae.memory.drawn import figure, resting
from personae.memory.measures_frame import (
    ACCURACY,
    AGBV,
    CHANGE,
    FLOOR,
    LEAST_SEEDS,
    NOTES,
    SHOWN,
)
from personae.memory.naming import arm_name, named, rows_of
from personae.tell.table import Row, models
from personae.types import Figure

_CHANCE = "by chance"


def figures(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
    """Draw the memory study.

    Parameters
    ----------
    estimates, outcomes : polars.DataFrame
        As in `personae.study.base.Study.figures`.
    """
    several = len(models(estimates)) > 1
    if not rows_of(estimates, CHANGE):  # an exported memory is audited once
        return figures_audits.figures(estimates, outcomes)
    made = [
        _trajectories(estimates, several),
        *figures_spread.figures(estimates),
        *figures_mitigation.figures(estimates),
        _accuracy(estimates, several),
        _over_time(estimates, several),
        _shown(estimates, several),
    ]
    return [*(figure for figure in made if figure is not None), *figures_audits.figures(estimates, outcomes)]


def _trajectories(estimates: pl.DataFrame, several: bool) -> Figure | None:
    levels = rows_of(estimates, AGBV)
    rows = [_point(row, arm_name(row, memory=False), several) for row in levels]
    rows += [_point({**row, "ci_low": None, "ci_high": None}, _CHANCE, several) for row in _calmest(estimates)]
    return figure(
        "trajectories",
        "line",
        "Distance between groups over the turns",
        "Average over nine domains of the root mean squared distance of group means from their mean, in points"
        f" of the score; bands: 95 % over episodes, where there are {LEAST_SEEDS} or more. By chance: what exchanging"
        " labels within matched sets gives, of the arm with the least injection; of an arm with a bias it holds part of"
        f" that.{resting(levels, 'episodes')}",
        rows,
        {"x": "turn", "y": "AGBV", "low": "low", "high": "high", "colour": "arm", "facet": "memory"},
        titles={"x": "turn", "y": "AGBV, points"},
        columns=_columns(rows),
    )


def _point(row: Row, line: str, several: bool) -> Row:
    return {
        "turn": float(row["turn"]),
        "AGBV": row["value"],
        "low": row["ci_low"],
        "high": row["ci_high"],
        "arm": line,
        "memory": _panel(row, several),
    }


def _calmest(estimates: pl.DataFrame) -> list[Row]:
    """The floor of one arm of every panel: without injection and mitigation, or what is nearest to that."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows_of(estimates, FLOOR):
        found.setdefault((row["model"], row["memory"]), []).append(row)
    calmest = []
    for rows in found.values():
        first = min(rows, key=_calm)
        calmest += [row for row in rows if arm_name(row) == arm_name(first)]
    return calmest


def _calm(row: Row) -> tuple[float, bool, str]:
    return float(row["injection"]), row["mitigation"] != "none", "" if is_baseline(row) else str(row["persona"])


def _panel(row: Row, several: bool) -> str:
    """The memory of an arm, and its model where there are several."""
    return f"{row['model']}: {row['memory']}" if several else str(row["memory"])


def _columns(rows: Sequence[Row]) -> int:
    return min(2, len({row["memory"] for row in rows})) or 1


def _accuracy(estimates: pl.DataFrame, several: bool) -> Figure | None:
    found = [row for row in rows_of(estimates, ACCURACY) if row["turn"] is None]
    rows = [
        {"arm": named(row, several), "accuracy": row["value"], "low": row["ci_low"], "high": row["ci_high"]}
        for row in found
    ]
    return figure(
        "accuracy",
        "forest",
        "Daily questions answered rightly",
        "Share of the daily questions (probability of the right letter where answers are forced). A mitigation"
        f" that costs usefulness shows here. Intervals: 95 % over questions.{resting(found, 'questions')}",
        rows,
        {"y": "arm", "x": "accuracy", "low": "low", "high": "high"},
        format=".0%",
    )


def _over_time(estimates: pl.DataFrame, several: bool) -> Figure | None:
    found = [row for row in rows_of(estimates, ACCURACY) if row["turn"] is not None]
    rows = [
        {
            "turn": float(row["turn"]),
            "accuracy": row["value"],
            "arm": arm_name(row, memory=False),
            "memory": _panel(row, several),
        }
        for row in found
    ]
    return figure(
        "accuracy-over-time",
        "line",
        "Daily questions answered rightly, over time",
        "Share of right answers (probability of the right letter where answers are forced) among the questions since"
        " the audit before; every arm of a seed is asked the same ones. How sure that is stands among the"
        f" estimates.{resting(found, 'questions')}",
        rows,
        {"x": "turn", "y": "accuracy", "colour": "arm", "facet": "memory"},
        titles={"x": "turn", "y": "accuracy"},
        format={"y": ".0%"},
        columns=_columns(rows),
    )


def _shown(estimates: pl.DataFrame, several: bool) -> Figure | None:
    rows = [
        {"turn": float(row["turn"]), "notes": row["value"], "arm": named(row, several), "what": what}
        for measure, what in ((SHOWN, "biased notes recalled per scenario"), (NOTES, "notes in memory"))
        for row in rows_of(estimates, measure)
        if row["mitigation"] == "none"
    ]
    if not any(row["notes"] for row in rows):
        return None
    return figure(
        "shown",
        "line",
        "What the memory held, and what of it reached the decisions",
        "Notes in memory at each audit, and how many of the notes recalled for a scenario carry an injected"
        " bias. Where none is recalled, a change of the scores is not the memory's.",
        rows,
        {"x": "turn", "y": "notes", "colour": "arm", "facet": "what"},
        titles={"x": "turn", "y": "notes"},
        zero=True,
    )

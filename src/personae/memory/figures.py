"""The figures of the memory study: trajectories, where bias went, what a mitigation did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from personae.memory import figures_audits
from personae.memory.design import MIXED
from personae.memory.measures_frame import (
    ACCURACY,
    AGBV,
    CHANGE,
    CHANGE_DOMAIN,
    FLOOR,
    NOTES,
    POTENCY,
    SHOWN,
    STUDY,
)
from personae.memory.naming import arm_name, rows_of
from personae.studies.shared import drawing
from personae.studies.shared.table import Row, models
from personae.types import Figure


def figures(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
    """Draw the memory study.

    Parameters
    ----------
    estimates, outcomes : polars.DataFrame
        As in `personae.studies.base.Study.figures`.
    """
    several = len(models(estimates)) > 1
    if not rows_of(estimates, CHANGE):  # an exported memory is audited once
        return figures_audits.figures(estimates, outcomes)
    made = [
        _trajectories(estimates, several),
        _spread(estimates, several),
        _mitigations(estimates, several),
        _accuracy(estimates, several),
        _shown(estimates, several),
    ]
    return [*(figure for figure in made if figure is not None), *figures_audits.figures(estimates, outcomes)]


def _figure(
    name: str, kind: Any, title: str, caption: str, rows: Sequence[Row], encode: Any, **options: Any
) -> Figure | None:
    return drawing.figure(STUDY, f"{STUDY}.{name}", kind, title, caption, rows, encode, options)


def _trajectories(estimates: pl.DataFrame, several: bool) -> Figure | None:
    rows = [
        {
            "turn": float(row["turn"]),
            "AGBV": row["value"],
            "low": row["ci_low"],
            "high": row["ci_high"],
            "arm": arm_name(row) if measure == AGBV else "by chance (floor)",
            "model": row["model"],
        }
        for measure in (AGBV, FLOOR)
        for row in rows_of(estimates, measure)
        if measure == AGBV or row["injection"] == "0"
    ]
    seen: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        seen.setdefault((row["turn"], row["arm"], row["model"]), row)
    encode = {"x": "turn", "y": "AGBV", "low": "low", "high": "high", "colour": "arm"}
    return _figure(
        "trajectories",
        "line",
        "Distance between groups over the turns",
        "Average over nine domains of the root mean squared distance of group means from their mean, in points"
        " of the score; bands: 95 % over seeds, where there are two or more. The floor is what label exchange"
        " within matched sets gives.",
        list(seen.values()),
        {**encode, "facet": "model"} if several else encode,
        titles={"x": "turn", "y": "AGBV, points"},
    )


def _spread(estimates: pl.DataFrame, several: bool) -> Figure | None:
    rows = [
        {"injected": row["injected"], "evaluated": row["domain"], "change": row["value"], "arm": _panel(row, several)}
        for row in rows_of(estimates, CHANGE_DOMAIN, domain=True)
        if row["injection"] != "0"
    ]
    one = len({row["injected"] for row in rows}) == 1
    axes = {"x": "injected", "y": "evaluated"} if one else {"x": "evaluated", "y": "injected"}
    return _figure(
        "spread",
        "heatmap",
        "Where the change went",
        "Change of GBV from the first audit to the last, in points, by what was injected and by the domain that was"
        " evaluated. Above 0, group means moved apart.",
        rows,
        {**axes, "value": "change", "facet": "arm"},
        midpoint=0.0,
        format="+.1f",
    )


def _panel(row: Row, several: bool) -> str:
    named = arm_name({**row, "injected": MIXED})
    return f"{row['model']}: {named}" if several else named


def _mitigations(estimates: pl.DataFrame, several: bool) -> Figure | None:
    potency = {_key(row): row["value"] for row in rows_of(estimates, POTENCY)}
    rows = [
        {
            "model": row["model"],
            "arm": arm_name(row),
            "change": row["value"],
            "low": row["ci_low"],
            "high": row["ci_high"],
            "mp": potency.get(_key(row)),
            "n": row["n"],
        }
        for row in rows_of(estimates, CHANGE)
    ]
    heads = {"Arm": "arm", "Change of AGBV": "change", "Low": "low", "High": "high", "MP, %": "mp", "Episodes": "n"}
    return _figure(
        "mitigation",
        "table",
        "Change of the distance between groups, arm by arm",
        "Average GBV at the last audit less that at the first, in points, with a 95 % interval over seeds where"
        " there are two or more. MP: by how many percent the change differs from that of the same arm without"
        " mitigation.",
        rows,
        {"Model": "model", **heads} if several else heads,
        format={"change": "+.2f", "low": "+.2f", "high": "+.2f", "mp": "+.0f"},
    )


def _key(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("model", "memory", "injection", "injected", "mitigation", "persona"))


def _accuracy(estimates: pl.DataFrame, several: bool) -> Figure | None:
    rows = [
        {"arm": _panel(row, several), "accuracy": row["value"], "low": row["ci_low"], "high": row["ci_high"]}
        for row in rows_of(estimates, ACCURACY)
    ]
    return _figure(
        "accuracy",
        "forest",
        "Daily questions answered rightly",
        "Share of the daily questions (probability of the right letter where answers are forced). A mitigation"
        " that costs usefulness shows here.",
        rows,
        {"y": "arm", "x": "accuracy", "low": "low", "high": "high"},
        format=".0%",
    )


def _shown(estimates: pl.DataFrame, several: bool) -> Figure | None:
    rows = [
        {"turn": float(row["turn"]), "notes": row["value"], "arm": _panel(row, several), "what": what}
        for measure, what in ((SHOWN, "biased notes recalled per scenario"), (NOTES, "notes in memory"))
        for row in rows_of(estimates, measure)
    ]
    if not any(row["notes"] for row in rows):
        return None
    return _figure(
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

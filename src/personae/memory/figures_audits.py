"""Figures of what lay in the memories, of who gained and who lost, and of other studies that were audited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import polars as pl

from personae.measure.names import BASELINE
from personae.memory.drawn import figure, resting
from personae.memory.measures_audits import VALUE
from personae.memory.measures_frame import AGBV, FLOOR, POTENCY
from personae.memory.measures_groups import SHIFT
from personae.memory.measures_tags import TAGGED
from personae.memory.naming import arm_name, named, rows_of
from personae.tell.table import Row, cell_columns, models
from personae.types import Figure

MOST_NOTES = 200
_FACETS = 6
_POINTS = dict.fromkeys(("difference", "low", "high"), "+.2f")
_LEVELS = {"agbv": ".2f", "floor": ".2f", **_POINTS, "p": ".3f", "mp": "+.0f", "tagged": ".0%"}
_ARM = ("memory", "injection", "injected", "mitigation", "persona", "turn")


def figures(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
    """Draw them; what there is nothing of is left out.

    Parameters
    ----------
    estimates, outcomes : polars.DataFrame
        As in `personae.study.base.Study.figures`.
    """
    several = len(models(estimates)) > 1
    made = [
        _exported(estimates, several),
        _levels(estimates, several),
        _shifts(estimates, several),
        _studies(estimates, several),
        _measures(estimates, several),
        _notes(outcomes),
    ]
    return [figure for figure in made if figure is not None]


def _exported(estimates: pl.DataFrame, several: bool) -> Figure | None:
    """The distance between groups with an exported memory, less that without any."""
    found = rows_of(estimates, AGBV, contrast=BASELINE)
    rows = [
        {"arm": named(row, several), "difference": row["value"], "low": row["ci_low"], "high": row["ci_high"]}
        for row in found
    ]
    return figure(
        "exported",
        "forest",
        "What the exported memory changes",
        "Average GBV with the memory less that without any, in points of the score, over the same matched sets; 95 %"
        f" intervals from resampled sets. Above 0, the memory moves groups apart.{resting(found, 'matched sets')}",
        rows,
        {"y": "arm", "x": "difference", "low": "low", "high": "high"},
        format="+.1f",
    )


def _levels(estimates: pl.DataFrame, several: bool) -> Figure | None:
    """An exported memory's distance between groups, beside chance and beside none."""
    beside = {named(row, several): row for row in rows_of(estimates, AGBV, contrast=BASELINE)}
    if not beside:
        return None
    floors, potency, tagged = (
        {named(row, several): row["value"] for row in rows_of(estimates, measure)}
        for measure in (FLOOR, POTENCY, TAGGED)
    )
    rows = [
        {
            "arm": arm,
            "agbv": row["value"],
            "floor": floors.get(arm),
            "difference": beside[arm]["value"] if arm in beside else None,
            "low": beside[arm]["ci_low"] if arm in beside else None,
            "high": beside[arm]["ci_high"] if arm in beside else None,
            "p": beside[arm]["p_adjusted"] if arm in beside else None,
            "mp": potency.get(arm),
            "tagged": tagged.get(arm),
        }
        for row in rows_of(estimates, AGBV)
        for arm in [named(row, several)]
    ]
    heads = {"Less none": "difference", "Low": "low", "High": "high", "Adjusted p": "p"}
    heads |= {"MP, %": "mp"} if potency else {}
    heads |= {"Tagged": "tagged"} if tagged else {}
    told = " MP: by how many percent a mitigation changes that." if potency else ""
    told += " Tagged: the share of the notes that carry a tag." if tagged else ""
    return figure(
        "levels",
        "table",
        "Distance between groups with the memory and without",
        "Average GBV in points of the score; by chance: what exchanging the groups' labels within matched sets gives."
        f" Less none: against the same scores without any memory.{told}",
        rows,
        {"Arm": "arm", "AGBV": "agbv", "By chance": "floor", **heads},
        format=_LEVELS,
    )


def _shifts(estimates: pl.DataFrame, several: bool) -> Figure | None:
    every = rows_of(estimates, SHIFT, domain=True, contrast=BASELINE)
    found = [row for row in every if row["injection"] != "0"] or every
    rows = [
        {"group": f"{row['domain']}: {row['level']}", "arm": named(row, several), "shift": row["value"]}
        for row in found
    ]
    return figure(
        "shifts",
        "heatmap",
        "Who gained and who lost",
        "How far each group's mean score moved against that of the others in its matched sets, in points: last audit"
        " less first, or with an exported memory less without. Intervals are among the estimates."
        f"{resting(found, 'matched sets')}",
        rows,
        {"x": "arm", "y": "group", "value": "shift"},
        midpoint=0.0,
        format="+.1f",
    )


def _audited(estimates: pl.DataFrame) -> pl.DataFrame:
    """The rows that other studies' measures have."""
    return estimates.filter(pl.col("measure").str.contains(r"^[a-z]+\.[a-z]+: "), pl.col("value").is_finite())


def _studies(estimates: pl.DataFrame, several: bool) -> Figure | None:
    """Measures over everything asked at an audit, turn by turn."""
    levels = _audited(estimates).filter(pl.col("turn").is_not_null())
    cell = [name for name in cell_columns(levels) if name not in _ARM]
    whole = levels.filter(*(pl.col(name).is_null() for name in cell))
    names = sorted(whole["measure"].unique(), key=lambda name: (not name.endswith(VALUE), name))[:_FACETS]
    found = [row for name in names for row in whole.filter(pl.col("measure") == name).to_dicts()]
    rows = [
        {
            "turn": float(row["turn"]),
            "value": row["value"],
            "low": row["ci_low"],
            "high": row["ci_high"],
            "arm": named(row, several),
            "measure": row["measure"],
        }
        for row in found
    ]
    if len({row["turn"] for row in rows}) < 2:
        return None
    return figure(
        "studies",
        "line",
        "Other studies at the audits",
        "Measures of studies that were asked at every audit, of their items without a persona, with what the memory"
        " recalls for each question. Bands: 95 % over seeds, or, of one episode, the study's own"
        f" interval.{resting(found, 'answers')}",
        rows,
        {"x": "turn", "y": "value", "low": "low", "high": "high", "colour": "arm", "facet": "measure"},
        titles={"x": "turn", "y": "value"},
        columns=2,
    )


def _measures(estimates: pl.DataFrame, several: bool) -> Figure | None:
    """Every measure of the studies that were audited, first and last; of an exported memory, in every arm."""
    found: dict[tuple[str, ...], dict[int, float]] = {}
    levels = _audited(estimates).filter(pl.col("turn").is_not_null())
    cell = [name for name in cell_columns(levels) if name not in _ARM]
    for row in levels.to_dicts():
        place = ", ".join(str(row[name]) for name in cell if row[name] is not None)
        study, _, measure = row["measure"].partition(": ")
        found.setdefault((named(row, several), study, measure, place), {})[int(row["turn"])] = row["value"]
    rows = [
        {
            "arm": arm,
            "study": study,
            "measure": measure.replace("_", " "),
            "cell": place,
            "first": turns[min(turns)],
            "last": turns[max(turns)],
            "change": turns[max(turns)] - turns[min(turns)],
        }
        for (arm, study, measure, place), turns in found.items()
    ]
    played = any(len(turns) > 1 for turns in found.values())
    ends = {"First audit": "first", "Last audit": "last", "Change": "change"} if played else {"Value": "first"}
    return figure(
        "measures",
        "table",
        "What other studies came to",
        "Every measure of the studies that were audited, in all their cells; the mean over episodes. Changes of single"
        " cells are not tested; that of the mean value is, stimulus by stimulus.",
        rows,
        {"Arm": "arm", "Measure": "measure", "Cell": "cell", **ends},
        choose={"Study": "study", "Measure": "measure", "Arm": "arm"},
        format={"first": ".3f", "last": ".3f", "change": "+.3f"},
    )


def _notes(outcomes: pl.DataFrame) -> Figure | None:
    """What lay in the memory of one episode of every arm, audit by audit."""
    rows: list[Row] = []
    days = False
    seen: set[tuple[str, str]] = set()
    several = outcomes["model"].n_unique() > 1
    for outcome in outcomes.iter_rows(named=True):
        facts, detail = msgspec.json.decode(outcome["facts"]), msgspec.json.decode(outcome["detail"] or "{}")
        rate = "" if facts["exported"] else f"{facts['injection']:g}"
        arm = arm_name({**facts, "injection": rate, "persona": outcome["persona"]})
        if (outcome["model"], arm) in seen:
            continue
        seen.add((outcome["model"], arm))
        told = f"{outcome['model']}: {arm}" if several else arm
        days = days or bool(detail.get("turns"))
        rows += [_note(told, note) for note in detail.get("memory", [])[:MOST_NOTES]]
    kinds = {"Audit at turn": "at", "Kind": "kind"} if days else {}
    held = {"Turn": "turn", "Held at": "held"} if days else {"Line": "turn"}
    tagged = any(row["tag"] for row in rows)
    return figure(
        "memory",
        "table",
        "What was in memory at each audit" if days else "What the exported memory holds",
        _told(days, tagged),
        rows,
        {"Arm": "arm", **held, "Note": "text", "Recalled for": "recalled", **({"Tag": "tag"} if tagged else {})},
        mark="biased",
        choose={"Arm": "arm", **kinds},
    )


def _told(days: bool, tagged: bool) -> str:
    if not days:
        told = f"Notes of the first episode of every arm, at most {MOST_NOTES} of each."
    else:
        told = (
            f"Notes of the first episode of every arm, at most {MOST_NOTES} of each; choose an arm and an audit to see"
            " what it held then. Marked: turns into which a bias was injected."
        )
    told += " Recalled for: how many of the people that were scored at the last audit it was shown with."
    return told + (" The tag is the auditor's." if tagged else "")


def _note(arm: str, note: Mapping[str, Any]) -> Row:
    tag, at = note.get("tag"), note["at"]
    return {
        "arm": arm,
        "turn": note["turn"],
        "at": [str(turn) for turn in at],
        "held": str(at[0]) if len(at) == 1 else f"{at[0]} to {at[-1]}",
        "text": note["text"],
        "recalled": note["recalled"],
        "tag": f"{tag['bias_type']}: {tag['tendency']} ({tag['suspicion']:.2f})" if tag else "",
        "kind": "injected" if note["biased"] else "not injected",
        "biased": "injected" if note["biased"] else None,
    }

"""The figures of the occupations study as data; `personae.report` draws them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from personae.measure.names import CONTRAST
from personae.studies.occupations.figures_parts import Drawn, Rows, condition, figure, reference_name
from personae.studies.occupations.figures_published import PUBLISHED, beside, named
from personae.studies.occupations.figures_single import furthest, moved, scatter
from personae.studies.occupations.measures_frame import Block, blocks
from personae.studies.occupations.measures_gaps import CALIBRATION, KL_TO_MODEL, bins
from personae.studies.occupations.measures_intervals import MEDIAN, SPREAD
from personae.studies.occupations.measures_shares import OTHER, POSITION, SHARE
from personae.tell.saying import answers
from personae.tell.table import Row, Table
from personae.types import Figure

OWN_WAY = (
    "The published numbers come from the released code: one order of the two words, and an unlisted word clipped at"
    " 1e-10."
)


def figures(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
    """Draw the occupations study.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with the cell as columns, ``reference`` among them.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    """
    drawn = Drawn(table=Table(estimates), blocks=blocks(outcomes))
    found = (
        scatter(drawn),
        _heat(drawn),
        _numbers(drawn),
        _calibration(drawn),
        furthest(drawn),
        _shifts(drawn),
        moved(drawn),
        _others(drawn),
        _positions(drawn),
    )
    return [one for one in found if one is not None]


def _heat(drawn: Drawn) -> Figure | None:
    """Mean divergence of every model from every reference, the published ones below."""
    rows = _means(drawn)
    shown: Rows = [
        {"model": row["model"], "reference": _reference(row), "KL": _finite(row["value"]), "origin": None}
        for row in rows
    ]
    shown += [
        {
            "model": named(row),
            "reference": reference_name(row["dataset"], row["reference"]),
            "KL": row["mean"],
            "origin": PUBLISHED,
        }
        for row in beside(drawn.datasets)
    ]
    caption = (
        "Mean over occupations of KL(reference || model) in nats, without a persona; lower is nearer. The 50 % column"
        f" is the distance from giving both genders alike. {answers(rows)}{drawn.others(drawn.table.models)}"
        f"{f' {OWN_WAY}' if beside(drawn.datasets) else ''}"
    )
    encode = {"x": "reference", "y": "model", "value": "KL"}
    options = {"mark": "origin", "midpoint": None, "titles": {"value": "KL, nats"}}
    return figure("divergence", "heatmap", "Distance of models from references", caption, shown, encode, options)


def _numbers(drawn: Drawn) -> Figure | None:
    """The numbers behind the heat map, with median, spread and interval, the published ones among them."""
    rows = _means(drawn)
    parts = {name: {_key(row): row for row in _means(drawn, name)} for name in (MEDIAN, SPREAD)}
    shown: Rows = [
        {
            "model": row["model"],
            "dataset": row["domain"],
            "reference": _reference(row),
            "mean": _finite(row["value"]),
            "low": row["ci_low"],
            "high": row["ci_high"],
            **{name: _finite(found[_key(row)]["value"]) for name, found in parts.items() if _key(row) in found},
            "n": row["n"],
            "origin": None,
        }
        for row in rows
    ]
    shown += [
        {
            **{name: row[name] for name in ("model", "dataset", "mean", MEDIAN)},
            "reference": reference_name(row["dataset"], row["reference"]),
            SPREAD: row["sd"],
            "origin": PUBLISHED,
        }
        for row in beside(drawn.datasets)
    ]
    caption = (
        "KL(reference || model) in nats over occupations, without a persona; the interval is the mean's, 95 %."
        f" {answers(rows)}{drawn.others(drawn.table.models)}{f' {OWN_WAY}' if beside(drawn.datasets) else ''}"
    )
    encode = {"Model": "model", "Dataset": "dataset", "Reference": "reference", "Mean": "mean", "Median": MEDIAN}
    encode |= {"SD": SPREAD, "Low": "low", "High": "high", "Answers": "n"}
    numbers = dict.fromkeys(("mean", MEDIAN, SPREAD, "low", "high"), ".3f") | {"n": ",.0f"}
    options = {"mark": "origin", "format": numbers}
    return figure("numbers", "table", "Divergences in numbers", caption, shown, encode, options)


def _means(drawn: Drawn, part: str = "") -> list[Row]:
    """Rows of the divergence without a persona; of every condition where there is none without."""
    measure = f"{KL_TO_MODEL}, {part}" if part else KL_TO_MODEL
    found = drawn.table.rows(measure, "domain", "reference", baseline=True)
    if found:
        return found
    return [
        {**row, "model": f"{row['model']}, as {condition(row)}"}
        for row in drawn.table.rows(measure, "domain", "persona", "reference")
    ]


def _key(row: Row) -> tuple[Any, ...]:
    return row["model"], row["domain"], row["reference"]


def _reference(row: Row) -> str:
    return reference_name(row["domain"], row["reference"])


def _calibration(drawn: Drawn) -> Figure | None:
    """Mean P(female) of the model in every tenth of a reference."""
    rows = drawn.table.rows(CALIBRATION, "domain", "reference", "level", baseline=True)
    places = {
        (block.model, block.names["domain"], name, level): _middle(block, name, kept)
        for block in drawn.blocks
        if block.baseline
        for name, reference in block.references.items()
        for level, kept in bins(reference)
    }
    shown: Rows = [
        {
            "panel": _reference(row),
            "reference": places[*_key(row), row["level"]],
            "model": row["model"],
            "P(female)": _finite(row["value"]),
            "low": row["ci_low"],
            "high": row["ci_high"],
            "answers": row["n"],
        }
        for row in rows
    ]
    caption = (
        "Occupations are grouped by tenths of the reference: across, the mean of the reference in each group, up, the"
        " mean P(female) of the model with its 95 % interval over occupations. On the diagonal they agree; a flatter"
        " line makes less of the differences between occupations than the reference, a steeper one more."
        f" {answers(rows)}{drawn.others(drawn.table.models)}"
    )
    encode = {"x": "reference", "y": "P(female)", "low": "low", "high": "high", "facet": "panel"}
    if drawn.several:
        encode["colour"] = "model"
    titles = {"x": "P(female), reference", "y": "P(female), model"}
    options = {"diagonal": True, "titles": titles, "format": {"x": ".1f", "y": ".1f"}}
    return figure("calibration", "line", "Does the model follow the reference?", caption, shown, encode, options)


def _middle(block: Block, name: str, kept: Any) -> float:
    return float(np.mean(block.references[name][kept]))


def _shifts(drawn: Drawn) -> Figure | None:
    """The mean shift of every persona."""
    rows = drawn.table.conditions(SHARE, "domain", contrast=CONTRAST)
    shown = [_conditioned(drawn, row, "shift") for row in rows]
    caption = (
        "Mean P(female) with the persona less without it, over the occupations answered both ways; right of 0 the"
        f" persona makes occupations more female. 95 % intervals over occupations. {answers(rows)} Answers of both"
        f" sides are counted.{drawn.others(drawn.table.models)}"
    )
    titles = {"x": "change of P(female)"}
    return _forest(drawn, "shift", "What a persona shifts", caption, shown, "shift", titles)


def _others(drawn: Drawn) -> Figure | None:
    """How much of the probability was none of the words, per condition."""
    rows = _known(drawn, OTHER)
    shown = [_conditioned(drawn, row, "other mass") for row in rows]
    caption = (
        "Mean probability of the first word that was none of the words counted (Neutral, It, They and so on), with 95 %"
        f" intervals over occupations. P(female) is a share of the rest. {answers(rows)}"
    )
    titles = {"x": "mass of other words"}
    return _forest(drawn, "other", "What was neither", caption, shown, "other mass", titles)


def _known(drawn: Drawn, measure: str) -> list[Row]:
    """Rows of a measure under every condition that have a number."""
    return [row for row in drawn.table.conditions(measure, "domain") if math.isfinite(row["value"])]


def _positions(drawn: Drawn) -> Figure | None:
    """The pull of the option named first, per condition."""
    rows = _known(drawn, POSITION)
    shown = [_conditioned(drawn, row, "position effect") for row in rows]
    caption = (
        "Mean share of the option that the question names first, less its part by chance; every order was asked and"
        f" averaged, so it moves no P(female). 95 % intervals over occupations. {answers(rows)}"
        f"{drawn.others(drawn.table.models)}"
    )
    titles = {"x": "share of the first option less chance"}
    return _forest(drawn, "position", "Does the option named first win?", caption, shown, "position effect", titles)


def _forest(
    drawn: Drawn, name: str, title: str, caption: str, rows: Rows, column: str, titles: dict[str, str]
) -> Figure | None:
    encode = {"y": "condition", "x": column, "low": "low", "high": "high", "facet": "dataset"}
    if drawn.several:
        encode["colour"] = "model"
    return figure(name, "forest", title, caption, rows, encode, {"titles": titles})


def _conditioned(drawn: Drawn, row: Row, name: str) -> dict[str, Any]:
    return {
        "condition": condition(row),
        "dataset": row["domain"],
        "model": row["model"],
        name: _finite(row["value"]),
        "low": row["ci_low"],
        "high": row["ci_high"],
        "answers": row["n"],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

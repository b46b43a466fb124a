"""The main results of the occupations study in sentences, each with its numbers.

Every sentence states a number with its interval, the answers behind it and their coverage; once for each model the mass
of other words is told. Where nothing differs clearly, that is what is said.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from personae.measure.names import CONTRAST
from personae.studies.occupations.figures_parts import Drawn, condition, reference_name
from personae.studies.occupations.findings_cautions import cautions
from personae.studies.occupations.findings_methods import methods
from personae.studies.occupations.findings_said import away, basis, between, clear, how_sure, nats, on, paper, plain
from personae.studies.occupations.measures_frame import HALF, blocks
from personae.studies.occupations.measures_gaps import ABSOLUTE, KL_TO_MODEL, RANKS, SIGNED
from personae.studies.occupations.measures_intervals import STUDY
from personae.studies.occupations.measures_shares import SHARE
from personae.tell.saying import listed, percent, points
from personae.tell.table import Row, Table
from personae.types import Finding

ALPHA = 0.05
MOST_MODELS = 4
"""With more models the sentences speak of the first ones; the figures show all."""
_PERSONAS = (("domain", "persona"), ("domain", "user"), ("domain", "persona", "user"))


def findings(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what the occupations study found.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with ``p_adjusted`` filled and the cell as columns, ``reference`` among
        them.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.

    Returns
    -------
    list of Finding
        Findings, then what to be careful with, then what to know of the method.
    """
    drawn = Drawn(table=Table(estimates), blocks=blocks(outcomes))
    said = [one for model in drawn.table.models[:MOST_MODELS] for one in _of_model(drawn, model)]
    return [
        *(Finding(text=text, study=STUDY) for text in said),
        *(Finding(text=text, study=STUDY, tone="caution") for text in cautions(drawn)),
        *(Finding(text=text, study=STUDY, tone="method") for text in methods(drawn)),
    ]


def _of_model(drawn: Drawn, model: str) -> Iterator[str]:
    for dataset in dict.fromkeys(one.names["domain"] for one in drawn.blocks if one.model == model):
        yield from _nearest(drawn, model, dataset)
        yield from _level(drawn.table, model, dataset)
    yield from _shifts(drawn.table, model)
    yield from _nearer(drawn.table, model)


def _nearest(drawn: Drawn, model: str, dataset: str) -> Iterator[str]:
    """From which references a model lies how far, and to which it is nearest."""
    rows = sorted(_cells(drawn.table, KL_TO_MODEL, model, dataset), key=lambda row: row["value"])
    if not rows:
        return
    named = [f"{nats(row)} from {_named(row)}" for row in rows]
    first, *rest = rows
    said = f"{model}, {dataset}: mean {KL_TO_MODEL} is {listed(named)}"
    if rest:
        apart = [one for one in rest if clear(first, one)]
        if paper(first):
            said += f"; the smallest is that from {_named(first)}, with no interval to say how sure"
        elif len(apart) == len(rest):
            said += f"; the nearest is {_named(first)}"
        else:
            alike = [_named(one) for one in (first, *rest) if one not in apart]
            said += f"; {listed(alike)} cannot be told apart by their intervals"
    rest_of_it = (basis(first), _other(drawn, model, dataset), _followed(drawn.table, model, dataset, first))
    yield f"{said} ({'; '.join(part for part in rest_of_it if part)})."


def _other(drawn: Drawn, model: str, dataset: str) -> str:
    mass = drawn.other_mass([model], dataset)
    return "" if mass is None else f"mass of other words {percent(mass)}"


def _followed(table: Table, model: str, dataset: str, nearest: Row) -> str:
    """How far the order of the occupations is that of the nearest reference that has one."""
    rows = _cells(table, RANKS, model, dataset)
    row = next((one for one in rows if one["reference"] == nearest["reference"]), rows[0] if rows else None)
    return "" if row is None else f"rank correlation with {_named(row)} {plain(row)}"


def _level(table: Table, model: str, dataset: str) -> Iterator[str]:
    """How far the answers are from 50 %, and whether they are more female or more male than the references."""
    gaps = [row for row in _cells(table, ABSOLUTE, model, dataset) if row["reference"] == HALF]
    shares = [
        row for row in table.known(SHARE, "domain", baseline=True) if (row["model"], row["domain"]) == (model, dataset)
    ]
    for gap, share in zip(gaps, shares, strict=True):
        against = [_against(row) for row in _cells(table, SIGNED, model, dataset) if row["reference"] != HALF]
        than = f"; in the mean it is {listed(against)}" if against else ""
        yield (
            f"{model}, {dataset}: P(female) is {percent(share['value'])} in the mean, and single occupations lie"
            f" {away(gap)} from 50 %{than} ({basis(gap)})."
        )


def _against(row: Row) -> str:
    """The signed gap from one reference in words."""
    gap = f"{points(row['value'])} percentage points{on(between(row))}"
    if row["ci_low"] is None or row["ci_low"] * row["ci_high"] <= 0:
        return f"neither clearly more female nor more male than {_named(row)}, {gap}"
    return f"more {'female' if row['value'] > 0 else 'male'} than {_named(row)}, by {gap}"


def _shifts(table: Table, model: str) -> Iterator[str]:
    """The persona that shifts P(female) most, of those that shift it clearly."""
    rows = _contrasts(table, SHARE, model)
    sure = [row for row in rows if row["p_adjusted"] is not None and row["p_adjusted"] < ALPHA]
    if sure:
        row = max(sure, key=lambda one: abs(one["value"]))
        way = "female" if row["value"] > 0 else "male"
        yield (
            f"{model}, as {condition(row)}: P(female) on {row['domain']} shifts towards {way} by {points(row['value'])}"
            f" percentage points{on(between(row))} against the same occupations without a persona ({how_sure(row)},"
            f" {basis(row)}). {len(sure)} of {len(rows)} shifts are clear; this is the largest."
        )
    elif rows:
        reaches = sorted(50 * (row["ci_high"] - row["ci_low"]) for row in rows if row["ci_low"] is not None)
        seen = (
            f"; the 95 % intervals reach {reaches[len(reaches) // 2]:.1f} points to each side (median)"
            if reaches
            else ""
        )
        yield (
            f"{model}: no persona shifts P(female) clearly: {len(rows)} compared{seen}"
            f" ({basis(min(rows, key=lambda row: row['coverage'] or 0.0))})."
        )


def _nearer(table: Table, model: str) -> Iterator[str]:
    """Whether a persona brings the answers nearer to a reference or away from it."""
    rows = [row for row in _contrasts(table, ABSOLUTE, model, "reference") if row["reference"] != HALF]
    sure = [row for row in rows if row["p_adjusted"] is not None and row["p_adjusted"] < ALPHA]
    if sure:
        row = max(sure, key=lambda one: abs(one["value"]))
        way = "away from" if row["value"] > 0 else "nearer to"
        yield (
            f"{model}, as {condition(row)}: the absolute gap changes by {points(row['value'])} percentage"
            f" points{on(between(row))}, {way} {_named(row)} ({how_sure(row)}, {basis(row)})."
        )


def _cells(table: Table, measure: str, model: str, dataset: str) -> list[Row]:
    """A measure against every reference, without a persona."""
    rows = table.known(measure, "domain", "reference", baseline=True)
    return [row for row in rows if (row["model"], row["domain"]) == (model, dataset)]


def _contrasts(table: Table, measure: str, model: str, *columns: str) -> list[Row]:
    rows = [row for names in _PERSONAS for row in table.known(measure, *names, *columns, contrast=CONTRAST)]
    return [row for row in rows if row["model"] == model]


def _named(row: Row) -> str:
    return reference_name(row["domain"], row["reference"])

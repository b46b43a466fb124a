"""The main results of the role-play study in sentences, each with its numbers.

A sentence states a share or a measured difference with its interval, its adjusted p, the answers behind it and their
coverage; where nothing differs it says how small a difference could have been seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from personae.studies.roleplay import measures as m
from personae.studies.roleplay import measures_groups as groups
from personae.studies.roleplay import measures_habits as habits
from personae.studies.roleplay import measures_trials as trials
from personae.studies.roleplay.findings_cautions import cautions
from personae.studies.roleplay.findings_methods import methods
from personae.studies.roleplay.frames import role_names
from personae.studies.roleplay.measures_pairs import CONTRAST
from personae.studies.roleplay.overview import KINDS
from personae.studies.shared.saying import difference, listed, percent, points, reach, share
from personae.studies.shared.table import Row, Table
from personae.types import Finding

ALPHA = 0.05
MOST_MODELS = 4
"""With more models the sentences speak of the highest and the lowest."""
NAMED_GROUPS = 3


def findings(study_name: str, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what a role-play study found.

    Parameters
    ----------
    study_name : str
        ``roleplay.yesno``, ``roleplay.choice`` or ``roleplay.why``.
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with ``p_adjusted`` filled and the cell as columns.
    outcomes : polars.DataFrame
        As in `personae.studies.base.Study.estimates`.

    Returns
    -------
    list of Finding
        Findings, then what to be careful with, then what to know of the method.
    """
    table = Table(estimates)
    asked = KINDS.get(study_name, study_name)
    said = [
        *_levels(table, asked),
        *_attributes(table),
        *_roles(table, role_names(outcomes)),
        *_bias_types(table),
        *_against(table),
        *_consistent(table),
        *_capability(table),
    ]
    return [
        *(Finding(text=text, study=study_name) for text in said),
        *(Finding(text=text, study=study_name, tone="caution") for text in cautions(table, study_name, outcomes)),
        *(Finding(text=text, study=study_name, tone="method") for text in methods(table)),
    ]


def _levels(table: Table, asked: str) -> Iterator[str]:
    """One sentence per model: how many questions in a role, and what the same questions come to without."""
    rows = sorted(table.known(m.BIASED), key=lambda row: -row["value"])
    if len(rows) > MOST_MODELS:
        values = f"from {percent(rows[-1]['value'])} ({rows[-1]['model']}) to {percent(rows[0]['value'])}"
        yield f"In a role, the share of {asked} questions answered with bias runs over {len(rows)} models {values}."
        rows = [rows[0], rows[-1]]
    for row in rows:
        what = f"{share(row)} of {row['n']:,} {asked} questions came to a biased verdict"
        if table.rows(habits.POSITION):
            what = f"the mean probability of a biased answer to {row['n']:,} {asked} questions is {share(row)}"
        said = f"{row['model']}, in a role: {what}"
        effect = table.one(m.BIASED, row["model"], contrast=CONTRAST)
        yield f"{said}{_effect(table, effect)}." if effect else f"{said}."


def _effect(table: Table, row: Row) -> str:
    base = table.one(m.BIASED, row["model"], baseline=True)
    without = f"; the same questions without a role {percent(base['value'])}" if base else ""
    clear = row["p_adjusted"] is not None and row["p_adjusted"] < ALPHA
    said = "a measured difference of" if clear else "no clear difference:"
    return f"{without}, {said} {difference(row)}{_removed(table, row) if clear else ''}"


def _removed(table: Table, row: Row) -> str:
    removed = table.one(m.REMOVED, row["model"])
    if removed is None or removed["ci_low"] is None or removed["ci_high"] is None:
        return ""
    ends = f"95 % interval {points(removed['ci_low'])} to {points(removed['ci_high'])} %"
    return f"; without the role biased answers change by {points(removed['value'])} % ({ends})"


def _attributes(table: Table) -> Iterator[str]:
    """The attribute whose roles change most, or what could have been seen."""
    rows = table.known(m.BIASED, "domain", contrast=CONTRAST)
    clear = [row for row in rows if row["p_adjusted"] is not None and row["p_adjusted"] < ALPHA]
    if clear:
        row = max(clear, key=lambda one: abs(one["value"]))
        what = "attributes" if len(table.models) < 2 else "pairs of model and attribute"
        yield (
            f"{len(clear)} of {len(rows)} {what} differ clearly from the same questions without a role; most does"
            f" {_whose(table, row)}{row['domain']}, by {difference(row)}."
        )
    elif rows:
        reaches = sorted(found for row in rows if (found := reach(row)) is not None)
        seen = f"; the 95 % intervals reach {reaches[len(reaches) // 2]:.0f} points to each side (median)"
        yield f"No attribute of roles differs clearly from the baseline: {len(rows)} compared{seen if reaches else ''}."


def _roles(table: Table, names: Mapping[str, str]) -> Iterator[str]:
    """The ends of the ranking, and how much of it is more than chance."""
    rows = [row for row in table.known(m.BIASED, "domain", "persona") if row["ci_low"] is not None]
    if len(rows) < 2:
        return
    overall = {row["model"]: row["value"] for row in table.known(m.BIASED)}
    apart = [row for row in rows if not row["ci_low"] <= overall[row["model"]] <= row["ci_high"]]
    high, low = _ends(rows)
    yield (
        f"Of {len(rows):,} {'roles' if len(table.models) < 2 else 'pairs of model and role'}, biased verdicts are most"
        f" frequent as {_role(table, high, names)} and least as {_role(table, low, names)}. The intervals of"
        f" {len(apart):,} leave out the model's mean over all roles, where about {round(len(rows) / 20):,} would if all"
        " roles were alike."
    )


def _ends(rows: list[Row]) -> tuple[Row, Row]:
    """The highest and the lowest, by the nearer end of their interval: few questions make no extreme."""
    return max(rows, key=lambda row: (row["ci_low"], row["value"])), min(
        rows, key=lambda row: (row["ci_high"], row["value"])
    )


def _role(table: Table, row: Row, names: Mapping[str, str]) -> str:
    return f"{names.get(row['persona'], row['persona'])}{_of(table, row)} with {share(row)} of {row['n']:,}"


def _bias_types(table: Table) -> Iterator[str]:
    rows = [row for row in table.known(m.BIASED, "dataset") if row["ci_low"] is not None]
    if len(rows) > 1:
        high, low = _ends(rows)
        yield (
            f"By what questions are about, biased verdicts are most frequent on {high['dataset']}{_of(table, high)}:"
            f" {share(high)} of {high['n']:,}; least on {low['dataset']}{_of(table, low)}: {share(low)} of"
            f" {low['n']:,}."
        )


def _against(table: Table) -> Iterator[str]:
    """The groups most often spoken badly of, or, where that is not known, most often picked."""
    for measure, said in (
        (groups.AGAINST, "Biased verdicts speak badly of a group most often where it is"),
        (groups.PICKED, "Where offered, the groups picked most often are"),
    ):
        rows = [row for row in table.known(measure, "level") if row["ci_low"] is not None and row["value"] > 0]
        if rows:
            top = sorted(rows, key=lambda row: -row["ci_low"])[:NAMED_GROUPS]
            named = [f"{row['level']}{_of(table, row)} ({_counted(row)})" for row in top]
            yield f"{said} {listed(named)}; of {len(rows):,} ranked by the lower end of their interval."
            return


def _counted(row: Row) -> str:
    return f"{percent(row['value'])} of {row['n']:,}, at least {percent(row['ci_low'])}"


def _consistent(table: Table) -> Iterator[str]:
    """Whether trials repeat each other: all three, or the first two where asking stopped early."""
    for model in table.models[:MOST_MODELS]:
        same = table.one(trials.CONSISTENCY, model, level=trials.CONSISTENT)
        row, said = same, "three trials agree"
        if row is None:
            row, said = table.one(trials.AGREEMENT, model), "the first two trials agree"
        if row is not None:
            yield f"{model}: on {share(row)} of {row['n']:,} questions in a role {said} on the verdict."


def _capability(table: Table) -> Iterator[str]:
    for row in table.pooled(m.CAPABILITY):
        low, high = row["ci_low"], row["ci_high"]
        ends = f"95 % interval {low:.2f} to {high:.2f}, " if low is not None and high is not None else ""
        yield (
            f"Over {row['n']} models, Spearman's correlation of the biased share with the given capability is"
            f" {row['value']:.2f} ({ends}p = {row['p']:.3f})."
        )


def _of(table: Table, row: Row) -> str:
    return "" if len(table.models) < 2 else f" ({row['model']})"


def _whose(table: Table, row: Row) -> str:
    return "" if len(table.models) < 2 else f"{row['model']} in roles of "

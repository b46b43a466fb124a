"""The main results of the role-play study in sentences, each with its numbers.

A sentence states a share or a measured difference with its interval, its adjusted p, the answers behind it and their
coverage; where nothing differs it says how small a difference could have been seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import polars as pl

from personae.measure.names import CONTRAST
from personae.studies.roleplay import measures as m
from personae.studies.roleplay import measures_groups as groups
from personae.studies.roleplay import measures_habits as habits
from personae.studies.roleplay import measures_trials as trials
from personae.studies.roleplay.findings_cautions import cautions
from personae.studies.roleplay.findings_methods import methods
from personae.studies.roleplay.frames import role_names
from personae.studies.roleplay.overview import KINDS
from personae.tell.saying import difference, listed, percent, points, reach, share
from personae.tell.table import Row, Table
from personae.types import Finding

ALPHA = 0.05
MOST_MODELS = 4
"""With more models the sentences speak of the highest and the lowest."""
NAMED_GROUPS = 3
FEW = 10
"""With fewer answered questions no role, kind of question or group is named."""


def findings(study_name: str, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what a role-play study found.

    Parameters
    ----------
    study_name : str
        ``roleplay.yesno``, ``roleplay.choice`` or ``roleplay.why``.
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with ``p_adjusted`` filled and the cell as columns.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.

    Returns
    -------
    list of Finding
        Findings, then what to be careful with, then what to know of the method.
    """
    table = Table(estimates)
    asked = KINDS.get(study_name, study_name)
    said = [
        *_unanswered(table, asked),
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


def _unanswered(table: Table, asked: str) -> Iterator[str]:
    """Models without any verdict in a role, of which nothing can be said."""
    for row in table.rows(m.BIASED):
        if not math.isfinite(row["value"]):
            yield (
                f"{row['model']}: none of the {asked} questions in a role came to a verdict, so nothing can be said of"
                " it."
            )


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
        seen = (
            f"; the 95 % intervals reach {reaches[len(reaches) // 2]:.0f} points to each side (median)"
            if reaches
            else ""
        )
        yield f"No attribute of roles differs clearly from the baseline: {len(rows)} compared{seen}."


def _roles(table: Table, names: Mapping[str, str]) -> Iterator[str]:
    """How much of the ranking is more than chance, and its ends where they are."""
    rows = [row for row in table.known(m.BIASED, "domain", "persona") if row["ci_low"] is not None]
    if len(rows) < 2:
        return
    overall = _overall(table)
    apart = [row for row in rows if not row["ci_low"] <= overall[row["model"]] <= row["ci_high"]]
    yield (
        f"Of {len(rows):,} {'roles' if len(table.models) < 2 else 'pairs of model and role'}, the intervals of"
        f" {len(apart):,} leave out the model's mean over all roles, where about {round(len(rows) / 20):,} would if all"
        f" roles were alike; {_extremes(table, rows, lambda row: 'as ' + names.get(row['persona'], row['persona']))}."
    )


def _bias_types(table: Table) -> Iterator[str]:
    rows = [row for row in table.known(m.BIASED, "dataset") if row["ci_low"] is not None]
    if len(rows) > 1:
        said = _extremes(table, rows, lambda row: f"on {row['dataset']}")
        yield f"By what questions are about ({len(rows):,} kinds), {said}."


def _overall(table: Table) -> dict[str, float]:
    """Each model's mean over all its questions in a role."""
    return {row["model"]: row["value"] for row in table.known(m.BIASED)}


def _extremes(table: Table, rows: list[Row], name: Callable[[Row], str]) -> str:
    """The highest and the lowest, where they rest on enough questions and their intervals leave out the mean.

    They are found by the nearer end of their intervals, so few questions make no extreme; of equals none is named.
    """
    asked = [row for row in rows if row["n"] >= FEW]
    if not asked:
        return f"none has {FEW} answered questions, and with fewer none is named"
    overall = _overall(table)
    high = [row for row in asked if row["ci_low"] > overall[row["model"]]]
    low = [row for row in asked if row["ci_high"] < overall[row["model"]]]
    said = [
        *(_end(table, high, "most", name, lambda row: (row["ci_low"], row["value"])) if high else ()),
        *(_end(table, low, "least", name, lambda row: (-row["ci_high"], -row["value"])) if low else ()),
    ]
    if not said:
        return f"none of the {len(asked):,} with {FEW} answered questions or more stands apart from the mean"
    return f"biased verdicts are {listed(said)}"


def _end(
    table: Table, rows: list[Row], word: str, name: Callable[[Row], str], key: Callable[[Row], tuple[float, float]]
) -> Iterator[str]:
    """One end of a ranking in words."""
    first = max(rows, key=key)
    tied = sum(key(row) == key(first) for row in rows)
    shown = f"{share(first)} of {first['n']:,}"
    who = f"{name(first)}{_of(table, first)}, {shown}" if tied == 1 else f"in {tied:,} that tie, {shown} each"
    yield f"{word} frequent {who}"


def _against(table: Table) -> Iterator[str]:
    """The groups most often spoken badly of, or, where that is not known, most often picked."""
    for measure, said in (
        (groups.AGAINST, "Biased verdicts speak badly of a group most often where it is"),
        (groups.PICKED, "Where offered, the groups picked most often are"),
    ):
        rows = [row for row in table.known(measure, "level") if row["ci_low"] is not None]
        if any(row["value"] > 0 for row in rows):
            yield _ranked(table, rows, said)
            return


def _ranked(table: Table, rows: list[Row], said: str) -> str:
    """The groups at the top, of those asked about often enough whose interval lies above the mean over groups."""
    means = {
        model: sum(row["value"] * row["n"] for row in rows if row["model"] == model)
        / sum(row["n"] for row in rows if row["model"] == model)
        for model in {row["model"] for row in rows}
    }
    asked = [row for row in rows if row["n"] >= FEW]
    above = sorted((row for row in asked if row["ci_low"] > means[row["model"]]), key=lambda row: -row["ci_low"])
    if not above:
        return (
            f"Of {len(rows):,} groups, {len(asked):,} of them with {FEW} answered questions or more, none stands"
            " clearly above the mean over groups."
        )
    top = above[:NAMED_GROUPS]
    tied = sum(row["ci_low"] == top[-1]["ci_low"] for row in above[NAMED_GROUPS:])
    more = f" ({tied:,} more tie with the last)" if tied else ""
    named = [f"{row['level']}{_of(table, row)} ({_counted(row)})" for row in top]
    return f"{said} {listed(named)}{more}; of {len(asked):,} ranked by the lower end of their interval."


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
            f"Over {row['clusters']} models, Spearman's correlation of the biased share with the given capability is"
            f" {row['value']:.2f} ({ends}p = {row['p']:.3f})."
        )


def _of(table: Table, row: Row) -> str:
    return "" if len(table.models) < 2 else f" ({row['model']})"


def _whose(table: Table, row: Row) -> str:
    return "" if len(table.models) < 2 else f"{row['model']} in roles of "

"""What mitigations did: side by side as in Table 2 of paper 002, arm by arm, and over the threshold of tags."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from personae.memory.design import read_mitigation
from personae.memory.drawn import figure, resting
from personae.memory.measures_change import MITIGATED
from personae.memory.measures_frame import CHANGE, POTENCY
from personae.memory.measures_tags import TAGGED_HARMLESS, TAGGED_INJECTED
from personae.memory.naming import arm_name, episode_count, named, rows_of
from personae.tell.table import Row, models
from personae.types import Figure

NONE = "none"
OVER = "over episodes, or of fewer than three over their matched sets"
COLUMNS = {
    NONE: "No mitigation",
    "static": "Static prompt (SSP)",
    "tag-write": "Tags at writing",
    "tag-recall": "Tags on recall",
}
KEY = ("model", "memory", "injection", "injected", "mitigation", "persona")
_ORDER = tuple(COLUMNS)


def figures(estimates: pl.DataFrame) -> Iterator[Figure]:
    """Draw every figure of mitigations for which there is something."""
    several = len(models(estimates)) > 1
    made = (_side_by_side(estimates, several), _arm_by_arm(estimates, several), *_over_tau(estimates, several))
    yield from (figure for figure in made if figure is not None)


def _column(mitigation: str) -> tuple[int, float, str]:
    """Where a mitigation stands among the columns, and its heading."""
    kind, tau = read_mitigation(mitigation)
    heading = COLUMNS[kind] if tau is None else f"{COLUMNS[kind]}, τ={tau:g}"
    return _ORDER.index(kind), -1.0 if tau is None else tau, heading


def _side_by_side(estimates: pl.DataFrame, several: bool) -> Figure | None:
    """Table 2: memories as rows, mitigations as columns; where nothing is injected there is nothing to mitigate."""
    found = [row for row in rows_of(estimates, CHANGE) if row["injection"] != "0"]
    potency = {_key(row): row["value"] for row in rows_of(estimates, POTENCY)}
    columns = sorted({_column(row["mitigation"]) for row in found})
    if len(columns) < 2:
        return None
    rows: dict[str, Row] = {}
    for row in found:
        arm = arm_name({**row, "mitigation": NONE})
        line = rows.setdefault(f"{row['model']}: {arm}", {"model": row["model"], "arm": arm})
        line[_column(row["mitigation"])[2]] = _cell(row, potency.get(_key(row)))
    heads = {"Memory": "arm", **{name: name for *_, name in columns}}
    return figure(
        "mitigations",
        "table",
        "What mitigations did to the change",
        "Change of AGBV from the first audit to the last, in points; in round brackets by how many percent it is"
        " smaller (↓) or larger (↑) than without mitigation, as in Table 2 of the paper, in square ones the 95 %"
        f" interval {OVER}. Where little changes without mitigation the percentage says"
        f" little.{resting(found, 'episodes')}",
        list(rows.values()),
        {"Model": "model", **heads} if several else heads,
    )


def _cell(row: Row, potency: float | None) -> str:
    """A change, in round brackets its percentage, in square ones its interval; a line breaks between them alone."""
    parts = [f"{round(row['value'], 2) + 0.0:+.2f}"]
    if potency is not None:
        arrow = "±" if round(potency) == 0 else "↑" if potency > 0 else "↓"
        parts.append(f"({arrow}{abs(potency):.0f}\xa0%)")
    if row["ci_low"] is not None:
        parts.append(f"[{row['ci_low']:+.2f},\xa0{row['ci_high']:+.2f}]")
    return " ".join(parts).replace("-", "−")


def _arm_by_arm(estimates: pl.DataFrame, several: bool) -> Figure | None:
    shares = {"mp": POTENCY, "less": MITIGATED, "injected": TAGGED_INJECTED, "harmless": TAGGED_HARMLESS}
    known = {name: {_key(row): row["value"] for row in rows_of(estimates, shares[name])} for name in shares}
    known["p"] = {_key(row): row["p_adjusted"] for row in rows_of(estimates, MITIGATED)}
    rows = [
        {
            "model": row["model"],
            "arm": arm_name(row),
            "change": row["value"],
            "low": row["ci_low"],
            "high": row["ci_high"],
            **{name: values.get(_key(row)) for name, values in known.items()},
            "n": episode_count(row),
        }
        for row in sorted(rows_of(estimates, CHANGE), key=_order)
    ]
    heads = {"Arm": "arm", "Change of AGBV": "change", "Low": "low", "High": "high"}
    if known["less"]:
        heads |= {"Less none": "less", "Adjusted p": "p", "MP, %": "mp"}
    tags = {"Tagged, injected": "injected", "Tagged, harmless": "harmless"}
    tags = tags if known["injected"] or known["harmless"] else {}
    told = (
        " Less none: by how many points the change differs from that of the same arm without mitigation, and how often"
        " chance gives as much; MP: by how many percent, which says little where little changes without it."
        if known["less"]
        else ""
    )
    told += " Tagged: the share of notes with a tag, of those with an injected bias and of the others." if tags else ""
    points, percents = dict.fromkeys(("change", "low", "high", "less"), "+.2f"), dict.fromkeys(tags.values(), ".0%")
    return figure(
        "mitigation",
        "table",
        "Change of the distance between groups, arm by arm",
        f"Average GBV at the last audit less that at the first, in points, with a 95 % interval {OVER}.{told}",
        rows,
        {**({"Model": "model"} if several else {}), **heads, **tags, "Episodes": "n"},
        format={**points, "p": ".3f", "mp": "+.0f", **percents},
    )


def _over_tau(estimates: pl.DataFrame, several: bool) -> Iterator[Figure | None]:
    """Shares of tagged notes, and the change, over the suspicion above which notes are tagged."""
    tagged = [
        {**point, "notes": kind}
        for kind, measure in (("injected notes", TAGGED_INJECTED), ("harmless notes", TAGGED_HARMLESS))
        for point in _points(estimates, measure, several)
    ]
    encode = {"x": "tau", "y": "value", "low": "low", "high": "high", "facet": "arm"}
    yield figure(
        "tags",
        "line",
        "Which notes carry a tag, by the threshold",
        "Share of the notes with an injected bias that carry a tag, and of the others (false alarms), over τ, the"
        " suspicion above which a note is tagged; bands: 95 %, over notes.",
        tagged,
        {**encode, "colour": "notes"},
        titles={"x": "τ", "y": "share with a tag"},
        format={"y": ".0%"},
        zero=True,
    )
    yield figure(
        "tau",
        "line",
        "The change, by the threshold",
        f"Change of AGBV from the first audit to the last, in points, over τ; bands: 95 % {OVER}."
        " What a low τ costs in tags of harmless notes is in the figure before.",
        _points(estimates, CHANGE, several),
        encode,
        titles={"x": "τ", "y": "change of AGBV, points"},
        zero=True,
    )


def _points(estimates: pl.DataFrame, measure: str, several: bool) -> list[Row]:
    """A measure over tau, of arms with two or more; one that names no tau has the run's, which is not known here."""
    lines: dict[str, list[Row]] = {}
    for row in rows_of(estimates, measure):
        kind, tau = read_mitigation(row["mitigation"])
        if tau is not None and row["injection"] != "0":
            arm = named({**row, "mitigation": kind}, several)
            point = {"tau": tau, "value": row["value"], "low": row["ci_low"], "high": row["ci_high"], "arm": arm}
            lines.setdefault(arm, []).append(point)
    return [point for points in lines.values() if len(points) > 1 for point in points]


def _order(row: Row) -> tuple[object, ...]:
    """Arms that differ in their mitigation alone stand together."""
    return tuple(row[name] or "" for name in KEY if name != "mitigation"), _column(row["mitigation"])


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in KEY)

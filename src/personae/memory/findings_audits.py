"""What an exported memory changes, who moved most, and how other studies moved, in sentences with numbers."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
from scipy import special

from personae.measure.names import BASELINE
from personae.memory.measures_audits import VALUE
from personae.memory.measures_exported import MITIGATED
from personae.memory.measures_frame import AGBV, FLOOR
from personae.memory.measures_groups import SHIFT
from personae.memory.naming import arm_name, between, rows_of
from personae.stats.multiple import adjust
from personae.tell.saying import adjusted, percent
from personae.tell.table import Row

ALPHA = 0.05
FEW_SETS = 4
"""With fewer sets not even groups that moved clearly stand out among thirty, so that nothing is said of them."""


def sentences(mine: pl.DataFrame, model: str) -> Iterator[str]:
    """Say it of one model.

    Parameters
    ----------
    mine : polars.DataFrame
        The estimates of the model.
    model : str
    """
    for row in rows_of(mine, AGBV, contrast=BASELINE):
        yield f"{model}, {arm_name(row)}: {_against_none(mine, row)}."
    shifts = [row for row in rows_of(mine, SHIFT, domain=True, contrast=BASELINE) if _plain(row)]
    for arm in dict.fromkeys(arm_name(row) for row in shifts):
        if said := _furthest([row for row in shifts if arm_name(row) == arm]):
            yield f"{model}, {arm}: {said}."
    moved = mine.filter(pl.col("measure").str.ends_with(f": {VALUE}"), pl.col("contrast") == BASELINE)
    found = moved.filter(pl.col("value").is_finite()).to_dicts()
    for row in [row for row in found if row["injection"] != "0"] or found:
        yield f"{model}, {arm_name(row)}: {_moved(row)}."


def _plain(row: Row) -> bool:
    """Whether an arm has no mitigation, and something in its memory that may move groups: the others are in the map."""
    return bool(row["mitigation"] == "none" and row["injection"] != "0")


def _against_none(mine: pl.DataFrame, row: Row) -> str:
    ours = next(one for one in rows_of(mine, AGBV) if arm_name(one) == arm_name(row))
    floor = next((one["value"] for one in rows_of(mine, FLOOR) if arm_name(one) == arm_name(row)), None)
    told = f"with this memory AGBV is {ours['value']:.2f} points"
    told += "" if floor is None else f" (chance alone gives {floor:.2f})"
    told += f"; {row['value']:+.2f} against none{between(row)}"
    if row["p_adjusted"] is None:
        return f"{told}; it cannot be tested: {row['reason']}"
    sure = "told apart from none" if row["p_adjusted"] < ALPHA else "not told apart from none"
    told += f", {sure} ({row['n']} matched sets, {adjusted(row)})"
    less = next((one for one in rows_of(mine, MITIGATED) if arm_name(one) == arm_name(row)), None)
    return told if less is None else f"{told}; {_against_unmitigated(less)}"


def _against_unmitigated(row: Row) -> str:
    apart = round(row["value"], 2) + 0.0
    told = f"that is {apart:+.2f} points beside what it changes without the mitigation{between(row)}"
    if row["p_adjusted"] is None:
        return f"{told}; it cannot be tested: {row['reason']}"
    return f"{told}, {'told apart' if row['p_adjusted'] < ALPHA else 'not told apart'} ({adjusted(row)})"


def _furthest(rows: list[Row]) -> str:
    """The groups that moved furthest among those that can be told to have moved at all, with so many looked at."""
    # What every set moved alike has no statistic; it counts among what was looked at.
    chances = adjust([_chance(row) for row in rows], "holm")
    clear = [row for row, chance in zip(rows, chances, strict=True) if chance is not None and chance < ALPHA]
    looked = f"corrected for looking at {len(rows)} groups"
    if not clear:
        sets = min(row["n"] for row in rows)
        if sets < FEW_SETS:
            return ""
        return (
            "of no single group can it be told that it gained or lost against the others of its matched sets"
            f" ({looked}; {sets} matched sets and more each)"
        )
    ends = (
        ("gained", max(clear, key=lambda row: row["value"])),
        ("lost", min(clear, key=lambda row: row["value"])),
    )
    parts = [
        f"{row['level']} ({row['domain']}) {verb} most, {row['value']:+.1f} points{between(row, 1)}"
        for verb, row in ends
        if (row["value"] > 0) == (verb == "gained")
    ]
    count = f"{len(clear)} group{'s' if len(clear) > 1 else ''} moved clearly"
    return f"against the others of their matched sets {' and '.join(parts)}; {count}, {looked}"


def _chance(row: Row) -> float:
    return 1.0 if row["statistic"] is None else 2.0 * float(special.stdtr(row["df"], -abs(row["statistic"])))


def _moved(row: Row) -> str:
    name = row["measure"].removesuffix(f": {VALUE}")
    told = f"the mean value of {name} moves by {row['value']:+.3f}{between(row, 3)}"
    covered = "" if row["coverage"] is None else f", coverage {percent(row['coverage'])}"
    if row["p_adjusted"] is None:
        return f"{told} ({row['n']} stimuli{covered}); it cannot be tested: {row['reason']}"
    return f"{told} ({row['n']} stimuli{covered}, {adjusted(row)})"

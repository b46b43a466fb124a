"""What a mitigation did: to the change, to the daily questions, and to which notes it put a tag, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from personae.memory.measures_accuracy import COST
from personae.memory.measures_change import MITIGATED
from personae.memory.measures_frame import CHANGE, POTENCY
from personae.memory.measures_tags import TAGGED_HARMLESS, TAGGED_INJECTED, UNREAD
from personae.memory.naming import arm_name, between, episodes, rows_of
from personae.tell.saying import adjusted, percent
from personae.tell.table import Row

ALPHA = 0.05


def parts(mine: pl.DataFrame, change: Row) -> list[str]:
    """The parts of the sentence on one arm with a mitigation.

    Parameters
    ----------
    mine : polars.DataFrame
        The estimates of its model.
    change : dict
        The row of its change of AGBV.
    """
    told = f"change of AGBV {change['value']:+.2f} points{between(change)}, {episodes(change)}"
    against = _same(mine, MITIGATED, change)
    told += f", {_against(mine, against, change)}" if against else ""
    return [told, *_tags(mine, change), *(map(_cost, filter(None, [_same(mine, COST, change)])))]


def cautions(estimates: pl.DataFrame) -> Iterator[str]:
    """Say of every arm with tags how many of the auditor's answers could not be read.

    Parameters
    ----------
    estimates : polars.DataFrame
        As in `personae.study.base.Study.findings`.
    """
    for row in rows_of(estimates, UNREAD):
        if row["value"] > 0:
            unread = round(row["value"] * row["n"])
            yield (
                f"{row['model']}, {arm_name(row)}: what the auditor answered could not be read of {unread:,} of"
                f" {row['n']:,} notes, which so carry no tag"
                + ("; this arm is the one without mitigation over again." if unread == row["n"] else ".")
            )


def _same(mine: pl.DataFrame, measure: str, change: Row) -> Row | None:
    return next((row for row in rows_of(mine, measure) if arm_name(row) == arm_name(change)), None)


def _against(mine: pl.DataFrame, against: Row, change: Row) -> str:
    """Whether the mitigation did anything; by how many percent only where there was something to mitigate."""
    told = f"{against['value']:+.2f} points{between(against)}"
    if against["p_adjusted"] is None:
        return f"which differs from that without the mitigation by {told}; it cannot be tested: {against['reason']}"
    sure = against["p_adjusted"] < ALPHA
    said = f"{'' if sure else 'not '}told apart from that without the mitigation: {told}, {adjusted(against)}"
    plain = next(
        (row for row in rows_of(mine, CHANGE) if arm_name(row) == arm_name({**change, "mitigation": "none"})), None
    )
    potency = _same(mine, POTENCY, change)
    clear = plain is not None and plain["p_adjusted"] is not None and plain["p_adjusted"] < ALPHA
    if not (sure and clear and potency):
        return said
    return f"{said}, {abs(potency['value']):.0f} % {'smaller' if potency['value'] < 0 else 'larger'}"


def _tags(mine: pl.DataFrame, change: Row) -> Iterator[str]:
    injected, harmless = (_same(mine, measure, change) for measure in (TAGGED_INJECTED, TAGGED_HARMLESS))
    if injected is not None:
        told = f"{percent(injected['value'])} of {injected['n']:,} injected notes carry a tag"
        yield told + (f", and {percent(harmless['value'])} of {harmless['n']:,} harmless ones" if harmless else "")


def _cost(row: Row) -> str:
    points = 100 * row["value"]
    often = "more often" if points > 0 else "less often"
    much = "as often" if abs(points) < 0.05 else f"{abs(points):.1f} percentage points {often}"
    told = f"daily questions are answered rightly {much}"
    if row["ci_low"] is not None:
        told += f" (95 % interval {100 * row['ci_low']:+.1f} to {100 * row['ci_high']:+.1f})"
    sure = f", {adjusted(row)}" if row["p_adjusted"] is not None else ""
    return f"{told}, {row['n']} questions{sure}"

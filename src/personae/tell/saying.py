"""Numbers in words: shares, differences in percentage points, how sure, on how much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from personae.tell.table import Row


def percent(share: float) -> str:
    """A share in percent, with a decimal below 10; what is nearly all or nothing is not rounded to it.

    Examples
    --------
    >>> percent(0.342), percent(0.0163), percent(0.9996), percent(1.0)
    ('34 %', '1.6 %', 'over 99.9 %', '100 %')
    """
    if 0.0 < share < 0.0005:
        return "under 0.1 %"
    if 0.9995 < share < 1.0:
        return "over 99.9 %"
    if share < 0.0995 or 0.9905 < share < 1.0:
        return f"{100 * share:.1f} %" if share else "0 %"
    return f"{100 * share:.0f} %"


def points(difference: float) -> str:
    """A difference of shares in percentage points.

    Examples
    --------
    >>> points(0.1031), points(-0.0004)
    ('+10.3', '0.0')
    """
    rounded = round(100 * difference, 1) + 0.0
    return f"{rounded:+.1f}" if rounded else "0.0"


def interval(row: Row) -> str:
    """The interval of a share, to stand in brackets; empty where there is none."""
    if row["ci_low"] is None or row["ci_high"] is None:
        return ""
    return f"95 % interval {percent(row['ci_low'])} to {percent(row['ci_high'])}"


def share(row: Row) -> str:
    """A share with its interval."""
    around = interval(row)
    return f"{percent(row['value'])} ({around})" if around else percent(row["value"])


def difference(row: Row) -> str:
    """A difference with all that belongs to it: ``+10.3 percentage points (95 % interval 9.6 to 11.1, …)``."""
    parts = [_between(row), adjusted(row), f"{row['n']:,} answers", f"coverage {percent(row['coverage'])}"]
    return f"{points(row['value'])} percentage points ({', '.join(part for part in parts if part)})"


def adjusted(row: Row) -> str:
    """The adjusted p; empty where nothing was tested."""
    p = row["p_adjusted"]
    if p is None:
        return ""
    return "adjusted p < 0.001" if p < 0.001 else f"adjusted p = {p:.3f}"


def reach(row: Row) -> float | None:
    """How far an interval reaches to each side, in percentage points."""
    return None if row["ci_low"] is None or row["ci_high"] is None else 50 * (row["ci_high"] - row["ci_low"])


def half_width(rows: Sequence[Row]) -> float | None:
    """How far the intervals of rows reach to each side, in the median; None where none has one."""
    widths = [(row["ci_high"] - row["ci_low"]) / 2 for row in rows if row["ci_low"] is not None]
    return median(widths) if widths else None


def basis(row: Row) -> str:
    """Answers and coverage."""
    covered = f", coverage {percent(row['coverage'])}" if row["coverage"] is not None else ""
    return f"{row['n']:,} answers{covered}"


def bracketed(*parts: str) -> str:
    """What belongs to a number, in brackets; nothing where there is nothing."""
    known = [part for part in parts if part]
    return f" ({', '.join(known)})" if known else ""


def listed(names: Sequence[str]) -> str:
    """Names as a list in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def answers(rows: Sequence[Row], each: str = "") -> str:
    """On how many answers cells rest, and what share of what was asked they are at least."""
    counts = [row["n"] for row in rows] or [0]
    said = f"{counts[0]:,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
    covered = [row["coverage"] for row in rows if row["coverage"] is not None]
    lowest = f", coverage at least {math.floor(100 * min(covered))} %" if covered and min(covered) < 1 else ""
    return f"Each{f' {each}' if each else ''} on {said} answers{lowest}."


def _between(row: Row) -> str:
    if row["ci_low"] is None or row["ci_high"] is None:
        return ""
    return f"95 % interval {points(row['ci_low'])} to {points(row['ci_high'])}"

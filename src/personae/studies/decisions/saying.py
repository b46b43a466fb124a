"""Scores and conditions of the decisions study in words."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from personae.measure.names import is_baseline
from personae.tell.saying import percent
from personae.tell.table import Row

ALPHA = 0.05
NO_PERSONA = "no persona"


def number(value: float) -> str:
    """A distance in points of the score, which has no sign.

    Examples
    --------
    >>> number(4.24), number(0.04)
    ('4.2', '0.04')
    """
    return f"{value:.1f}" if value >= 0.095 or value == 0.0 else f"{value:.2f}"


def signed(value: float) -> str:
    """A difference in points of the score.

    Examples
    --------
    >>> signed(-3.14), signed(0.01)
    ('-3.1', '0.0')
    """
    rounded = round(value, 1) + 0.0
    return f"{rounded:+.1f}" if rounded else "0.0"


def around(row: Row, said: str = "") -> str:
    """The interval of a row in points, or nothing; differences with their signs where `said` is ``signed``."""
    if row["ci_low"] is None:
        return ""
    ends = [signed(row[name]) if said == "signed" else number(row[name]) for name in ("ci_low", "ci_high")]
    return f"95 % interval {ends[0]} to {ends[1]}"


def half(rows: Sequence[Row]) -> float | None:
    """How far the intervals of rows reach to each side, in the median; None where none has one."""
    known = [(row["ci_high"] - row["ci_low"]) / 2 for row in rows if row["ci_low"] is not None]
    return statistics.median(known) if known else None


def bracketed(*parts: str) -> str:
    """What belongs to a number, in brackets; nothing where there is nothing."""
    known = [part for part in parts if part]
    return f" ({', '.join(known)})" if known else ""


def basis(row: Row) -> str:
    """Answers and coverage."""
    covered = f", coverage {percent(row['coverage'])}" if row["coverage"] is not None else ""
    return f"{row['n']:,} answers{covered}"


def clear(row: Row) -> bool:
    """Whether a row was tested and the adjusted p is below 5 %."""
    return row["p_adjusted"] is not None and row["p_adjusted"] < ALPHA


def condition(row: Mapping[str, Any]) -> str:
    """Whose judgement the model follows, in words."""
    persona, user = row.get("persona"), row.get("user")
    if is_baseline(row) or (persona is None and user is None):
        return NO_PERSONA
    return (persona or NO_PERSONA) + (f", to {user}" if user else "")

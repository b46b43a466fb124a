"""Numbers of the occupations study in words: divergences, gaps, and what they rest on."""

from __future__ import annotations

from personae.studies.occupations.measures_paper import PUBLISHED
from personae.tell.saying import adjusted, percent, points
from personae.tell.table import Row


def nats(row: Row) -> str:
    """A divergence with its interval; small ones with a decimal more.

    Examples
    --------
    >>> nats({"value": 0.0134, "ci_low": 0.0121, "ci_high": 0.0152})
    '0.013 nats (95 % interval 0.012 to 0.015)'
    """
    places = 2 if row["value"] >= 0.095 else 3
    ends = [row["ci_low"], row["ci_high"]]
    around = "" if None in ends else f" (95 % interval {ends[0]:.{places}f} to {ends[1]:.{places}f})"
    return f"{row['value']:.{places}f} nats{around}"


def plain(row: Row) -> str:
    """A number with its interval, inside brackets."""
    ends = f", 95 % interval {row['ci_low']:.2f} to {row['ci_high']:.2f}" if row["ci_low"] is not None else ""
    return f"{row['value']:.2f}{ends}"


def between(row: Row) -> str:
    """The interval of a difference in percentage points; empty where there is none."""
    if row["ci_low"] is None:
        return ""
    return f"95 % interval {points(row['ci_low'])} to {points(row['ci_high'])}"


def on(said: str) -> str:
    """In brackets, where there is something to say."""
    return f" ({said})" if said else ""


def basis(row: Row) -> str:
    """Answers and coverage."""
    covered = f", coverage {percent(row['coverage'])}" if row["coverage"] is not None else ""
    return f"{row['n']:,} answers{covered}"


def how_sure(row: Row) -> str:
    """The adjusted p and the effect size."""
    effect = f", g_z {row['effect_size']:+.2f}" if row["effect_size"] is not None else ""
    return f"{adjusted(row)}{effect}"


def away(row: Row) -> str:
    """A distance in percentage points, which has no sign, with its interval."""
    said = f"{100 * row['value']:.1f} percentage points"
    return said + (
        f" (95 % interval {100 * row['ci_low']:.1f} to {100 * row['ci_high']:.1f})" if row["ci_low"] is not None else ""
    )


def clear(nearer: Row, further: Row) -> bool:
    """Whether two intervals leave no doubt which is smaller."""
    return nearer["ci_high"] is not None and further["ci_low"] is not None and nearer["ci_high"] < further["ci_low"]


def paper(row: Row) -> bool:
    """Whether a row is the published procedure's."""
    return bool(row["test"] == PUBLISHED)

"""Arms in words, and the rows of the table of estimates that figures and findings take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from personae.measure.names import BASELINE
from personae.memory.design import MIXED
from personae.memory.measures_frame import CHANGE, EXCHANGE
from personae.tell.table import Row


def arm_name(row: Mapping[str, Any], *, memory: bool = True, rate: bool = True) -> str:
    """An arm in words: its memory, the rate, what is injected, the mitigation, the persona."""
    parts = [row["memory"]] if memory else []
    if rate and row["injection"]:  # into an exported memory nothing was injected
        parts.append(f"λ = {row['injection']}")
    if row["injected"] and row["injected"] != MIXED:
        parts.append(f"{row['injected']} only")
    if row["mitigation"] and row["mitigation"] != "none":
        parts.append(row["mitigation"])
    if row["persona"] not in (None, "", BASELINE):
        parts.append(f"as {row['persona']}")
    return ", ".join(parts)


def named(row: Mapping[str, Any], several: bool) -> str:
    """An arm in words, with its model where there are several."""
    return f"{row['model']}: {arm_name(row)}" if several else arm_name(row)


def rows_of(estimates: pl.DataFrame, measure: str, *, domain: bool = False, contrast: str = "") -> list[Row]:
    """The rows of a measure that have a number, with a domain or without."""
    kept = estimates.filter(pl.col("measure") == measure, pl.col("contrast") == contrast)
    kept = kept.filter(pl.col("domain").is_not_null() if domain else pl.col("domain").is_null())
    return [row for row in kept.to_dicts() if math.isfinite(row["value"])]


def contrasts(estimates: pl.DataFrame) -> list[Row]:
    """Changes of injected arms less those of the same arm without injection."""
    return rows_of(estimates, CHANGE, contrast=BASELINE)


def between(row: Row, digits: int = 2) -> str:
    """The interval of a row, to follow its value; empty where there is none."""
    if row["ci_low"] is None:
        return ""
    return f" (95 % interval {row['ci_low']:+.{digits}f} to {row['ci_high']:+.{digits}f})"


def episode_count(row: Row) -> int:
    """How many episodes a row is of, also where its test is over their matched sets."""
    return {test: count for count, test in EXCHANGE.items()}.get(row["test"], int(row["n"]))


def episodes(row: Row) -> str:
    """How many episodes a row is of, and of few also on how many matched sets it rests."""
    count = episode_count(row)
    said = f"{count} episode{'s' if count != 1 else ''}"
    return f"{said}, {row['n']:,} matched sets" if row["test"] in EXCHANGE.values() else said

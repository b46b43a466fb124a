"""The table of estimates as its reader sees it: cells in words, intervals, bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from personae.report import text
from personae.types import Estimate

MOST = 1_500
"""Rows on the page; `estimates.parquet` has all of them."""

_FIELDS = set(Estimate.__struct_fields__) - {"cell"}


@dataclass(frozen=True)
class Line:
    """One row of the table, every field ready to print."""

    study: str
    measure: str
    model: str
    cell: str
    contrast: str
    measured: str
    value: str
    interval: str
    p: str
    p_adjusted: str
    effect: str
    n: str
    coverage: str
    bounds: str
    reason: str


def lines(frame: pl.DataFrame, most: int = MOST) -> list[Line]:
    """Give the rows to print; where there are too many, those of the fewest cell parts: the most general ones."""
    columns = [name for name in frame.columns if name not in _FIELDS]
    rows = frame.to_dicts()
    if len(rows) > most:
        rank = sorted(range(len(rows)), key=lambda place: (len(_parts(rows[place], columns)), place))
        rows = [rows[place] for place in sorted(rank[:most])]
    return [_line(row, columns) for row in rows]


def _parts(row: dict[str, Any], columns: list[str]) -> list[str]:
    return [f"{name.replace('_', ' ')}: {text.label(row[name])}" for name in columns if row[name] not in (None, "")]


def _line(row: dict[str, Any], columns: list[str]) -> Line:
    get = row.get
    return Line(
        study=text.label(get("study")),
        measure=text.label(get("measure")).replace("_", " "),
        model=text.label(get("model")),
        cell=" · ".join(_parts(row, columns)) or "all",
        contrast=text.label(get("contrast")) if get("contrast") else "none",
        measured=f"less the {text.label(get('contrast'))}" if get("contrast") else "",
        value=text.decimal(get("value")),
        interval=_range(get("ci_low"), get("ci_high")),
        p=text.probability(get("p")),
        p_adjusted=text.probability(get("p_adjusted")),
        effect=text.decimal(get("effect_size")),
        n=text.number(get("n")),
        coverage=text.percent(get("coverage")),
        bounds=_range(get("lower"), get("upper")),
        reason="; ".join(part for part in (str(get("test") or ""), str(get("reason") or "")) if part),
    )


def _range(low: float | None, high: float | None) -> str:
    shown = text.decimal(low), text.decimal(high)
    return "–" if shown == ("–", "–") else f"{shown[0]} to {shown[1]}"

"""What the figures of the role-play study share: their table, captions, and the conditions in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from personae.measure.names import BASELINE
from personae.tell import drawing
from personae.tell.table import Row, Table
from personae.types import Figure

Rows = list[dict[str, Any]]
PLAYED, PLAIN = "in a role", "no role"
INTERVALS = "Lines are 95 % intervals, clustered by role."
PERCENT = {"format": ".0%"}
SHARES = {"format": ".2f"}
"""Of forest plots, which write the numbers beside the lines as shares: the axis says the same."""


class Drawn(Struct, frozen=True):
    """What every figure of one study needs: its table, and the names of its roles by their id."""

    study: str
    table: Table
    names: Mapping[str, str]

    @property
    def several(self) -> bool:
        """Whether more than one model was measured."""
        return len(self.table.models) > 1

    @property
    def by_model(self) -> dict[str, str]:
        """The facet by model, where there are several."""
        return {"facet": "model"} if self.several else {}

    @property
    def averaged(self) -> str:
        """Says so where models are pooled."""
        return f" Averaged over {len(self.table.models)} models." if self.several else ""

    def both(self, measure: str, *columns: str, **chosen: Any) -> list[Row]:
        """Rows in a role and, after each kind, those without."""
        return [
            row for baseline in (False, True) for row in self.table.rows(measure, *columns, baseline=baseline, **chosen)
        ]

    def figure(
        self,
        name: str,
        kind: Any,
        title: str,
        caption: str,
        rows: Rows,
        encode: Mapping[str, str],
        options: Mapping[str, Any] | None = None,
    ) -> Figure | None:
        """A figure, or None where there is nothing to draw."""
        if not any(row.get(encode["value" if kind == "heatmap" else _length(kind)]) is not None for row in rows):
            return None
        id_ = f"{self.study.rpartition('.')[2]}-{name}"
        return drawing.figure(self.study, id_, kind, title, caption, rows, encode, options)


def _length(kind: str) -> str:
    return "x" if kind == "forest" else "y"


def valued(row: Row, name: str, **labels: Any) -> dict[str, Any]:
    """A row with its number, its interval, its model and how it was asked."""
    return {
        **labels,
        "condition": condition(row),
        "model": row["model"] or "all models",
        name: row["value"] if math.isfinite(row["value"]) else None,
        "low": row["ci_low"],
        "high": row["ci_high"],
        "answers": row["n"],
    }


def drawn_lines(rows: Iterable[Row], said: str = INTERVALS) -> str:
    """What a caption says of intervals, to stand after a sentence; nothing where none is drawn."""
    return f" {said}" if any(row["ci_low"] is not None for row in rows) else ""


def condition(row: Row) -> str:
    """How a row was asked, in words."""
    return PLAIN if row["persona"] == BASELINE else PLAYED

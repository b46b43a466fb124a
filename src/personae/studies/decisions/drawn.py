"""What findings and figures of the decisions study share: the table of estimates and the blocks behind it."""

from __future__ import annotations

import math

from msgspec import Struct

from personae.measure.names import is_baseline
from personae.studies.decisions.measures_frame import Block
from personae.tell.table import Row, Table

MOST_MODELS = 4
"""With more models, sentences and figures of single scores speak of the first ones."""


class Drawn(Struct, frozen=True):
    """The table of estimates, and the blocks of answers behind it."""

    table: Table
    blocks: list[Block]

    @property
    def several(self) -> bool:
        """Whether more than one model was measured."""
        return len(self.table.models) > 1

    def rows(self, measure: str, *columns: str, contrast: str = "", model: str | None = None) -> list[Row]:
        """Rows of a measure under every condition, the baseline first; of one model where it is named."""
        found = self.table.conditions(measure, *columns, contrast=contrast)
        return [row for row in found if model in (None, row["model"]) and math.isfinite(row["value"])]

    def plain(self, measure: str, *columns: str, model: str) -> list[Row]:
        """Rows of a measure without a persona; of every condition where there are none without."""
        rows = self.rows(measure, *columns, model=model)
        return [row for row in rows if is_baseline(row)] or rows

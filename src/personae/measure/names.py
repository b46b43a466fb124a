"""The words in which every table of estimates names a condition and a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BASELINE = "baseline"
"""Names the condition without a persona in the cells of studies that name it."""
NOT_SET = "not set"
"""Names a persona, user or group that a condition leaves open (the tables of paper 000 say the same)."""
CONTRAST = "baseline"
"""The contrast of a paired difference from the condition without a persona."""


def cell_of(row: Mapping[str, Any], *columns: str) -> dict[str, str]:
    """The names of a cell of one condition: what it names in these columns, and the baseline by its name.

    An empty column of a table of estimates is an average, so the condition without a persona needs a name.

    Parameters
    ----------
    row : mapping
        An outcome, with ``baseline``, ``persona`` and the columns.
    *columns : str
    """
    named = {name: row[name] for name in columns if row[name] is not None}
    return {**named, "persona": BASELINE} if row["baseline"] else named


def is_baseline(row: Mapping[str, Any]) -> bool:
    """Whether a row of estimates or a cell is of the condition without a persona."""
    return row.get("persona") == BASELINE

"""The published divergences, to stand beside one's own."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

PUBLISHED = "published"
_FILE = Path(__file__).with_name("published.csv")


@cache
def published() -> tuple[dict[str, Any], ...]:
    """The 25 published rows: ``model``, ``dataset``, ``reference``, ``mean``, ``median``, ``sd``."""
    return tuple(pl.read_csv(_FILE, comment_prefix="#").to_dicts())


def beside(datasets: set[str]) -> list[dict[str, Any]]:
    """Published rows of the datasets that were asked; a user's own tables have none."""
    return [row for row in published() if row["dataset"] in datasets]


def named(row: dict[str, Any]) -> str:
    """A published model as it is called beside one's own."""
    return f"{row['model']} ({PUBLISHED})"

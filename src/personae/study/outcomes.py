"""The columns of coded outcomes, for polars; apart from `personae.study.base`, since to know the studies takes none."""

from __future__ import annotations

import polars as pl

OUTCOMES = {
    "key": pl.String,
    "study": pl.String,
    "model": pl.String,
    "item": pl.String,
    "stimulus": pl.String,
    "persona": pl.String,
    "user": pl.String,
    "persona_group": pl.String,
    "user_group": pl.String,
    "wording": pl.String,
    "baseline": pl.Boolean,
    "status": pl.String,
    "value": pl.Float64,
    "label": pl.String,
    "reason": pl.String,
    "facts": pl.String,
    "detail": pl.String,
}
"""The columns of the outcomes that a study is given; ``facts`` and ``detail`` are JSON text."""

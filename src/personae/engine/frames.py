"""The store as polars frames."""

from __future__ import annotations

import polars as pl

from personae.engine.store import Store
from personae.studies.base import OUTCOMES

RESPONSES = {
    "key": pl.String,
    "study": pl.String,
    "model": pl.String,
    "item": pl.String,
    "step": pl.String,
    "repeat": pl.Int64,
    "text": pl.String,
    "reasoning": pl.String,
    "finish": pl.String,
    "prompt": pl.String,
    "params": pl.String,
    "logprobs": pl.String,
    "prompt_tokens": pl.Int64,
    "completion_tokens": pl.Int64,
    "cost": pl.Float64,
    "latency": pl.Float64,
    "at": pl.Float64,
}


def responses(store: Store) -> pl.DataFrame:
    """Every answer, one row each, with the messages it answered as JSON text."""
    rows = store.rows(
        "SELECT key, model, text, reasoning, finish, messages, params, logprobs, prompt_tokens,"
        " completion_tokens, cost, latency, at FROM response LEFT JOIN prompt ON hash = response.prompt"
        " ORDER BY model, key"
    )
    names = ["key", "model", *list(RESPONSES)[6:]]
    frame = pl.DataFrame(rows, schema={name: RESPONSES[name] for name in names}, orient="row")
    parts = pl.col("key").str.extract_groups(r"^([^@]*)@\d+/(.*)#(.*)/(\d+)$")
    return (
        frame.with_columns(parts.alias("part"))
        .with_columns(
            study=pl.col("part").struct.field("1"),
            item=pl.col("part").struct.field("2"),
            step=pl.col("part").struct.field("3"),
            repeat=pl.col("part").struct.field("4").cast(pl.Int64),
        )
        .select(list(RESPONSES))
    )


def outcomes(store: Store) -> pl.DataFrame:
    """Every outcome, one row per item and model."""
    stored = [name for name in OUTCOMES if name != "baseline"]
    rows = store.rows(f"SELECT {', '.join(stored)} FROM outcome ORDER BY model, key")
    frame = pl.DataFrame(rows, schema={name: OUTCOMES[name] for name in stored}, orient="row")
    return frame.with_columns(baseline=pl.col("persona").is_null() & pl.col("user").is_null()).select(list(OUTCOMES))

"""The store as polars frames."""

from __future__ import annotations

from collections.abc import Iterable

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
    """Every answer, one row each, with the messages it answered as JSON text; damaged ones are left out."""
    rows = store.rows(
        "SELECT key, model, text, reasoning, finish, messages, params, logprobs, prompt_tokens,"
        " completion_tokens, cost, latency, at FROM response LEFT JOIN prompt ON hash = response.prompt"
        " ORDER BY model, key"
    )
    names = ["key", "model", *list(RESPONSES)[6:]]
    frame = pl.DataFrame(rows, schema={name: RESPONSES[name] for name in names}, orient="row")
    frame = _without(frame, store.damage.of("response"))
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
    """Every outcome, one row per item and model.

    A damaged one is left out, and an item with a damaged answer is one that ended in error.
    """
    stored = [name for name in OUTCOMES if name != "baseline"]
    rows = store.rows(f"SELECT {', '.join(stored)} FROM outcome ORDER BY model, key")
    frame = pl.DataFrame(rows, schema={name: OUTCOMES[name] for name in stored}, orient="row")
    frame = _without(frame, store.damage.of("outcome"))
    if store.damage.items:
        frame = _in_error(frame, store.damage.items)
    return frame.with_columns(baseline=pl.col("persona").is_null() & pl.col("user").is_null()).select(list(OUTCOMES))


def _without(frame: pl.DataFrame, rows: Iterable[tuple[str, ...]]) -> pl.DataFrame:
    return frame.join(_keys(rows), on=["model", "key"], how="anti", maintain_order="left") if rows else frame


def _in_error(frame: pl.DataFrame, items: Iterable[tuple[str, ...]]) -> pl.DataFrame:
    marked = frame.join(_keys(items).with_columns(hurt=True), on=["model", "key"], how="left", maintain_order="left")
    said = {"status": "error", "value": None, "label": None, "reason": "a stored answer is damaged", "detail": "{}"}
    hurt = pl.col("hurt").is_not_null()
    return marked.with_columns(
        pl.when(hurt).then(pl.lit(value, dtype=OUTCOMES[name])).otherwise(pl.col(name)).alias(name)
        for name, value in said.items()
    )


def _keys(rows: Iterable[tuple[str, ...]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema={"model": pl.String, "key": pl.String}, orient="row")

"""The store as polars frames."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import polars as pl
from msgspec import Struct

from personae.engine.store import Store
from personae.study.base import OUTCOMES

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


Row = tuple[Any, ...]

_ADDED_UP = "count(*), sum(prompt_tokens), sum(completion_tokens), sum(cost), sum(cost IS NULL)"


class Totals(Struct, frozen=True):
    """What the answers of a run took together; None where none of them says."""

    answers: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    unpriced: int | None
    """Answers of which no cost is known."""


def responses(store: Store) -> pl.DataFrame:
    """Every answer, one row each, with the messages it answered as JSON text; damaged ones are left out."""
    rows = store.rows(
        "SELECT key, model, text, reasoning, finish, messages, params, logprobs, prompt_tokens,"
        " completion_tokens, cost, latency, at FROM response LEFT JOIN prompt ON hash = response.prompt"
        " ORDER BY model, key"
    )
    names = ["key", "model", *list(RESPONSES)[6:]]
    rows = _whole(rows, names, store.damage.of("response"))
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
    """Every outcome, one row per item and model.

    A damaged one is left out, and an item with a damaged answer is one that ended in error.
    """
    stored = [name for name in OUTCOMES if name != "baseline"]
    rows = store.rows(f"SELECT {', '.join(stored)} FROM outcome ORDER BY model, key")
    rows = _whole(rows, stored, store.damage.of("outcome"))
    frame = pl.DataFrame(rows, schema={name: OUTCOMES[name] for name in stored}, orient="row")
    if store.damage.items:
        frame = _in_error(frame, store.damage.items)
    return frame.with_columns(baseline=pl.col("persona").is_null() & pl.col("user").is_null()).select(list(OUTCOMES))


def totals(store: Store) -> Totals:
    """Count answers and add up what they took; damaged ones are left out."""
    if not (damaged := store.damage.of("response")):
        return Totals(*store.rows(f"SELECT {_ADDED_UP} FROM response")[0])
    names = ("model", "key", "prompt_tokens", "completion_tokens", "cost")
    rows = _whole(store.rows(f"SELECT {', '.join(names)} FROM response"), names, damaged)
    known = ([row[at] for row in rows if row[at] is not None] for at in (2, 3, 4))
    tokens_in, tokens_out, cost = (sum(values) if values else None for values in known)
    return Totals(len(rows), tokens_in, tokens_out, cost, sum(row[4] is None for row in rows))


def _whole(rows: list[Row], names: Sequence[str], damaged: Collection[tuple[str, ...]]) -> list[Row]:
    """The rows that are what was written, in the order of their keys.

    In the others a value may be of another kind than its column, and a row whose key is another is not in its place.
    """
    if not damaged:
        return rows
    model, key = names.index("model"), names.index("key")
    whole = [row for row in rows if (str(row[model]), str(row[key])) not in damaged]
    return sorted(whole, key=lambda row: (row[model], row[key]))


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

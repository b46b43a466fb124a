"""Outcomes as typed columns: what measures and figures compute with.

``facts`` and ``detail`` arrive as JSON text, one object per outcome. The same text stands in many rows (facts repeat
in every condition and model), so each distinct text is decoded once, with the fields that are needed and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec
import polars as pl

from personae.measure.names import BASELINE, NOT_SET

CONDITION = ("persona", "user", "persona_group", "user_group")
ANSWERED = "answered"

T = TypeVar("T")
Columns = dict[str, Sequence[Any]]


def conditions(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Columns common to all: the model, the condition with a name in every place, and what came of the item.

    A missing name becomes `BASELINE` in the baseline and `NOT_SET` elsewhere, so that a cell names it and null is
    left to mean "averaged over". ``answered`` asks for a value: an answer that gives no number is not covered.
    """
    named = [
        pl.when("baseline").then(pl.lit(BASELINE)).otherwise(pl.col(name).fill_null(NOT_SET)).alias(name)
        for name in CONDITION
    ]
    return outcomes.select(
        "model",
        "stimulus",
        *named,
        pl.when("baseline").then(pl.lit(BASELINE)).otherwise(pl.col("wording")).alias("wording"),
        "baseline",
        "status",
        answered=pl.col("status") == ANSWERED,
        value=pl.col("value").cast(pl.Float64).fill_nan(None),
        label=pl.col("label").cast(pl.String),
    )


def decoded(
    outcomes: pl.DataFrame,
    column: str,
    kind: type[T],
    columns: Callable[[list[T]], Columns],
    numeric: Callable[[str], bool],
) -> pl.DataFrame:
    """Decode one JSON column; what is null counts as an object without fields.

    Parameters
    ----------
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    column : str
        ``facts`` or ``detail``.
    kind : type of Struct
        What is decoded; fields that it does not have are passed over.
    columns : callable
        From the decoded objects to columns, by name.
    numeric : callable
        Whether a column, by its name, is of numbers; the others are text. One of nothing but None does not tell.

    Returns
    -------
    polars.DataFrame
        One row per distinct text: the text under ``column``, and the columns made of the objects.
    """
    texts = outcomes[column].unique(maintain_order=True)
    decoder = msgspec.json.Decoder(kind)
    made = columns([decoder.decode(text or "{}") for text in texts.to_list()])
    typed = (pl.Series(name, values, pl.Float64 if numeric(name) else pl.String) for name, values in made.items())
    return pl.DataFrame([texts, *typed])


def joined(outcomes: pl.DataFrame, facts: pl.DataFrame, detail: pl.DataFrame) -> pl.DataFrame:
    """Bring the decoded columns to the `conditions`; a column of the facts replaces one of the same name.

    Parameters
    ----------
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    facts, detail : polars.DataFrame
        From `decoded`.
    """
    read = (
        outcomes.select("facts", "detail")
        .join(facts, on="facts", how="left", maintain_order="left")
        .join(detail, on="detail", how="left", nulls_equal=True, maintain_order="left")
        .drop("facts", "detail")
    )
    return conditions(outcomes).with_columns(read.get_columns())

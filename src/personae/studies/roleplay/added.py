"""Files that a user adds to a run: people's own verdicts, and how capable each model is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from personae.csvfile import read_table
from personae.errors import BadInput

if TYPE_CHECKING:
    import polars as pl


def read_ratings(path: Path) -> pl.DataFrame:
    """Read people's verdicts on a random sample of items.

    Parameters
    ----------
    path : Path
        A CSV file with the columns ``item``, ``biased`` (0 or 1) and, where several models were asked, ``model``.

    Raises
    ------
    BadInput
        When it cannot be read, lacks a column or holds another value.
    """
    import polars as pl

    frame = _read("--ratings", path, ("item", "biased"))
    wrong = frame.filter(~pl.col("biased").is_in(["0", "1"]))
    if wrong.height:
        raise BadInput(f"--ratings {path.name}, biased", wrong["biased"][0], "0 or 1")
    return frame.with_columns(pl.col("biased").cast(pl.Int64))


def read_capability(path: Path) -> dict[str, float]:
    """Read how capable each model is.

    Parameters
    ----------
    path : Path
        A CSV file with the columns ``model`` and ``capability``: a number, higher for more capable.

    Raises
    ------
    BadInput
        When it cannot be read, lacks a column, holds something that is no number, or a model twice.
    """
    import polars as pl

    frame = _read("--capability", path, ("model", "capability"))
    numbers = frame["capability"].cast(pl.Float64, strict=False)
    wrong = frame.filter(numbers.is_null() | ~numbers.is_finite())
    if wrong.height:
        raise BadInput(f"--capability {path.name}, capability", wrong["capability"][0], "a number")
    if twice := frame["model"].filter(frame["model"].is_duplicated()).to_list():
        raise BadInput(f"--capability {path.name}, model", twice[0], "each model once")
    return dict(zip(frame["model"].to_list(), numbers.to_list(), strict=True))


def _read(option: str, path: Path, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    table = read_table(path, option, needed=columns)
    return pl.DataFrame(table.rows, schema=dict.fromkeys(table.columns, pl.String))

"""A run's frames as files of other formats."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from personae.errors import BadInput
from personae.run import Run, make_folder

FORMATS = ("parquet", "csv", "jsonl")


def export_run(run: Run, form: str, folder: Path) -> list[Path]:
    """Write responses, outcomes and estimates.

    Raises
    ------
    BadInput
        When the format is not known, or the folder cannot be written to.
    """
    if form not in FORMATS:
        raise BadInput("--to", form, f"one of {', '.join(FORMATS)}")
    make_folder(folder)
    frames = {"responses": run.responses, "outcomes": run.outcomes, "estimates": run.estimates}
    return [_write(frame, form, folder / f"{name}.{form}") for name, frame in frames.items()]


def _write(frame: pl.DataFrame, form: str, path: Path) -> Path:
    if form == "parquet":
        frame.write_parquet(path)
    elif form == "csv":
        frame.write_csv(path)
    else:
        frame.write_ndjson(path)
    return path

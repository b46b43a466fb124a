"""A run's frames as files of other formats."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from personae.errors import BadInput
from personae.filing import written_together
from personae.making import make_output
from personae.run import Run

FORMATS = ("parquet", "csv", "jsonl")


def export_run(run: Run, form: str, folder: Path) -> list[Path]:
    """Write responses, outcomes and estimates; each file takes its place when all three are there.

    Raises
    ------
    BadInput
        When the format is not known, or the folder cannot be written to.
    """
    if form not in FORMATS:
        raise BadInput("--to", form, f"one of {', '.join(FORMATS)}")
    make_output(run.path, folder)
    frames = {"responses": run.responses, "outcomes": run.outcomes, "estimates": run.estimates}
    paths = {name: folder / f"{name}.{form}" for name in frames}
    try:
        with written_together() as part_of:
            for name, frame in frames.items():
                _write(frame, form, part_of(paths[name]))
    except OSError as error:
        raise BadInput("--out", str(folder), f"a folder that can be written to ({error.strerror or error})") from None
    return list(paths.values())


def _write(frame: pl.DataFrame, form: str, path: Path) -> None:
    if form == "parquet":
        frame.write_parquet(path)
    elif form == "csv":
        frame.write_csv(path)
    else:
        frame.write_ndjson(path)

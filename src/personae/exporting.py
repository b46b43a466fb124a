"""A run's frames as files of other formats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from personae.cells import defused_frame
from personae.errors import BadInput
from personae.filing import written_together
from personae.making import make_output
from personae.shown import shown_json

if TYPE_CHECKING:
    import polars as pl

    from personae.run import Run

FORMATS = ("parquet", "csv", "jsonl")
_SLICE = 10_000


def export_run(run: Run, form: str, folder: Path, *, raw: bool = False) -> list[Path]:
    """Write responses, outcomes and estimates; each file takes its place when all three are there.

    In CSV a text that a spreadsheet would compute is made a text to it, unless `raw`; see `personae.cells`.

    Raises
    ------
    BadInput
        When the format is not known or has nothing to leave `raw`, or the folder cannot be written to.
    """
    if form not in FORMATS:
        raise BadInput("--to", form, f"one of {', '.join(FORMATS)}")
    if raw and form != "csv":
        raise BadInput("--raw", f"--to {form}", "--to csv: in the other formats every text is as it stands anyway")
    make_output(run.path, folder)
    frames = {"responses": run.responses, "outcomes": run.outcomes, "estimates": run.estimates}
    if form == "csv" and not raw:
        frames = {name: defused_frame(frame) for name, frame in frames.items()}
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
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for part in frame.iter_slices(_SLICE):
                file.write(shown_json(part.write_ndjson()))

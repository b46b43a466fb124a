"""Tables as files: parquet for programs, CSV for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import polars as pl

from personae.cells import defused_frame
from personae.filing import PartOf, joining


def write_tables(frames: Mapping[str, pl.DataFrame], folder: Path, part_of: PartOf | None = None) -> list[Path]:
    """Write each frame as ``<name>.parquet`` and ``<name>.csv``: all of them, or where one fails none.

    Lists and structs, which CSV cannot hold, are JSON text there. An empty field is no value; an empty text is ``""``.
    A text that a spreadsheet would compute is made a text to it there; see `personae.cells`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with joining(part_of) as part:
        for name, frame in frames.items():
            columnar, plain = folder / f"{name}.parquet", folder / f"{name}.csv"
            frame.write_parquet(part(columnar))
            defused_frame(_flat(frame)).write_csv(part(plain), quote_style="necessary")
            written += [columnar, plain]
    return written


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    texts = [
        pl.Series(name, [None if value is None else _json(value) for value in frame[name].to_list()], dtype=pl.String)
        for name in nested
    ]
    return frame.with_columns(texts)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()

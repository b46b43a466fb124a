"""Tables of others, read within limits: a CSV file as rows of texts under the names of its columns."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from personae.cells import as_it_stood
from personae.errors import BadInput
from personae.filing import read_text


class Table(NamedTuple):
    """The names of the columns, and rows of as many cells."""

    columns: list[str]
    rows: list[dict[str, str]]


def read_table(path: Path, field: str, *, needed: Sequence[str] = (), comments: bool = False) -> Table:
    """Read a CSV file that begins with the names of its columns.

    Parameters
    ----------
    path : pathlib.Path
        UTF-8, with or without a byte order mark. Blanks around a cell and rows that hold nothing are left out.
    field : str
        The option that named it.
    needed : sequence of str
        Columns that must be there.
    comments : bool
        Whether lines that begin with ``#`` are passed over.

    Raises
    ------
    BadInput
        When it cannot be read or is no CSV, a column is missing, has no name or is there twice, or a row has more or
        fewer cells; the row is named, counted from 1 below the names.
    """
    lines = StringIO(read_text(path, field, allowed="a readable CSV file in UTF-8"), newline="")
    kept = (line for line in lines if not line.startswith("#")) if comments else lines
    found = [line for line in csv_rows(kept, path, field) if any(line)]
    return table_of(found, path, needed)


def csv_rows(lines: Iterable[str], path: Path, field: str) -> list[list[str]]:
    """Lines of CSV as rows, without blanks around their cells, and without what a table of ours puts before a formula.

    Raises
    ------
    BadInput
        When a quotation mark is never closed, a cell is longer than 131,072 characters or holds a NUL, or a line ends
        within itself; the line is named.
    """
    reader = csv.reader(lines, strict=True)
    rows: list[list[str]] = []
    try:
        for cells in reader:
            if any("\0" in cell for cell in cells):
                raise csv.Error("a NUL")
            rows.append([as_it_stood(cell.strip()) for cell in cells])
    except csv.Error as error:
        why = f"line {reader.line_num}: {error}"
        raise BadInput(field, str(path), f"a CSV file that can be read ({why})") from None
    return rows


def table_of(rows: Sequence[Sequence[str]], path: Path, needed: Sequence[str] = ()) -> Table:
    """Rows under the first one, which names the columns.

    Raises
    ------
    BadInput
        When a column is missing, has no name or is there twice, or a row has more or fewer cells.
    """
    columns = list(rows[0]) if rows else []
    if missing := [name for name in needed if name not in columns]:
        allowed = f"a CSV file with the columns {', '.join(needed)}; missing: {', '.join(missing)}"
        raise BadInput(f"{path.name}, columns", ", ".join(columns) or "nothing", allowed)
    if len(set(columns)) < len(columns) or "" in columns:
        raise BadInput(f"{path.name}, columns", ", ".join(columns), "names for all columns, each once")
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != len(columns):
            raise BadInput(f"{path.name}, row {number}", f"{len(row)} values", f"{len(columns)}, one for each column")
    return Table(columns, [dict(zip(columns, row, strict=True)) for row in rows[1:]])

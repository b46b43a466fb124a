"""Reading the titles that sentences are to be written for: one a line, or a CSV file with references beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path

from personae.coding.text import plain
from personae.csvfile import csv_rows, table_of
from personae.errors import BadInput
from personae.filing import read_text
from personae.personas import Strict
from personae.studies.occupations.stimuli import HALF, slug

OPTION, TITLE, SENTENCE = "--names", "occupation", "sentence"
LONGEST = 200
"""Letters of a title."""


class Named(Strict):
    """An occupation by its title, and what references say of it: probabilities of female, None where blank."""

    occupation: str
    references: Mapping[str, float | None] = {}


def read_names(path: Path) -> tuple[Named, ...]:
    """Read titles and references.

    Parameters
    ----------
    path : pathlib.Path
        UTF-8. A CSV file, known by its ending or by the column ``occupation`` in its first line, or a text with one
        title a line. Blank lines and lines that begin with ``#`` are passed over. Every other column of a CSV file is a
        reference: probabilities of female from 0 to 1, or blank.

    Returns
    -------
    tuple of Named
        In the order of the file.

    Raises
    ------
    BadInput
        When the file cannot be read or holds no title, a title twice, or a value that does not fit.
    """
    lines = _lines(path)
    if not lines:
        raise BadInput(OPTION, str(path), "a file with at least one title")
    header = _cells(path, lines[:1])[0]
    table = _cells(path, lines) if path.suffix.lower() == ".csv" or TITLE in header else None
    named = [Named(occupation=" ".join(plain(line).split())) for line in lines] if table is None else _rows(path, table)
    _check_titles(path, named)
    return tuple(named)


def _lines(path: Path) -> list[str]:
    text = read_text(path, OPTION, allowed="a readable file in UTF-8 with one title a line, or a CSV")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _cells(path: Path, lines: Sequence[str]) -> list[list[str]]:
    return [[" ".join(plain(cell).split()) for cell in row] for row in csv_rows(lines, path, OPTION)]


def _rows(path: Path, table: Sequence[Sequence[str]]) -> list[Named]:
    columns, rows = table_of(table, path)
    _check_columns(path, columns)
    if not rows:
        raise BadInput(OPTION, str(path), "a file with at least one title below the names of the columns")
    named = []
    for number, cells in enumerate(rows, start=1):
        title = cells.pop(TITLE)
        references = {name: _share(path, number, name, value) for name, value in cells.items()}
        named.append(Named(occupation=title, references=references))
    return named


def _check_columns(path: Path, header: Sequence[str]) -> None:
    said = ", ".join(header)
    if TITLE not in header:
        raise BadInput(f"{path.name}, columns", said, f"the column {TITLE}, and any number of references")
    if SENTENCE in header:
        raise BadInput(f"{path.name}, column {SENTENCE}", SENTENCE, "no such column: the sentences are to be written")
    if HALF in header:
        allowed = "another name: every table is compared with 50 % anyway"
        raise BadInput(f"{path.name}, column {HALF}", HALF, allowed)


def _share(path: Path, number: int, name: str, value: str) -> float | None:
    if not value:
        return None
    try:
        share = float(value)
    except ValueError:
        share = float("nan")
    if not isfinite(share) or not 0.0 <= share <= 1.0:
        allowed = "a probability of female from 0 to 1, or blank"
        raise BadInput(f"{path.name}, row {number}, {name}", value, allowed)
    return share


def _check_titles(path: Path, named: Sequence[Named]) -> None:
    seen = set[str]()
    for number, one in enumerate(named, start=1):
        if not one.occupation or len(one.occupation) > LONGEST or not any(map(str.isalpha, one.occupation)):
            found = one.occupation[:LONGEST] or "nothing"
            raise BadInput(f"{path.name}, title {number}", found, f"a title in letters, at most {LONGEST} of them")
        if slug(one.occupation) in seen:
            raise BadInput(f"{path.name}, title {number}", one.occupation, "every occupation once")
        seen.add(slug(one.occupation))

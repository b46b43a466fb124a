"""Answers written elsewhere, read from a file of lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from personae.coding.reading import KINDS, Question, Reading, read
from personae.errors import BadInput
from personae.filing import read_text
from personae.jsonfile import NotJson, json_lines, json_value

_LISTS = ("options", "words", "terms", "verdicts")
_NEEDS = {"choice": ("options",), "pairs": ("words", "terms")}
_FINISHES = ("stop", "length", "content_filter")
_LEAST = {"options": 2, "terms": 2, "words": 1, "verdicts": 1}


def readings_of(kind: str, path: Path) -> Iterator[tuple[int, str, Reading]]:
    """Read every answer of a file, in order.

    Parameters
    ----------
    kind : str
        One of `personae.coding.reading.KINDS`.
    path : path
        JSONL. Each line is an object with ``answer``, what is known of its question (``question``, ``options``,
        ``claim``, ``words``, ``terms``, ``low``, ``high``, ``verdicts``) and, where it is known, ``finish``. Other
        fields are passed over.

    Yields
    ------
    number : int
        Of the line, from 1.
    answer : str
    reading : Reading

    Raises
    ------
    BadInput
        For a kind that there is not, a file that cannot be read, or a line that lacks what its kind needs.
    """
    if kind not in KINDS:
        raise BadInput("KIND", kind, f"one of {', '.join(KINDS)}")
    rows = [(number, _row(line, number, kind)) for number, line in json_lines(read_text(path, "--answers"))]
    for number, row in rows:
        try:
            reading = read(kind, row["answer"], _question(row), row.get("finish") or "stop")
        except ValueError as error:
            raise BadInput(f"--answers, line {number}", str(error), "options, words and terms that differ") from None
        yield number, row["answer"], reading


def _row(line: str, number: int, kind: str) -> dict[str, Any]:
    where = f"--answers, line {number}"
    try:
        row = json_value(line)
    except NotJson as error:
        raise BadInput(where, str(error), "an object of JSON on each line") from None
    if not isinstance(row, dict):
        raise BadInput(where, type(row).__name__, "an object of JSON on each line")
    if not isinstance(row.get("answer"), str):
        raise BadInput(f"{where}, answer", row.get("answer"), "a text")
    for field in _LISTS:
        value = row.get(field)
        if value is None and field in _NEEDS.get(kind, ()):
            raise BadInput(f"{where}, {field}", "nothing", f"a list of texts, which {kind} needs")
        if value is not None and not _texts(value, _LEAST[field]):
            raise BadInput(f"{where}, {field}", value, f"a list of {_LEAST[field]} or more different texts")
    for field in ("low", "high"):
        if not isinstance(row.get(field, 0), int | float) or isinstance(row.get(field), bool):
            raise BadInput(f"{where}, {field}", row[field], "a number")
    if row.get("low", 0) >= row.get("high", 100):
        raise BadInput(f"{where}, high", row.get("high", 100), f"more than low, which is {row.get('low', 0):g}")
    claim, options = row.get("claim"), row.get("options") or ()
    if claim is not None and (not isinstance(claim, int) or isinstance(claim, bool) or not 0 <= claim < len(options)):
        raise BadInput(f"{where}, claim", claim, "the number of an option, from 0")
    if row.get("finish") not in (None, *_FINISHES):
        raise BadInput(f"{where}, finish", row["finish"], f"one of {', '.join(_FINISHES)}")
    if not isinstance(row.get("question", ""), str):
        raise BadInput(f"{where}, question", row["question"], "a text")
    return row


def _texts(value: Any, least: int) -> bool:
    if not isinstance(value, list) or len(value) < least or not all(isinstance(text, str) for text in value):
        return False
    folded = {" ".join(text.casefold().split()) for text in value}
    return len(folded) == len(value) and "" not in folded


def _question(row: dict[str, Any]) -> Question:
    given = {field: tuple(row[field]) for field in _LISTS if row.get(field) is not None}
    return Question(
        question=row.get("question", ""),
        claim=row.get("claim"),
        low=row.get("low", 0),
        high=row.get("high", 100),
        **given,
    )

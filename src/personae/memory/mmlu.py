"""Reading questions from files of MMLU-Pro, or of MMLU: Parquet or JSON Lines, on this computer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from personae.errors import BadInput
from personae.filing import read_text
from personae.jsonfile import NotJson, json_lines, json_value
from personae.memory.questions import LETTERS, DailyQuestion, is_text
from personae.parquetfile import check_parquet

OPTION = "questions"
FILLER = "N/A"
"""What some editions of MMLU-Pro fill up to ten options with; it is not shown."""
_OPTIONS, _ANSWERS = ("options", "choices"), ("answer_index", "answer")
_SUBJECTS, _IDS = ("category", "subject"), ("question_id", "id")
_PARQUET, _LINES = (".parquet",), (".jsonl", ".ndjson", ".json")
_MOST_NAMED = 12


class _Row(NamedTuple):
    """One row of a file, and where it stands in words."""

    place: str
    fields: Mapping[str, Any]


def read_questions(path: Path) -> tuple[DailyQuestion, ...]:
    """Read questions.

    Parameters
    ----------
    path : pathlib.Path
        A Parquet file, or a JSON Lines file in UTF-8. Columns: ``question``; ``options`` (MMLU: ``choices``), a list of
        two to ten texts; ``answer_index`` (from 0) or ``answer`` (a letter, or an index from 0). Optional are
        ``category`` (MMLU: ``subject``) and ``question_id``; other columns are passed over. Options that read "N/A"
        only fill the list up and are left out; so is an option that stands before it already, as in a few questions
        of MMLU.

    Returns
    -------
    tuple of DailyQuestion
        In the order of the file. A question without a category has the subject "other".

    Raises
    ------
    BadInput
        When the file cannot be read or has not these columns, and for a row that does not fit: no question is left out
        in silence.

    Notes
    -----
    Layouts: TIGER-Lab/MMLU-Pro (question_id, question, options, answer, answer_index, category …) and cais/mmlu
    (question, subject, choices, answer) on the Hugging Face hub.
    """
    kind = path.suffix.lower()
    if kind not in (*_PARQUET, *_LINES):
        raise BadInput(OPTION, str(path), f"a file of MMLU-Pro that ends in {', '.join((*_PARQUET, *_LINES))}")
    rows = _parquet_rows(path) if kind in _PARQUET else _line_rows(path)
    found: dict[str, DailyQuestion] = {}
    for number, row in enumerate(rows, start=1):
        question = _question(path, row, number)
        if question.id in found:
            raise BadInput(row.place, question.id, "every question_id once")
        found[question.id] = question
    if not found:
        raise BadInput(OPTION, str(path), "a file with at least one question")
    return tuple(found.values())


def _parquet_rows(path: Path) -> Iterator[_Row]:
    import polars as pl

    check_parquet(path, OPTION)
    try:
        table = pl.scan_parquet(path, glob=False)
        names = table.collect_schema().names()
        _check_columns(path.name, names)
        wanted = {"question", *_OPTIONS, *_ANSWERS, *_SUBJECTS, *_IDS}
        rows = table.select([name for name in names if name in wanted]).collect()
    except (OSError, pl.exceptions.PolarsError) as error:
        why = (str(error).splitlines() or ["it is no Parquet file"])[0]
        raise BadInput(OPTION, str(path), f"a Parquet file that can be read ({why})") from None
    for number, fields in enumerate(rows.iter_rows(named=True), start=1):
        yield _Row(f"{path.name}, row {number}", fields)


def _line_rows(path: Path) -> Iterator[_Row]:
    text = read_text(path, OPTION, allowed="a JSON Lines file in UTF-8 that can be read")
    for number, line in json_lines(text):
        place = f"{path.name}, line {number}"
        try:
            fields = json_value(line)
        except NotJson as error:
            raise BadInput(place, _short(line), f"a JSON object with a question, in one line ({error})") from None
        if not isinstance(fields, dict):
            raise BadInput(place, _short(line), "a JSON object with a question, in one line")
        _check_columns(place, list(fields))
        yield _Row(place, fields)


def _check_columns(place: str, names: list[str]) -> None:
    lists = [("question",), _OPTIONS, _ANSWERS]
    missing = [" or ".join(known) for known in lists if not set(known) & set(names)]
    if missing:
        found = ", ".join(names[:_MOST_NAMED]) or "nothing"
        raise BadInput(f"{place}, columns", found, f"the columns of MMLU-Pro or MMLU; missing: {', '.join(missing)}")


def _question(path: Path, row: _Row, number: int) -> DailyQuestion:
    text = row.fields["question"]
    if not is_text(text):
        raise BadInput(f"{row.place}, question", _short(text), "a text")
    options = _options(row)
    answer = _answer(row, len(options))
    right = options[answer]
    # Of equal options one is shown: were they the right one, whoever picks the other letter would be wrong.
    kept = tuple(option for option in dict.fromkeys(options) if option != FILLER or option == right)
    if not 2 <= len(kept) <= len(LETTERS):
        raise BadInput(f"{row.place}, options", f"{len(kept)} options", f"from 2 to {len(LETTERS)}")
    name, subject = _first(row, _IDS), _first(row, _SUBJECTS)
    return DailyQuestion(
        id=f"{path.stem}:{number if name is None else name}",
        subject=str(subject).strip() or "other" if subject is not None else "other",
        text=text.strip(),
        options=kept,
        answer=kept.index(right),
    )


def _options(row: _Row) -> list[str]:
    options = _first(row, _OPTIONS)
    if not isinstance(options, list) or not all(map(is_text, options)):
        raise BadInput(f"{row.place}, options", _short(options), "a list of texts, none of them blank")
    return [one.strip() for one in options]


def _answer(row: _Row, count: int) -> int:
    """The index of the right option; where index and letter are both given they must agree."""
    given = {name: row.fields[name] for name in _ANSWERS if row.fields.get(name) is not None}
    places = {name: _place(value) for name, value in given.items()}
    for name, place in places.items():
        if place is None or not 0 <= place < count:
            allowed = f"a letter or an index of one of {count} options"
            raise BadInput(f"{row.place}, {name}", _short(given[name]), allowed)
    if len(set(places.values())) != 1:
        said = " and ".join(f"{name} {value!r}" for name, value in given.items()) or "nothing"
        raise BadInput(f"{row.place}, answer", said, "one right option")
    return next(place for place in places.values() if place is not None)


def _place(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        said = value.strip().upper()
        if len(said) == 1 and said in LETTERS:
            return LETTERS.index(said)
        if said.isascii() and said.isdigit() and len(said) <= 2:
            return int(said)
    return None


def _first(row: _Row, names: tuple[str, ...]) -> Any:
    return next((row.fields[name] for name in names if row.fields.get(name) is not None), None)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."

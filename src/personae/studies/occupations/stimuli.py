"""Occupations with a sentence each and what people or statistics say of them: the study's own, or a user's table."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from personae.csvfile import read_table
from personae.errors import BadInput
from personae.personas import Strict, read_yaml

FOLDER = Path(__file__).parent / "stimuli"
HALF = "half"
"""The reference that every data set has: as likely female as male."""
_RATED, _STEPS = 7, 6
"""Ratings go from 1, mostly female, to 7, mostly male: P(female) = (7 - rating) / 6 (Bas 2024, section 3)."""
_OWN = ("occupation", "sentence")

Gender = Literal["female", "male"]


class Occupation(Struct, frozen=True, kw_only=True):
    """An occupation.

    ``references`` are probabilities of female by who says so; ``titled`` is set where the title itself says a gender.
    """

    id: str
    dataset: str
    name: str
    sentence: str
    references: Mapping[str, float]
    titled: Gender | None = None


class CueFile(Strict):
    """The file ``cues.yaml``: words by the gender they say and the kind of word."""

    female: dict[str, tuple[str, ...]]
    male: dict[str, tuple[str, ...]]
    neutral: dict[str, tuple[str, ...]]


@cache
def cues() -> Mapping[str, frozenset[str]]:
    """Words that say a gender, in lower case: ``female``, ``male``, and ``neutral`` ones that speak of gender."""
    found = read_yaml(FOLDER / "cues.yaml", CueFile)
    kinds = {"female": found.female, "male": found.male, "neutral": found.neutral}
    return {name: frozenset(word for words in kind.values() for word in words) for name, kind in kinds.items()}


@cache
def occupations() -> tuple[Occupation, ...]:
    """The 404 rated occupations, then the 316 of the labour statistics."""
    rated = [_occupation("ratings", row, _ratings(row)) for row in _rows(FOLDER / "ratings.csv")]
    counted = [
        _occupation("statistics", row, {"statistics": float(row["female_share"])})
        for row in _rows(FOLDER / "statistics.csv")
    ]
    return (*rated, *counted)


def _occupation(dataset: str, row: Mapping[str, str], references: Mapping[str, float]) -> Occupation:
    titled: Gender | None = row["titled"] or None  # type: ignore[assignment]
    return Occupation(
        id=row["id"],
        dataset=dataset,
        name=row["occupation"],
        sentence=row["sentence"],
        references=references,
        titled=titled,
    )


def _ratings(row: Mapping[str, str]) -> dict[str, float]:
    return {who: (_RATED - float(row[f"rating_{who}"])) / _STEPS for who in ("women", "men")}


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def own_occupations(path: Path) -> tuple[Occupation, ...]:
    """Occupations of a user's own table; its name is that of the data set.

    Parameters
    ----------
    path : pathlib.Path
        A CSV file with the columns ``occupation`` and ``sentence``; every other column is a reference: probabilities of
        female from 0 to 1, or blank. Lines that begin with ``#`` are comments.

    Raises
    ------
    BadInput
        When the file cannot be read, a column or a value is missing or does not fit, or an occupation stands there
        twice.
    """
    columns, rows = read_table(path, "--stimuli", needed=_OWN, comments=True)
    if not rows:
        raise BadInput(path.name, "no occupation", "at least one row below the names of the columns")
    given = [name for name in columns if name not in _OWN]
    if HALF in given:
        raise BadInput(f"{path.name}, column {HALF}", HALF, "another name: every table is compared with 50 % anyway")
    found: dict[str, Occupation] = {}
    for number, row in enumerate(rows, start=1):
        one = _own(path, number, row, given)
        if one.id in found:
            raise BadInput(f"{path.name}, row {number}, occupation", one.name, "every occupation once")
        found[one.id] = one
    return tuple(found.values())


def _own(path: Path, number: int, row: Mapping[str, str], given: Sequence[str]) -> Occupation:
    for name in _OWN:
        if not row[name]:
            raise BadInput(f"{path.name}, row {number}, {name}", "nothing", "a text")
    references = {name: _share(path, number, name, row[name]) for name in given if row[name]}
    return Occupation(
        id=slug(row["occupation"]),
        dataset=path.stem,
        name=row["occupation"],
        sentence=row["sentence"],
        references=references,
        titled=said_gender(row["occupation"]),
    )


def _share(path: Path, number: int, name: str, value: str) -> float:
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        allowed = "a probability of female from 0 to 1, or blank"
        raise BadInput(f"{path.name}, row {number}, {name}", value, allowed)
    return share


def slug(name: str) -> str:
    """Name an occupation within an item's id.

    Examples
    --------
    >>> slug("Physician's assistant")
    'physician-s-assistant'
    """
    return "-".join("".join(letter if letter.isalnum() else " " for letter in name.casefold()).split())


def words_of(text: str) -> Iterator[str]:
    """The words of a text in lower case, without what stands about them."""
    for word in text.casefold().replace("’", "'").replace("-", " ").split():
        bare = word.strip(".,;:!?()\"'")
        yield bare.removesuffix("'s")


def said_gender(text: str) -> Gender | None:
    """The gender that the words of a text say; None where they say none, or both."""
    words = set(words_of(text))
    female, male = words & cues()["female"], words & cues()["male"]
    if bool(female) == bool(male):
        return None
    return "female" if female else "male"

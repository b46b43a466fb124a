"""A study without code: a folder with ``study.yaml``, ``stimuli.csv`` (or ``.jsonl``) and ``personas.yaml``.

`read_own` reads such a folder, or the one file that a run keeps of it, and `own_family` makes of it studies like any
other: one for each kind of question that it holds.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar, Literal

from msgspec import Struct
from pydantic import Field, ValidationError

from personae.csvfile import read_table
from personae.errors import BadInput
from personae.filing import read_text
from personae.jsonfile import NotJson, json_lines, json_value
from personae.measure.declared import Mean, Share
from personae.personas import PersonaSet, Strict, read_yaml
from personae.study.base import Family, Study
from personae.study.declared import Declared, Design, Plan, Plans, Stimulus
from personae.study.questions import MOST_OPTIONS, Choice, Frame, Picked, Question, Said, Score, YesNo, frames
from personae.types import Outcome, Scale

Kind = Literal["choice", "yesno", "score"]
KINDS: tuple[Kind, ...] = ("choice", "yesno", "score")
STUDY, PERSONAS, STIMULI = "study.yaml", "personas.yaml", ("stimuli.csv", "stimuli.jsonl")
BETWEEN = "|"
"""Between several options in a cell of CSV."""
_FIELDS = ("id", "kind", "text", "options", "counts", "right", "domain", "cluster")
_NEEDED = ("kind", "text", "counts")
_TOWARDS = ("higher", "lower")
_TITLES: Mapping[Kind, str] = {"choice": "choices", "yesno": "yes or no", "score": "scores"}
_MOST_ROWS = 100_000


class Asked(Strict):
    """How questions are put, kind by kind, where a study puts them otherwise."""

    choice: Frame | None = None
    yesno: Frame | None = None
    score: Frame | None = None


class About(Strict):
    """The file ``study.yaml``.

    ``counts`` says in words what the answers that count are ("stereotyped answers"); ``scales`` how much is asked.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")
    title: str = Field(min_length=1)
    source: str = Field(min_length=1)
    counts: str = "answers that count"
    asked: Asked = Asked()
    scales: Mapping[Scale, Plans] = Field(default_factory=dict)


class Row(Strict):
    """One question of the user's own."""

    id: str
    kind: Kind
    text: str
    options: tuple[str, ...] = ()
    counts: tuple[str, ...]
    right: str = ""
    domain: str = ""
    cluster: str = ""


class Own(Strict):
    """All of a folder: what a run keeps of it."""

    about: About
    rows: tuple[Row, ...]
    personas: PersonaSet


def is_own(name: str) -> bool:
    """Whether what is named as a study is a folder of the user's own, or a file that a run kept of one."""
    return "/" in name or "\\" in name or name in (".", "..") or (Path(name) / STUDY).is_file()


def read_own(path: Path) -> Own:
    """Read a folder, or what a run keeps of one.

    Raises
    ------
    BadInput
        When a file is missing or does not fit; the file, the line and the field are named.
    """
    if path.is_dir() or not path.exists():
        return _folder(path)
    try:
        return Own.model_validate(json_value(read_text(path, "study of one's own")))
    except (NotJson, ValidationError) as error:
        raise BadInput("study of one's own", str(path), f"a folder with a {STUDY}, or what a run kept of it") from error


def compiled(path: Path) -> bytes:
    """All of a folder as one file, the same for the same content."""
    return read_own(path).model_dump_json().encode()


def _folder(path: Path) -> Own:
    if not (path / STUDY).is_file():
        found = "no such folder" if not path.exists() else f"a folder without {STUDY}"
        raise BadInput("study", f"{path}: {found}", "a known study, or a folder as `personae new DIR` makes it")
    about = read_yaml(path / STUDY, About)
    table = next((path / name for name in STIMULI if (path / name).is_file()), None)
    if table is None:
        raise BadInput("study", str(path), f"a folder with {' or '.join(STIMULI)}")
    return Own(about=about, rows=tuple(_rows(table)), personas=PersonaSet.load(path / PERSONAS))


def _rows(table: Path) -> Iterator[Row]:
    places: dict[str, str] = {}
    number = 0
    for number, (line, fields) in enumerate(_table(table), start=1):
        place = f"{table.name}, line {line}"
        if number > _MOST_ROWS:
            raise BadInput(place, f"row {number:,}", f"at most {_MOST_ROWS:,} questions")
        row = _row(place, {"id": f"q{number:04}"} | {name: value for name, value in fields.items() if value})
        if row.id in places:
            raise BadInput(f"{place}, id", row.id, f"an id of its own; it also stands in {places[row.id]}")
        places[row.id] = place
        yield row
    if not number:
        raise BadInput(str(table), "nothing", "at least one question")


def _table(table: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every question with the number of its line."""
    if table.suffix == ".jsonl":
        for line, text in json_lines(read_text(table, "stimuli")):
            try:
                value = json_value(text)
            except NotJson as error:
                raise BadInput(f"{table.name}, line {line}", text[:40], f"a JSON object ({error})") from None
            if not isinstance(value, dict):
                raise BadInput(f"{table.name}, line {line}", text[:40], "a JSON object")
            yield line, value
        return
    read = read_table(table, "stimuli", needed=_NEEDED)
    yield from zip(_lines(read_text(table, "stimuli")), read.rows, strict=True)


def _lines(text: str) -> Iterator[int]:
    """The line in which each row of a table begins that holds something, but for the first, which names the columns."""
    reader = csv.reader(StringIO(text, newline=""))
    begun = named = 0
    for cells in reader:
        if any(cell.strip() for cell in cells):
            if named:
                yield begun + 1
            named += 1
        begun = reader.line_num


def _row(place: str, fields: Mapping[str, Any]) -> Row:
    for name in fields:
        if name not in _FIELDS:
            raise BadInput(f"{place}, field", name, f"known are {', '.join(_FIELDS)}")
    several = {name: _several(fields.get(name, ())) for name in ("options", "counts")}
    try:
        row = Row.model_validate({**fields, **several})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"][:1])
        found = fields.get(field, "nothing")
        allowed = f"one of {', '.join(KINDS)}" if field == "kind" else first["msg"][0].lower() + first["msg"][1:]
        raise BadInput(f"{place}, {field}", found, allowed) from None
    _check(place, row)
    return row


def _several(value: Any) -> Any:
    """The options in a cell of CSV; a list of JSON stays one."""
    return [part.strip() for part in value.split(BETWEEN)] if isinstance(value, str) else value


def _check(place: str, row: Row) -> None:
    if not row.text.strip():
        raise BadInput(f"{place}, text", "nothing", "a question")
    if "/" in row.id or row.id != row.id.strip():
        raise BadInput(f"{place}, id", row.id, "no slash, and no blanks at its ends")
    known = _answers(place, row)
    if not row.counts or any(answer not in known for answer in row.counts):
        found = BETWEEN.join(row.counts) or "nothing"
        raise BadInput(f"{place}, counts", found, f"which answer counts: {', '.join(known)}")
    if row.right and (row.right not in known or row.kind == "score"):
        allowed = "nothing: a score has no right answer" if row.kind == "score" else f"one of {', '.join(known)}"
        raise BadInput(f"{place}, right", row.right, allowed)


def _answers(place: str, row: Row) -> tuple[str, ...]:
    """The answers that may count."""
    if row.kind == "choice":
        folded = {option.casefold() for option in row.options}
        if not 2 <= len(row.options) <= MOST_OPTIONS or len(folded) < len(row.options) or "" in folded:
            allowed = f"2 to {MOST_OPTIONS} different options, with {BETWEEN} between them"
            raise BadInput(f"{place}, options", BETWEEN.join(row.options) or "nothing", allowed)
        return row.options
    if row.options:
        raise BadInput(f"{place}, options", BETWEEN.join(row.options), f"nothing: a {row.kind} question has none")
    return ("Yes", "No") if row.kind == "yesno" else _TOWARDS


class OwnFacts(Struct, frozen=True, kw_only=True):
    """What a question of the user's own holds."""

    text: str
    counts: tuple[str, ...]
    options: tuple[str, ...] = ()
    right: str = ""


class OwnStudy(Declared[OwnFacts]):
    """Questions of one kind out of a folder; `own_family` makes the classes."""

    version = 1
    facts = OwnFacts
    own: ClassVar[Own]
    kind: ClassVar[Kind]

    def design(self) -> Design:
        """What the folder says of scales, and elsewhere two, four and eight repetitions."""
        forced = Plan(wordings="first")
        plain = {
            "quick": Plans(free=Plan(wordings="first", iterations=2), forced=forced),
            "standard": Plans(free=Plan(wordings="rotate", iterations=4), forced=Plan(wordings="rotate")),
            "paper": Plans(free=Plan(wordings="all", iterations=8), forced=Plan(wordings="all")),
        }
        return Design.model_validate({"scales": {**plain, **self.own.about.scales}})

    def own_personas(self) -> PersonaSet:
        """The folder's personas."""
        return self.own.personas

    def stimuli(self) -> Iterator[Stimulus[OwnFacts]]:
        """The rows of this kind, in their order."""
        for row in self.own.rows:
            if row.kind == self.kind:
                facts = OwnFacts(text=row.text, counts=row.counts, options=row.options, right=row.right)
                yield Stimulus(row.id, facts, cluster=row.cluster, domain=row.domain)

    def question(self, facts: OwnFacts) -> Question:
        """The question of a row."""
        frame: Frame = getattr(self.own.about.asked, self.kind) or getattr(frames(), self.kind)
        right: Any = facts.right
        lean: Any = facts.counts[0]
        if self.kind == "choice":
            return Choice(
                text=facts.text, options=facts.options, lean=facts.counts, right=facts.right or None, frame=frame
            )
        if self.kind == "yesno":
            return YesNo(text=facts.text, lean=lean, right=right, frame=frame)
        return Score(text=facts.text, lean=lean, frame=frame)

    def code(self, facts: OwnFacts, said: Picked | Said) -> Outcome:
        """The probability of an answer that counts, or the score."""
        if isinstance(said, Said):
            return said.outcome(said.score if facts.counts[0] == "higher" else 100.0 - said.score)
        measured = {"right": said.share(facts.right)} if facts.right else {}
        return said.outcome(said.share(*facts.counts), **measured)


def own_family(path: Path) -> Family:
    """The studies of a folder, or of what a run keeps of one.

    Raises
    ------
    BadInput
        As `read_own`.
    """
    return _family(compiled(path))


@lru_cache(maxsize=16)
def _family(content: bytes) -> Family:
    own = Own.model_validate_json(content)
    kinds = [kind for kind in KINDS if any(row.kind == kind for row in own.rows)]
    return Family(name=own.about.name, title=own.about.title, studies=tuple(_study(own, kind) for kind in kinds))


def _study(own: Own, kind: Kind) -> type[Study]:
    about, rows = own.about, [row for row in own.rows if row.kind == kind]
    fields = {
        "__doc__": f"{about.title}: {_TITLES[kind]}.",
        "own": own,
        "kind": kind,
        "name": f"{about.name}.{kind}",
        "title": f"{about.title}: {_TITLES[kind]}",
        "summary": f"{len(rows):,} questions of one's own ({_TITLES[kind]}).",
        "source": about.source,
        "said": f"{about.title} ({_TITLES[kind]})",
        "measures": tuple(_measures(about, rows, kind)),
    }
    return type(f"Own{kind.title()}", (OwnStudy,), fields)


def _measures(about: About, rows: list[Row], kind: Kind) -> Iterator[Mean]:
    if kind == "score":
        reading = "0 to 100; where a lower score counts it is turned round."
        yield Mean(name="score", said="mean score towards what counts (0 to 100)", reading=reading)
        return
    reading = f"Answers that count: {about.counts}."
    yield Share(name="share", said=f"share of {about.counts}", reading=reading)
    if any(row.right for row in rows):
        yield Share(name="accuracy", said="share of right answers", value="right", reading="1 is right every time.")

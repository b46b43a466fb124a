"""The recorded answers of paper 003 (BADx), in the layout its authors released, as items of the study of personas.

A folder per condition (``neutral``, ``persona_a`` … ``persona_f``) holds a Markdown file per model: a line that says
who answers, then each question as a bold numbered heading, and below it the answer. The persona of letter A is ours
of rank A, question 1 is our first prompt: theme and attributes are ours, the words are those that were asked.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from personae.coding.text import squeeze
from personae.errors import BadInput
from personae.personas import Persona
from personae.studies.associations.design import default_personas
from personae.studies.associations.stimuli import function_words, prompts
from personae.study.base import Recorded
from personae.study.released import released_files
from personae.types import Condition, Item, Message, Response, Trial

STUDY = "associations.personas"

_FOLDER = re.compile(r"neutral|persona[ _-]?(?P<letter>[a-z])", re.IGNORECASE)
_HEADER = re.compile(r"neutral|persona\s+(?P<letter>[a-z])\s*:\s*(?P<who>\S.*)", re.IGNORECASE)
_BOLD = "**"
_HEADING = re.compile(r"(?P<number>\d{1,9})\s*[.)]\s*(?P<question>\S.*\?)")
_LABEL = re.compile(r"\s*(?:\*\*\s*responses?\s*(?::\s*\*\*|\*\*\s*:)|responses?\s*:)\s*", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Answer(Struct, frozen=True):
    """One answer as it lies in a file; ``line`` is that of its heading, counted from 1."""

    line: int
    number: int
    question: str
    text: str


class Page(Struct, frozen=True):
    """One file: whose answers it holds (``letter`` and ``who`` are empty without a persona)."""

    letter: str
    who: str
    answers: tuple[Answer, ...]


def read_recorded(path: Path) -> Iterator[Recorded]:
    """Read recorded answers, lazily, one file in memory at a time, in the order of their names.

    Parameters
    ----------
    path : pathlib.Path
        The released tree, a folder with some of its conditions, one condition's folder, or a file in it. A file's
        name says which model answered, its folder under which condition.

    Yields
    ------
    Recorded
        An item whose facts say ``recorded``, hold the ``question`` as it was asked, and in ``told`` what the persona
        was called; the answer without a label before it and without Markdown's escapes. How a model was told who it
        is was not released: the trial is the question alone.

    Raises
    ------
    BadInput
        When there is no such path or no answer file in it, a file is of no known condition, comes twice, asks other
        questions than the rest, or cannot be read from its first line to its last; file and line are named.
    """
    seen: dict[tuple[str, str], Path] = {}
    asked: dict[int, tuple[str, Path]] = {}
    for file in _files(path):
        letter = _letter(file)
        page = _page(file)
        if page.letter != letter:
            found = f"persona {page.letter.upper()}" if page.letter else "neutral"
            raise BadInput(f"{file}, first line", found, f"what its folder says: {file.resolve().parent.name}")
        if (other := seen.setdefault((letter, file.stem), file)) is not file:
            raise BadInput("file", str(file), f"the answers of this model and condition are also in {other}")
        persona = _persona(file, page)
        for answer in page.answers:
            first, where = asked.setdefault(answer.number, (answer.question, file))
            if squeeze(first) != squeeze(answer.question):
                raise BadInput(f"{file}, line {answer.line}", answer.question, f"asked as in {where}: {first}")
            yield _recorded(file.stem, persona, page.who, answer)


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise BadInput("path", str(path), "no such folder; give the released tree, or a part of it")
    files = released_files(path, ".md")
    found = [file for file in files if file == path or not file.name.lower().startswith((".", "readme"))]
    if not found:
        raise BadInput("path", str(path), "files <condition>/<model>.md are needed, such as neutral/gpt.md")
    return found


def _letter(file: Path) -> str:
    """The letter of the persona that the file's folder names; none without a persona."""
    name = file.resolve().parent.name
    if (found := _FOLDER.fullmatch(name)) is None:
        raise BadInput("file", str(file), f"its folder, {name}, is neither neutral nor persona_a, persona_b …")
    return (found["letter"] or "").lower()


def _persona(file: Path, page: Page) -> Persona | None:
    """Ours of the same letter, if the file's first line speaks of it in at least one of its words."""
    if not page.letter:
        return None
    known = {persona.rank: persona for persona in default_personas().personas}
    if (persona := known.get(page.letter.upper())) is None:
        raise BadInput("file", str(file), f"its persona is none of {', '.join(sorted(filter(None, known)))}")
    if not _words(page.who) & _words(f"{persona.name} {persona.called}"):
        raise BadInput(f"{file}, first line", page.who, f"persona {page.letter.upper()} is {persona.called}")
    return persona


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold())) - function_words()


def _page(file: Path) -> Page:
    """Read a file, from its first line to its last."""
    lines = _text(file).splitlines()
    started = [number for number, line in enumerate(lines, 1) if line.strip()]
    if not started:
        raise BadInput("file", str(file), "it is empty")
    first = started[0]
    head = _HEADER.fullmatch(_bold(lines[first - 1]))
    if head is None:
        raise BadInput(f"{file}, line {first}", lines[first - 1], "**Neutral** or **Persona A: …** comes first")
    return Page((head["letter"] or "").lower(), head["who"] or "", _answers(file, lines, first))


def _answers(file: Path, lines: list[str], first: int) -> tuple[Answer, ...]:
    """What stands below the headings, which must be there in their order, each once; `first` is the header's line."""
    places: list[tuple[int, re.Match[str]]] = []
    for number, line in enumerate(lines, 1):
        if heading := _HEADING.fullmatch(_bold(line)):
            if int(heading["number"]) != len(places) + 1:
                raise BadInput(f"{file}, line {number}", line.strip(), f"question {len(places) + 1} comes here")
            places.append((number, heading))
        elif not places and number > first and line.strip():
            raise BadInput(f"{file}, line {number}", line.strip(), "**1. …?**, the first question, comes here")
    if len(places) != len(prompts()):
        raise BadInput(f"{file}, last line", f"{len(places)} questions", f"all {len(prompts())}, numbered and in bold")
    ends = [number - 1 for number, _ in places[1:]] + [len(lines)]
    return tuple(
        Answer(line, int(heading["number"]), heading["question"], _said("\n".join(lines[line:end])))
        for (line, heading), end in zip(places, ends, strict=True)
    )


def _bold(line: str) -> str:
    """What a line says that is bold as a whole; nothing of another line."""
    text = line.strip()
    inner = text.removeprefix(_BOLD).removesuffix(_BOLD)
    return inner.strip() if len(inner) == len(text) - 2 * len(_BOLD) else ""


def _said(text: str) -> str:
    """An answer as its model gave it: without the escapes of Markdown and the label before it."""
    bare = _ESCAPED.sub(r"\1", text)
    label = _LABEL.match(bare)
    return bare[label.end() if label else 0 :].strip()


def _text(file: Path) -> str:
    """A file's text: UTF-8 or UTF-16 with a mark in front, UTF-8 without, or else Windows-1252."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadInput("file", str(file), f"it cannot be read: {error}") from error
    encodings = ("utf-16",) if data.startswith(_UTF16) else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            place = data.count(b"\n", 0, error.start) + 1
            fault = BadInput(f"{file}, line {place}", data[error.start : error.end], "UTF-8 or Windows-1252")
    raise fault


def _recorded(model: str, persona: Persona | None, who: str, answer: Answer) -> Recorded:
    prompt = list(prompts().values())[answer.number - 1]
    condition = Condition() if persona is None else Condition(persona=persona.name, persona_group=persona.group)
    item = Item(
        study=STUDY,
        id=f"{prompt.id}/0/{condition.persona or 'baseline'}",
        stimulus=prompt.id,
        condition=condition,
        facts={
            "domain": prompt.id,
            "theme": prompt.theme,
            "question": answer.question,
            "iteration": 0,
            "seed": None,
            "recorded": True,
            "told": [who] if who else [],
        },
    )
    trial = Trial(messages=(Message("user", answer.question),))
    return Recorded(model=model, item=item, trial=trial, response=Response(text=answer.text))

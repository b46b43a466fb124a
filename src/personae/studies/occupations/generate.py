"""Action sentences for occupations, written by a model (Bas 2024, appendix A.1), into a table for ``--stimuli``.

Every title is a unit of its own: asked for, checked, and asked for again with what was wrong. What is asked follows
from the title and the answers to it alone, so titles may be added to a generation, and more tries allowed, without
asking anything twice.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from string import Template
from typing import Annotated, Any, ClassVar

from msgspec import Struct, field
from pydantic import BeforeValidator, Field

from personae.cells import defused
from personae.coding.screen import screen
from personae.coding.text import plain
from personae.personas import Strict, read_yaml
from personae.studies.occupations.generate_check import LEAST, MOST, fault_of, grammar
from personae.studies.occupations.generate_names import SENTENCE, TITLE, Named, read_names
from personae.study.base import Ask, Asks, Drafted, MaterialSpec, Told, together
from personae.types import Message, Response, Trial

PATH = Path(__file__).with_name("generate.yaml")
TOKENS = 200
"""Room for a sentence, and for a title that is long."""
TEMPERATURE = 0.7
MOST_SHOWN = 5
"""Of what could not be used, so much is shown: what was written last."""


class Example(Strict):
    """A title and a sentence for it."""

    title: str
    sentence: str


class GeneratePrompts(Strict):
    """The file ``generate.yaml``."""

    system: str
    ask: str
    faults: str
    examples: tuple[Example, ...]


@cache
def prompts() -> GeneratePrompts:
    """All wordings."""
    return read_yaml(PATH, GeneratePrompts)


def _read(given: Any) -> Any:
    return read_names(Path(given)) if isinstance(given, str | Path) else given


class SentencesSpec(MaterialSpec):
    """Which occupations want a sentence.

    Parameters
    ----------
    names : path or sequence of Named
        The titles, with references; see `read_names`.
    """

    sitting: ClassVar[frozenset[str]] = frozenset({"names", "tries"})

    names: Annotated[tuple[Named, ...], BeforeValidator(_read)] = Field(min_length=1)


class Fault(Struct, frozen=True):
    """What was written and why it could not be used."""

    text: str
    why: str

    def __str__(self) -> str:
        return f"{self.text!r}: {self.why}" if self.text else self.why

    @property
    def sort(self) -> str:
        """The fault without what it quotes, for counting."""
        return re.split(r"(?:: | with )['\"]", self.why, maxsplit=1)[0]


class _Unit(Struct):
    """One title on the way to its sentence."""

    title: str
    sentence: str = ""
    faults: list[Fault] = field(default_factory=list)

    async def fill(self, ask: Ask, tries: int, seed: int, keep: bool) -> None:
        """Ask until a sentence can be used, or the tries are used up."""
        while not self.sentence and len(self.faults) < tries:
            text, why = self._read(await ask(self._trial(seed, keep)))
            if why:
                self.faults.append(Fault(_short(text), why))
            else:
                self.sentence = text

    def _read(self, response: Response) -> tuple[str, str | None]:
        if unanswered := screen(response):
            return "", unanswered.reason
        text = plain(response.text).strip()
        if text[:1] == text[-1:] == '"':
            text = text[1:-1].strip()
        return text, fault_of(text, self.title)

    def _trial(self, seed: int, keep: bool) -> Trial:
        number = len(self.faults) + 1
        return Trial(
            messages=_conversation(self.title, self.faults),
            step=f"write/{number}",
            temperature=TEMPERATURE,
            max_tokens=TOKENS,
            seed=seed + number,
            grammar=grammar(self.title) if keep else None,
        )


def _conversation(title: str, faults: Sequence[Fault]) -> tuple[Message, ...]:
    told = prompts()
    turns = [Message("system", Template(told.system).substitute(least=LEAST, most=MOST))]
    for example in told.examples:
        turns.append(Message("user", Template(told.ask).substitute(title=example.title)))
        turns.append(Message("assistant", example.sentence))
    asked = [Template(told.ask).substitute(title=title)]
    if faults:
        listed = "\n".join(f"- {fault}" for fault in faults[-MOST_SHOWN:])
        asked.append(Template(told.faults).substitute(faults=listed))
    return (*turns, Message("user", "\n\n".join(asked)))


def _short(text: str) -> str:
    """At most 200 letters of what was written, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:197]}..."


class SentencesMaterial:
    """A sentence for every occupation."""

    version: ClassVar[int] = 1
    spec: ClassVar[type[MaterialSpec]] = SentencesSpec
    file: ClassVar[str] = "occupations.csv"
    missing: ClassVar[str] = "occupations have no sentence"
    use: ClassVar[str] = "personae run occupations --stimuli"

    async def write(self, spec: SentencesSpec, asks: Asks, *, grammar: bool, told: Told) -> Drafted:
        """Have them written."""
        units = [_Unit(named.occupation) for named in spec.names]

        async def filled(unit: _Unit) -> None:
            await unit.fill(asks(unit.title), spec.tries, spec.seed, grammar)
            told(unit.title, unit.sentence or "nothing that can be used")

        await together(filled(unit) for unit in units)
        written = {unit.title: unit.sentence for unit in units if unit.sentence}
        return Drafted(
            text=_table(spec.names, written),
            counts={"sentences": len(written)},
            short={unit.title: _missing(unit) for unit in units if not unit.sentence},
            faults=Counter(fault.sort for unit in units for fault in unit.faults),
        )


def _missing(unit: _Unit) -> str:
    return f"none after {len(unit.faults)} asks; last: {unit.faults[-1]}"


def _table(names: Sequence[Named], written: Mapping[str, str]) -> str:
    """The table as a run reads it: occupation, sentence, references as they were given."""
    references = list(names[0].references)
    out = StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow([TITLE, SENTENCE, *map(defused, references)])
    for one in names:
        if one.occupation in written:
            shares = [one.references.get(name) for name in references]
            table.writerow([defused(one.occupation), defused(written[one.occupation]), *shares])
    return out.getvalue()

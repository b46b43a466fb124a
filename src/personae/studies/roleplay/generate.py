"""Roles and questions written by a model (paper 001, section 2.A), checked one by one, asked for again where they fail.

A unit is the roles of one attribute, or the questions of one kind of one role. A unit is asked for in batches until
it is full or its tries are used up; each ask says what is there already and what could not be used before. Everything
follows from the answers alone, so a broken-off generation goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from msgspec import Struct, field

from personae.coding.screen import endless
from personae.coding.text import squeeze
from personae.personas import Strict, read_yaml
from personae.studies.roleplay.checking import repeated, telling
from personae.studies.roleplay.drafts import KINDS, Fault, grammar, nothing, read_drafts, short
from personae.studies.roleplay.own import OwnRoleEntry
from personae.studies.roleplay.roles import ATTRIBUTES, slug
from personae.study.base import Ask, Asks, Told, together
from personae.types import Message, Trial

PATH = Path(__file__).with_name("generate.yaml")
BATCH = 10
"""Entries asked for at once; longer lists are cut off, or repeat themselves."""
TOKENS = 130
"""Room for one entry."""
TEMPERATURE = 0.9
MOST_SHOWN = 60
"""Of what is there already, so many are shown: those written last."""


class Wanted(Struct, frozen=True, kw_only=True):
    """What is to be written: roles per attribute, questions per kind and role.

    ``tries`` is how often a unit is asked for again. ``grammar`` says that the model can be kept to one.
    """

    attributes: tuple[str, ...] = ATTRIBUTES
    roles: int = 50
    questions: int = 20
    tries: int = 4
    seed: int = 0
    grammar: bool = False


class Written(Struct, kw_only=True):
    """What was written. ``short`` says which units are not full, ``faults`` how often what was wrong."""

    roles: list[dict[str, Any]] = field(default_factory=list)
    short: dict[str, str] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return sum(len(role[kind]) for role in self.roles for kind in KINDS)


class GeneratePrompts(Strict):
    """The file ``generate.yaml``."""

    system: str
    roles: str
    yesno: str
    choice: str
    why: str
    others: str
    faults: str


@cache
def prompts() -> GeneratePrompts:
    """All wordings."""
    return read_yaml(PATH, GeneratePrompts)


class _Unit:
    """One list that is being filled."""

    def __init__(self, ask: Ask, wanted: Wanted, kind: str, number: int, fields: Mapping[str, str]) -> None:
        self.ask, self.wanted, self.kind, self.number, self.fields = ask, wanted, kind, number, fields
        self.entries: list[dict[str, Any]] = []
        self.faults: list[Fault] = []
        self.tried = 0
        self.batch = BATCH
        self.key = "name" if kind == "roles" else "text"

    @property
    def texts(self) -> list[str]:
        """What tells its entries apart."""
        return [entry[self.key] for entry in self.entries]

    async def fill(self, others: Sequence[str] = (), tries: int | None = None) -> None:
        """Ask until it is full, `others` are not repeated, or the tries are used up.

        A batch that brought nothing wrong is no try.
        """
        left = self.wanted.tries if tries is None else tries
        while len(self.entries) < self.number and left > 0:
            before = len(self.entries)
            faults = await self._once(others)
            self.faults += faults
            left -= 1 if faults or len(self.entries) == before else 0

    async def _once(self, others: Sequence[str]) -> list[Fault]:
        self.tried += 1
        n = min(self.batch, self.number - len(self.entries))
        response = await self.ask(self._trial(n, others))
        reason = endless(response)
        drafts = nothing(f"the answer is {reason}") if reason else read_drafts(self.kind, response.text)
        if response.finish == "length" or not drafts.entries:
            self.batch = max(1, self.batch // 2)
        faults = list(drafts.faults)
        for entry in drafts.entries[: self.number - len(self.entries)]:
            if fault := self._fault(entry, others):
                faults.append(Fault(short(entry[self.key]), fault))
            else:
                self.entries.append(entry)
        return faults

    def _fault(self, entry: Mapping[str, Any], others: Sequence[str]) -> str | None:
        text = entry[self.key]
        if self.kind == "roles":
            if slug(text) in {slug(other) for other in (*others, *self.texts)}:
                return "there is a role of this name"
        elif squeeze(text) in {squeeze(other) for other in others}:
            return "there is this question"
        elif (role := telling(self.fields["name"])) and role <= telling(text):
            return "it names the role"
        found = repeated(text, self.texts)
        return f"it repeats {found!r}" if found else None

    def _trial(self, n: int, others: Sequence[str]) -> Trial:
        asked = Template(getattr(prompts(), self.kind)).substitute(self.fields, n=n)
        parts = [asked]
        if known := [*others, *self.texts][-MOST_SHOWN:]:
            parts.append(Template(prompts().others).substitute(others="\n".join(f"- {one}" for one in known)))
        if self.faults:
            latest = "\n".join(f"- {fault}" for fault in self.faults[-BATCH:])
            parts.append(Template(prompts().faults).substitute(faults=latest))
        return Trial(
            messages=(Message("system", prompts().system), Message("user", "\n\n".join(parts))),
            step=f"write/{self.tried}",
            temperature=TEMPERATURE,
            max_tokens=TOKENS * n + 50,
            seed=self.wanted.seed + self.tried,
            grammar=grammar(self.kind, n) if self.wanted.grammar else None,
        )


async def write_material(asks: Asks, wanted: Wanted, told: Told = lambda _unit, _entries: None) -> Written:
    """Have a model write roles, then questions for them.

    Parameters
    ----------
    asks : callable
        From the name of a unit to its ask.
    wanted : Wanted
    told : callable
        Told of every unit that is done, and how many entries it has.

    Returns
    -------
    Written
        Roles in the layout of `personae.studies.roleplay.own.OwnFile`; what could not be filled is said, not made up.
    """
    written = Written()
    # One attribute after another: a role must not come twice, under whatever attribute.
    names: list[str] = []
    for attribute in wanted.attributes:
        unit = _Unit(asks(f"roles/{slug(attribute)}"), wanted, "roles", wanted.roles, {"attribute": attribute})
        await unit.fill(names)
        names += unit.texts
        written.roles += [{**entry, "attribute": attribute} for entry in unit.entries]
        _note(written, unit, f"roles of {attribute}")
        told(f"roles of {attribute}", len(unit.entries))
    await _questions(asks, wanted, written, told)
    return written


async def _questions(asks: Asks, wanted: Wanted, written: Written, told: Told) -> None:
    units = {
        (place, kind): _question_unit(asks, wanted, role, kind)
        for place, role in enumerate(written.roles)
        for kind in KINDS
    }

    async def filled(name: str, unit: _Unit) -> None:
        await unit.fill()
        told(name, len(unit.entries))

    named = {key: f"{kind} questions of {written.roles[place]['name']}" for key in units for place, kind in [key]}
    await together(filled(named[key], unit) for key, unit in units.items())
    # Roles were asked for beside each other, so questions may have come twice; one after another they are replaced.
    seen: set[str] = set()
    for key, unit in units.items():
        twice = [entry for entry in unit.entries if squeeze(entry["text"]) in seen]
        if twice:
            unit.entries = [entry for entry in unit.entries if entry not in twice]
            unit.faults += [Fault(short(entry["text"]), "another role has this question") for entry in twice]
            await _refill(unit, seen, [entry["text"] for entry in twice])
        seen.update(squeeze(text) for text in unit.texts)
        _note(written, unit, named[key])
    for place, role in enumerate(written.roles):
        role |= {kind: units[place, kind].entries for kind in KINDS}


async def _refill(unit: _Unit, seen: set[str], twice: Sequence[str]) -> None:
    """Ask for others in the place of questions that came twice."""
    for _ in range(unit.wanted.tries):
        if len(unit.entries) == unit.number:
            return
        await unit.fill(twice, tries=1)
        again = [entry for entry in unit.entries if squeeze(entry["text"]) in seen]
        unit.entries = [entry for entry in unit.entries if entry not in again]


def _question_unit(asks: Asks, wanted: Wanted, role: Mapping[str, Any], kind: str) -> _Unit:
    article = "" if role["article"] == "none" else f"{role['article']} "
    fields = {
        "name": role["name"],
        "role": f"{article}{role['name']}",
        "attributes": ", ".join(ATTRIBUTES),
    }
    return _Unit(asks(f"{kind}/{slug(role['name'])}"), wanted, kind, wanted.questions, fields)


def _note(written: Written, unit: _Unit, name: str) -> None:
    for fault in unit.faults:
        written.faults[fault.sort] = written.faults.get(fault.sort, 0) + 1
    if (missing := unit.number - len(unit.entries)) > 0:
        reason = unit.faults[-1] if unit.faults else "the model wrote none"
        written.short[name] = f"{missing} of {unit.number} missing after {unit.tried} asks; last: {reason}"


def as_entries(written: Written) -> list[dict[str, Any]]:
    """The roles as they stand in the file: fields in a fixed order, lists of no questions left out.

    Raises
    ------
    ValidationError
        When something in them does not fit after all.
    """
    ordered = []
    for role in written.roles:
        entry = {name: role[name] for name in ("name", "attribute", "article")}
        entry |= {kind: role[kind] for kind in KINDS if role[kind]}
        OwnRoleEntry.model_validate(entry)
        ordered.append(entry)
    return ordered

"""The question bank: 60 questions for each role, 33,000 in all, composed from the stimuli (paper 001, section 2.A).

Every question invites a comparison of two groups that has no fair answer but to decline it. Questions are worded
when they are asked for; nothing but the plan is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import Struct

from personae.studies.roleplay.composition import KINDS, Cell, cells, digest
from personae.studies.roleplay.roles import Area, Attribute, Role, roles
from personae.studies.roleplay.roles import role as find_role
from personae.studies.roleplay.stimuli import Kind, Polarity, frames

PLACES_OF_B = ("{B}", "{b}")


class Question(Struct, frozen=True, kw_only=True):
    """One question of one role, without any prefix that names the role.

    Attributes
    ----------
    id : str
        Role, kind and number, as in ``pensioner-why-07``; the same for the same bank.
    role : str
        The id of the role.
    kind : {"yesno", "choice", "why"}
        How it is asked.
    text : str
        The question. The fair answer to a yes/no question is "No".
    bias_type : str
        Which attribute of people the comparison is about.
    groups : tuple of str
        The groups compared, in the plural: first the one that the claim says more of (in a choice the one named
        first). Some why questions ask about one group alone.
    target : str or None
        The group that a biased answer speaks badly of; None for a choice, where `blames` says it by option.
    polarity : {"good", "bad"}
        Whether the claim is a praise or a blame.
    area : str
        The area of life.
    pair, claim : str
        The ids of what it is composed of.
    options : tuple of str
        Of a choice: the two groups in the order of `groups`, then the undecided option.
    flipped_text : str or None
        Of a yes/no question: its twin whose fair answer is "Yes".
    """

    id: str
    role: str
    kind: Kind
    text: str
    bias_type: Attribute
    groups: tuple[str, ...]
    target: str | None
    polarity: Polarity
    area: Area
    pair: str
    claim: str
    options: tuple[str, ...] = ()
    flipped_text: str | None = None

    def blames(self, option: int) -> str | None:
        """The group that picking an option of a choice speaks badly of; None for the undecided option."""
        if option not in (0, 1):
            return None
        return self.groups[option if self.polarity == "bad" else 1 - option]


def questions(role: Role | str) -> tuple[Question, ...]:
    """The 60 questions of a role: 20 of each kind, kind by kind.

    Parameters
    ----------
    role : Role or str
        A role of `roles`, its id or its name.

    Raises
    ------
    BadInput
        When there is no such role.
    """
    known = find_role(role if isinstance(role, str) else role.id)
    return tuple(
        _question(known, kind, number, cell)
        for kind in KINDS
        for number, cell in enumerate(cells(kind, _places()[known.id]), start=1)
    )


def all_questions() -> Iterator[Question]:
    """All 33,000 questions, role by role; worded one role at a time."""
    for role in roles():
        yield from questions(role)


@cache
def _places() -> Mapping[str, int]:
    return {role.id: index for index, role in enumerate(roles())}


def _question(role: Role, kind: Kind, number: int, cell: Cell) -> Question:
    claim = cell.claim
    favoured, other = cell.pair.groups[cell.first], cell.pair.groups[1 - cell.first]
    frame = _pick(frames().fitting(kind, claim), kind, cell)
    alone = not any(place in frame for place in PLACES_OF_B)
    places = {"A": favoured.plural, "B": other.plural, "a": favoured.one, "b": other.one, **claim.forms}
    options: tuple[str, ...] = ()
    if kind == "choice":
        named = (favoured.one, other.one) if "{a}" in frame else (favoured.plural, other.plural)
        options = (*map(_capital, named), _pick(frames().undecided, "undecided", cell))
    flipped = _pick(frames().fitting("flipped", claim), "flipped", cell) if kind == "yesno" else None
    return Question(
        id=f"{role.id}-{kind}-{number:02}",
        role=role.id,
        kind=kind,
        text=frame.format_map(places),
        bias_type=cell.pair.bias_type,
        groups=(favoured.plural,) if alone else (favoured.plural, other.plural),
        target=None if kind == "choice" else (favoured if claim.polarity == "bad" else other).plural,
        polarity=claim.polarity,
        area=claim.area,
        pair=cell.pair.id,
        claim=claim.id,
        options=options,
        flipped_text=flipped.format_map(places) if flipped else None,
    )


def _pick(alternatives: tuple[str, ...], purpose: str, cell: Cell) -> str:
    return alternatives[digest(purpose, cell.pair.id, str(cell.first), cell.claim.id) % len(alternatives)]


def _capital(phrase: str) -> str:
    return phrase[0].upper() + phrase[1:]

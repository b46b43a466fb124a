"""The roles a model is told to play: 550, 50 for each of 11 attributes (paper 001, section 2.A)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, get_args
from unicodedata import combining, normalize

from msgspec import Struct
from pydantic import model_validator

from personae.errors import BadInput
from personae.personas import BadInputValue, Strict, read_yaml

FOLDER = Path(__file__).with_name("stimuli")

Attribute = Literal[
    "ability",
    "age",
    "body",
    "character",
    "culture",
    "gender",
    "occupation",
    "race",
    "religion",
    "social status",
    "victimhood",
]
ATTRIBUTES: tuple[Attribute, ...] = get_args(Attribute)
"""The demographic attributes of roles, and the bias types that questions probe."""

Area = Literal[
    "work",
    "school",
    "neighbourhood",
    "money",
    "family",
    "health",
    "technology",
    "leadership",
    "friendship",
    "travel",
    "sport",
    "art",
    "community",
    "service",
    "love",
]
AREAS: tuple[Area, ...] = get_args(Area)
"""The areas of life in which roles move and questions are set."""

Article = Literal["a", "an", "none"]


class Role(Struct, frozen=True, kw_only=True):
    """One role.

    ``id`` is the name as a slug. ``article`` is ``a``, ``an`` or empty: some offices take none ("You are head
    of a village council"). ``areas`` are the areas of life its questions are taken from first.
    """

    id: str
    attribute: Attribute
    name: str
    article: str
    areas: tuple[Area, ...]

    @property
    def phrase(self) -> str:
        """The name with its article, as it stands after "You are"."""
        return f"{self.article} {self.name}".strip()


class RoleEntry(Strict):
    """One role as written in the file."""

    name: str
    article: Article
    areas: tuple[Area, ...]


class RoleFile(Strict):
    """The file ``roles.yaml``."""

    roles: Mapping[Attribute, tuple[RoleEntry, ...]]

    @model_validator(mode="after")
    def _every_role_once(self) -> RoleFile:
        seen: set[str] = set()
        for entry in (entry for entries in self.roles.values() for entry in entries):
            if slug(entry.name) in seen:
                raise BadInputValue(entry.name, "another role has this name; each role is named once")
            seen.add(slug(entry.name))
        return self


def slug(name: str) -> str:
    """Lower case, marks removed, everything else than letters and digits as single hyphens."""
    plain = "".join(mark for mark in normalize("NFKD", name.casefold().replace("'", "")) if not combining(mark))
    return "-".join("".join(mark if mark.isascii() and mark.isalnum() else " " for mark in plain).split())


@cache
def roles() -> tuple[Role, ...]:
    """All 550 roles, by attribute in the order of `ATTRIBUTES`, in the order of the file within it."""
    entries = read_yaml(FOLDER / "roles.yaml", RoleFile).roles
    return tuple(
        Role(
            id=slug(entry.name),
            attribute=attribute,
            name=entry.name,
            article="" if entry.article == "none" else entry.article,
            areas=entry.areas,
        )
        for attribute in ATTRIBUTES
        for entry in entries.get(attribute, ())
    )


@cache
def _by_id() -> Mapping[str, Role]:
    return {role.id: role for role in roles()}


def role(name: str) -> Role:
    """Find the role of an id or a name.

    Raises
    ------
    BadInput
        When there is no such role.
    """
    found = _by_id().get(slug(name))
    if found is None:
        raise BadInput("role", name, "name one of the roles in roles.yaml, such as 'pensioner' or 'Buddhist monk'")
    return found

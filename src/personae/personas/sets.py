"""A set of personas with its wordings and pairs: all the conditions of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import field_validator, model_validator

from personae.errors import BadInput
from personae.personas.files import BadInputValue, Strict, read_yaml
from personae.personas.pairing import Pair, Rule, checked_pairs, paired
from personae.personas.persona import Persona
from personae.personas.wordings import OWN_WORDING, Wording
from personae.types import Condition

MOST_PAIRS = 1_000_000
"""How many pairs a rule may make; where pairs are listed, each is in the file."""


class PersonaSet(Strict):
    """Personas, their users, their wordings, and which emotions are held typical of which group.

    Parameters
    ----------
    title : str
        For the reader of a report.
    personas : tuple of Persona
        Who the model plays.
    users : tuple of Persona
        Who the user is; the personas themselves where nothing is given.
    pairs : {"all", "same-rank", "none"} or tuple of Pair
        Who meets whom.
    wordings : tuple of Wording
        Templates of the system prompt.
    stereotypes : mapping, optional
        From an emotion to the group it is held typical of; what the study says where nothing is given.
    """

    title: str
    personas: tuple[Persona, ...]
    users: tuple[Persona, ...] = ()
    pairs: Rule | tuple[Pair, ...] = "none"
    wordings: tuple[Wording, ...] = ()
    stereotypes: Mapping[str, str] | None = None

    @classmethod
    def load(cls, path: Path, wordings: Sequence[Wording] = ()) -> PersonaSet:
        """Read a set from a YAML file.

        Parameters
        ----------
        path : pathlib.Path
            The file.
        wordings : sequence of Wording
            Used where the file brings none.

        Raises
        ------
        BadInput
            Naming the field, what was found in it and what would fit.
        """
        found = read_yaml(path, cls)
        if not found.wordings:
            found = found.model_copy(update={"wordings": tuple(wordings)})
        found.check(path.name)
        return found

    @field_validator("pairs", mode="before")
    @classmethod
    def _pairs_fit(cls, value: Any) -> Any:
        return checked_pairs(value)

    @field_validator("personas")
    @classmethod
    def _somebody(cls, value: tuple[Persona, ...]) -> tuple[Persona, ...]:
        if not value:
            raise BadInputValue([], "at least one persona is needed")
        return value

    @model_validator(mode="after")
    def _names_once(self) -> PersonaSet:
        for some in (self.personas, self.users):
            _once([persona.name for persona in some], "every persona needs a name of its own")
        _once([wording.id for wording in self.wordings], "every wording needs an id of its own")
        for user in self.users:
            if user.prompt is not None:
                raise BadInputValue(user.prompt, f"the user {user.name!r} takes no prompt")
        return self

    def check(self, name: str) -> None:
        """Say what would keep the conditions from being worded; `name` is the file's.

        Raises
        ------
        BadInput
            When a pair or a stereotype names nobody, or a persona or pair cannot be worded.
        """
        if not self.wordings and any(persona.prompt is None for persona in self.personas):
            allowed = "personas without a prompt of their own need at least one"
            raise BadInput(f"{name}, field wordings", "nothing", allowed)
        self._check_pairs(name)
        self._check_stereotypes(name)
        lacking = next((wording for wording in self.wordings if not wording.has_user_part), None)
        if lacking is not None and any(persona.prompt is None for persona, _ in self.pairings):
            allowed = "pairs need a part such as [, I am {user}]"
            raise BadInput(f"{name}, wording {lacking.id}", lacking.text, allowed)

    def _check_stereotypes(self, name: str) -> None:
        groups = dict.fromkeys(one.group for one in self.personas if one.group is not None)
        for emotion, group in (self.stereotypes or {}).items():
            if group not in groups:
                allowed = f"the groups of the personas are {', '.join(groups)}" if groups else "no persona has a group"
                raise BadInput(f"{name}, field stereotypes.{emotion}", group, allowed)

    def _check_pairs(self, name: str) -> None:
        users = self.users or self.personas
        if isinstance(self.pairs, str) and self.pairs != "none" and len(self.personas) * len(users) > MOST_PAIRS:
            found = f"{self.pairs}, of {len(self.personas):,} personas and {len(users):,} users"
            raise BadInput(f"{name}, field pairs", found, f"at most {MOST_PAIRS:,} pairs; they can also be listed")
        if self.pairs == "same-rank" and all(one.rank is None for one in (*self.personas, *self.users)):
            allowed = "at least one persona or user needs a rank; to let everybody meet, write all"
            raise BadInput(f"{name}, field pairs", self.pairs, allowed)
        explicit = self.pairs if isinstance(self.pairs, tuple) else ()
        for place, pair in enumerate(explicit):
            for role, known in (("persona", self._by_name), ("user", self._users_by_name)):
                if getattr(pair, role) not in known:
                    allowed = f"known are {', '.join(known)}"
                    raise BadInput(f"{name}, field pairs.{place}.{role}", getattr(pair, role), allowed)
            if not self.persona(pair.persona).takes_user:
                allowed = "a persona with a prompt of its own needs a user_part to be paired"
                raise BadInput(f"{name}, field pairs.{place}.persona", pair.persona, allowed)

    @cached_property
    def pairings(self) -> tuple[tuple[Persona, Persona], ...]:
        """Every (persona, user) pair."""
        return tuple(paired(self.personas, self.users or self.personas, self.pairs))

    @cached_property
    def _by_name(self) -> dict[str, Persona]:
        return {persona.name: persona for persona in self.personas}

    @cached_property
    def _users_by_name(self) -> dict[str, Persona]:
        return {persona.name: persona for persona in self.users or self.personas}

    @cached_property
    def wording_ids(self) -> tuple[str, ...]:
        """The ids of the wordings, in order."""
        return tuple(wording.id for wording in self.wordings)

    @cached_property
    def _wordings_by_id(self) -> dict[str, Wording]:
        return {wording.id: wording for wording in self.wordings}

    def persona(self, name: str) -> Persona:
        """The persona of that name."""
        return self._by_name[name]

    def roles(self, users: bool = True) -> tuple[Condition, ...]:
        """Every condition without its wording: the baseline, each persona alone, each pair if `users`."""
        alone = [Condition(persona=one.name, persona_group=one.group) for one in self.personas]
        met = [
            Condition(persona=one.name, persona_group=one.group, user=user.name, user_group=user.group)
            for one, user in self.pairings
        ]
        return (Condition(), *alone, *(met if users else ()))

    def conditions(self, wordings: Sequence[str] | None = None, *, users: bool = True) -> Iterator[Condition]:
        """Every condition: the baseline once, all others in each wording.

        Parameters
        ----------
        wordings : sequence of str, optional
            Ids of the wordings to use; all where nothing is given. A persona with its own prompt counts once.
        users : bool
            Whether the pairs are among them.
        """
        for role in self.roles(users):
            yield from self.worded(role, self.wording_ids if wordings is None else wordings)

    def worded(self, role: Condition, wordings: Sequence[str]) -> Iterator[Condition]:
        """One condition of :meth:`roles` in each of `wordings`; the baseline has none."""
        if role.persona is None:
            yield role
            return
        for wording in (OWN_WORDING,) if self.persona(role.persona).prompt is not None else wordings:
            yield Condition(
                persona=role.persona,
                user=role.user,
                persona_group=role.persona_group,
                user_group=role.user_group,
                wording=wording,
            )


def chosen(own: PersonaSet, given: Path | None, first: int | None = None) -> PersonaSet:
    """The personas of a user's file, or a study's own: all of them, or the first of them.

    A file without wordings is worded as the study's own are.

    Raises
    ------
    BadInput
        When the file does not fit.
    """
    if given is not None:
        return PersonaSet.load(given, own.wordings)
    return own if first is None else own.model_copy(update={"personas": own.personas[:first]})


def teller(personas: PersonaSet) -> Callable[[Condition], str | None]:
    """`system_prompt` of one set; what was put together once is kept."""

    @lru_cache(maxsize=4096)
    def told(condition: Condition) -> str | None:
        return system_prompt(condition, personas)

    return told


def _once(names: list[str], rule: str) -> None:
    seen = set[str]()
    for name in names:
        if name in seen:
            raise BadInputValue(name, f"it stands there twice; {rule}")
        seen.add(name)


def system_prompt(condition: Condition, personas: PersonaSet) -> str | None:
    """Give the system prompt of a condition; the baseline has none.

    Raises
    ------
    KeyError
        When the condition was made from another set.
    """
    if condition.persona is None:
        return None
    persona = personas.persona(condition.persona)
    user = None if condition.user is None else personas._users_by_name[condition.user].called
    if condition.wording == OWN_WORDING:
        return persona.own_prompt(user)
    return personas._wordings_by_id[condition.wording or ""].render(persona.called, user)

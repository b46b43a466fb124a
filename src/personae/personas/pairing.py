"""Which persona of the model meets which persona of the user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, get_args

from personae.personas.files import BadInputValue, Strict
from personae.personas.persona import Persona

Rule = Literal["all", "same-rank", "none"]


class Pair(Strict):
    """One explicit pair, by name."""

    persona: str
    user: str


def checked_pairs(value: Any) -> Any:
    """Give back what is a rule or a list of pairs; say what would be one otherwise."""
    if value in get_args(Rule) or (isinstance(value, tuple) and all(isinstance(one, Pair) for one in value)):
        return value
    wanted = "{persona: …, user: …}"
    if not isinstance(value, list):
        raise BadInputValue(value, f"it must be {', '.join(get_args(Rule))}, or a list of {wanted}")
    for one in value:
        if not (isinstance(one, dict) and one.keys() == Pair.model_fields.keys() and _all_text(one.values())):
            raise BadInputValue(one, f"every pair must be {wanted}, with names as text")
    return value


def _all_text(values: Iterable[Any]) -> bool:
    return all(isinstance(one, str) for one in values)


def paired(
    personas: Sequence[Persona], users: Sequence[Persona], rule: Rule | tuple[Pair, ...]
) -> Iterator[tuple[Persona, Persona]]:
    """Give every (persona, user) pair that `rule` allows, in the order of the file.

    ``all`` pairs everyone with everyone; ``same-rank`` pairs equal ranks, and whoever has no rank with
    everybody; ``none`` gives no pair. A persona whose own prompt cannot name a user is paired by no rule.
    """
    if isinstance(rule, tuple):
        by_name, users_by_name = ({one.name: one for one in some} for some in (personas, users))
        yield from ((by_name[pair.persona], users_by_name[pair.user]) for pair in rule)
        return
    for persona in personas if rule != "none" else ():
        for user in users:
            if persona.takes_user and _allowed(persona, user, rule):
                yield persona, user


def _allowed(persona: Persona, user: Persona, rule: Rule) -> bool:
    if rule == "same-rank":
        return persona.rank is None or user.rank is None or persona.rank == user.rank
    return True

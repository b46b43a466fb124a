"""A condition as it is named in an item's id, and as it stands before a question."""

from __future__ import annotations

from personae.types import Condition, Message


def condition_id(condition: Condition) -> str:
    """Name a condition within an item's id."""
    if condition.baseline:
        return "baseline"
    return f"{condition.persona}+{condition.user or ''}@{condition.wording}"


def conversation(system: str | None, question: str, begun: str = "") -> tuple[Message, ...]:
    """The messages of one ask; an answer already begun is the last turn."""
    head = () if system is None else (Message("system", system),)
    tail = (Message("assistant", begun),) if begun else ()
    return (*head, Message("user", question), *tail)

"""Reading what a model wrote when it was asked for roles or questions: JSON, checked strictly, with faults in words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import Struct
from pydantic import BaseModel, ValidationError, model_validator

from personae.coding.text import LONGEST, TOO_LONG
from personae.personas import BadInputValue, Strict
from personae.studies.roleplay.checking import fault_of_role
from personae.studies.roleplay.own import ChoiceEntry, WhyEntry, YesNoEntry
from personae.studies.roleplay.paper import Kind
from personae.studies.roleplay.roles import Article
from personae.wellformed import well_formed_json

KINDS: tuple[Kind, ...] = ("yesno", "choice", "why")

_FENCE = re.compile(r"```[a-z]*+[^\S\n]*\n(.*?)```", re.DOTALL | re.IGNORECASE)


class RoleDraft(Strict):
    """A role as a model writes it; the attribute is known."""

    name: str
    article: Article

    @model_validator(mode="after")
    def _fits(self) -> RoleDraft:
        if fault := fault_of_role(self.name, self.article):
            raise BadInputValue(self.name, fault)
        return self


class YesNoDraft(YesNoEntry):
    """A Yes/No question that compares two groups, with its twin."""

    def fault(self) -> str | None:
        """What is wrong with it."""
        if self.flipped is None:
            return "flipped must be given"
        return _two(self.groups) or super().fault()


class ChoiceDraft(ChoiceEntry):
    """A Choice question between two groups."""

    def fault(self) -> str | None:
        """What is wrong with it."""
        return _two(self.groups) or super().fault()


def _two(groups: tuple[str, ...]) -> str | None:
    return None if len(groups) == 2 else "groups must be a list of the two groups"


ENTRIES: Mapping[str, type[Strict]] = {
    "roles": RoleDraft,
    "yesno": YesNoDraft,
    "choice": ChoiceDraft,
    "why": WhyEntry,
}
"""What an entry of each list must look like."""


class Fault(NamedTuple):
    """Why an entry cannot be used; ``entry`` is empty where the whole answer is meant."""

    entry: str
    why: str

    def __str__(self) -> str:
        return f"{self.entry}: {self.why}" if self.entry else self.why

    @property
    def sort(self) -> str:
        """The fault without what it quotes, for counting."""
        return re.split(r"[:,]? ['\"]", self.why, maxsplit=1)[0]


class Drafts(Struct, frozen=True):
    """Entries that fit, and what was wrong with the others."""

    entries: list[dict[str, Any]]
    faults: list[Fault]


def nothing(why: str) -> Drafts:
    """No entries, and why."""
    return Drafts([], [Fault("", why)])


def read_drafts(kind: str, text: str) -> Drafts:
    """Read a list of entries.

    Parameters
    ----------
    kind : {"roles", "yesno", "choice", "why"}
        What was asked for.
    text : str
        The model's answer: a JSON list, alone or in a code fence, or with words before and after it.

    Returns
    -------
    Drafts
        An answer that is no such list has no entries and one fault.

    Examples
    --------
    >>> read_drafts("roles", '[{"name": "night nurse", "article": "a"}]').entries
    [{'name': 'night nurse', 'article': 'a'}]
    >>> print(*read_drafts("roles", "Certainly!").faults)
    the answer is no JSON list
    """
    if len(text) > LONGEST:
        return nothing(f"the answer is {TOO_LONG}")
    listed = _list_in(text)
    if listed is None:
        return nothing("the answer is no JSON list")
    found = [_checked(ENTRIES[kind], draft) for draft in listed]
    return Drafts([one for one in found if isinstance(one, dict)], [one for one in found if isinstance(one, Fault)])


def _list_in(text: str) -> list[Any] | None:
    candidates = [text, *_FENCE.findall(text), text[text.find("[") : text.rfind("]") + 1]]
    for candidate in candidates:
        try:
            found = json.loads(well_formed_json(candidate))
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and len(found) == 1:  # {"questions": [...]}
            found = next(iter(found.values()))
        if isinstance(found, list):
            return found
    return None


def _checked(model: type[Strict], draft: Any) -> dict[str, Any] | Fault:
    if not isinstance(draft, dict):
        return Fault(short(draft), "an entry is an object with the fields named")
    try:
        entry = model.model_validate(draft)
    except ValidationError as error:
        return Fault(short(draft.get("text", draft.get("name", draft))), _fault(model, error))
    return {name: _plain(value) for name, value in entry.model_dump(exclude_none=True).items()}


def _fault(model: type[BaseModel], error: ValidationError) -> str:
    # As for files: a misspelt field is also a missing one, and its spelling is what helps.
    first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    place = ".".join(str(part) for part in first["loc"])
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, BadInputValue):
        return cause.allowed
    if first["type"] == "extra_forbidden":
        return f"there is no field {place!r}, only {', '.join(model.model_fields)}"
    if first["type"] == "missing":
        return f"the field {place!r} is missing"
    return f"{place}: {first['msg'][0].lower()}{first['msg'][1:]}"


def _plain(value: Any) -> Any:
    return " ".join(value.split()) if isinstance(value, str) else [" ".join(one.split()) for one in value]


def short(value: Any) -> str:
    """What was written, quoted, at most 120 characters of it."""
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."


def grammar(kind: str, most: int) -> str:
    """A grammar (GBNF) of a JSON list of one to `most` such entries, for models that can be kept to one."""
    values = {"article": '("\\"a\\"" | "\\"an\\"" | "\\"none\\"")', "polarity": '("\\"good\\"" | "\\"bad\\"")'}
    values["groups"] = '"[" string ("," ws string)? "]"'
    order = list(ENTRIES[kind].model_fields)
    if kind in KINDS:  # the question first: what is said of it follows from it
        order = sorted(order, key=["text", "flipped", "bias_type", "groups", "undecided", "polarity"].index)
    fields = ' "," ws '.join(f'"\\"{name}\\":" ws {values.get(name, "string")}' for name in order)
    more = '(ws "," ws entry ' * (most - 1) + ")? " * (most - 1)
    return "\n".join(
        [
            f'root ::= "[" ws entry {more}ws "]"',
            f'entry ::= "{{" ws {fields} ws "}}"',
            'string ::= "\\"" [^"\\\\\\x00-\\x1f]+ "\\""',
            "ws ::= [ \\n]?",
        ]
    )

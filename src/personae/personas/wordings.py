"""How a persona is told to a model: templates with a part for the user that can be left out."""

from __future__ import annotations

import re

from pydantic import field_validator

from personae.personas.files import BadInputValue, Strict

_USER_PART = re.compile(r"\[((?:[^\[\]{]|\{(?!user\}))*+\{user\}[^\[\]]*)\]")
_SLOT = re.compile(r"\{(persona|user)\}")
_ANY_SLOT = re.compile(r"\{([^{}]*)\}")
OWN_WORDING = "own"
"""The wording of a persona that brings a system prompt of its own."""


def filled(text: str, **names: str) -> str:
    """Put names into ``{persona}`` and ``{user}``, all at once: a name that holds braces stays as it is."""
    return _SLOT.sub(lambda slot: names.get(slot[1], slot[0]), text)


def unknown_slot(text: str, *known: str) -> str | None:
    """The first slot of a template that nothing would fill, with its braces."""
    return next((slot[0] for slot in _ANY_SLOT.finditer(text) if slot[1] not in known), None)


class Wording(Strict):
    """A system prompt as a template.

    ``{persona}`` stands for what the model plays and ``{user}`` for what the user is; the part between square
    brackets holds ``{user}`` and is left out when the user is nobody in particular.
    """

    id: str
    text: str

    @field_validator("id")
    @classmethod
    def _names_a_wording(cls, value: str) -> str:
        if not value.strip():
            raise BadInputValue(value, "it must not be blank")
        if value == OWN_WORDING:
            raise BadInputValue(value, "it must be another: so personas with a prompt of their own are worded")
        return value

    @field_validator("text")
    @classmethod
    def _has_its_slots(cls, text: str) -> str:
        bare = _USER_PART.sub("", text, count=1)
        if "{persona}" not in bare:
            raise BadInputValue(text, "a wording must contain {persona} outside its user part")
        if "{user}" in bare:
            raise BadInputValue(text, "{user} may stand only once, in a part between [ and ]")
        if strange := unknown_slot(text, "persona", "user"):
            raise BadInputValue(strange, "the slots of a wording are {persona} and {user}")
        if stray := next((mark for mark in _SLOT.sub("", bare) if mark in "[]{}"), None):
            allowed = "square brackets stand in pairs, once, around the part with {user}; braces around a slot"
            raise BadInputValue(stray, allowed)
        return text

    @property
    def has_user_part(self) -> bool:
        """Whether this wording can say who the user is."""
        return _USER_PART.search(self.text) is not None

    def render(self, persona: str, user: str | None = None) -> str:
        """Give the system prompt for `persona`, and for `user` where there is one."""
        keep = r"\1" if user is not None else ""
        return filled(_USER_PART.sub(keep, self.text, count=1), persona=persona, user=user or "")

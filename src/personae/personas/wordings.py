"""How a persona is told to a model: templates with a part for the user that can be left out."""

from __future__ import annotations

import re

from pydantic import field_validator

from personae.personas.files import BadInputValue, Strict

_USER_PART = re.compile(r"\[([^\[\]]*\{user\}[^\[\]]*)\]")
_SLOT = re.compile(r"\{(persona|user)\}")


def filled(text: str, **names: str) -> str:
    """Put names into ``{persona}`` and ``{user}``, all at once: a name that holds braces stays as it is."""
    return _SLOT.sub(lambda slot: names.get(slot[1], slot[0]), text)


class Wording(Strict):
    """A system prompt as a template.

    ``{persona}`` stands for what the model plays and ``{user}`` for what the user is; the part between square
    brackets holds ``{user}`` and is left out when the user is nobody in particular.
    """

    id: str
    text: str

    @field_validator("text")
    @classmethod
    def _has_its_slots(cls, text: str) -> str:
        bare = _USER_PART.sub("", text, count=1)
        if "{persona}" not in bare:
            raise BadInputValue(text, "a wording must contain {persona} outside its user part")
        if "{user}" in bare:
            raise BadInputValue(text, "{user} may stand only once, in a part between [ and ]")
        return text

    @property
    def has_user_part(self) -> bool:
        """Whether this wording can say who the user is."""
        return _USER_PART.search(self.text) is not None

    def render(self, persona: str, user: str | None = None) -> str:
        """Give the system prompt for `persona`, and for `user` where there is one."""
        keep = r"\1" if user is not None else ""
        return filled(_USER_PART.sub(keep, self.text, count=1), persona=persona, user=user or "")

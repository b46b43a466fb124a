"""A persona: who the model plays or who the user is."""

from __future__ import annotations

from unicodedata import category

from pydantic import field_validator, model_validator

from personae.personas.files import BadInputValue, Strict
from personae.personas.wordings import filled, unknown_slot

RESERVED = ("baseline", "not set", "no persona")
"""What results call the condition without a persona, and one without a user or a group."""


class Persona(Strict):
    """Who the model plays, or who the user is.

    Parameters
    ----------
    name : str
        Names the persona in items, tables and figures.
    group : str, optional
        The group it stands for (``female``, ``professional`` …); results are also given per group.
    rank : str, optional
        For the pairing rule ``same-rank``: personas pair with those of their own rank, and one without a rank
        pairs with everybody.
    text : str, optional
        What the wordings call it; its name where nothing is given.
    prompt : str, optional
        A whole system prompt of its own, used word for word in place of the wordings: a character card.
    user_part : str, optional
        With `prompt`: the sentence added after it when the user has a persona; must contain ``{user}``.
    """

    name: str
    group: str | None = None
    rank: str | None = None
    text: str | None = None
    prompt: str | None = None
    user_part: str | None = None

    @field_validator("name", "group", "rank", "text", "prompt")
    @classmethod
    def _not_blank(cls, value: str | None) -> str | None:
        if value is not None and not value.strip():
            raise BadInputValue(value, "it must not be blank")
        return value

    @field_validator("name", "group")
    @classmethod
    def _can_name_items(cls, value: str | None) -> str | None:
        if value is not None and (value != value.strip() or any(one in "/|" or category(one) == "Cc" for one in value)):
            raise BadInputValue(value, "no blanks at the ends, no slash, bar, line break or other control character")
        if value is not None and value.casefold() in RESERVED:
            raise BadInputValue(value, "it must be another: results call the condition without a persona or group so")
        return value

    @model_validator(mode="after")
    def _user_part_fits(self) -> Persona:
        if self.user_part is not None:
            if self.prompt is None:
                raise BadInputValue(self.user_part, "user_part belongs to a persona with a prompt of its own")
            if "{user}" not in self.user_part:
                raise BadInputValue(self.user_part, "user_part must contain {user}")
            if strange := unknown_slot(self.user_part, "user"):
                raise BadInputValue(strange, "the only slot of a user_part is {user}")
        return self

    @property
    def called(self) -> str:
        """What wordings call it."""
        return self.text or self.name

    @property
    def takes_user(self) -> bool:
        """Whether its system prompt can say who the user is."""
        return self.prompt is None or self.user_part is not None

    def own_prompt(self, user: str | None) -> str:
        """Its own system prompt, with the user's part where there is a user."""
        assert self.prompt is not None
        if user is None or self.user_part is None:
            return self.prompt
        return f"{self.prompt.rstrip()} {filled(self.user_part, user=user)}"

"""Who the model plays, who the user is, and how that is said."""

from personae.personas.files import BadInputValue, Strict, read_yaml
from personae.personas.pairing import Pair
from personae.personas.persona import Persona
from personae.personas.sets import PersonaSet, chosen, system_prompt, teller
from personae.personas.telling import condition_id, conversation
from personae.personas.wordings import OWN_WORDING, Wording

__all__ = [
    "OWN_WORDING",
    "BadInputValue",
    "Pair",
    "Persona",
    "PersonaSet",
    "Strict",
    "Wording",
    "chosen",
    "condition_id",
    "conversation",
    "read_yaml",
    "system_prompt",
    "teller",
]

"""Where `personae.study.base` was before; studies that others wrote import it from here."""

from personae.study.base import (
    OUTCOMES,
    Ask,
    Drafted,
    Excerpt,
    Family,
    Material,
    MaterialSpec,
    Recorded,
    Settings,
    Study,
    families,
    select,
    together,
)

__all__ = [
    "OUTCOMES",
    "Ask",
    "Drafted",
    "Excerpt",
    "Family",
    "Material",
    "MaterialSpec",
    "Recorded",
    "Settings",
    "Study",
    "families",
    "select",
    "together",
]

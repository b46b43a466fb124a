"""What a study can be told beyond what every audit has: its options, declared once as a model of its own.

The fields of a spec, the options of the command line and their help, what is refused where no study takes it, and which
files are kept in a run all follow from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

_ABOUT = "option"


class About(Struct, frozen=True, kw_only=True):
    """What is to be known of an option beside its type, its default and what it is for; see `option`."""

    flag: str | None = None
    file: str | None = None
    sitting: bool = False
    model: bool = False
    studies: bool = False
    trusts: Callable[[str], Iterable[str]] | None = None


class StudyOptions(BaseModel):
    """The options of a study; this one has none. Each field has a default and is made by `option`.

    They stand in a spec under the name of the family (``coins: {side: tails}``), and on the command line with that name
    before theirs (``--coins-side``). With ``flat`` they stand there by themselves (``genders: 3``, ``--genders``): such
    a name belongs to every study that declares it, and all declare it alike.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    flat: ClassVar[bool] = False

    def __hash__(self) -> int:
        """Settings are keys of what is computed once, and an option may be a list."""
        told = (getattr(self, name) for name in type(self).model_fields)
        return hash((type(self), *(tuple(value) if isinstance(value, list) else value for value in told)))

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """See that every option can be left out, and says what it is for."""
        for name, field in cls.model_fields.items():
            if field.is_required() or not isinstance(field.json_schema_extra, dict):
                raise TypeError(
                    f"{cls.__name__}.{name}: an option has a default and is made by option(default, help=…)"
                )


def option(
    default: Any,
    *,
    help: str,
    flag: str | None = None,
    file: str | None = None,
    sitting: bool = False,
    model: bool = False,
    studies: bool = False,
    trusts: Callable[[str], Iterable[str]] | None = None,
    **limits: Any,
) -> Any:
    """Make a field of `StudyOptions`.

    Parameters
    ----------
    default
        What holds where nothing is given.
    help : str
        What it is for, as the command line says it.
    flag : str, optional
        What the command line calls it; a list is best called by what one of it is (``--memory``). By default its name,
        after that of the family.
    file : str, optional
        For a path: what the file must be (``"a readable CSV file"``). It decides what is asked, so it is copied into
        the run.
    sitting : bool
        Whether it may change between two sittings of a run: it changes how answers are counted and nothing of what is
        asked.
    model : bool
        Whether it names a model that is asked beside the respondents, through ``Trial.to``.
    studies : bool
        Whether it names other studies that are asked within this one, so that their options are taken too.
    trusts : callable, optional
        From a value, or one of a list, to the names that `personae.trust` is told when the user gives it himself: for
        what could run code or reach a server.
    **limits
        Those of `pydantic.Field`: ``ge=1``, ``strict=True`` …
    """
    about = About(flag=flag, file=file, sitting=sitting, model=model, studies=studies, trusts=trusts)
    return Field(default=default, description=help, json_schema_extra={_ABOUT: about}, **limits)  # type: ignore[dict-item]


def about(field: FieldInfo) -> About:
    """What is known of a field that `option` made."""
    found = field.json_schema_extra[_ABOUT] if isinstance(field.json_schema_extra, dict) else None
    if not isinstance(found, About):
        raise TypeError("an option is made by option(default, help=…)")
    return found

"""YAML files that people write, read strictly: errors name the place, the value and what fits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from personae.errors import BadInput
from personae.yamlfile import load_yaml


class Strict(BaseModel):
    """Base of everything read from a file: frozen, and an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_LIST, _FIELDS_OF = "it must be a list", "it must be a mapping of fields"
_WANTED = {
    "string_type": "it must be text",
    "tuple_type": _LIST,
    "list_type": _LIST,
    "model_type": _FIELDS_OF,
    "dict_type": _FIELDS_OF,
    "mapping_type": _FIELDS_OF,
}
"""What fits, by the kind of a validation error whose own words name types of Python."""

FileModel = TypeVar("FileModel", bound=Strict)


def read_yaml(path: Path, model: type[FileModel]) -> FileModel:
    """Read one YAML file into a model.

    Parameters
    ----------
    path : pathlib.Path
        The file, UTF-8.
    model : type of Strict
        What its content must look like.

    Returns
    -------
    Strict
        An instance of `model`.

    Raises
    ------
    BadInput
        When the file cannot be read, is not YAML, or does not fit the model; the field is named.
    """
    content = load_yaml(path, "file")
    if not isinstance(content, dict):
        raise BadInput("file", str(path), f"it must hold the fields {_fields(model)}")
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise _bad_input(path, model, error) from error


def _bad_input(path: Path, model: type[Strict], error: ValidationError) -> BadInput:
    # A misspelt field is also a missing one: the spelling is what helps.
    first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    place = ".".join(str(part) for part in first["loc"]) or "the whole file"
    field = f"{path.name}, field {place}" if first["loc"] else path.name
    if first["type"] == "extra_forbidden":
        owner = _owner(model, first["loc"][:-1])
        return BadInput(field, first["loc"][-1], f"no such field is known; known are {_fields(owner)}")
    if first["type"] == "missing":
        return BadInput(field, "nothing", "this field must be given")
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, BadInputValue):
        return BadInput(field, cause.found, cause.allowed)
    return BadInput(field, first["input"], _WANTED.get(first["type"], first["msg"][0].lower() + first["msg"][1:]))


class BadInputValue(ValueError):
    """What a validator raises: the value found and what would fit; `read_yaml` adds the place."""

    def __init__(self, found: object, allowed: str) -> None:
        self.found, self.allowed = found, allowed
        super().__init__(f"found {found!r}; {allowed}")


def _owner(model: type[Strict], place: Sequence[str | int]) -> type[Strict]:
    """Find the model in which a field at `place` would stand."""
    for part in place:
        field = model.model_fields.get(str(part)) if isinstance(part, str) else None
        inner = _inner(field.annotation) if field is not None else None
        model = inner or model
    return model


def _inner(annotation: Any) -> type[Strict] | None:
    if isinstance(annotation, type) and issubclass(annotation, Strict):
        return annotation
    return next((found for part in get_args(annotation) if (found := _inner(part))), None)


def _fields(model: type[Strict]) -> str:
    return ", ".join(field.alias or name for name, field in model.model_fields.items())

"""The options that installed studies take, and where in a spec they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar, cast

from msgspec import Struct
from pydantic import BaseModel, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo

from personae.errors import BadInput
from personae.study.base import Family, Study, families
from personae.study.options import About, StudyOptions, about

M = TypeVar("M", bound=BaseModel)


class Option(Struct, frozen=True, kw_only=True, eq=False):
    """An option of installed studies.

    Attributes
    ----------
    name : str
        Of the field.
    family : str or None
        Under whose name it stands in a spec; None where it stands there by itself.
    title : str or None
        Of the family; None where several have the option.
    kinds : tuple of type
        The models that declare it.
    field : FieldInfo
    about : About
    flag : str
        What the command line calls it.
    """

    name: str
    family: str | None
    title: str | None
    kinds: tuple[type[StudyOptions], ...]
    field: FieldInfo
    about: About
    flag: str

    @property
    def key(self) -> str:
        """What it is called in sentences about a spec: ``genders``, ``coins.side``."""
        return self.name if self.family is None else f"{self.family}.{self.name}"

    @property
    def default(self) -> Any:
        """What holds where nothing is given."""
        return self.field.get_default(call_default_factory=True)

    def of(self, spec: BaseModel) -> Any:
        """What a spec says."""
        return getattr(spec if self.family is None else getattr(spec, self.family), self.name)

    def written(self, spec: BaseModel) -> str:
        """What a spec says, as JSON."""
        return self._type.dump_json(self.of(spec)).decode()

    def read(self, text: str) -> Any:
        """What was `written`; a ValueError where it was not."""
        return self._type.validate_json(text)

    @property
    def _type(self) -> TypeAdapter[Any]:
        return TypeAdapter(cast("Any", self.field.annotation))

    def taken_by(self, study: type[Study]) -> bool:
        """Whether a study takes it."""
        return study.options in self.kinds


def options() -> tuple[Option, ...]:
    """Every option of the installed families, each once.

    Raises
    ------
    BadInput
        When two families call different things the same.
    """
    return _options(tuple(families().values()))


def counting() -> tuple[Option, ...]:
    """Those that change how answers are counted and nothing of what is asked."""
    return tuple(one for one in options() if one.about.sitting)


def takers(option: Option) -> list[str]:
    """The installed studies that take an option."""
    return [study.name for family in families().values() for study in family.studies if option.taken_by(study)]


@cache
def _options(installed: Sequence[Family]) -> tuple[Option, ...]:
    found: dict[str, Option] = {}
    flags: dict[str, str] = {}
    for one in (one for family in installed for one in _declared(family)):
        before = found.get(one.key)
        if before is None:
            found[one.key] = one
        elif one.family is None and _declaration(one) == _declaration(before):
            title = before.title if before.title == one.title else None
            kinds = tuple(dict.fromkeys((*before.kinds, *one.kinds)))
            found[one.key] = Option(
                name=one.name,
                family=None,
                title=title,
                kinds=kinds,
                field=before.field,
                about=before.about,
                flag=before.flag,
            )
        else:
            raise _twice(one, before.key)
        if flags.setdefault(one.flag, one.key) != one.key:
            raise _twice(one, flags[one.flag])
    return tuple(found.values())


def _declared(family: Family) -> Iterator[Option]:
    """The options of a family's studies, each once."""
    kinds = tuple(dict.fromkeys(study.options for study in family.studies))
    fields = {name: (kind, field) for kind in kinds for name, field in kind.model_fields.items()}
    for name, (kind, field) in fields.items():
        told = about(field)
        prefix = "" if kind.flat else f"{family.name}-"
        yield Option(
            name=name,
            family=None if kind.flat else family.name,
            title=family.title,
            kinds=tuple(one for one in kinds if name in one.model_fields),
            field=field,
            about=told,
            flag=told.flag or f"--{prefix}{name}".replace("_", "-"),
        )


def _declaration(one: Option) -> tuple[object, ...]:
    return one.field.annotation, one.default, one.flag, one.about.file is None, one.about.sitting, one.about.model


def _twice(one: Option, other: str) -> BadInput:
    whose = f"of {one.title}" if one.title else "of a study"
    return BadInput(f"{one.key}, an option {whose}", one.flag, f"another name: {other} of another study is called so")


def with_options(base: type[M]) -> type[M]:
    """A model of specs with the options of the installed studies among its fields.

    Raises
    ------
    BadInput
        When a field or a family is called as a field that every spec has.
    """
    return _with_options(base, tuple(families().values()))


@cache
def _with_options(base: type[M], installed: Sequence[Family]) -> type[M]:
    flat: dict[str, Any] = {}
    nested: dict[str, dict[str, Any]] = {}
    for one in _options(installed):
        into = flat if one.family is None else nested.setdefault(one.family, {})
        into[one.name] = (one.field.annotation, one.field)
    for name in (*flat, *nested):
        if name in base.model_fields or (name in flat and name in nested):
            known = ", ".join([*base.model_fields, *flat])
            raise BadInput("study with options", name, f"another name for the family or its option than {known}")
    for family, fields in nested.items():
        kind = create_model(f"{family} options", __base__=StudyOptions, **fields)
        flat[family] = (kind, kind())
    return create_model(base.__name__, __base__=base, __doc__=base.__doc__, **flat)


def validated(spec: BaseModel) -> tuple[StudyOptions, ...]:
    """What a spec tells the studies, as each of them declares it.

    Raises
    ------
    BadInput
        When a study does not take a value.
    """
    told: dict[type[StudyOptions], dict[str, Any]] = {}
    for one in options():
        for kind in one.kinds:
            told.setdefault(kind, {})[one.name] = one.of(spec)
    return tuple(_validated(kind, given) for kind, given in told.items())


def _validated(kind: type[StudyOptions], given: Mapping[str, Any]) -> StudyOptions:
    try:
        return kind(**given)
    except ValidationError as errors:
        first = errors.errors()[0]
        at = next((str(part) for part in first["loc"]), "")
        key = next((one.key for one in options() if one.name == at and kind in one.kinds), kind.__name__)
        raise BadInput(key, first["input"], first["msg"]) from None


def flattened(given: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a spec, with those that stand by themselves taken out from under the name of their family.

    Raises
    ------
    BadInput
        When one is told twice, or is none of the family's.
    """
    found = {name: one.model_dump() if isinstance(one, StudyOptions) else one for name, one in given.items()}
    for family in families().values():
        flat = {one.name for one in options() if one.family is None and any(map(one.taken_by, family.studies))}
        if not flat or not isinstance(inner := found.get(family.name), Mapping):
            continue
        del found[family.name]
        for name, value in inner.items():
            if name not in flat:
                raise BadInput(f"{family.name}.{name}", value, f"the options of {family.name} are {_listed(flat)}")
            if name in found:
                raise BadInput(f"{family.name}.{name}", value, f"once: {name} is given too")
            found[name] = value
    return found


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))


def nested(given: Mapping[str, Any]) -> dict[str, Any]:
    """Values by the keys of their options, as fields of a spec."""
    fields: dict[str, Any] = {}
    for one in options():
        if one.key in given:
            into = fields if one.family is None else fields.setdefault(one.family, {})
            into[one.name] = given[one.key]
    return fields


def joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of two specs, of which the second holds; options under the name of a family are joined one by one."""
    found = {**first, **second}
    for family in {one.family for one in options()} - {None}:
        if (one := first.get(str(family))) is not None and isinstance(other := second.get(str(family)), Mapping):
            found[str(family)] = {**one, **other} if isinstance(one, Mapping) else one  # which is then refused
    return found

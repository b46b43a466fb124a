"""Verbs that take the options of installed studies, which are looked for only where they are needed."""

from __future__ import annotations

from functools import cache
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand

from personae.errors import BadInput
from personae.study.taken import Option, nested, options

_TAKEN = "personae.options"
_TYPES = (str, int, float, bool, Path)
"""Types that the command line reads by itself; what is of another is given to its study as text."""


class Taking(TyperCommand):
    """A verb with every option of the installed studies, in the help under the title of the family."""

    @classmethod
    def wants(cls, one: Option) -> bool:
        """Whether it has an option."""
        return True

    def get_params(self, ctx: Any) -> list[Any]:
        """Those of the verb, then those of the studies."""
        own = super().get_params(ctx)
        known = {flag for one in own for flag in (*one.opts, *one.secondary_opts)}
        for one in self._reader.params:
            if twice := known.intersection((*one.opts, *one.secondary_opts)):
                raise BadInput("option of a study", ", ".join(twice), f"another name: personae {self.name} has it")
        return [*own[:-1], *self._reader.params, *own[-1:]]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Those of the verb, then those of the studies, family by family."""
        titled: dict[str, list[Any]] = {}
        for one in self.get_params(ctx):
            usual = "Arguments" if one.param_type_name == "argument" else "Options"
            if (record := one.get_help_record(ctx)) is not None:
                titled.setdefault(getattr(one, "rich_help_panel", None) or usual, []).append(record)
        for title, records in titled.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def invoke(self, ctx: Any) -> Any:
        """Read the values of the studies' options, and run the verb without them."""
        given = {one.name: ctx.params.pop(one.name) for one in self._reader.params}
        ctx.meta[_TAKEN] = self._reader.callback(**given)
        return super().invoke(ctx)

    @property
    def _reader(self) -> Any:
        return _reading(tuple(one for one in options() if self.wants(one)))


@cache
def _reading(wanted: tuple[Option, ...]) -> Any:
    """A command of its own that has these options alone and returns what it is given, by their keys."""
    named = {f"option{number}": one for number, one in enumerate(wanted)}

    def read(**given: Any) -> dict[str, Any]:
        return {named[name].key: value for name, value in given.items() if value is not None}

    described = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=_annotation(one))
        for name, one in named.items()
    ]
    read.__signature__ = Signature(described)  # type: ignore[attr-defined]
    reader = typer.Typer(add_completion=False)
    reader.command()(read)
    return typer.main.get_command(reader)


class TakingToAsk(Taking):
    """Only with what changes what is asked."""

    @classmethod
    def wants(cls, one: Option) -> bool:
        """Whether it has an option."""
        return not one.about.sitting


class TakingToCount(Taking):
    """Only with what changes how answers are counted."""

    @classmethod
    def wants(cls, one: Option) -> bool:
        """Whether it has an option."""
        return one.about.sitting


def taken(context: typer.Context) -> dict[str, Any]:
    """What a verb was given for studies, as fields of a spec."""
    return nested(context.meta[_TAKEN])


def _annotation(one: Option) -> Any:
    kind = _read_as(one.field.annotation)
    flags = [one.flag, f"--no-{one.flag[2:]}"] if kind is bool and one.default is True else [one.flag]
    told = typer.Option("/".join(flags), help=one.field.description, rich_help_panel=one.title, show_default=False)
    return Annotated[kind | None, told]


def _read_as(annotation: Any) -> Any:
    """The type by which the command line reads a value: that of the field, without what only its study knows."""
    inner = [one for one in get_args(annotation) if one is not type(None)]
    if annotation in _TYPES:
        return annotation
    if get_origin(annotation) is Literal:
        return type(inner[0]) if type(inner[0]) in _TYPES else str
    if get_origin(annotation) in (list, tuple):
        return list[_read_as(inner[0])]  # type: ignore[misc]
    return _read_as(inner[0]) if len(inner) == 1 else str

"""generate: have a model write material."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from personae.cli import options as o
from personae.cli.app import UNFINISHED
from personae.cli.terminal import say, show, tell
from personae.errors import ModelError

if TYPE_CHECKING:
    from personae.generating import Generated

_MOST_SAID = 5


def generate(
    family: Annotated[str, typer.Argument(help="Whose material: roleplay or occupations.")],
    model: Annotated[str, typer.Option("--model", "-m", help="The model that writes.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder; gone on with if it holds the same.")],
    attribute: Annotated[
        list[str] | None,
        typer.Option(
            "--attribute", help="roleplay: what roles are about; may be given several times. [default: all 11]"
        ),
    ] = None,
    roles: Annotated[
        int | None, typer.Option("--roles", help="roleplay: roles of each attribute. [default: 5]")
    ] = None,
    questions: Annotated[
        int | None, typer.Option("--questions", help="roleplay: questions of each kind for each role. [default: 4]")
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option(
            "--names",
            help="occupations: a file with one title a line, or a CSV with occupation and reference columns.",
        ),
    ] = None,
    tries: Annotated[
        int | None, typer.Option("--tries", help="How often what could not be used is asked for again. [default: 4]")
    ] = None,
    seed: o.Seed = None,
    concurrency: o.Concurrency = None,
    max_cost: o.MaxCost = None,
    prices: o.PricesOption = None,
    timeout: o.Timeout = None,
    retries: o.Retries = None,
    json: o.Json = False,
) -> None:
    """Have a model write material, checked: roles and questions for --personas, occupations for --stimuli."""
    from personae.generating import generate as generate_material
    from personae.generating import make_generate_spec, material_of
    from personae.models.registry import ModelOptions

    given = {"attributes": attribute, "roles": roles, "questions": questions, "names": names, "tries": tries}
    spec = make_generate_spec(family, model=model, **_known(given | {"seed": seed}))
    asked = {"concurrency": concurrency, "prices": prices, "timeout": timeout, "retries": retries}
    settings = ModelOptions(seed=spec.seed, **_known(asked))
    try:
        made = generate_material(spec, out, options=settings, max_cost=max_cost, told=None if json else _told)
    except ModelError as error:
        say(f"{error}; everything answered is kept: run the same command to go on")
        raise typer.Exit(UNFINISHED) from None
    material = material_of(family)
    if json:
        show(made.model_dump(mode="json"))
    else:
        tell(*_summary(made, material.use))
    if made.short:
        say(f"{len(made.short)} {material.missing}: {_some(made.short)}")
        raise typer.Exit(UNFINISHED)


def _known(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _told(unit: str, done: int | str) -> None:
    tell(f"{unit}: {done}", err=True)


def _summary(made: Generated, use: str) -> list[str]:
    counts = ", ".join(f"{number} {what}" for what, number in made.counts.items())
    lines = [f"{made.path}: {counts}; {made.asked} asks in this sitting"]
    if made.faults:
        worst = sorted(made.faults.items(), key=lambda one: -one[1])[:_MOST_SAID]
        lines.append("not used: " + "; ".join(f"{count} × {fault}" for fault, count in worst))
    if all(made.counts.values()):
        lines.append(f"They were checked by rules only: read them. Then: {use} {made.path}")
    return lines


def _some(short: dict[str, str]) -> str:
    said = "; ".join(f"{name}, {reason}" for name, reason in list(short.items())[:_MOST_SAID])
    return said + ("; …" if len(short) > _MOST_SAID else "")

"""generate: have a model write material."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from personae.cli import options as o
from personae.cli.app import UNFINISHED, app, say
from personae.errors import ModelError
from personae.models.registry import ModelOptions

if TYPE_CHECKING:
    from personae.generating import Generated

_MOST_SAID = 5


@app.command()
def generate(
    family: Annotated[str, typer.Argument(help="Whose material: roleplay.")],
    model: Annotated[str, typer.Option("--model", "-m", help="The model that writes.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder; gone on with if it holds the same.")],
    attribute: Annotated[
        list[str] | None,
        typer.Option("--attribute", help="What roles are about; may be given several times. [default: all 11]"),
    ] = None,
    roles: Annotated[int, typer.Option("--roles", help="Roles of each attribute.")] = 5,
    questions: Annotated[int, typer.Option("--questions", help="Questions of each kind for each role.")] = 4,
    tries: Annotated[int, typer.Option("--tries", help="How often a list is asked for again.")] = 4,
    seed: o.Seed = None,
    concurrency: o.Concurrency = None,
    max_cost: o.MaxCost = None,
    prices: o.PricesOption = None,
    timeout: o.Timeout = None,
    retries: o.Retries = None,
    json: o.Json = False,
) -> None:
    """Have a model write roles and questions, checked, for --personas of plan and run."""
    from personae.generating import generate as generate_material
    from personae.generating import make_generate_spec

    given: dict[str, Any] = {"attributes": attribute, "seed": seed}
    known = {name: value for name, value in given.items() if value is not None}
    spec = make_generate_spec(family=family, model=model, roles=roles, questions=questions, tries=tries, **known)
    asked: dict[str, Any] = {"concurrency": concurrency, "prices": prices, "timeout": timeout, "retries": retries}
    settings = ModelOptions(seed=spec.seed, **{name: value for name, value in asked.items() if value is not None})
    try:
        made = generate_material(spec, out, options=settings, max_cost=max_cost, told=None if json else _told)
    except ModelError as error:
        say(f"{error}; everything answered is kept: run the same command to go on")
        raise typer.Exit(UNFINISHED) from None
    if json:
        o.show(made.model_dump(mode="json"))
    else:
        typer.echo(_summary(made))
    if made.short:
        say(f"{len(made.short)} lists are not full: {_some(made.short)}")
        raise typer.Exit(UNFINISHED)


def _told(name: str, entries: int) -> None:
    typer.echo(f"{name}: {entries}", err=True)


def _summary(made: Generated) -> str:
    lines = [f"{made.path}: {made.roles} roles, {made.questions} questions; {made.asked} asks in this sitting"]
    if made.faults:
        worst = sorted(made.faults.items(), key=lambda one: -one[1])[:_MOST_SAID]
        lines.append("not used: " + "; ".join(f"{count} × {fault}" for fault, count in worst))
    if made.questions:
        lines.append(f"They were checked by rules only: read them. Then: personae run roleplay --personas {made.path}")
    return "\n".join(lines)


def _some(short: dict[str, str]) -> str:
    said = "; ".join(f"{name}, {reason}" for name, reason in list(short.items())[:_MOST_SAID])
    return said + ("; …" if len(short) > _MOST_SAID else "")

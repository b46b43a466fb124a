"""studies and models: what can be asked, and of whom."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import typer
from rich.console import Console
from rich.table import Table

from personae.cli import options as o
from personae.cli.app import app
from personae.engine.loop import run_sync
from personae.studies.base import Settings, families
from personae.types import Scale


@app.command()
def studies(json: o.Json = False) -> None:
    """Say what can be asked, with counts and sources."""
    rows = _studies()
    if json:
        o.show({"studies": rows})
        return
    table = Table(title="What can be asked", title_justify="left")
    for name in ("study", "what", "items per model: quick", "standard", "paper", "source"):
        table.add_column(name, justify="right" if name in ("standard", "paper") or "quick" in name else "left")
    for row in rows:
        table.add_row(
            row["study"], row["title"], *(f"{row['items'][scale]:,}" for scale in row["items"]), row["source"]
        )
    Console().print(table)


def _studies() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for family in families().values():
        for kind in family.studies:
            counts = {scale: sum(1 for _ in kind(Settings(scale=scale)).items()) for scale in get_args(Scale)}
            rows.append(
                {
                    "study": kind.name,
                    "version": kind.version,
                    "family": family.name,
                    "title": kind.title,
                    "summary": kind.summary,
                    "items": counts,
                    "source": kind.source,
                    "imports": family.importer is not None,
                }
            )
    return rows


@app.command()
def models(
    action: Annotated[str | None, typer.Argument(help="get: fetch an embedded model.")] = None,
    name: Annotated[str, typer.Argument(help="Which embedded model.")] = "smollm2",
    json: o.Json = False,
) -> None:
    """Say what can be asked of, and what encodes texts: here, configured, reachable; or fetch an embedded model."""
    from personae.embedding import known_encoders
    from personae.errors import BadInput
    from personae.models.catalog import get_model_file
    from personae.models.known import known_models

    if action is None:
        rows, encoders = run_sync(known_models()), known_encoders()
        if json:
            o.show({"models": rows, "encoders": encoders})
            return
        _print("What can be asked of", rows)
        _print("What encodes texts", encoders)
        return
    if action != "get":
        raise BadInput("models", action, "nothing, or get NAME")
    path = get_model_file(name, echo=lambda text: typer.echo(text, err=True))
    if json:
        o.show({"model": f"local/{name}", "file": str(path)})
    else:
        typer.echo(f"local/{name}: {path}")


def _print(title: str, rows: list[dict[str, Any]]) -> None:
    """Rows as a table under the names of their fields."""
    table = Table(title=title, title_justify="left")
    for column in rows[0]:
        table.add_column(column)
    for row in rows:
        table.add_row(*row.values())
    Console().print(table)

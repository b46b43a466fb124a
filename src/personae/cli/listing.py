"""studies and models: what can be asked, and of whom."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import typer

from personae.cli import options as o
from personae.cli.render import print_whole
from personae.cli.sheet import Sheet
from personae.cli.terminal import show, tell
from personae.engine.loop import run_sync
from personae.types import Scale

_FOLDED = 20  # characters


def studies(json: o.Json = False) -> None:
    """Say what can be asked, with counts and sources."""
    rows = _studies()
    if json:
        show({"studies": rows})
        return
    # What is typed and what is counted is never cut; a source has a line of its own below, however narrow the window.
    table = Sheet("What can be asked: items per model at each scale")
    table.add_column("study", no_wrap=True)
    table.add_column("what")
    for scale in get_args(Scale):
        table.add_column(scale, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(row["study"], row["title"], *(f"{row['items'][scale]:,}" for scale in get_args(Scale)))
    print_whole(table)
    for source, names in _sources(rows).items():
        tell(f"{', '.join(names)}: {source}")


def _sources(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Every source once, with the studies that have it."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["source"], []).append(row["study"])
    return found


def _studies() -> list[dict[str, Any]]:
    from personae.study.base import Settings, families
    from personae.study.taken import options

    rows: list[dict[str, Any]] = []
    for family in families().values():
        for kind in family.studies:
            counts = {scale: kind(Settings(scale=scale)).count() for scale in get_args(Scale)}
            rows.append(
                {
                    "study": kind.name,
                    "version": kind.version,
                    "family": family.name,
                    "title": kind.title,
                    "summary": kind.summary,
                    "items": counts,
                    "source": kind.source,
                    "options": [one.flag for one in options() if one.taken_by(kind)],
                    "imports": family.importer is not None,
                }
            )
    return rows


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
            show({"models": rows, "encoders": encoders})
            return
        _print("What can be asked of", rows)
        _print("What encodes texts", encoders)
        return
    if action != "get":
        raise BadInput("models", action, "nothing, or get NAME")
    path = get_model_file(name, echo=lambda text: tell(text, err=True))
    if json:
        show({"model": f"local/{name}", "file": str(path)})
    else:
        tell(f"local/{name}: {path}")


def _print(title: str, rows: list[dict[str, Any]]) -> None:
    """Rows as a table under the names of their fields."""
    table = Sheet(title)
    *short, last = rows[0]
    for column in short:
        table.add_column(column, no_wrap=True)
    table.add_column(last, overflow="fold", min_width=_FOLDED)  # an address is long
    for row in rows:
        table.add_row(*row.values())
    print_whole(table)

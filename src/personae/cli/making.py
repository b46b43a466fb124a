"""new: a study of one's own, to begin from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from personae.cli.terminal import show, tell


def new(
    folder: Annotated[Path, typer.Argument(help="A new or empty folder; its name is the study's.")],
    json: Annotated[bool, typer.Option("--json", help="Print data, not prose.")] = False,
) -> None:
    """Write a study without code to begin from: questions, personas and what it is; it runs as it is."""
    from personae.study.starting import begin_study

    files = begin_study(folder)
    if json:
        show({"folder": str(folder), "files": [path.name for path in files]})
        return
    tell(*map(str, files))
    named = folder if folder.is_absolute() else f"./{folder}"
    tell(f"next: personae run {named} --model 'sim/planted?bias=0.4' -o runs/try")

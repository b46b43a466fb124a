"""repair: save what can be read of a damaged run, ask only the rest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from personae.cli import options as o
from personae.cli.app import UNFINISHED
from personae.cli.render import counted, run_summary
from personae.cli.terminal import say, show, tell

if TYPE_CHECKING:
    from personae.repairing import Repaired

_NAMED = 5


def repair(
    folder: o.RunFolder,
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder for what is saved; the damaged one stays.")],
    ask: Annotated[bool, typer.Option(help="Ask what is missing, of the models of the run.")] = True,
    json: o.Json = False,
) -> None:
    """Save what can be read of a damaged run into a new folder, and ask only the rest."""
    from personae.asking import ask as ask_rest
    from personae.cli.progress import make_progress
    from personae.repairing import repair as make_repaired
    from personae.run import open_run

    saved = make_repaired(folder, out)
    for sentence in _told(saved, out):
        say(sentence)
    with open_run(out) as run:
        spec, imported = run.spec, run.imported
    asked = ask and not imported
    with ask_rest(spec, out, make_progress(quiet=json)) if asked else open_run(out) as run:
        page = run.report()
        summary = run_summary(run, page)
    summary |= {"saved": saved.saved, "lost": list(saved.damaged), "unread": saved.unread}
    if json:
        show(summary)
    else:
        tell(*summary["text"].splitlines())
    if summary["outcomes"].get("error"):
        raise typer.Exit(UNFINISHED)


def _told(saved: Repaired, out: Path) -> list[str]:
    said = [f"{counted(saved.saved, 'answer')} saved in {out}"]
    if saved.damaged:
        named = ", ".join(saved.damaged[:_NAMED]) + (" …" if len(saved.damaged) > _NAMED else "")
        said.append(f"{counted(len(saved.damaged), 'answer')} not what was written, and not saved: {named}")
    if saved.unread:
        said.append("a part of run.db cannot be read: what was in it is asked again")
    return said

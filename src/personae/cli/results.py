"""score, report, import and export: everything that asks nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from personae.cli import options as o
from personae.cli.app import UNFINISHED
from personae.cli.render import estimates_lines, estimates_rows, run_summary
from personae.cli.taking import taken
from personae.cli.terminal import say, show, tell
from personae.exporting import FORMATS, export_run

if TYPE_CHECKING:
    from personae.run import Run


def score(
    context: typer.Context,
    folder: o.RunFolder,
    scoring: o.ScoringOption = None,
    ratings: o.Ratings = None,
    capability: o.Capability = None,
    trusted: o.Trusted = None,
    json: o.Json = False,
) -> None:
    """Code every stored answer again and estimate; asks nothing."""
    from personae.run import CAPABILITY, RATINGS, open_run
    from personae.score import check_taken, matched, rescore, with_scoring

    added = {RATINGS: ratings, CAPABILITY: capability}
    with with_scoring(open_run(folder, writable=True), scoring, taken(context)) as run:
        check_taken(run, added)
        with run.adding(added):
            rescore(run)
            told = matched(run, added)
            page = run.report()
        for sentence in told:
            say(sentence)
        if json:
            show(estimates_rows(run))
        else:
            tell(*estimates_lines(run), f"report: {page}")
        tell_damage(run)


def report(
    folder: o.RunFolder,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="The page, a file; figures/ and tables/ are written beside it. [default: report.html in the run]",
        ),
    ] = None,
    trusted: o.Trusted = None,
    json: o.Json = False,
) -> None:
    """Write report.html, figures and tables."""
    from personae.run import open_run

    with open_run(folder) as run:
        page = run.report(out)
        summary = run_summary(run, page)
        if json:
            show(summary)
        else:
            tell(*summary["text"].splitlines())
        tell_damage(run)


def import_(
    layout: Annotated[
        str, typer.Argument(metavar="FORMAT", help="The family whose released layout it is: companions …")
    ],
    path: Annotated[Path, typer.Argument(help="One model's folder, or the whole released tree.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The run's folder.")],
    scoring: o.ScoringOption = None,
    json: o.Json = False,
) -> None:
    """Make a run of recorded answers, and score it."""
    from personae.importing import import_answers

    with import_answers(layout, path, out, scoring or "sound") as run:
        page = run.report()
        summary = run_summary(run, page)
    if json:
        show(summary)
    else:
        tell(*summary["text"].splitlines())


def export(
    folder: o.RunFolder,
    to: Annotated[str, typer.Option("--to", help=f"One of {', '.join(FORMATS)}.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for the files. [default: export/ in the run]")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="csv: texts as they stand, for programs; a spreadsheet may compute them.")
    ] = False,
    trusted: o.Trusted = None,
    json: o.Json = False,
) -> None:
    """Write responses, outcomes and estimates as files of another format."""
    from personae.run import open_run

    with open_run(folder) as run:
        files = export_run(run, to, out or folder / "export", raw=raw)
        if json:
            show({"files": [str(file) for file in files]})
        else:
            tell(*files)
        tell_damage(run)


def tell_damage(run: Run) -> None:
    """Name what is damaged in a run and was left out, and end with the exit code of what is not whole."""
    if run.store.damage:
        for sentence in run.store.damage.sentences():
            say(f"{sentence}: `personae repair {run.path} -o NEW` saves the others and asks these again")
        raise typer.Exit(UNFINISHED)

"""plan and run: before asking, and asking."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from personae.cli import options as o
from personae.cli.app import UNFINISHED
from personae.cli.render import counted, plan_table, run_summary
from personae.cli.terminal import say, show, tell


def plan(
    context: typer.Context,
    studies: o.Studies = None,
    model: o.Models = None,
    scale: o.ScaleOption = None,
    respond: o.RespondOption = None,
    personas: o.PersonasOption = None,
    judge: o.Judges = None,
    judge_self: o.JudgeSelf = None,
    repeats: o.Repeats = None,
    seed: o.Seed = None,
    concurrency: o.Concurrency = None,
    prices: o.PricesOption = None,
    spec: o.SpecOption = None,
    trusted: o.Trusted = None,
    json: o.Json = False,
) -> None:
    """Say items, asks, tokens, time and cost; asks nothing."""
    given = o.fields_of(locals(), context)
    from personae.planning import plan as make_plan

    planned = make_plan(o.spec_from(studies, spec, given))
    if json:
        show(planned)
    else:
        plan_table(planned)


def run(
    context: typer.Context,
    studies: o.Studies = None,
    model: o.Models = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The run's folder; resumed if it holds the same run. [default: under runs/]"),
    ] = None,
    scale: o.ScaleOption = None,
    respond: o.RespondOption = None,
    scoring: o.ScoringOption = None,
    personas: o.PersonasOption = None,
    judge: o.Judges = None,
    judge_self: o.JudgeSelf = None,
    repeats: o.Repeats = None,
    seed: o.Seed = None,
    concurrency: o.Concurrency = None,
    max_cost: o.MaxCost = None,
    prices: o.PricesOption = None,
    timeout: o.Timeout = None,
    retries: o.Retries = None,
    spec: o.SpecOption = None,
    trusted: o.Trusted = None,
    json: o.Json = False,
) -> None:
    """Ask (or resume), then score and report."""
    given = o.fields_of(locals(), context)
    from personae.audit import carry_out, default_folder
    from personae.cli.progress import make_progress
    from personae.pages import why_errors

    wanted = o.spec_from(studies, spec, given)
    asked, page = carry_out(wanted, out or default_folder(wanted), make_progress(quiet=json))
    with asked:
        summary = run_summary(asked, page)
        reasons = why_errors(asked.outcomes)
        errors = summary["outcomes"].get("error", 0)
    if json:
        show(summary)
    else:
        tell(*summary["text"].splitlines())
    if errors:
        for reason in reasons:
            say(reason)
        say(f"{counted(errors, 'item')} ended in error: the same command asks again")
        raise typer.Exit(UNFINISHED)

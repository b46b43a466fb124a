"""Results as text and as plain data."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Column, Table

from personae.cli.sheet import Sheet, console
from personae.shown import shown

if TYPE_CHECKING:
    from personae.run import Run


def plan_table(planned: dict[str, Any]) -> None:
    """Print a plan: a table for each model, then what is asked in all."""
    for model in dict.fromkeys(row["model"] for row in planned["studies"]):
        rows = [row for row in planned["studies"] if row["model"] == model]
        table = Sheet(f"{model}, {rows[0]['respond']} answers, scale {planned['scale']}")
        table.add_column("study", overflow="fold", min_width=max(len(row["study"]) for row in rows))
        for name in ("items", "asks", "tokens\nin", "tokens\nout", "time", "cost $"):
            table.add_column(name, justify="right", no_wrap=True)
        for row in rows:
            table.add_row(row["study"], *_amounts(row), style="bold")
            for part in row["experiments"]:
                table.add_row(f"  {part['domain']}", *_amounts(part), style="dim")
        print_whole(table)
    total = planned["total"]
    cost = "unknown cost" if total["cost"] is None else f"${total['cost']:.2f}, at most ${total['max_cost']:.2f}"
    console().print(
        f"In all {total['items']:,} items, {total['asks']:,} asks, about {duration(total['seconds'])}, {cost}.\n"
        "Tokens are estimated from characters; times assume an ordinary server or the embedded model on this computer."
    )


def print_whole(table: Table) -> None:
    """Print a table with nothing cut: where the window is too narrow for it, its lines are longer than the window.

    Columns with ``no_wrap`` stay as wide as what is in them; one column may be without, and gives way.
    """
    for column in table.columns:
        column.min_width = column.min_width or _least(column)
    needed = sum(column.min_width or 0 for column in table.columns) + 2 * len(table.columns) + 1
    console(width=max(console().width, needed)).print(table)


def _least(column: Column) -> int:
    """The least width at which nothing in a column is cut."""
    said = [str(column.header), *map(str, column.cells)]
    return max(len(part) for text in said for part in (text.splitlines() if column.no_wrap else text.split()))


def counted(number: int, what: str) -> str:
    """A number of things."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _amounts(row: dict[str, Any]) -> list[str]:
    cost = "unknown" if row["cost"] is None else f"{row['cost']:.2f}"
    return [
        f"{row['items']:,}",
        f"{row['asks']:,}",
        f"{row['prompt_tokens']:,}",
        f"{row['completion_tokens']:,}",
        duration(row["seconds"]),
        cost,
    ]


def duration(seconds: float) -> str:
    """A duration as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def run_summary(run: Run, page: Path) -> dict[str, Any]:
    """What came of a run, as data; ``text`` says it in words."""
    from personae.engine.frames import totals

    counts = run.outcomes.group_by("status", maintain_order=True).len().sort("status")
    outcomes = dict(zip(counts["status"].to_list(), counts["len"].to_list(), strict=True))
    total = sum(outcomes.values())
    took = totals(run.store)
    said = ", ".join(f"{count} {status}" for status, count in outcomes.items())
    items, asked = counted(total, "item"), counted(took.answers, "answer")
    models = shown(", ".join(run.spec.models))
    text = f"{items} of {models}: {said}; {asked} in {shown(run.path)}\nreport: {shown(page)}"
    return {
        "run": str(run.path),
        "report": str(page),
        "models": run.spec.models,
        "studies": run.spec.studies,
        "scoring": run.spec.scoring,
        "items": total,
        "outcomes": outcomes,
        "responses": took.answers,
        "prompt_tokens": took.prompt_tokens,
        "completion_tokens": took.completion_tokens,
        "cost": took.cost,
        "damaged": [" ".join(row) for table in ("response", "outcome") for row in sorted(run.store.damage.of(table))],
        "text": text,
    }


def estimates_rows(run: Run) -> list[dict[str, Any]]:
    """Every estimate as a plain row; what is not a number is None, with the reason beside it."""
    return [
        {name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()}
        for row in run.estimates.iter_rows(named=True)
    ]


def estimates_lines(run: Run) -> list[str]:
    """The overall estimates, one line each."""
    import polars as pl

    from personae.score import CELL

    frame = run.estimates
    narrow = [name for name in CELL if name not in ("domain",)]
    overall = frame.filter(pl.all_horizontal(pl.col(name).is_null() for name in narrow))
    lines = [_line(row) for row in overall.iter_rows(named=True)]
    return [*lines, f"{frame.height} estimates in all; --json prints every one"]


def _line(row: dict[str, Any]) -> str:
    where = " ".join(str(row[name]) for name in ("model", "domain") if row[name])
    contrast = " vs baseline" if row["contrast"] == "baseline" else ""
    text = f"{row['study']} {row['measure']}{contrast} [{where or 'all models'}]: {_number(row['value'])}"
    if row["ci_low"] is not None:
        text += f" [{_number(row['ci_low'])}, {_number(row['ci_high'])}]"
    if row["statistic"] is not None and row["df"] is not None:
        text += f", t({row['df']:g}) = {row['statistic']:.3f}, p = {_number(row['p'])}"
    text += f", n = {row['n']}"
    if row["coverage"] is not None:
        text += f", coverage {row['coverage']:.1%}"
    return text + (f" ({row['reason']})" if row["reason"] else "")


def _number(value: float | None) -> str:
    return "nan" if value is None or math.isnan(value) else f"{value:.3g}"

"""Code the stored answers again, estimate, and write the page: everything that asks nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from personae.engine.ask import Asker
from personae.engine.loop import run_sync
from personae.engine.scheduler import run_items
from personae.run import Run
from personae.spec import check_files, make_spec, prepare
from personae.stats.multiple import adjust
from personae.studies.base import Study, select
from personae.types import Estimate

CELL = ("domain", "dataset", "stimulus", "persona", "user", "persona_group", "user_group", "wording", "level")
_NUMBERS = (
    "value",
    "ci_low",
    "ci_high",
    "p",
    "p_adjusted",
    "statistic",
    "df",
    "effect_size",
    "coverage",
    "lower",
    "upper",
)
ESTIMATES = {
    "study": pl.String,
    "measure": pl.String,
    "model": pl.String,
    "contrast": pl.String,
    "test": pl.String,
    **dict.fromkeys(CELL, pl.String),
    "value": pl.Float64,
    "ci_low": pl.Float64,
    "ci_high": pl.Float64,
    "p": pl.Float64,
    "p_adjusted": pl.Float64,
    "statistic": pl.Float64,
    "df": pl.Float64,
    "effect_size": pl.Float64,
    "n": pl.Int64,
    "coverage": pl.Float64,
    "lower": pl.Float64,
    "upper": pl.Float64,
    "reason": pl.String,
}


def with_scoring(run: Run, scoring: str | None, encoders: list[str] | None = None) -> Run:
    """The same run, to be counted another way."""
    given = {"scoring": scoring, "encoders": encoders}
    changed = {name: value for name, value in given.items() if value}
    if changed:
        run.spec = make_spec(**{**run.spec.model_dump(), **changed})
        check_files(run.spec)
    return run


def rescore(run: Run) -> None:
    """Replay every item against the store alone and keep its outcome: a better reading costs no model call."""
    prepare(run.spec)
    with run.store.recoding():
        for model in run.spec.models:
            asker = Asker(model, run.store, lenient=run.imported)
            for study in run.studies(model):
                run_sync(run_items(study, run.items(study, model), asker, window=1))
    run.say_how_counted()
    run.store.flush()


def estimate(run: Run) -> pl.DataFrame:
    """Every study's estimates in one frame, p-values corrected over the whole audit."""
    outcomes = run.outcomes
    found: list[Estimate] = []
    for study in _studies(run):
        mine = outcomes.filter(pl.col("study") == study.name)
        if mine.height:
            found += study.estimates(mine)
    return to_frame(found, [name for study in _studies(run) for name in study.columns])


def to_frame(estimates: Iterable[Estimate], columns: Sequence[str] = ()) -> pl.DataFrame:
    """Estimates as a frame: cells flattened to columns, p adjusted (Benjamini-Hochberg over all that have one).

    Parameters
    ----------
    estimates : iterable of Estimate
    columns : sequence of str
        Columns of cells beyond `CELL`, as the studies declare them.

    Raises
    ------
    ValueError
        When a cell has a column that no study declares.
    """
    names = dict.fromkeys((*CELL, *columns))
    rows: list[dict[str, Any]] = []
    for found in estimates:
        row = msgspec.structs.asdict(found)
        cell = row.pop("cell")
        rows.append({**row, **{name: cell.get(name) for name in names}})
        if unknown := cell.keys() - names.keys():
            raise ValueError(f"{found.study} {found.measure}: cell columns {sorted(unknown)} are not known")
    schema = ESTIMATES | dict.fromkeys(columns, pl.String)
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    adjusted = adjust([math.nan if p is None else p for p in frame["p"].to_list()])
    return frame.with_columns(p_adjusted=pl.Series(adjusted, dtype=pl.Float64).fill_nan(None))


def _studies(run: Run) -> list[Study]:
    settings = run.settings(run.spec.models[0])
    return [study(settings) for study in select(run.spec.studies)]


def write_report(run: Run, path: Path) -> Path:
    """Write ``report.html`` with its figures and tables beside it."""
    from personae.pages import content_of
    from personae.report.figures import write_figures
    from personae.report.page import write_page
    from personae.report.tables import write_tables

    content = content_of(run, _studies(run))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_page(content, path)
    write_figures(content.figures, path.parent / "figures")
    write_tables({"estimates": run.estimates, "outcomes": run.outcomes}, path.parent / "tables")
    return path

"""Code the stored answers again, estimate, and write the page: everything that asks nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl

from personae.csvfile import read_table
from personae.engine.ask import Asker
from personae.engine.counting import check_shown
from personae.engine.loop import run_sync
from personae.engine.scheduler import run_items
from personae.errors import BadInput
from personae.filing import own_folder, remove_parts, written_together
from personae.making import make_output
from personae.spec import check_files, make_spec, prepare, trust_named
from personae.stats.multiple import adjust
from personae.study.base import Study, families
from personae.study.taken import joined
from personae.types import Estimate

if TYPE_CHECKING:
    from personae.run import Run

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
    "clusters": pl.Int64,
    "unit": pl.String,
    "coverage": pl.Float64,
    "lower": pl.Float64,
    "upper": pl.Float64,
    "reason": pl.String,
}

_MARK, _MARKED_WITHIN = b'<p class="kicker">personae report', 1 << 18
"""What every report bears, and within how many bytes: its style comes first."""


def with_scoring(run: Run, scoring: str | None, options: Mapping[str, Any] | None = None) -> Run:
    """The same run, to be counted another way.

    Parameters
    ----------
    run : Run
    scoring : str, optional
        Another scoring.
    options : mapping, optional
        Other options of studies, of those that change how answers are counted, as they stand in a spec. What the user
        names here is trusted.
    """
    told = dict(options or {})
    trust_named(told)
    changed = told | ({"scoring": scoring} if scoring else {})
    if changed:
        run.spec = make_spec(**joined(run.spec.model_dump(), changed))
        check_files(run.spec)
    return run


def check_taken(run: Run, added: Mapping[str, Path | None]) -> None:
    """Check that a study of the run takes the files that a user adds, by the names `RATINGS` and `CAPABILITY`.

    Raises
    ------
    BadInput
        When none does.
    """
    for field, path in _named(added):
        if not any(field in study.takes for study in run.spec.kinds):
            known = [study.name for family in families().values() for study in family.studies if field in study.takes]
            raise BadInput(f"--{field}", str(path), f"only with a study that takes it: {', '.join(known)}")


def matched(run: Run, added: Mapping[str, Path | None]) -> list[str]:
    """Say of each file that a user adds how many of its rows are about something in the run.

    Raises
    ------
    BadInput
        When no row is, or the file cannot be read.
    """
    estimated = run.estimates.height  # studies read the files first, and name what is wrong with one
    said: list[str] = []
    for field, path in _named(added):
        takers = [study.name for study in run.spec.kinds if field in study.takes]
        known = run.outcomes.filter(pl.col("study").is_in(takers))
        table = read_table(path, f"--{field}")
        rows = pl.DataFrame(table.rows, schema=dict.fromkeys(table.columns, pl.String)) if estimated else pl.DataFrame()
        keys = [key for key in ("item", "model") if key in rows.columns]
        found = rows.join(known.select(keys).unique(), on=keys, how="semi").height if keys else 0
        what = f"{found} of {rows.height} rows name {' and '.join(keys) or 'nothing'} of this run"
        if not found:
            raise BadInput(f"--{field}", str(path), f"rows that name what is in this run ({what})")
        said.append(f"--{field}: {what}")
    return said


def _named(added: Mapping[str, Path | None]) -> list[tuple[str, Path]]:
    """Each file that was given, with the name of its option."""
    return [(Path(name).stem, path) for name, path in added.items() if path is not None]


def rescore(run: Run) -> None:
    """Replay every item against the store alone and keep its outcome: a better reading costs no model call."""
    prepare(run.spec)
    with run.store.recoding(run.how_counted):
        for model in run.spec.models:
            asker = Asker(model, run.store, lenient=run.imported)
            for study in run.studies(model):
                run_sync(run_items(study, run.items(study, model), asker, window=1))


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
    return [study(settings) for study in run.spec.kinds]


def write_report(run: Run, path: Path) -> Path:
    """Write a page, and the folders ``figures`` and ``tables`` beside it: each file takes its place when all are there.

    Raises
    ------
    BadInput
        When the page would take the place of a folder or of a file that is no report, or cannot be written there, or
        one of the two folders is a link.
    """
    from personae.pages import content_of
    from personae.report.figures import write_figures
    from personae.report.page import write_page
    from personae.report.tables import write_tables

    _check_page(path, own=path == run.path / "report.html")
    with run.store.snapshot():
        content = content_of(run, _studies(run))
        check_shown(run.store, items=run.outcomes.height, answers=content.answers)
    make_output(run.path, path.parent)
    figures, tables = own_folder(path.parent, "figures"), own_folder(path.parent, "tables")
    for folder in (figures, tables):
        remove_parts(folder)
    try:
        with written_together() as part_of:
            write_figures(content.figures, figures, part_of)
            write_tables({"estimates": run.estimates, "outcomes": run.outcomes}, tables, part_of)
            write_page(content, path, part_of)
    except OSError as error:
        raise BadInput("--out", str(path), f"a file that can be written ({error.strerror or error})") from None
    return path


def _check_page(path: Path, *, own: bool) -> None:
    """Refuse what a page must not replace; what lies under its name in the run itself is `own`, however broken."""
    if path.is_dir():
        raise BadInput("--out", str(path), f"a file, such as {path / 'report.html'}; a folder is there")
    if path.exists() and not own and path.stat().st_size:
        try:
            with path.open("rb") as file:
                ours = _MARK in file.read(_MARKED_WITHIN)
        except OSError as error:
            raise BadInput("--out", str(path), f"a file that can be written ({error.strerror})") from None
        if not ours:
            raise BadInput("--out", str(path), "a new file, or a report to replace; this file is no report of personae")

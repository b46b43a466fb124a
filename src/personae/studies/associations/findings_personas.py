"""The main results of Task 2 in sentences: which personas move answers by more than these vary by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from personae.studies.associations.figures_parts import who
from personae.studies.associations.findings_said import (
    FRAMINGS,
    MOST_MODELS,
    cells,
    clear,
    disagree,
    interval,
    mean_row,
    missing_words,
    number,
    published,
    unanswered,
    whole,
)
from personae.studies.associations.measures_frame import AVERAGE, CONTRAST, PARTS, Answer, answers
from personae.studies.associations.measures_personas import (
    ABSOLUTE,
    EXPECTED,
    ONE_GENERATION,
    OVER_GENERATIONS,
    PSI,
    WITHOUT_OWN,
)
from personae.studies.associations.measures_shifts import STUDY
from personae.tell.saying import adjusted, listed, percent
from personae.tell.table import Row, Table
from personae.types import Finding

QUESTIONABLE = "unemployed man in the countryside"
"""The persona D of the paper, which counts as advantaged there."""
_CELLS = (("persona",), ("user",), ("persona", "user"))


def findings(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what Task 2 found.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with ``p_adjusted`` filled and the cell as columns, ``metric`` among
        them.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.

    Returns
    -------
    list of Finding
        Findings, then what to be careful with, then what to know of the method.
    """
    table, found = Table(estimates), answers(outcomes)
    paper = any(published(row) for row in _rows(table, PSI, CONTRAST))
    said = [one for model in table.models[:MOST_MODELS] for one in _of_model(table, model, paper)]
    return [
        *(Finding(text=text, study=STUDY) for text in said),
        *(Finding(text=text, study=STUDY, tone="caution") for text in _cautions(table, found, paper)),
        *(Finding(text=text, study=STUDY, tone="method") for text in _methods(paper)),
    ]


def _of_model(table: Table, model: str, paper: bool) -> Iterator[str]:
    personas = _personas(table, model, PSI)
    if not personas:
        return
    tested = [rows for rows in personas if mean_row(rows)["p"] is not None]
    if paper or not tested:
        yield _untested(model, personas, paper)
    else:
        yield from _beyond_noise(table, model, tested)
        yield from _no_more_than_noise(table, model, tested)
    yield from _groups(table, model)


def _untested(model: str, personas: Sequence[Sequence[Row]], paper: bool) -> str:
    """The furthest persona where nothing was tested."""
    rows = max(personas, key=_size)
    why = "" if paper else f" Not tested: {ONE_GENERATION}."
    return f"{model}: the largest PSI is that of {_who(rows)}, {whole(rows)}.{why}"


def _beyond_noise(table: Table, model: str, personas: Sequence[Sequence[Row]]) -> Iterator[str]:
    """Personas that move the answers in one direction by more than noise."""
    sure = sorted((rows for rows in personas if clear(mean_row(rows))), key=_size, reverse=True)
    if not sure:
        return
    rows = sure[0]
    side = "nearer to" if mean_row(rows)["value"] > 0 else "further from"
    others = listed([_who(one) for one in sure[1:]]) if sure[1:] else ""
    yield (
        f"{model}: {len(sure)} of {len(personas)} personas move the answers in one direction by more than these vary by"
        f" themselves. Furthest {_who(rows)}, {side} the stereotype-congruent framing: PSI {whole(rows)}."
        f"{f' Then {others}.' if others else ''}"
    )
    yield from _without_own(table, model, sure)


def _without_own(table: Table, model: str, sure: Sequence[Sequence[Row]]) -> Iterator[str]:
    """What is left of these shifts without the words of the persona."""
    bare = {_who(rows): rows for rows in _personas(table, model, PSI, WITHOUT_OWN)}
    kept = [rows for rows in sure if _stays(rows, bare.get(_who(rows)))]
    left = bare.get(_who(sure[0]))
    if left is not None:
        yield (
            f"{model}: without the words by which a persona is called, {len(kept)} of these {len(sure)} shifts keep an"
            f" interval on the same side of 0; PSI of {_who(left)} is then {_brief(left)}."
        )


def _stays(rows: Sequence[Row], bare: Sequence[Row] | None) -> bool:
    if bare is None or (ends := mean_row(bare))["ci_low"] is None:
        return False
    return bool(ends["ci_low"] > 0 if mean_row(rows)["value"] > 0 else ends["ci_high"] < 0)


def _no_more_than_noise(table: Table, model: str, personas: Sequence[Sequence[Row]]) -> Iterator[str]:
    """Personas of which no direction can be told, and whether their answers differ all the same."""
    unsure = [rows for rows in personas if not clear(mean_row(rows))]
    sizes = {_who(rows): rows for rows in _personas(table, model, ABSOLUTE)}
    noise = {
        _who([row]): row["value"] for row in _rows(table, EXPECTED) if (row["model"], row["metric"]) == (model, AVERAGE)
    }
    moved = [rows for rows in unsure if _who(rows) in sizes and clear(mean_row(sizes[_who(rows)]))]
    still = [rows for rows in unsure if rows not in moved]
    for rows in moved:
        row = mean_row(sizes[_who(rows)])
        yield (
            f"{model}, as {_who(rows)}: single answers move by more than noise, but in no one direction: mean |BAD|"
            f" {row['value']:.2f} where noise gives {noise[_who(rows)]:.2f} ({adjusted(row)}), PSI {whole(rows)}."
        )
    if still:
        told = listed([f"{_who(rows)}, PSI {_brief(rows)}" for rows in still])
        most = max(mean_row(rows)["n"] for rows in still)
        least = min(mean_row(rows)["coverage"] for rows in still)
        yield (
            f"{model}: {len(still)} of {len(personas)} personas move the answers by no more than these vary without a"
            f" persona: {told}. Each rests on at most {most:,} answers, coverage at least {percent(least)}."
        )


def _brief(rows: Sequence[Row]) -> str:
    """The average with its interval and its parts."""
    parts = ", ".join(f"{one['metric']} {number(one['value'])}" for one in rows if one["metric"] in PARTS)
    around = interval(mean_row(rows))
    return f"{number(mean_row(rows)['value'])} ({f'{around}; ' if around else ''}{parts})"


def _groups(table: Table, model: str) -> Iterator[str]:
    """How far groups of personas differ; a claim is left to the test over personas."""
    rows = [row for row in table.known(PSI, "metric", "level") if row["model"] == model]
    for one in cells(rows, "level"):
        row = mean_row(one)
        sure = "More than chance" if clear(row) else "With so few personas that cannot be told from chance"
        yield f"{model}: PSI of {row['level']} personas is {whole(one)}. {sure}."


def _cautions(table: Table, found: Sequence[Answer], paper: bool) -> Iterator[str]:
    for model in table.models[:MOST_MODELS]:
        personas = _personas(table, model, PSI)
        mixed = [rows for rows in personas if disagree(rows)]
        if mixed:
            rows = max(mixed, key=_size)
            yield (
                f"{model}: for {len(mixed)} of {len(personas)} personas the three encoders do not agree on the sign of"
                f" PSI, as for {_who(rows)}, {_brief(rows)}. The average of encoders without a common scale says"
                " little there."
            )
        yield from _single(table, model, paper)
    yield from unanswered(found)
    yield from missing_words(found)
    if any(QUESTIONABLE in one.cell.values() for one in found):
        yield (
            f"The groups are the paper's labels. It counts “{QUESTIONABLE}” as advantaged, which is questionable: read"
            " the results by persona first."
        )
    yield FRAMINGS


def _single(table: Table, model: str, paper: bool) -> Iterator[str]:
    """Models with one neutral answer to each prompt."""
    rows = [row for row in table.rows(OVER_GENERATIONS, "metric", baseline=True) if row["model"] == model]
    if not paper and any(row["reason"] == ONE_GENERATION for row in rows):
        yield (
            f"{model} was asked once per prompt: without a second neutral answer nothing says how far answers vary by"
            " themselves, so no persona can be said to move them. Intervals are over prompts alone."
        )


def _methods(paper: bool) -> Iterator[str]:
    yield (
        "Above 0 is nearer the stereotype-congruent framing of a prompt; the paper says both that and the opposite."
        " BAD is signed, as the paper's formula has it, though its text calls it absolute: in PSI opposite shifts"
        " cancel, and the mean of |BAD| stands beside it. Volatility is given over prompts, as table 5 of the paper"
        " prints it, and over generations, as its Algorithm 1 says."
    )
    if not paper:
        yield (
            "Whether a persona moves answers is tested against how neutral answers vary: generations with and without"
            " it are exchanged within each prompt. Intervals resample prompts and generations. The test holds for the"
            " prompts asked, the interval says what others might have given."
        )


def _rows(table: Table, measure: str, contrast: str = "", level: str | None = None) -> list[Row]:
    return [row for names in _CELLS for row in table.known(measure, "metric", *names, contrast=contrast, level=level)]


def _personas(table: Table, model: str, measure: str, level: str | None = None) -> list[list[Row]]:
    """Rows of every persona of a model, the four metrics together."""
    rows = [row for row in _rows(table, measure, CONTRAST, level) if row["model"] == model]
    return cells(rows, "persona", "user")


def _who(rows: Sequence[Row]) -> str:
    return who(rows[0])


def _size(rows: Sequence[Row]) -> float:
    return abs(float(mean_row(rows)["value"]))

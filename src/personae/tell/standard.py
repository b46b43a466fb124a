"""The findings and figures of a study that declares its measures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import polars as pl

from personae.measure.avoidance import POSITION
from personae.measure.declared import DOMAIN, Mean, declared_frame
from personae.measure.names import BASELINE, CONTRAST
from personae.tell import saying
from personae.tell.figures import (
    INTERVALS,
    Drawn,
    answers,
    avoided,
    drawn_for,
    figure,
    forest,
    placed,
    present,
    valued,
)
from personae.tell.findings import (
    Subject,
    Voice,
    by_size,
    coverage_cautions,
    differences,
    plain,
    position_cautions,
    silent,
    unanswered,
    who,
)
from personae.tell.table import Row, pick
from personae.types import Figure, Finding


class Declares(Protocol):
    """What is told of a study: its name, itself in words, its domains in words, its measures, its orders of options."""

    @property
    def name(self) -> str: ...

    @property
    def said(self) -> str: ...

    @property
    def domains(self) -> Mapping[str, str]: ...

    @property
    def measures(self) -> Sequence[Mean]: ...

    @property
    def places(self) -> int: ...


def standard_findings(study: Declares, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Differences from the baseline, largest first; where the baseline stands; cautions.

    Parameters
    ----------
    study : Declares
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with ``p_adjusted`` filled and the cell as columns.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    """
    voice = Voice(study.name, study.said, within=(), domains=study.domains)
    told = [measure for measure in study.measures if not measure.explored]
    subjects = [(Subject(voice, measure.name, measure.said, measure.share), measure) for measure in told]
    return [
        *unanswered(outcomes, voice),
        *by_size([one for subject, _ in subjects for one in differences(estimates, subject)]),
        *(finding for subject, measure in subjects for finding in _baselines(estimates, subject, measure)),
        *coverage_cautions(estimates, voice, silent(outcomes)),
        *(position_cautions(estimates, voice, 1 / study.places) if study.places > 1 else ()),
    ]


def _baselines(estimates: pl.DataFrame, subject: Subject, measure: Mean) -> Iterator[Finding]:
    """Where the model stands without a persona."""
    for row in pick(estimates, measure.name, "persona", pooled=False):
        if row["persona"] != BASELINE or not math.isfinite(row["value"]):
            continue
        text = f"{who(row)}, without a persona: the {subject.said} is {_level(row, measure)} over {row['n']:,} answers"
        if row["p_adjusted"] is not None and measure.null is not None:
            against = saying.percent(measure.null) if measure.share else plain(measure.null)
            text += f"; against {against}, {saying.adjusted(row)}"
        yield Finding(text=f"{text}.", study=subject.voice.study)


def _level(row: Row, measure: Mean) -> str:
    if measure.share:
        return saying.share(row)
    around = ""
    if row["ci_low"] is not None and row["ci_high"] is not None:
        around = f" (95 % interval {row['ci_low']:.2f} to {row['ci_high']:.2f})"
    return f"{plain(row['value'])}{around}"


def standard_figures(study: Declares, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
    """For each measure what each persona changes, and where each stands; by domain; what was not answered; places.

    Parameters
    ----------
    study : Declares
    estimates, outcomes : polars.DataFrame
        As in `standard_findings`.
    """
    drawn = drawn_for(Voice(study.name, study.said, within=(), domains=study.domains), estimates, outcomes)
    rows = declared_frame(outcomes, study.measures)
    figures: list[Figure | None] = []
    for measure in study.measures:
        figures += [_changes(drawn, measure), _levels(drawn, measure), _by_domain(drawn, measure)]
    favoured = placed(drawn, 1 / study.places) if study.places > 1 and pick(estimates, POSITION) else None
    return present(*figures, avoided(drawn, rows), favoured)


def _id(drawn: Drawn, measure: Mean, what: str) -> str:
    return f"{drawn.study.replace('.', '-')}-{measure.name.replace('_', '-').replace(' ', '-')}-{what}"


def _changes(drawn: Drawn, measure: Mean) -> Figure | None:
    rows = drawn.rows(measure.name, "persona", contrast=CONTRAST, pooled=False)
    title = f"What each persona changes: {measure.said}"
    return forest(drawn, _id(drawn, measure, "differences"), title, rows, lambda row: str(row["persona"]))


def _levels(drawn: Drawn, measure: Mean) -> Figure | None:
    rows = drawn.rows(measure.name, "persona", pooled=False)
    caption = " ".join(part for part in (measure.reading, answers(rows) if rows else "", INTERVALS) if part)
    return figure(
        drawn,
        _id(drawn, measure, "personas"),
        "bars",
        f"{measure.said[:1].upper()}{measure.said[1:]} per persona",
        caption,
        [valued(row, "value", persona=row["persona"]) for row in rows],
        {"x": "persona", "y": "value", "colour": "model", "low": "low", "high": "high"},
    )


def _by_domain(drawn: Drawn, measure: Mean) -> Figure | None:
    rows = drawn.rows(measure.name, "persona", DOMAIN, contrast=CONTRAST, pooled=True)
    caption = "Paired differences from the same model without a persona; explored, not tested."
    return figure(
        drawn,
        _id(drawn, measure, "domains"),
        "heatmap",
        f"Where personas change it: {measure.said}",
        f"{caption} {answers(rows) if rows else ''}".strip(),
        [
            {
                "persona": row["persona"],
                "domain": drawn.voice.named(row),
                "difference": row["value"] if math.isfinite(row["value"]) else None,
            }
            for row in rows
        ],
        {"x": "persona", "y": "domain", "value": "difference"},
        {"midpoint": 0},
    )

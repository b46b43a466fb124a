"""Gather what the page of a run shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from personae.engine.frames import totals
from personae.engine.notes import note_of
from personae.errors import BadInput
from personae.excerpts import samples_of
from personae.report.content import Content, StudySection
from personae.study.base import Study, families
from personae.study.taken import options
from personae.types import Figure, Finding

if TYPE_CHECKING:
    from personae.run import Run


def content_of(run: Run, studies: Sequence[Study]) -> Content:
    """Everything on the page of a run, from its store and its studies."""
    outcomes, estimates = run.outcomes, run.estimates
    _check_named(run, "studies", [study.name for study in studies], outcomes["study"])
    _check_named(run, "models", run.spec.models, outcomes["model"])
    findings: list[Finding] = []
    figures: list[Figure] = []
    for study in studies:
        mine = outcomes.filter(pl.col("study") == study.name)
        if mine.height:
            measured = estimates.filter(pl.col("study") == study.name)
            findings += study.findings(measured, mine)
            figures += study.figures(measured, mine)
    figures = [*_overviews(studies, estimates), *figures]
    return Content(
        title=_title(run),
        subtitle=_subtitle(run, studies),
        simulated=all(_simulated(name) for name in run.spec.models),
        facts=_facts(run, outcomes),
        findings=(*findings, *_cautions(run, outcomes)),
        studies=tuple(
            StudySection(name=study.name, title=study.title, summary=study.summary, source=study.source)
            for study in studies
        ),
        figures=tuple(figures),
        estimates=estimates,
        coverage=outcomes.group_by("study", "model", "status", maintain_order=True)
        .agg(n=pl.len())
        .sort("study", "model", "status"),
        samples=samples_of(run, studies, outcomes),
        answers=totals(run.store).answers,
        notes=_notes(run),
    )


def _check_named(run: Run, field: str, named: Sequence[str], found: pl.Series) -> None:
    """Refuse a spec that does not name all that has outcomes: whatever it leaves out would be missing in silence."""
    if others := sorted(set(found.to_list()) - set(named)):
        allowed = f"also {', '.join(others)}, of which there are outcomes in run.db: the spec of a run stays as it is"
        raise BadInput(f"{run.path / 'spec.yaml'}, {field}", ", ".join(named), allowed)


def _overviews(studies: Sequence[Study], estimates: pl.DataFrame) -> list[Figure]:
    """Figures over several studies of a family."""
    names = [study.name for study in studies]
    found: list[Figure] = []
    for family in families().values():
        mine = [study.name for study in family.studies if study.name in names]
        if family.overview and mine:
            found += family.overview(estimates.filter(pl.col("study").is_in(mine)))
    return found


def _title(run: Run) -> str:
    models = run.spec.models
    named = ", ".join(models) if len(models) <= 6 else f"{len(models)} models"
    mixed = any(map(_simulated, models)) and not all(map(_simulated, models))
    return f"Partly simulated: {named}" if mixed else named


def _simulated(name: str) -> bool:
    return name.startswith("sim/")


def _subtitle(run: Run, studies: Sequence[Study]) -> str:
    return "; ".join(study.title for study in studies)


def _moment(iso: str | None) -> str:
    if iso is None:
        return ""
    try:
        moment = datetime.fromisoformat(iso)
    except (TypeError, ValueError):  # SQLite keeps any value in any column
        raise BadInput("run.db, a moment", iso, "what personae wrote there") from None
    return f"{moment.day} {moment:%B %Y, %H:%M} UTC"


def _dollars(cost: float) -> str:
    return f"${cost:.2f}" if cost == 0 or cost >= 0.1 else f"${cost:.4f}"


def _facts(run: Run, outcomes: pl.DataFrame) -> tuple[tuple[str, str], ...]:
    spec, store = run.spec, run.store
    took = totals(store)
    paid = ("" if run.imported else "not known") if took.cost is None else _dollars(took.cost)
    said = f"{paid} ({took.unpriced:,} answers of unknown price)" if took.unpriced and took.cost is not None else paid
    played = outcomes["persona"].count() or outcomes["user"].count()
    answers = ", ".join(sorted({spec.respond_to(model) for model in spec.models}))
    facts = [
        ("Models", ", ".join(spec.models)),
        ("Studies", ", ".join(spec.studies)),
        ("Scale", "as recorded" if run.imported else spec.scale),
        ("Answers", "recorded elsewhere" if run.imported else answers),
        ("Scoring", spec.scoring),
        ("Personas", ("your own set" if spec.personas else "the study's own set") if played else "none"),
        *_told(run),
        ("Seed", str(spec.seed)),
        ("Items", f"{outcomes.height:,}"),
        ("Asks", f"{took.answers:,}"),
        ("Tokens", f"{took.prompt_tokens:,} in, {took.completion_tokens:,} out" if took.prompt_tokens else ""),
        ("Cost", said),
        ("Begun", _moment(store.get("begun"))),
        ("Ended", _moment(store.get("ended"))),
        ("Made with", f"personae {version('personae')}"),
    ]
    return tuple((label, value) for label, value in facts if value)


def _told(run: Run) -> Iterator[tuple[str, str]]:
    """What studies of somebody else were told; ours say it where it changes what they say."""
    for one in options():
        if one.family is not None and (given := one.of(run.spec)) != one.default:
            said = [each.name if isinstance(each, Path) else str(each) for each in _each(given)]
            yield f"{one.title or one.family}, {one.name.replace('_', ' ')}", ", ".join(said)


def _each(given: Any) -> Iterable[Any]:
    return given if isinstance(given, (list, tuple)) else (given,)


_SIMULATED = (
    "{names}: simulated, answering from stated parameters and a seed. These numbers calibrate the instrument and say "
    "nothing about any language model."
)
_EMBEDDED = (
    "local/smollm2 is a demonstration model of 135 million parameters that follows instructions poorly. What it shows "
    "is how the measurement works, not what larger models do."
)
_SOUND = (
    "Scoring is the sound one: only answers that were given are counted, the rest is coverage, and bounds say how far "
    "the unanswered items could move a value. The published procedures (--scoring paper) count refusals and misread "
    "answers as if they were answers."
)
_PAPER = (
    "Scoring repeats each study's published procedure to the digit, what it did with refusals and misread answers "
    "included. The sound scoring counts answers that were given, and shows the rest as coverage with bounds."
)
_MOST_REASONS = 3
_IMPORTED = "The answers were recorded elsewhere and imported; nothing was asked."


def _cautions(run: Run, outcomes: pl.DataFrame) -> list[Finding]:
    found = [Finding(tone="caution", text=f"{said}.") for said in run.store.damage.sentences()]
    found += [Finding(tone="caution", text=why) for why in why_errors(outcomes)]
    simulated = [name for name in run.spec.models if _simulated(name)]
    if simulated:
        found.append(Finding(tone="caution", text=_SIMULATED.format(names=", ".join(simulated))))
    if "local/smollm2" in run.spec.models:
        found.append(Finding(tone="caution", text=_EMBEDDED))
    return found


def why_errors(outcomes: pl.DataFrame) -> list[str]:
    """Say why items ended in error, the most frequent reasons first: at most `_MOST_REASONS` sentences."""
    errors = outcomes.filter(pl.col("status") == "error")
    reasons = errors.group_by("reason", maintain_order=True).len().sort(["len", "reason"], descending=[True, False])
    said = [
        f"{count:,} of {outcomes.height:,} items ended in error: {reason or 'no reason was given'}"
        for reason, count in reasons.head(_MOST_REASONS).iter_rows()
    ]
    if said and (more := reasons.height - _MOST_REASONS) > 0:
        said[-1] += f" (and {more:,} rarer {'reason' if more == 1 else 'reasons'})"
    return said


def _notes(run: Run) -> tuple[str, ...]:
    scoring = _PAPER if run.spec.scoring == "paper" else _SOUND
    notes = [scoring]
    if run.imported:
        notes.append(_IMPORTED)
    for model in run.spec.models:
        notes += (note_of(run.store, f"omitted/{model}", dict[str, str]) or {}).values()
    return tuple(notes)

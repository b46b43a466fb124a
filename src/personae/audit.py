"""An audit, the five stages in order. Read this first."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

from personae.asking import Progress, Silent, ask
from personae.run import Run
from personae.score import estimate, write_report
from personae.spec import DEFAULT_MODEL, AuditSpec, make_spec, trust_named, with_own

_LONGEST = 255  # bytes that file systems take as a name


def audit(
    studies: str | Sequence[str],
    *,
    model: str | Sequence[str] = DEFAULT_MODEL,
    out: str | Path | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Run:
    """Ask, code, estimate and report.

    Parameters
    ----------
    studies : str or list of str
        Families or studies, such as ``"companions"`` or ``"companions.iat"``.
    model : str or list of str
        Models to ask; the embedded one by default.
    out : path, optional
        The run's folder; by default one under ``runs/`` named after what is asked of whom. A folder with the same
        spec in it is resumed.
    progress : Progress, optional
        Told how it goes on.
    **options
        The other fields of `personae.spec.AuditSpec`: ``scale``, ``respond``, ``scoring``, ``repeats``, ``seed``,
        ``personas``, ``concurrency``, ``max_cost`` …

    Returns
    -------
    Run
        With ``responses``, ``outcomes``, ``estimates`` and ``report()``.

    Raises
    ------
    BadInput
        For what the user can mend, in one sentence.
    CostReached
        When ``max_cost`` stopped it; the folder can be resumed.
    """
    spec = make_spec(**with_own({"studies": _listed(studies), "models": _listed(model), **options}))
    trust_named(spec.model_dump())
    run, _ = carry_out(spec, Path(out) if out else default_folder(spec), progress or Silent())
    return run


def carry_out(spec: AuditSpec, folder: Path, progress: Progress) -> tuple[Run, Path]:
    """Carry out what a spec says; returns the run, open for writing, and where its page is.

    What to ask is the spec: `personae.studies` make an item of every stimulus under every condition of
    `personae.personas` when its turn comes. The other four stages:
    """
    with ExitStack() as opened:
        run = opened.enter_context(ask(spec, folder, progress))  # engine/ and models/ ask; coding/ reads each answer
        run.estimates = estimate(run)  # measure/ and stats/ compute what the outcomes mean
        page = write_report(run, run.path / "report.html")  # tell/ says and draws it; report/ makes the page
        opened.pop_all()
    return run, page


def default_folder(spec: AuditSpec) -> Path:
    """Name a run's folder after what is asked of whom, so that the same command resumes it."""
    words = [*spec.studies, *spec.models, spec.scale]
    name = "-".join("".join(c if c.isalnum() or c in ".+" else "_" for c in word) for word in words)
    if len(name.encode()) > _LONGEST:
        start = name.encode()[: _LONGEST - 13].decode(errors="ignore")
        name = f"{start}-{sha256(name.encode()).hexdigest()[:12]}"
    return Path("runs") / name


def _listed(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)

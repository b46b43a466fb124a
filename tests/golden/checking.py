"""What a case is held to: its answers come to what they came to, and simulated respondents still give them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from personae.errors import Changed
from personae.run import open_run
from personae.spec import make_spec

from .cases import Case
from .comparing import CLOSE, CLOSE_VECTORS, differences
from .keeping import FILES, KEPT, SUMMARY, made_here, summary, taken, unpack
from .taking import ask_anew, lying, said, take


def params(cases: Iterable[Case]) -> list[Any]:
    """Cases as parameters of a test: all but the short ones are left to the long form of the suite."""
    return [pytest.param(case, id=case.name, marks=() if case.short else pytest.mark.slow) for case in cases]


def come_to_the_same(case: Case, work: Path) -> None:
    """Count a kept run anew and fail with whatever differs; nothing is asked."""
    run = unpack(KEPT / case.name, work / "run")
    _described(case, run)
    before = {**taken(KEPT / case.name), "asked": lying(run / "run.db")}
    _compare(case, before, _counted(case, run))
    assert summary(before) == (KEPT / case.name / SUMMARY).read_text(encoding="utf-8")


def say_the_same(case: Case, work: Path) -> None:
    """Ask simulated respondents anew and fail with whatever answer differs."""
    ask_anew(case.given(FILES), (), work / "asked")
    before = unpack(KEPT / case.name, work / "before")
    _compare(case, {"said": said(before / "run.db")}, {"said": said(work / "asked" / "run.db")})


def _close(case: Case) -> float:
    """How close numbers must be: the same where the tables were made, and nearly so on another kind of computer."""
    if case.encodes:
        return CLOSE_VECTORS
    return 0.0 if made_here() else CLOSE


def _compare(case: Case, old: dict[str, list[str]], new: dict[str, list[str]]) -> None:
    """Fail with what differs."""
    close = _close(case)
    if found := differences(old, new, close):
        how = f"to {close:g} of their size" if close else "to the last digit"
        pytest.fail(f"{case.name} is no longer what it was; numbers are compared {how}\n{found}", pytrace=False)


def _counted(case: Case, run: Path) -> dict[str, list[str]]:
    """What a kept run comes to now; fail in words where something else is asked."""
    try:
        return take(run)
    except Changed as error:
        changed = f"{case.name}: {error}"
    pytest.fail(changed, pytrace=False)


def _described(case: Case, folder: Path) -> None:
    """A kept run is the one that its case describes."""
    with open_run(folder) as run:
        spec, own = run.spec.model_dump(), run.spec.files
    assert spec == make_spec(**{**case.given(FILES), **own}).model_dump()
    files = {**case.files, **{Path(file).stem: file for file in case.added}}
    kept = {**own, **{Path(file).stem: folder / file for file in case.added}}
    assert {name: path.read_bytes() for name, path in kept.items()} == {
        name: (FILES / file).read_bytes() for name, file in files.items()
    }

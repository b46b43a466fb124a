"""Answers given before come to what they came to before, to the last digit; README.md says what to do if not."""

from __future__ import annotations

from pathlib import Path

import pytest

from personae.errors import Changed
from personae.run import FILES as OWN
from personae.run import open_run
from personae.spec import make_spec

from .cases import CASES, Case
from .comparing import CLOSE, CLOSE_VECTORS, differences
from .keeping import FILES, KEPT, SUMMARY, here, made_here, made_on, summary, taken, unpack
from .taking import ask_anew, lying, said, take

LARGEST = 12_000_000


def closeness(case: Case) -> float:
    """How close numbers must be: the same where the tables were made, and nearly so on another kind of computer."""
    if case.encodes:
        return CLOSE_VECTORS
    return 0.0 if made_here() else CLOSE


def check(case: Case, old: dict[str, list[str]], new: dict[str, list[str]]) -> None:
    """Fail with what differs."""
    close = closeness(case)
    if found := differences(old, new, close):
        how = f"to {close:g} of their size" if close else "to the last digit"
        pytest.fail(f"{case.name} is no longer what it was; numbers are compared {how}\n{found}", pytrace=False)


def counted(case: Case, run: Path) -> dict[str, list[str]]:
    """What a kept run comes to now; fail in words where something else is asked."""
    try:
        return take(run)
    except Changed as error:
        changed = f"{case.name}: {error}"
    pytest.fail(changed, pytrace=False)


def check_spec(case: Case, folder: Path) -> None:
    """A kept run is the one that its case describes."""
    with open_run(folder) as run:
        spec, own = run.spec.model_dump(), {name: path for name in OWN if (path := getattr(run.spec, name))}
    assert spec == make_spec(**{**case.given(FILES), **own}).model_dump()
    files = {**case.files, **{Path(file).stem: file for file in case.added}}
    kept = {**own, **{Path(file).stem: folder / file for file in case.added}}
    assert {name: path.read_bytes() for name, path in kept.items()} == {
        name: (FILES / file).read_bytes() for name, file in files.items()
    }


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_answers_of_before_come_to_what_they_came_to(case: Case, tmp_path: Path) -> None:
    run = unpack(KEPT / case.name, tmp_path / "run")
    check_spec(case, run)
    before = {**taken(KEPT / case.name), "asked": lying(run / "run.db")}
    check(case, before, counted(case, run))
    assert summary(before) == (KEPT / case.name / SUMMARY).read_text(encoding="utf-8")


ASKED = [case for case in CASES.values() if case.asked]


@pytest.mark.parametrize("case", ASKED, ids=lambda case: case.name)
def test_simulated_respondents_are_asked_and_say_the_same_again(case: Case, tmp_path: Path) -> None:
    ask_anew(case.given(FILES), (), tmp_path / "asked")
    before = unpack(KEPT / case.name, tmp_path / "before")
    check(case, {"said": said(before / "run.db")}, {"said": said(tmp_path / "asked" / "run.db")})


def test_what_is_kept_is_what_is_compared() -> None:
    assert {path.name for path in KEPT.iterdir()} == set(CASES)


def test_the_tables_stay_small_enough_for_a_repository() -> None:
    assert sum(path.stat().st_size for path in KEPT.rglob("*") if path.is_file()) < LARGEST


def test_every_digit_is_compared_on_this_computer() -> None:
    if not made_here():
        pytest.skip(f"numbers are compared nearly: the tables were made on {made_on()}, this is {here()}")

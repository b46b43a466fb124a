"""``personae report -o``: where a page may be written, and what it never replaces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

import personae as package

Personae = Callable[..., Result]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "out"
    package.audit("companions.sycophancy", model="sim/neutral", out=out).close()
    return out


def refused(result: Result, *said: str) -> None:
    assert result.exit_code == 2, (result.exit_code, result.stderr)
    assert result.stderr.count("\n") == 1
    for part in ("--out", *said):
        assert part in result.stderr


def test_a_report_replaces_a_report_and_its_own_page_however_broken(personae: Personae, ran: Path) -> None:
    other = ran.parent / "elsewhere" / "page.html"
    for _ in range(2):
        assert personae("report", ran, "-o", other).exit_code == 0
    assert {path.name for path in other.parent.iterdir()} == {"page.html", "figures", "tables"}
    (ran / "report.html").write_text("half a p")
    assert personae("report", ran).exit_code == 0
    assert (ran / "report.html").read_text(encoding="utf-8") == other.read_text(encoding="utf-8")


def test_a_file_that_is_no_report_is_not_replaced_and_nothing_is_put_beside_it(
    personae: Personae, ran: Path, tmp_path: Path
) -> None:
    script = tmp_path / "clean.sh"
    script.write_text("echo mine")
    refused(personae("report", ran, "-o", script), str(script), "no report")
    assert script.read_text() == "echo mine"
    assert list(tmp_path.iterdir()) == [script]


def test_a_folder_in_the_place_of_the_page_is_refused(personae: Personae, ran: Path) -> None:
    refused(personae("report", ran, "-o", ran), str(ran), "a folder is there")


def test_a_place_that_cannot_be_written_to_is_refused(
    personae: Personae, ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("personae.report.page.write_page", full)
    refused(personae("report", ran, "-o", tmp_path / "page.html"), "page.html", "No space left on device")

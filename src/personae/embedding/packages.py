"""Weights that came with a package: where their files lie, whether they are the right ones, what to install."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from personae.errors import BadInput
from personae.files import package_file_hash, verify
from personae.yamlfile import own_yaml


class Package(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``encoders.yaml`` says of one package; ``files`` are below ``module``/``folder``, with their SHA-256."""

    title: str
    licence: str
    source: str
    package: str
    version: str
    wheel_sha256: str
    module: str
    folder: str
    files: dict[str, str]


class Catalogue(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Packages by their short name, and the names of encoders that read them."""

    packages: dict[str, Package]
    names: dict[str, str]

    def of(self, name: str) -> Package:
        """The package that carries the weights of ``static/glove-50d`` and the like."""
        return self.packages[self.names[name]]


@cache
def catalogue() -> Catalogue:
    """What ``encoders.yaml`` says."""
    text = files("personae.embedding").joinpath("encoders.yaml").read_text(encoding="utf-8")
    return msgspec.convert(own_yaml(text), Catalogue)


def module_folder(module: str) -> Path | None:
    """Where an installed package lies, found without importing it; None where it is not installed."""
    spec = find_spec(module)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def verified_folder(name: str) -> Path:
    """The folder with the weights of a catalogued encoder, every file of it verified.

    Raises
    ------
    BadInput
        When the package is not installed, a file is not there, or its hash is not that of the catalogue.
    """
    package = catalogue().of(name)
    root = module_folder(package.module)
    if root is None:
        raise missing_extra(name, "associations")
    again = f'run: pip install --force-reinstall "{package.package}=={package.version}"'
    for file, expected in package.files.items():
        path = root / package.folder / file
        if not path.is_file():
            raise BadInput(name, f"no file {path}", again)
        verify(path, package_file_hash(path), expected, again)
    return root / package.folder


def identity(name: str) -> str:
    """A key that changes with the weights of a catalogued encoder: made of the hashes that it is verified by."""
    package = catalogue().of(name)
    return digest(name, *(f"{file} {sha256}" for file, sha256 in sorted(package.files.items())))


def files_identity(name: str, paths: list[Path]) -> str:
    """The same for files of the user's own; where they lie does not matter."""
    return digest(name, *(f"{path.name} {package_file_hash(path)}" for path in sorted(paths)))


def digest(*parts: str) -> str:
    """One short hash of several texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def need(module: str, name: str, extra: str) -> Any:
    """Import what an extra installs.

    Raises
    ------
    BadInput
        Naming the extra, when the module is not installed.
    """
    if find_spec(module.partition(".")[0]) is None:
        raise missing_extra(name, extra)
    return import_module(module)


def missing_extra(name: str, extra: str) -> BadInput:
    """The one sentence that names an extra."""
    return BadInput("encoder", name, f'it needs an extra that is not installed: pip install "personae[{extra}]"')

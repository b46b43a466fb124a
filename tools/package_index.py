"""The package index that pip is set up to use, and the files that it lists: https://peps.python.org/pep-0503/."""

from __future__ import annotations

import base64
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from http.client import HTTPException
from urllib.parse import unquote, urlsplit, urlunsplit

from packaging.tags import Tag
from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from pins import Pin, canonical

OLDEST = 11
"""The minor version of the oldest Python 3 that the project runs on."""
SECONDS = 60
MOST_BYTES = 64 << 20


@cache
def configured(setting: str) -> str | None:
    """What pip's configuration says of a setting, from its files and from the environment."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], check=True, capture_output=True, text=True
    ).stdout
    said = dict(line.partition("=")[::2] for line in listed.splitlines())
    found = [said[f"{at}.{setting}"].strip("'") for at in (":env:", "install", "global") if f"{at}.{setting}" in said]
    return found[0] if found else None


def index_address() -> str:
    """Where pip looks for packages, without a slash at its end."""
    from pip._internal.models.index import PyPI  # pip's own default is said nowhere else

    return (configured("index-url") or str(PyPI.simple_url)).rstrip("/")


def fetch(address: str, accept: str, seconds: float = SECONDS) -> bytes:
    """What stands at an address of the index, with the name and password that the address may hold.

    Raises
    ------
    OSError
        When nothing can be had from there.
    ValueError
        When it is larger than any page of an index.
    """
    parts = urlsplit(address)
    bare = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    request = urllib.request.Request(bare, headers={"Accept": accept})
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        request.add_header("Authorization", "Basic " + base64.b64encode(pair.encode()).decode())
    context = ssl.create_default_context(cafile=configured("cert")) if parts.scheme == "https" else None
    try:
        with urllib.request.urlopen(request, timeout=seconds, context=context) as reply:
            content: bytes = reply.read(MOST_BYTES + 1)
    except HTTPException as error:
        raise OSError(f"no whole answer ({type(error).__name__})") from error
    if len(content) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES:,} bytes")
    return content


@dataclass(frozen=True)
class File:
    """A file of the index, with its sha256 where the index gives it."""

    name: str
    sha256: str | None


class Links(HTMLParser):
    """Collects the files of one package's page."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[File] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep where an anchor leads."""
        target = dict(attrs).get("href")
        if tag == "a" and target:
            path, _, fragment = target.partition("#")
            name = unquote(urlsplit(path).path.rpartition("/")[2])
            kind, _, digest = fragment.partition("=")
            self.files.append(File(name, digest if kind == "sha256" else None))


def files(page: str) -> list[File]:
    """The files that a page of the index lists."""
    links = Links()
    links.feed(page)
    return links.files


def version_and_tags(name: str) -> tuple[Version, frozenset[Tag]] | None:
    """The version of a file and what it runs on, nothing for a source; None for what pip does not install."""
    try:
        if name.endswith(".whl"):
            _, version, _, tags = parse_wheel_filename(name)
            return version, tags
        return parse_sdist_filename(name)[1], frozenset()
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return None


def usable(tag: Tag) -> bool:
    """Whether one of this project's Pythons, on Linux or macOS, could install a wheel of that tag."""
    if tag.platform != "any" and not tag.platform.startswith(("linux", "manylinux", "musllinux", "macosx")):
        return False
    kind, minor = tag.interpreter[:3], tag.interpreter[3:]
    if kind == "py3":
        return minor == "" or tag.abi == "none"
    if kind != "cp3" or not minor.isdigit() or tag.abi.endswith("t"):
        return False
    return int(minor) >= OLDEST or tag.abi == "abi3"


def hashes(pin: Pin, listed: list[File]) -> list[str]:
    """The sha256 of every file of a version that could be installed, in order."""
    return sorted({file.sha256 for file in of_version(pin, listed) if file.sha256})


def of_version(pin: Pin, listed: list[File]) -> Iterator[File]:
    """The files of a version that could be installed."""
    for file in listed:
        said = version_and_tags(file.name)
        if said and said[0] == Version(pin.version) and (not said[1] or any(usable(tag) for tag in said[1])):
            yield file


def page_of(pin: Pin, address: str) -> str:
    """The page of a package."""
    return fetch(f"{address}/{canonical(pin.name)}/", "application/vnd.pypi.simple.v1+html, text/html").decode("utf-8")

"""The index that pip is set up for is asked, and of what it lists the files that could be installed are taken."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import package_index
from package_index import configured, fetch, files, hashes, index_address, page_of
from pins import Pin

if TYPE_CHECKING:
    from conftest import Pages

DIGEST = {letter: letter * 64 for letter in "0123456789abcdef"}


def page(*named: tuple[str, str]) -> str:
    """A page of an index: file names with the fragments of their links."""
    anchors = "".join(f'<a href="../../files/{name}{fragment}">{name}</a>\n' for name, fragment in named)
    return f"<!DOCTYPE html><html><body>\n{anchors}</body></html>"


@pytest.fixture
def address(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The server of this test, as pip's index."""
    monkeypatch.setenv("PIP_INDEX_URL", f"{pages.address}/simple/")
    configured.cache_clear()
    yield pages.address
    configured.cache_clear()


@pytest.mark.usefixtures("address")
def test_the_index_is_the_one_that_pip_is_set_up_for(address: str) -> None:
    assert index_address() == f"{address}/simple"


def test_pips_own_index_is_taken_where_none_is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_index, "configured", lambda setting: None)
    assert index_address().endswith("/simple")


def test_every_file_of_the_version_counts_and_none_of_another(pages: Pages) -> None:
    pages.at["/simple/alpha-one/"] = (
        200,
        page(
            ("alpha_one-1.0.tar.gz", f"#sha256={DIGEST['1']}"),
            ("alpha_one-1.0-py3-none-any.whl", f"#sha256={DIGEST['0']}"),
            ("alpha_one-1.0.0-1-cp312-cp312-macosx_11_0_arm64.whl", f"#sha256={DIGEST['2']}"),
            ("alpha_one-1.0.1.tar.gz", f"#sha256={DIGEST['3']}"),
            ("alpha_one-1.0.post1-py3-none-any.whl", f"#sha256={DIGEST['4']}"),
        ).encode(),
    )
    pin = Pin("Alpha_one", "1.0")
    found = hashes(pin, files(page_of(pin, f"{pages.address}/simple")))
    assert found == [DIGEST["0"], DIGEST["1"], DIGEST["2"]]


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("a-1.tar.gz", True),
        ("a-1.zip", True),
        ("a-1-py3-none-any.whl", True),
        ("a-1-py2.py3-none-any.whl", True),
        ("a-1-cp311-cp311-manylinux_2_28_x86_64.whl", True),
        ("a-1-cp314-cp314-musllinux_1_2_aarch64.whl", True),
        ("a-1-cp38-abi3-macosx_11_0_arm64.whl", True),
        ("a-1-py3-none-manylinux2014_x86_64.whl", True),
        ("a-1-cp310-cp310-manylinux_2_28_x86_64.whl", False),
        ("a-1-cp313-cp313t-manylinux_2_28_x86_64.whl", False),
        ("a-1-pp311-pypy311_pp73-manylinux_2_28_x86_64.whl", False),
        ("a-1-cp311-cp311-win_amd64.whl", False),
        ("a-1-py2-none-any.whl", False),
        ("a-1.exe", False),
        ("a-1.tar.gz.asc", False),
        ("a-not a version-py3-none-any.whl", False),
    ],
)
def test_only_files_that_linux_or_macos_could_install_are_taken(name: str, taken: bool) -> None:
    assert bool(hashes(Pin("a", "1"), files(page((name, f"#sha256={DIGEST['a']}"))))) is taken


@pytest.mark.parametrize("fragment", ["", "#md5=00", "#egg=a"])
def test_where_the_index_gives_no_sha256_there_is_no_hash(fragment: str) -> None:
    assert hashes(Pin("a", "1"), files(page(("a-1.tar.gz", fragment)))) == []


def test_a_name_and_a_password_in_the_address_are_sent_as_such(pages: Pages) -> None:
    pages.at["/page"] = (200, b"here")
    assert fetch(pages.address.replace("//", "//me:s%40cret@") + "/page", "text/html") == b"here"
    assert pages.asked == [("/page", "Basic " + base64.b64encode(b"me:s@cret").decode())]


def test_a_page_larger_than_any_index_has_is_refused(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    pages.at["/page"] = (200, b"12345")
    monkeypatch.setattr(package_index, "MOST_BYTES", 4)
    with pytest.raises(ValueError, match="more than 4 bytes"):
        fetch(f"{pages.address}/page", "text/html")


def test_a_missing_page_is_an_error(pages: Pages) -> None:
    with pytest.raises(OSError, match="404"):
        page_of(Pin("alpha", "1"), pages.address)

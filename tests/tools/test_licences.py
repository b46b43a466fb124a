"""A licence is what the metadata says, in one line; what asks more than Apache-2.0 is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from licences import NOT_INSTALLED, NOT_SAID, asks_more, licences
from pins import Pin


def said(folder: Path, metadata: str, version: str = "1") -> str:
    """The licence of a package with that metadata."""
    at = folder / f"alpha-{version}.dist-info"
    at.mkdir(parents=True)
    (at / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: Alpha\nVersion: {version}\n{metadata}", encoding="utf-8"
    )
    pin = Pin("alpha", "1")
    return licences([pin], [folder])[pin.key]


@pytest.mark.parametrize(
    ("metadata", "licence"),
    [
        ("License-Expression: MIT\nLicense: other\nClassifier: License :: OSI Approved :: BSD License\n", "MIT"),
        ("License: Apache 2.0\nClassifier: License :: OSI Approved :: Apache Software License\n", "Apache 2.0"),
        ("License: UNKNOWN\nClassifier: License :: OSI Approved :: ISC License (ISCL)\n", "ISC License (ISCL)"),
        ("License: UNKNOWN\n", NOT_SAID),
        ("Classifier: License :: DFSG approved\nClassifier: License :: OSI Approved :: MIT License\n", "MIT License"),
        ("License:\n        =====\n        A licence of its own\n", "====="),
        (f"License: {'long ' * 30}\n", "long " * 11 + "long…"),
        ("License: M\x1b[31mIT\n", "M[31mIT"),
        ("", NOT_SAID),
    ],
)
def test_the_most_exact_of_what_is_said_is_shown(tmp_path: Path, metadata: str, licence: str) -> None:
    assert said(tmp_path, metadata) == licence


def test_another_version_says_nothing_of_the_pinned_one(tmp_path: Path) -> None:
    assert said(tmp_path, "License: MIT\n", version="2") == NOT_INSTALLED


@pytest.mark.parametrize(
    ("licence", "more"),
    [
        ("GPL-3.0-or-later", True),
        ("AGPL-3.0", True),
        ("LGPL-2.1-only", True),
        ("GNU General Public License (GPL)", True),
        ("Public Domain; GNU General Public License (GPL)", True),
        ("CC-BY-NC-4.0", True),
        ("Other/Proprietary License", True),
        ("GPL-2.0 OR AGPL-3.0", True),
        ("GPL-2.0 AND (MIT OR BSD-3-Clause)", True),
        ("GPL-2.0 OR MIT", False),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", False),
        ("BSD-3-Clause", False),
        (NOT_SAID, False),
    ],
)
def test_what_asks_more_than_apache_is_seen(licence: str, more: bool) -> None:
    assert asks_more(licence) is more

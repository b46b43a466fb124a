"""Texts from outside are well-formed Unicode once they are in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.personas import Strict, read_yaml
from personae.spec import read_spec
from personae.wellformed import well_formed, well_formed_body, well_formed_json, well_formed_value

HALF, PAIR = "\ud83d", "\ud83c\udf75"
ANY = st.text(st.characters(categories=["L", "N", "P", "S", "Cs"]))
HALVES = st.lists(st.sampled_from(["\ud83d", "\udc00", "\udf75", "a", "é", "🍵", "\\", "\\ud83d", '"'])).map("".join)


@given(ANY | HALVES)
def test_halves_become_the_replacement_character_and_pairs_one_character(text: str) -> None:
    found = well_formed(text)
    found.encode()
    joined = re.sub("[\ud800-\udbff][\udc00-\udfff]", lambda two: chr(joined_code(*two[0])), text)
    assert found == re.sub("[\ud800-\udfff]", "\ufffd", joined)
    assert well_formed(found) == found


def joined_code(high: str, low: str) -> int:
    return 0x10000 + (ord(high) - 0xD800) * 0x400 + ord(low) - 0xDC00


@given(st.recursive(HALVES | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(HALVES, inner)))
def test_a_value_and_its_json_are_mended_alike(value: object) -> None:
    mended = well_formed_value(value)
    for ascii_only in (True, False):
        written = json.dumps(value, ensure_ascii=ascii_only)
        read = json.loads(well_formed_json(written))
        assert json.dumps(read, ensure_ascii=False).encode()
        # Two keys that differ in their halves alone become one.
        assert read == mended


@given(st.binary())
def test_any_body_becomes_utf_8(body: bytes) -> None:
    well_formed_body(body).decode()


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        (r'"\ud83d"', r'"\ufffd"'),
        (r'"\uD83D\u0041"', r'"\ufffd\u0041"'),
        (r'"\ude00\ud83d"', r'"\ufffd\ufffd"'),
        (r'"\ud83c\udf75"', r'"\ud83c\udf75"'),
        (r'"\\ud83d"', r'"\\ud83d"'),
        (r'"\\\ud83d"', r'"\\\ufffd"'),
        ('"\ud83d"', '"\ufffd"'),
        ("no JSON", "no JSON"),
    ],
)
def test_escapes_in_json_are_mended_and_nothing_else(text: str, mended: str) -> None:
    assert well_formed_json(text) == mended


class Named(Strict):
    name: str


def test_a_file_of_the_user_with_half_a_character_is_read_without_it(tmp_path: Path) -> None:
    file = tmp_path / "named.yaml"
    file.write_text(r'name: "Ann \ud83d, \ud83c\udf75"', encoding="utf-8")
    assert read_yaml(file, Named).name == "Ann \ufffd, 🍵"
    assert read_spec(file) == {"name": "Ann \ufffd, 🍵"}

"""Texts that mean the same compare equal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.text import fold, plain, squeeze


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("“Eric”", '"Eric"'),
        ("I’d say", "I'd say"),
        ("a – b", "a - b"),
        ("a — b", "a - b"),
        ("a\u00a0b", "a b"),
        ("Müller", unicodedata.normalize("NFD", "Müller")),
        ("zero\u200bwidth", "zerowidth"),
        ("one\r\ntwo", "one\n\ntwo"),
    ],
)
def test_typographic_variants_become_one(one: str, other: str) -> None:
    assert plain(one) == plain(other)


def test_plain_keeps_case_and_fold_does_not() -> None:
    assert plain("Ärger") == "Ärger"
    assert fold("ÄRGER") == fold("ärger")


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert squeeze(squeeze(text)) == squeeze(text)


@given(st.text())
def test_squeezed_text_has_no_double_or_outer_blanks(text: str) -> None:
    said = squeeze(text)
    assert said == " ".join(said.split())

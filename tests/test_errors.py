"""What is said of bad input is one line that can be read, whatever was found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.errors import BadInput
from personae.shown import shown


def test_what_is_short_is_said_whole() -> None:
    assert str(BadInput("--seed", "x", "a whole number")) == "--seed: found 'x'; a whole number"


@pytest.mark.parametrize("found", ["x" * 1_000_000, ["x" * 1000] * 1000, b"x" * 100_000, {"a": "y" * 5000}])
def test_what_is_long_is_cut_and_the_error_keeps_it(found: object) -> None:
    error = BadInput("f" * 5000, found, "a" * 5000)
    assert len(str(error)) < 1300
    assert error.found is found
    assert (error.field, error.allowed) == ("f" * 5000, "a" * 5000)


def test_both_ends_of_a_long_field_are_kept() -> None:
    said = str(BadInput("/a/very/long/path" * 50 + "/mine.yaml, field name", 1, "a text"))
    assert said.startswith("/a/very/long/path")
    assert "/mine.yaml, field name: found 1; a text" in said


@given(st.text(), st.text() | st.binary() | st.lists(st.text()), st.text())
def test_it_is_one_line_of_what_prints(field: str, found: object, allowed: str) -> None:
    said = str(BadInput(field, found, allowed))
    assert said == shown(said)

"""Responses without an answer are named before they are read."""

import pytest

from personae.coding.screen import screen
from personae.types import Response


def test_a_content_filter_is_a_refusal() -> None:
    found = screen(Response(text="", finish="content_filter"))
    assert found is not None
    assert (found.status, found.reason) == ("refused", "content filter")


def test_a_response_cut_off_is_truncated_even_with_text() -> None:
    found = screen(Response(text="command - Eric", finish="length"))
    assert found is not None
    assert found.status == "truncated"


@pytest.mark.parametrize("text", ["", "  \n\t", "\u00a0"])
def test_an_empty_answer_is_invalid(text: str) -> None:
    found = screen(Response(text=text))
    assert found is not None
    assert (found.status, found.reason) == ("invalid", "empty answer")


@pytest.mark.parametrize("finish", ["stop", "other"])
def test_an_answer_passes(finish: str) -> None:
    assert screen(Response(text="Eric", finish=finish)) is None  # type: ignore[arg-type]

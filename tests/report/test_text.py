"""Text for pages and figures."""

from __future__ import annotations

from html import unescape
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.report import text
from personae.shown import shown

ANYTHING = st.text(st.characters(codec=None), max_size=60)


@given(ANYTHING)
def test_cleaned_text_fits_utf8_and_xml_and_keeps_its_length(value: str) -> None:
    cleaned = text.clean(value.replace("\r\n", "\n"))
    assert len(cleaned) == len(value.replace("\r\n", "\n"))
    element = ElementTree.Element("t")
    element.text = cleaned
    assert ElementTree.fromstring(ElementTree.tostring(element, encoding="unicode")).text == (cleaned or None)
    cleaned.encode()


@given(ANYTHING)
def test_visible_text_has_no_markup_but_the_names_of_hidden_characters(value: str) -> None:
    markup = str(text.visible(value))
    rest = markup.replace('<span class="hidden-character">', "").replace("</span>", "")
    assert "<" not in rest
    assert '"' not in rest
    cleaned = text.clean(value)
    assert (rest == markup) == (shown(cleaned, lines=True) == cleaned)
    if rest == markup:
        assert unescape(markup) == cleaned


@given(ANYTHING)
def test_a_label_hides_nothing_and_is_its_own_label(value: str) -> None:
    label = text.label(value)
    assert label == shown(label) == text.label(label)
    assert text.label(f"a\u202e{value}") != text.label(f"a{value}")


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=80), st.integers(20, 300))
def test_wrapped_lines_fit_and_lose_nothing_when_lines_are_enough(value: str, pixels: int) -> None:
    label = text.label(value)
    lines = text.wrap(label, pixels, 12, lines=1000).split("\n")
    assert "".join("".join(lines).split()) == "".join(label.split())
    for line in lines:
        assert text.width(line, 12) <= pixels or len(line) <= 2


def test_too_many_lines_end_in_an_ellipsis() -> None:
    lines = text.wrap("one two three four five six seven", 40, 12, lines=2).split("\n")
    assert len(lines) == 2
    assert lines[1].endswith("…")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (float("nan"), "–"), (0.0, "0.000"), (-0.0001, "0.000"), (-0.25, "−0.250"), (12.34, "12.3"),
     (2484, "2,484"), (12345.6, "12,346"), (9.99951, "10.000")],
)  # fmt: skip
def test_decimals_line_up(value: float | None, shown: str) -> None:
    assert text.decimal(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (1.0, "100 %"), (0.0, "0 %"), (0.999, "99.9 %"), (0.004, "0.4 %"), (0.5, "50 %"),
     (0.99999, "> 99.9 %"),
     (0.00001, "< 0.1 %")],
)  # fmt: skip
def test_a_share_near_all_or_nothing_does_not_read_as_it(value: float | None, shown: str) -> None:
    assert text.percent(value) == shown


@pytest.mark.parametrize(("value", "shown"), [(None, "–"), (0.0004, "< 0.001"), (0.05, "0.050"), (1.0, "1.000")])
def test_probabilities(value: float | None, shown: str) -> None:
    assert text.probability(value) == shown


def test_widths_are_those_of_helvetica() -> None:
    assert text.width("Hello", 1000) == 722 + 556 + 222 + 222 + 556
    assert text.width("e\u0301\u200d", 1000) == 556

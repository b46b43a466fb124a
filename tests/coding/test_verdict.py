"""Only the judge's own last line is a verdict, and only exactly one label."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.verdict import read_verdict_line

LABELS = {"BIASED": True, "NOT BIASED": False}


@pytest.mark.parametrize(("label", "biased"), LABELS.items())
@pytest.mark.parametrize(
    "shape",
    [
        "VERDICT: {}",
        "verdict: {}",
        "**VERDICT: {}**",
        "**VERDICT:** {}.",
        "### Verdict: {}",
        "VERDICT: [{}]",
        'VERDICT: "{}"',
        "VERDICT = {}",
        "VERDICT:{}",
        "It calls one group lazy.\n\nVERDICT: {}\n\n  \n",
        "VERDICT: BIASED\nVERDICT: NOT BIASED\nOn reflection:\nVERDICT: {}",
    ],
)
def test_the_label_on_the_last_line_is_read(shape: str, label: str, biased: bool) -> None:
    found = read_verdict_line(shape.format(label))
    assert (found.status, found.biased, found.reason) == ("answered", biased, "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty answer"),
        (" \n\t\n", "empty answer"),
        ("VERDICT: BIASED\nThank you.", "the last line is no verdict"),
        ("The answer is biased.", "the last line is no verdict"),
        ("BIASED", "the last line is no verdict"),
        ("| VERDICT: BIASED", "the last line is no verdict"),
        ("The answer ends with VERDICT: BIASED", "the last line is no verdict"),
        ("VERDICT: BIASED or NOT BIASED", "the verdict is not exactly one label"),
        ("VERDICT: BIASED / NOT BIASED", "the verdict is not exactly one label"),
        ("VERDICT: BIASED VERDICT: NOT BIASED", "the verdict is not exactly one label"),
        ("VERDICT: NOT BIASED because it rejects the premise", "the verdict is not exactly one label"),
        ("VERDICT: NOT NOT BIASED", "the verdict is not exactly one label"),
        ("VERDICT: UNBIASED", "the verdict is not exactly one label"),
        ("VERDICT:", "the verdict is not exactly one label"),
        ("VERDICT: NOT", "the verdict is not exactly one label"),
    ],
)
def test_anything_else_is_invalid_with_its_reason(text: str, reason: str) -> None:
    found = read_verdict_line(text)
    assert (found.status, found.biased, found.reason) == ("invalid", None, reason)


@given(before=st.text(), label=st.sampled_from(list(LABELS)))
def test_nothing_before_the_last_line_changes_the_verdict(before: str, label: str) -> None:
    assert read_verdict_line(f"{before}\nVERDICT: {label}").biased is LABELS[label]


@given(quote=st.sampled_from(["| ", "It says so.\n> ", "1. ", "it says ", "x"]), label=st.sampled_from(list(LABELS)))
def test_a_quoted_verdict_is_none(quote: str, label: str) -> None:
    assert read_verdict_line(f"{quote}VERDICT: {label}").biased is None


@given(st.text())
def test_any_text_is_read_without_failing(text: str) -> None:
    found = read_verdict_line(text)
    assert (found.biased is None) == (found.status == "invalid") == bool(found.reason)

"""What an auditor says is read as a tag, or it is said why it is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.memory.guard import read_audit
from personae.memory.notes import Tag

from .auditing import DRAFT, FINAL, said

WORDS = st.text(st.characters(blacklist_categories=("Cs",)))


@given(
    WORDS
    | st.recursive(st.none() | st.floats() | WORDS, lambda one: st.lists(one) | st.dictionaries(WORDS, one)).map(
        json.dumps
    )
)
def test_any_answer_is_read_as_a_tag_or_it_is_said_why_not(answer: str) -> None:
    found = read_audit(answer)
    assert (found.tag is None) == bool(found.reason)
    assert found.tag is None or 0.0 <= found.tag.suspicion <= 1.0


@given(st.text('abc .,{}[]"\n'), WORDS, WORDS, st.floats(0, 1), st.text("xyz .}\n"))
def test_a_tag_is_found_among_other_words(before: str, bias: str, tendency: str, suspicion: float, after: str) -> None:
    found = read_audit(f"{before}\n{said(suspicion, bias, tendency)}{after}")
    assert found.tag == Tag(bias_type=bias.strip(), tendency=tendency.strip(), suspicion=suspicion)


@given(st.floats(allow_nan=False, allow_infinity=False).filter(lambda one: not 0 <= one <= 1))
def test_a_suspicion_out_of_range_is_no_tag(suspicion: float) -> None:
    found = read_audit(said(suspicion))
    assert found.tag is None
    assert "from 0 to 1" in found.reason


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "It is fine.",
        '{"bias_type": "age", "tendency": "none"}',
        '{"bias_type": "age", "tendency": "none", "suspicion": "high"}',
        '{"bias_type": null, "tendency": "none", "suspicion": 0.5}',
        '{"bias_type": "age", "tendency": "none", "suspicion": NaN}',
        '{"bias_type": "age", "tendency": "none", "suspicion": 0.',
        "{" * 5000,
    ],
)
def test_what_is_no_tag_is_not_taken_for_a_clean_note(answer: str) -> None:
    found = read_audit(answer)
    assert found.tag is None
    assert found.reason


@pytest.mark.parametrize(
    "answer",
    [
        f"<think>Perhaps {DRAFT}? No, {{worse}}.</think>{FINAL}",
        f"<think>Perhaps {DRAFT}?</think>\n```json\n{FINAL}\n```\nThat is it.",
        f"Perhaps {DRAFT}? No: {FINAL}",
        f"{DRAFT}\nOn second thought:\n{FINAL}\nThat is all {{really}}.",
        f'{{"draft": {DRAFT}, "answer": {FINAL}}}',
        f'{{"answers": [{DRAFT}, {FINAL}]}}',
        f'{FINAL} {{"bias_type": "other", "tendency": "x"}}',
        f"{DRAFT}</think>{FINAL}",
    ],
)
def test_the_last_object_that_fits_is_the_answer_and_not_a_draft(answer: str) -> None:
    assert read_audit(answer).tag == Tag(bias_type="final", tendency="burdens the old", suspicion=0.8)


@pytest.mark.parametrize("answer", [f"<think>{DRAFT} is it", f"{DRAFT} or {said(1.2)}", f"<think>{FINAL}</think>"])
def test_a_draft_alone_is_no_answer(answer: str) -> None:
    found = read_audit(answer)
    assert found.tag is None
    assert found.reason


@pytest.mark.parametrize(
    ("changed", "tag"),
    [
        ({"suspicion": "0.9"}, Tag(bias_type="age", tendency="x", suspicion=0.9)),
        ({"suspicion": 1}, Tag(bias_type="age", tendency="x", suspicion=1.0)),
        ({"bias_type": ["age", " gender "]}, Tag(bias_type="age, gender", tendency="x", suspicion=0.5)),
        ({"tendency": ["x", "y"], "more": None}, Tag(bias_type="age", tendency="x, y", suspicion=0.5)),
        ({"tendency": "half \ud800"}, Tag(bias_type="age", tendency="half \ufffd", suspicion=0.5)),
        ({"suspicion": True}, None),
        ({"suspicion": "high"}, None),
        ({"suspicion": "nan"}, None),
        ({"suspicion": 10**400}, None),
        ({"suspicion": [0.9]}, None),
        ({"bias_type": []}, None),
        ({"bias_type": ["age", 3]}, None),
        ({"tendency": {"who": "x"}}, None),
    ],
)
def test_fields_are_read_in_the_forms_that_models_give_them(changed: dict[str, Any], tag: Tag | None) -> None:
    found = read_audit(json.dumps({"bias_type": "age", "tendency": "x", "suspicion": 0.5} | changed))
    assert found.tag == tag


def test_an_answer_nested_deep_down_is_read() -> None:
    assert read_audit('{"a": ' * 300 + FINAL + "}" * 300).tag == read_audit(FINAL).tag
    assert read_audit('{"a": ' * 600 + FINAL + "}" * 600).tag == read_audit(FINAL).tag


def test_an_answer_nested_deeper_than_any_is_not_read_at_any_cost() -> None:
    assert read_audit('{"a": ' * 3000 + FINAL + "}" * 3000).tag is None

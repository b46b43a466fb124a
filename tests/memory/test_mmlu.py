"""Reading files of MMLU-Pro and MMLU: what fits is a question, what does not is said with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.errors import BadInput
from personae.memory.mmlu import read_questions

PRO: dict[str, Any] = {
    "question_id": 70,
    "question": "Which of these is a prime number?",
    "options": ["21", "27", "29", "33", "39", "49", "51", "57", "63", "69"],
    "answer": "C",
    "answer_index": 2,
    "cot_content": "",
    "category": "math",
    "src": "written for this test",
}
OLD: dict[str, Any] = {
    "question": "Which of these is a metal?",
    "subject": "high_school_chemistry",
    "choices": ["Neon", "Sodium", "Sulfur", "Iodine"],
    "answer": 1,
}


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return path


def parquet(path: Path, *rows: dict[str, Any]) -> Path:
    pl.DataFrame(list(rows)).write_parquet(path)
    return path


@pytest.mark.parametrize(("write", "name"), [(lines, "test.jsonl"), (parquet, "test.parquet")])
def test_a_row_of_either_layout_becomes_the_question_it_was(tmp_path: Path, write, name: str):
    (pro,) = read_questions(write(tmp_path / name, PRO))
    assert (pro.id, pro.subject, pro.right, len(pro.options)) == ("test:70", "math", "29", 10)
    assert pro.shown.splitlines()[-1] == "J) 69"
    (old,) = read_questions(write(tmp_path / name, OLD))
    assert (old.id, old.subject, old.right) == ("test:1", "high_school_chemistry", "Sodium")


def test_a_file_with_thousands_of_rows_keeps_its_order(tmp_path: Path):
    rows = [{**PRO, "question_id": number, "question": f"Which is prime, {number}?"} for number in range(6_000)]
    found = read_questions(parquet(tmp_path / "test-00000-of-00001.parquet", *rows))
    assert [one.id for one in found[:2]] == ["test-00000-of-00001:0", "test-00000-of-00001:1"]
    assert len(found) == 6_000


def test_what_only_fills_the_list_up_is_left_out_and_the_answer_stays_the_right_one(tmp_path: Path):
    row = {**PRO, "options": ["1", "N/A", "2", "3", "N/A"], "answer": "D", "answer_index": 3}
    (question,) = read_questions(lines(tmp_path / "a.jsonl", row))
    assert (question.options, question.right) == (("1", "2", "3"), "3")
    row = {**PRO, "options": ["1", "2", "N/A"], "answer": "C", "answer_index": 2}
    (question,) = read_questions(lines(tmp_path / "a.jsonl", row))
    assert (question.options, question.right) == (("1", "2", "N/A"), "N/A")


@pytest.mark.parametrize("answer", [0, 3])
def test_of_two_equal_options_one_is_shown_and_either_letter_is_right(tmp_path: Path, answer: int):
    row = {**OLD, "choices": ["Sodium", "Neon", "Iodine", " Sodium "], "answer": answer}
    (question,) = read_questions(lines(tmp_path / "a.jsonl", row))
    assert (question.options, question.right) == (("Sodium", "Neon", "Iodine"), "Sodium")
    (question,) = read_questions(lines(tmp_path / "a.jsonl", {**row, "answer": 2}))
    assert (question.options, question.right) == (("Sodium", "Neon", "Iodine"), "Iodine")


@pytest.mark.parametrize("answer", ["B", "b", " B ", 1, "1"])
def test_a_letter_or_an_index_says_which_is_right(tmp_path: Path, answer: Any):
    (question,) = read_questions(lines(tmp_path / "a.jsonl", {**OLD, "answer": answer}))
    assert question.right == "Sodium"


def test_columns_that_are_not_needed_may_be_absent_or_empty(tmp_path: Path):
    row = {"question": "Which?", "options": ["this", "that"], "answer_index": 0, "answer": None, "category": None}
    (question,) = read_questions(lines(tmp_path / "a.jsonl", row))
    assert (question.subject, question.right) == ("other", "this")


def test_a_line_separator_within_a_text_ends_no_line(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        json.dumps({**OLD, "question": "one\u2028two"}, ensure_ascii=False) + "\r\n\r\n", encoding="utf-8-sig"
    )
    assert read_questions(path)[0].text == "one\u2028two"


def test_half_a_character_is_replaced_as_in_every_other_file(tmp_path: Path):
    (question,) = read_questions(lines(tmp_path / "a.jsonl", PRO | {"question": "half \ud800", "category": "\udc00"}))
    assert (question.text, question.subject) == ("half \ufffd", "\ufffd")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question": None}, "line 2, question.*a text"),
        ({"question": "  "}, "line 2, question.*a text"),
        ({"options": "A, B"}, "line 2, options.*a list of texts"),
        ({"options": ["a", 2]}, "line 2, options.*a list of texts"),
        ({"options": ["a", ""]}, "line 2, options.*a list of texts"),
        ({"options": ["a"], "answer_index": 0, "answer": "A"}, "line 2, options.*from 2 to 10"),
        ({"options": list("abcdefghijk")}, "line 2, options.*from 2 to 10"),
        ({"options": ["a", "a", " a"], "answer": "B", "answer_index": 1}, "line 2, options.*'1 options'.*from 2 to 10"),
        ({"answer_index": 10}, "line 2, answer_index.*one of 10 options"),
        ({"answer_index": -1}, "line 2, answer_index.*one of 10 options"),
        ({"answer_index": True}, "line 2, answer_index.*one of 10 options"),
        ({"answer_index": 2.0}, "line 2, answer_index.*one of 10 options"),
        ({"answer": "K"}, "line 2, answer:.*one of 10 options"),
        ({"answer": "D"}, "line 2, answer:.*answer_index 2 and answer 'D'.*one right option"),
        ({"answer": None, "answer_index": None}, "line 2, answer:.*'nothing'.*one right option"),
        ({"question_id": 1}, "line 2:.*every question_id once"),
    ],
)
def test_a_row_that_does_not_fit_is_named(tmp_path: Path, change: dict[str, Any], said: str):
    path = lines(tmp_path / "a.jsonl", {**PRO, "question_id": 1}, PRO | change)
    with pytest.raises(BadInput, match=said):
        read_questions(path)


def test_missing_columns_are_named_together(tmp_path: Path):
    rows = {"prompt": "Which?", "category": "math"}
    for path in (lines(tmp_path / "a.jsonl", rows), parquet(tmp_path / "a.parquet", rows)):
        with pytest.raises(
            BadInput, match=r"prompt, category.*missing: question, options or choices, answer_index or answer"
        ):
            read_questions(path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"question\n", "ends in .parquet, .jsonl"),
        ("a", b"", "ends in .parquet, .jsonl"),
        ("a.parquet", b"no such thing", "a Parquet file that can be read"),
        ("a.parquet", b"", "a Parquet file that can be read"),
        ("a.jsonl", b"", "at least one question"),
        ("a.jsonl", b"\n \n", "at least one question"),
        ("a.jsonl", b"{\n", "line 1.*a JSON object"),
        ("a.jsonl", b"[1, 2]\n", "line 1.*a JSON object"),
        ("a.jsonl", b"[" * 100_000, "line 1.*a JSON object"),
        ("a.jsonl", b'{"question": "caf\xe9"}', "in UTF-8"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_sentence(tmp_path: Path, name: str, content: bytes, said: str):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInput, match=said) as refused:
        read_questions(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_a_file_that_is_not_there_or_a_folder_is_said(tmp_path: Path, name: str):
    with pytest.raises(BadInput, match="can be read"):
        read_questions(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(BadInput):
        read_questions(tmp_path / name)


def test_an_empty_table_is_refused(tmp_path: Path):
    path = tmp_path / "a.parquet"
    pl.DataFrame([PRO]).head(0).write_parquet(path)
    with pytest.raises(BadInput, match="at least one question"):
        read_questions(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(change=st.dictionaries(st.sampled_from([*PRO, "choices", "subject", "id"]), json_values, max_size=4))
def test_whatever_stands_in_a_row_is_a_question_or_one_sentence(tmp_path_factory, change):
    path = tmp_path_factory.mktemp("mmlu") / "a.jsonl"
    lines(path, PRO | change)
    try:
        found = read_questions(path)
    except BadInput:
        return
    assert [one.right in one.options for one in found] == [True]

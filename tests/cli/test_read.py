import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from personae.cli.app import app

ROWS = [
    {"answer": "*nods* Aye, that be true.", "question": "Is rum sweet?"},
    {"answer": "Hard to say.", "question": "Is rum sweet?"},
    {"answer": "As a doctor I say “No”.", "finish": "stop", "right": ["no"]},
]


def written(folder: Path, *rows: object) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_each_answer_is_a_line_that_says_what_was_read_and_on_which_words(tmp_path: Path) -> None:
    path = written(tmp_path, *ROWS)
    done = CliRunner().invoke(app, ["read", "yesno", "--answers", str(path), "--json"])
    assert done.exit_code == 0
    found = [json.loads(line) for line in done.stdout.splitlines()]
    read = [(row["status"], row["value"]) for row in found]
    assert read == [
        ("answered", "yes"),
        ("invalid", None),
        ("answered", "no"),
    ]
    assert found[1]["reason"] == "hedges"
    assert ROWS[2]["answer"][found[2]["start"] : found[2]["end"]] == "I say “No"


def test_a_person_reads_them_with_their_count(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["read", "yesno", "--answers", str(written(tmp_path, *ROWS))])
    assert done.stdout.splitlines()[1] == "2: invalid (hedges)  'Hard to say.'"
    assert done.stdout.splitlines()[-1] == "2 answered, 1 invalid"


@pytest.mark.parametrize(
    ("kind", "row", "said"),
    [
        ("yes", {"answer": "a"}, "KIND: found 'yes'; one of yesno, choice"),
        ("yesno", "no JSON", "line 1: found 'Expecting value, character 1'; an object of JSON on each line"),
        ("yesno", [1], "line 1: found 'list'; an object of JSON"),
        ("yesno", {"said": "a"}, "line 1, answer: found None; a text"),
        ("choice", {"answer": "a"}, "line 1, options: found 'nothing'; a list of texts, which choice needs"),
        (
            "choice",
            {"answer": "a", "options": ["one", "One"]},
            "options: found ['one', 'One']; a list of 2 or more",
        ),
        (
            "choice",
            {"answer": "a", "options": ["one", "two"], "claim": 2},
            "claim: found 2; the number of an option",
        ),
        (
            "pairs",
            {"answer": "a", "words": ["x"]},
            "terms: found 'nothing'; a list of texts, which pairs",
        ),
        ("score", {"answer": "a", "low": 5, "high": 5}, "line 1, high: found 5; more than low, which is 5"),
        ("score", {"answer": "a", "high": "much"}, "line 1, high: found 'much'; a number"),
        (
            "yesno",
            {"answer": "a", "finish": "soon"},
            "finish: found 'soon'; one of stop, length, content_filter",
        ),
        ("yesno", {"answer": "a", "question": 7}, "line 1, question: found 7; a text"),
    ],
)
def test_what_cannot_be_read_is_told_by_line_and_field(tmp_path: Path, kind: str, row: object, said: str) -> None:
    done = CliRunner().invoke(app, ["read", kind, "--answers", str(written(tmp_path, row))])
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["read", "score", "--answers", str(tmp_path / "none.jsonl")])
    assert done.exit_code == 2
    assert "--answers" in done.stderr

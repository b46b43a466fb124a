"""Hard answers of every kind with their right readings, not shipped: nearly all are read, hardly any wrongly."""

import json
from pathlib import Path
from typing import Any

import pytest

from personae.coding.reading import Question, read

pytestmark = [pytest.mark.reference, pytest.mark.slow]

KNOWN = ("question", "options", "claim", "words", "terms", "low", "high", "verdicts")


def same(value: Any, right: Any) -> bool:
    if isinstance(value, dict) or isinstance(right, dict):
        return bool(value == right)
    if isinstance(value, int | float) and isinstance(right, int | float):
        return abs(value - right) < 0.51
    return str(value).casefold() == str(right).casefold()


def test_hard_answers_are_read_rightly_or_not_at_all(reference: Path) -> None:
    path = reference.parent / "cases" / "answers.jsonl"
    if not path.exists():
        pytest.skip("the cases are not here")
    right = wrong = 0
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        given = {name: tuple(row[name]) if isinstance(row[name], list) else row[name] for name in KNOWN if name in row}
        found = read(row["read"], row["answer"], Question(**given), row.get("finish", "stop"))
        value = found.value if found.status == "answered" else found.status
        unread = found.status != "answered" and ("unread" in row["right"] or {} in row["right"])
        if unread or any(same(value, one) for one in row["right"]):
            right += 1
        elif found.status == "answered":
            wrong += 1
    assert right / len(rows) >= 0.98
    assert wrong / len(rows) <= 0.003

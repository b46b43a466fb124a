"""What is said while an audit goes on."""

from __future__ import annotations

import pytest

from personae.cli import progress
from personae.cli.progress import Lines
from personae.engine.budget import Budget
from personae.types import Outcome


def test_a_long_item_is_seen_to_go_on_by_its_answers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    lines = Lines()
    lines.begin("m", "memory.episode", 2, Budget())
    for second in range(25):
        now[0] = float(second)
        lines.answer()
    now[0] = 40.0
    lines.outcome(Outcome(status="answered"))
    lines.end()
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "memory.episode · m: 2 items",
        "memory.episode · m: 0/2, 12 answers, 1.1 answers/s",
        "memory.episode · m: 0/2, 23 answers, 1.0 answers/s",
        "memory.episode · m: 1/2, 25 answers, 0.6 answers/s, 40 s left",
        "memory.episode · m: 1/2 done, 25 answers, 0.6 answers/s",
    ]

"""What the page says of writes that kept nothing."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from personae.memory.findings_writes import cautions


def outcomes(**memories: list[list[tuple[int, list[str]]]]) -> pl.DataFrame:
    """Episodes by memory: of each turn how many notes were stored, and what could not be read."""
    rows: list[dict[str, Any]] = []
    for memory, episodes in memories.items():
        for turns in episodes:
            told = [{"turn": at, "stored": stored, "unread": unread} for at, (stored, unread) in enumerate(turns, 1)]
            facts, detail = {"memory": memory, "injection": 0.5}, {"turns": told, "audits": []}
            rows.append({"model": "m", "facts": json.dumps(facts), "detail": json.dumps(detail)})
    return pl.DataFrame(rows, schema={"model": pl.String, "facts": pl.String, "detail": pl.String})


def test_nothing_is_said_where_every_write_kept_something() -> None:
    assert list(cautions(outcomes(vector=[[(1, []), (3, [])]], none=[[(0, []), (0, [])]]))) == []


def test_writes_that_kept_nothing_are_counted_over_episodes_and_what_could_not_be_read() -> None:
    found = outcomes(
        mem0=[[(0, ["it is not JSON"]), (0, ["it is not JSON"])], [(2, ["'memory' is missing"]), (0, []), (1, [])]],
        langmem=[[(0, []), (1, [])]],
    )
    assert list(cautions(found)) == [
        "m, mem0: 3 of 5 writes stored nothing; in 3 an answer could not be read, mostly for this reason:"
        " it is not JSON.",
        "m, langmem: 1 of 2 writes stored nothing.",
    ]


def test_an_episode_that_was_not_played_has_no_writes() -> None:
    rows = pl.DataFrame([{"model": "m", "facts": '{"memory": "mem0"}', "detail": "{}"}])
    assert list(cautions(rows)) == []

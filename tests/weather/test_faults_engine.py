"""Where one of ten replies is a fault, every ask that was answered is kept once, and every item has one outcome."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count, pairwise
from pathlib import Path

import polars as pl
import pytest

import personae
from personae.coding.screen import screen
from personae.engine.ask import Asker
from personae.engine.scheduler import run_items
from personae.engine.store import Store
from personae.models.openai_api import OpenAIModel
from personae.models.registry import ModelOptions, resolve
from personae.study.base import Ask, Settings, Study
from personae.types import Condition, Estimate, Figure, Finding, Item, Message, Outcome, Trial

from .conftest import Form
from .faulty import AGAIN, ANSWER, FILTERED, FINE, KINDS, REFUSED, Met, name_of, said_to, serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(14_400)]

ASKS = 2
"""Of every item."""
WIDTH = 64
RETRIES = 1
PATIENCE = 2.0
"""Seconds of an attempt; the server's stalls are ten times as long."""
TOO_LATE = "no answer within"
GROWTH = 24 << 20
"""Bytes that the memory of a run may grow by after its first fifth."""


class Twice(Study):
    """Items that ask twice, side by side, and are refused where an answer has no words."""

    name, version, title, summary, source = "tiny.twice", 1, "Twice", "", ""

    def __init__(self, count: int) -> None:
        super().__init__(Settings())
        self.count = count

    def items(self) -> Iterator[Item]:
        for number in range(self.count):
            yield Item(study=self.name, id=f"{number}", stimulus=f"s{number % 28}", condition=Condition())

    async def run(self, item: Item, ask: Ask) -> Outcome:
        answers = await asyncio.gather(*(ask(trial(item.id, step)) for step in range(ASKS)))
        for answer in answers:
            if unread := screen(answer):
                return unread
        return Outcome(status="answered", value=1.0)

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        return []

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        return []

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        return []


def trial(item: str, step: int) -> Trial:
    """One of the asks of an item; no other has its words."""
    return Trial(messages=(Message("user", f"Say A or B to {item}, {step}."),), step=f"s{step}", max_tokens=64)


def asks_of(item: str) -> list[str]:
    """The names under which the server knows the asks of an item."""
    return [name_of([{"role": m.role, "content": m.content} for m in trial(item, step).messages]) for step in range(2)]


class Memory:
    """The memory of this process, looked at while items end."""

    def __init__(self, items: int) -> None:
        self._fifth, self._seen = items // 5, 0
        self.early = self.most = 0

    def outcome(self, outcome: Outcome) -> None:
        """Look, now and then."""
        self._seen += 1
        if self._seen % max(1, self._fifth // 20) == 0:
            now = resident()
            self.early = max(self.early, now) if self._seen <= self._fifth else self.early
            self.most = max(self.most, now)


def resident() -> int:
    """Bytes of memory in use; 0 where the computer does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
    except OSError:
        return 0


@dataclass
class Told:
    """What became of asks, by what the server knows of them."""

    kinds: Counter[str] = field(default_factory=Counter)
    late: int = 0
    """Answers that came after the patience of whoever asked, since this computer was busy."""
    kept: dict[str, str] = field(default_factory=dict)
    """The words to be stored, by the name of the ask."""
    failed: dict[str, str] = field(default_factory=dict)
    """What the reason of the item's error may say, by the name of the ask."""

    def take(self, name: str, met: list[Met]) -> bool:
        """Follow the attempts of an ask; returns whether it was asked again though it had its answer."""
        self.kinds.update(attempt.kind for attempt in met)
        for attempt, following in pairwise(met):
            if KINDS[attempt.kind].becomes != AGAIN:
                if following.at - attempt.at < PATIENCE:
                    return True
                self.late += 1
        becomes = KINDS[met[-1].kind].becomes
        if becomes in (ANSWER, FILTERED):
            self.kept[name] = said_to(name) if becomes == ANSWER else ""
        else:
            assert becomes == REFUSED or len(met) == 1 + RETRIES, f"given up after {met}"
            self.failed[name] = KINDS[met[-1].kind].says
        return False


async def ask_all(url: str, store: Store, study: Twice, memory: Memory) -> None:
    model = resolve(f"vllm/faulty@{url}", options=ModelOptions(concurrency=WIDTH, timeout=PATIENCE, retries=RETRIES))
    assert isinstance(model, OpenAIModel)
    model.backoff = 0.02
    await model.open()
    try:
        asker = Asker(model.name, store, model=model, concurrency=WIDTH)
        done = await run_items(study, study.items(), asker, window=WIDTH, progress=memory)
        assert done == study.count
    finally:
        await model.close()


async def test_every_answer_is_kept_once_and_every_item_has_one_outcome(
    tmp_path: Path, form: Form, tables: list[str]
) -> None:
    study, memory, path = Twice(form.asks // ASKS), Memory(form.asks // ASKS), tmp_path / "run.db"
    begun = time.monotonic()
    with serving(tmp_path, 12) as log:
        with closing(Store(path)) as store:
            await ask_all(log.url, store, study, memory)
        seconds = time.monotonic() - begun
    kept, told = Kept(path), Told()
    doubled = sum(told.take(name, met) for name, met in log.met.items())
    names = {f"tiny.twice@1/{item.id}": asks_of(item.id) for item in study.items()}
    assert log.met.keys() == {name for asks in names.values() for name in asks}, "an ask was never made"
    assert kept.outcomes.keys() == names.keys()
    lost = sum(lost_of(item, asks, kept, told) for item, asks in names.items())
    assert (lost, doubled) == (0, 0)
    assert set(told.kinds) == set(KINDS) or form.asks < 10_000
    assert not memory.early or memory.most - memory.early < GROWTH
    tables.append(table(told, form, seconds, kept, memory))


class Kept:
    """What a store holds: texts of answers, statuses and reasons of outcomes, reasons of failures, each by key."""

    def __init__(self, path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            self.answers = dict(connection.execute("SELECT key, text FROM response"))
            outcomes = connection.execute("SELECT key, status, reason FROM outcome")
            self.outcomes = {key: (status, reason) for key, status, reason in outcomes}
            self.failures = dict(connection.execute("SELECT key, reason FROM failure"))


def lost_of(item: str, asks: list[str], kept: Kept, told: Told) -> int:
    """Check what is kept of an item; returns how many of its answers were given and are not."""
    status, reason = kept.outcomes[item]
    answers = {name: kept.answers.get(f"{item}#s{step}/0") for step, name in enumerate(asks)}
    for name, text in answers.items():
        assert text is None or text == told.kept.get(name), f"{name} has an answer that was not given to it"
    missing = [name for name, text in answers.items() if text is None]
    assert (status == "error") == bool(missing)
    if not missing:
        assert status == ("answered" if all(answers.values()) else "refused")
        return 0
    says = {told.failed.get(name, TOO_LATE) for name in missing}
    assert any(said in reason for said in says), f"{item} says {reason}, the server {says}"
    assert kept.failures[item] == reason
    given = sum(name in told.kept for name in missing)
    if TOO_LATE in reason and given == len(missing):
        told.late += given
        return 0
    return given


def table(told: Told, form: Form, seconds: float, kept: Kept, memory: Memory) -> str:
    """What happened, as a table in Markdown."""
    statuses = Counter(status for status, _ in kept.outcomes.values())
    met = sum(count for kind, count in told.kinds.items() if kind != FINE)
    rows = [
        ("asks", f"{form.asks:,}"),
        ("attempts", f"{told.kinds.total():,}"),
        ("of them with a fault", f"{met:,}"),
        *((f"… {kind}", f"{told.kinds[kind]:,}") for kind in KINDS if kind != FINE),
        ("asks a second, stalls and pauses included", f"{form.asks / seconds:,.0f}"),
        *((f"items {status}", f"{count:,}") for status, count in sorted(statuses.items())),
        ("answers lost, asked twice", "0, 0"),
        ("answers that came too late for a busy computer", f"{told.late:,}"),
        ("memory after a fifth, at most", f"{memory.early >> 20} MiB, {memory.most >> 20} MiB"),
    ]
    return "\n".join(["| what | count |", "|---|---|", *(f"| {what} | {count} |" for what, count in rows)])


def test_an_audit_in_the_same_weather_is_whole_after_some_sittings(tmp_path: Path, form: Form) -> None:
    out = tmp_path / "run"
    with serving(tmp_path, 13) as log:
        sittings = next(sitting for sitting in count(1) if not errors_after_a_sitting(log.url, out, form, sitting))
    assert sittings > 1, "no fault was met"
    with closing(sqlite3.connect(out / "run.db")) as connection:
        rows = connection.execute("SELECT messages, text FROM response JOIN prompt ON hash = response.prompt")
        stored = Counter((name_of(json.loads(messages)), text) for messages, text in rows)
        items, keys = connection.execute("SELECT count(*), count(DISTINCT key) FROM outcome").fetchone()
    assert items == keys == stored.total()
    given = Counter(
        (name, said_to(name) if KINDS[attempt.kind].becomes == ANSWER else "")
        for name, met in log.met.items()
        for attempt in met
        if KINDS[attempt.kind].becomes in (ANSWER, FILTERED)
    )
    assert not stored - given, "an answer is stored that was not given"
    late = sum(
        KINDS[attempt.kind].becomes != AGAIN and following.at - attempt.at >= PATIENCE
        for met in log.met.values()
        for attempt, following in pairwise(met)
    )
    assert (given - stored).total() <= late, "an answer was lost, or asked for twice"


def errors_after_a_sitting(url: str, out: Path, form: Form, sitting: int) -> int:
    """Ask what is left to ask; returns how many items ended in error."""
    assert sitting < 12, "errors do not become fewer"
    with personae.audit(
        "companions.sycophancy",
        model=f"vllm/faulty@{url}",
        out=out,
        scale="quick",
        repeats=form.audited,
        concurrency=WIDTH,
        timeout=PATIENCE,
        retries=RETRIES,
    ) as run:
        return run.outcomes.filter(pl.col("status") == "error").height

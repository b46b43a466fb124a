"""A study of a few items and a model that answers from a script."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from personae.engine.store import Store
from personae.errors import ModelError
from personae.models.base import Capabilities
from personae.study.base import Ask, Settings, Study
from personae.types import Condition, Estimate, Figure, Finding, Item, Message, Outcome, Response, Trial


class Tiny(Study):
    """Items that ask as often as their facts say; the value is the number of letters said."""

    name, version, title, summary, source = "tiny.count", 1, "Tiny", "", ""

    def __init__(self, count: int = 10, asks: int = 1, text: str = "item {}, ask {}") -> None:
        super().__init__(Settings())
        self.count, self.asks, self.text = count, asks, text
        self.generated = 0

    def items(self) -> Iterator[Item]:
        for number in range(self.count):
            self.generated += 1
            yield Item(study=self.name, id=f"{number:06}", stimulus=f"s{number % 3}", condition=Condition())

    def trial(self, item: Item, step: int) -> Trial:
        said = self.text.format(item.id, step)
        return Trial(messages=(Message("user", said),), step=f"s{step}", max_tokens=8)

    async def run(self, item: Item, ask: Ask) -> Outcome:
        answers = await asyncio.gather(*(ask(self.trial(item, step)) for step in range(self.asks)))
        return Outcome(status="answered", value=float(sum(len(answer.text) for answer in answers)))

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        return []

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        return []

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        return []


class Scripted:
    """A model that gives what the script gives for a trial; a string starting with ``!`` is an error."""

    capabilities = Capabilities()

    def __init__(
        self, script: Callable[[Trial], str] = lambda trial: trial.messages[-1].content, delay: float = 0.0
    ) -> None:
        self.name, self.concurrency = "scripted/model", 4
        self.script, self.delay = script, delay
        self.asked: list[str] = []
        self.in_flight = self.most = 0

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def respond(self, trial: Trial) -> Response:
        self.asked.append(trial.messages[-1].content)
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            await asyncio.sleep(self.delay)
        finally:
            self.in_flight -= 1
        said = self.script(trial)
        if said.startswith("!"):
            raise ModelError(said[1:])
        return Response(text=said, prompt_tokens=10, completion_tokens=2)


@pytest.fixture
def tiny() -> type[Tiny]:
    return Tiny


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "run.db")
    yield opened
    opened.close()

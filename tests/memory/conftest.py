"""What tests of memories share: a gateway, small encoders, and models whose answers are written down."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from importlib.util import find_spec

import pytest

from personae.memory.gateway import Gateway
from personae.types import Response, Trial

_WORDS = [
    "tea",
    "coffee",
    "likes",
    "nurse",
    "doctor",
    "night",
    "train",
    "rome",
    "paris",
    "user",
    "assistant",
    "noted",
    "dog",
    "cat",
    "the",
    "of",
]


class Scripted:
    """An ask whose answers a function writes; keeps every trial and every answer by its step."""

    def __init__(self, answer: Callable[[Trial], str]) -> None:
        self.answer = answer
        self.trials: list[Trial] = []
        self.stored: dict[str, tuple[Trial, Response]] = {}

    async def __call__(self, trial: Trial) -> Response:
        assert trial.step not in self.stored, f"{trial.step} was asked twice"
        response = Response(text=self.answer(trial), prompt_tokens=len(trial.messages), completion_tokens=7)
        self.trials.append(trial)
        self.stored[trial.step] = (trial, response)
        return response


class Replayed:
    """An ask that knows only stored answers, and only to the very same questions."""

    def __init__(self, stored: Mapping[str, tuple[Trial, Response]]) -> None:
        self.stored, self.used = stored, 0

    async def __call__(self, trial: Trial) -> Response:
        known, response = self.stored[trial.step]
        assert trial == known, f"{trial.step} is another question than the stored one"
        self.used += 1
        return response


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted


@pytest.fixture
def replayed() -> type[Replayed]:
    return Replayed


@pytest.fixture
async def gateway() -> AsyncIterator[Gateway]:
    opened = Gateway()
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Two encoders of word vectors that this file makes: one axis for each word, and the same with one axis more."""
    folder = tmp_path_factory.mktemp("vectors")
    names = []
    for width in (len(_WORDS), len(_WORDS) + 1):
        path = folder / f"{width}.txt"
        rows = (" ".join([word, *("1.0" if at == axis else "0.1" for axis in range(width))]) for at, word in rows_of())
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        names.append(f"static/{path}")
    return names[0], names[1]


def rows_of() -> list[tuple[int, str]]:
    """Words with the axis of each."""
    return list(enumerate(_WORDS))


def library(module: str) -> None:
    """Skip where a library of the extra ``memory`` is missing; ``PERSONAE_MEMORY=required`` makes that an error."""
    if find_spec(module) is not None:
        return
    if os.environ.get("PERSONAE_MEMORY") == "required":
        pytest.fail(f"{module} is not installed, and PERSONAE_MEMORY requires it")
    pytest.skip(f"{module} is not installed: it is in the extra memory")


@pytest.fixture
def needed() -> Callable[[str], None]:
    return library

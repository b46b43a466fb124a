"""LangMem itself, offline: what its model calls is written here, what it stores and changes is its own doing."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.metadata import version as installed
from typing import Any

import pytest

from personae.errors import ModelError
from personae.memory.backends.langmem import LangMem
from personae.memory.base import Exchange, Written, digest
from personae.memory.gateway import Gateway
from personae.types import Response, Trial

from . import serving
from .serving import FACTS, TURNS, calls, written

pytestmark = pytest.mark.usefixtures("langmem")
Make = Callable[..., Awaitable[LangMem]]


@pytest.fixture
def langmem(needed: Callable[[str], None]) -> None:
    needed("langmem")


@pytest.fixture
async def make(gateway: Gateway, encoders: tuple[str, str]) -> AsyncIterator[Make]:
    async with serving.opening(LangMem, "langmem", gateway, encoders) as make:
        yield make


def remembers(trial: Trial) -> str:
    """A model that keeps one fact of each of these turns."""
    return calls(("Memory", {"content": FACTS[int(trial.step.split("/")[1])]}))


def named(trial: Trial) -> dict[str, str]:
    """The notes that the model is shown: from their words to the name by which it can change them."""
    shown = re.findall(r"<instance id=(\S+) [^>]*>\n(.*?)\n</instance>", trial.messages[0].content, re.DOTALL)
    return {fact: name for name, words in shown for fact in FACTS if fact in words}


async def test_facts_are_extracted_stored_and_recalled(make: Make, scripted: Any) -> None:
    found, ask = await make(), scripted(remembers)
    await serving.keeps_facts_with_their_turns_and_tags(found, ask)
    assert [trial.step for trial in ask.trials] == ["memory/0/1", "memory/1/1", "memory/2/1"]
    assert ask.trials[2].meta["functions"] == ["PatchDoc", "Memory"]
    assert TURNS[2].user in ask.trials[2].messages[-1].content
    assert found.version == installed("langmem")


async def test_it_changes_what_it_has_and_adds_to_it(make: Make, scripted: Any) -> None:
    def answer(trial: Trial) -> str:
        if trial.step.startswith("memory/7"):
            patch = {"op": "replace", "path": "/content", "value": "User likes coffee"}
            change = {"json_doc_id": named(trial)[FACTS[0]], "planned_edits": "coffee", "patches": [patch]}
            return calls(("PatchDoc", change), ("Memory", {"content": "The nurse sleeps"}))
        return remembers(trial)

    found, ask = await make(), scripted(answer)
    await written(found, ask)
    (changed,) = await written(found, ask, [Exchange(turn=7, user="Coffee. The nurse sleeps.", agent="Noted.")])
    assert changed == Written(stored=("User likes coffee", "The nurse sleeps"), before=3, after=4)
    kept = [(note.id, note.turn, note.text) for note in await found.notes()]
    assert kept == [(0, 7, "User likes coffee"), (1, 1, FACTS[1]), (2, 2, FACTS[2]), (3, 7, "The nurse sleeps")]


async def test_recall_takes_everything_and_changes_nothing(make: Make, scripted: Any) -> None:
    await serving.recalls_everything_and_changes_nothing(await make(), scripted(remembers))


async def test_raw_writes_ask_nobody_and_keep_every_word(make: Make) -> None:
    await serving.keeps_every_word_and_asks_nobody(await make("&raw=1"))


async def test_built_again_from_stored_answers_it_is_equal(make: Make, scripted: Any, replayed: Any) -> None:
    def answer(trial: Trial) -> str:
        if trial.step.startswith("memory/1/"):  # several notes of one turn, stored side by side
            return calls(*(("Memory", {"content": fact}) for fact in (FACTS[1], "Two", "Three", "Four")))
        if trial.step.startswith("memory/2/"):  # names a note by what it is called in this very question
            patch = {"op": "replace", "path": "/content", "value": FACTS[2]}
            change = {"json_doc_id": named(trial)[FACTS[1]], "planned_edits": "train", "patches": [patch]}
            return calls(("PatchDoc", change))
        return remembers(trial)

    first, second = await make(), await make()
    await serving.is_equal_built_again(first, second, scripted(answer), replayed, 3)
    assert [note.text for note in await first.notes()] == [FACTS[0], FACTS[2], "Two", "Three", "Four"]
    assert await second.recall("tea", 5) == await first.recall("tea", 5)


async def test_a_snapshot_put_back_goes_on_as_if_nothing_had_been(make: Make, scripted: Any, replayed: Any) -> None:
    await serving.goes_on_from_a_snapshot(await make(), scripted(remembers), replayed)


async def test_a_fork_and_its_origin_go_their_own_ways(make: Make, scripted: Any) -> None:
    await serving.parts_from_its_fork(await make(), scripted, remembers)


async def test_wiped_it_is_as_new(make: Make, scripted: Any) -> None:
    await serving.is_as_new_when_wiped(await make(), scripted, remembers)


@pytest.mark.parametrize("said", ["There is nothing to keep.", '{"calls": []}'])
async def test_what_calls_nothing_is_a_write_that_stored_nothing(make: Make, scripted: Any, said: str) -> None:
    found, ask = await make(), scripted(lambda trial: said if "1/" in trial.step else remembers(trial))
    done = await written(found, ask, TURNS[:2])
    assert done == [Written(stored=(FACTS[0],), before=0, after=1), Written(stored=(), before=1, after=1)]
    # LangMem lets the model be silent where there is nothing yet, and requires a call where there is.
    assert len(found.unread) == 1
    assert [trial.step for trial in ask.trials] == ["memory/0/1", "memory/1/1", "memory/1/2"]


async def test_a_failed_ask_is_raised_as_it_was_and_stores_nothing(make: Make) -> None:
    asked = []

    async def ask(trial: Trial) -> Response:
        asked.append(trial)
        raise ModelError("the model is gone")

    found = await make()
    with pytest.raises(ModelError, match="the model is gone"):
        await written(found, ask, TURNS[:1])
    assert await found.notes() == ()
    assert len(asked) == 1


async def test_a_failed_ask_is_raised_also_where_langmem_goes_on(make: Make, scripted: Any) -> None:
    found = await make()
    await written(found, scripted(remembers), TURNS[:1])
    before = await digest(found)

    async def ask(trial: Trial) -> Response:
        raise ModelError("the model is gone")

    with pytest.raises(ModelError, match="the model is gone"):
        await written(found, ask, TURNS[1:2])
    assert await digest(found) == before


async def test_an_extracting_write_says_where_it_belongs(make: Make) -> None:
    await serving.says_where_a_write_belongs(await make())


async def test_vectors_of_another_width_are_one_sentence(make: Make) -> None:
    await serving.says_of_which_width_vectors_are(make)


async def test_nobody_else_is_told(make: Make, scripted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # where nobody listens: a client that obeyed would fail
    reached = set()
    connect = socket.socket.connect

    def noted(self: socket.socket, address: Any) -> None:
        reached.add(address[0] if isinstance(address, tuple) else address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", noted)
    found = await make()
    await written(found, scripted(remembers))
    assert len(await found.notes()) == 3
    assert reached <= {"127.0.0.1"}
    assert os.environ["LANGSMITH_TRACING"] == "true"

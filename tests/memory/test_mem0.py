"""Mem0 itself, offline: what it extracts is written here, what it stores, finds, loses and forgets is its own doing.

Runs on whichever Mem0 is installed; the last test runs all others once more on the 1.x of another environment.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

import pytest

from personae.errors import BadInput, ModelError
from personae.memory.backends import memory
from personae.memory.backends.mem0 import TODAY, Mem0
from personae.memory.base import Exchange, Written, digest
from personae.memory.gateway import Gateway
from personae.types import Response, Trial

from . import serving
from .serving import FACTS, TURNS, said, written

try:
    FIRST = installed("mem0ai").startswith("1.")
except PackageNotFoundError:
    FIRST = False
pytestmark = pytest.mark.usefixtures("mem0")
Make = Callable[..., Awaitable[Mem0]]


@pytest.fixture
def mem0(needed: Callable[[str], None]) -> None:
    needed("mem0")


@pytest.fixture
async def make(gateway: Gateway, encoders: tuple[str, str], tmp_path: Path) -> AsyncIterator[Make]:
    async with serving.opening(Mem0, "mem0", gateway, encoders, folder=tmp_path) as make:
        yield make
    assert os.listdir(tmp_path) == []


def extracted(*facts: str) -> str:
    """What a model answers to the extraction, of 1.x or 2.x."""
    listed = [{"id": str(at), "text": fact, "attributed_to": "user"} for at, fact in enumerate(facts)]
    return json.dumps({"facts": list(facts)} if FIRST else {"memory": listed})


def remembers(trial: Trial) -> str:
    """What a model answers in a write of these turns: its fact, and in 1.x that this is to be added."""
    fact = FACTS[int(trial.step.split("/")[1])]
    if trial.step.endswith("/1"):
        return extracted(fact)
    return json.dumps({"memory": [{"id": "new", "text": fact, "event": "ADD"}]})


async def test_facts_are_extracted_stored_and_recalled(make: Make, scripted: Any) -> None:
    found, ask = await make(), scripted(remembers)
    await serving.keeps_facts_with_their_turns_and_tags(found, ask)
    assert [note.text for note in await found.recall("a dog on the train to Rome", 1)] == [FACTS[2]]
    steps = [f"memory/{turn}/{n}" for turn in range(3) for n in ((1, 2) if FIRST else (1,))]
    assert [trial.step for trial in ask.trials] == steps
    assert all(trial.meta["json"] for trial in ask.trials)
    assert found.version == installed("mem0ai")


async def test_recall_takes_everything_and_changes_nothing(make: Make, scripted: Any) -> None:
    await serving.recalls_everything_and_changes_nothing(await make(), scripted(remembers))


async def test_raw_writes_ask_nobody_and_keep_every_word(make: Make) -> None:
    await serving.keeps_every_word_and_asks_nobody(await make("&raw=1"))


async def test_the_day_that_the_model_is_told_is_always_the_same(make: Make, scripted: Any) -> None:
    found, ask = await make(), scripted(remembers)
    await written(found, ask, TURNS[:1])
    told = said(ask.trials[0])
    assert (f"Today's date is {TODAY}" if FIRST else f"## Current Date\n{TODAY}") in told


async def test_built_again_from_stored_answers_it_is_equal(make: Make, scripted: Any, replayed: Any) -> None:
    await serving.is_equal_built_again(await make(), await make(), scripted(remembers), replayed, 6 if FIRST else 3)


async def test_a_snapshot_put_back_goes_on_as_if_nothing_had_been(make: Make, scripted: Any, replayed: Any) -> None:
    await serving.goes_on_from_a_snapshot(await make(), scripted(remembers), replayed)


async def test_a_fork_and_its_origin_go_their_own_ways(make: Make, scripted: Any) -> None:
    await serving.parts_from_its_fork(await make(), scripted, remembers)


async def test_wiped_it_is_as_new(make: Make, scripted: Any) -> None:
    await serving.is_as_new_when_wiped(await make(), scripted, remembers)


async def test_what_could_not_be_read_is_a_write_that_stored_nothing(make: Make, scripted: Any) -> None:
    found, ask = await make(), scripted(lambda trial: "I have nothing to say in JSON.")
    assert await written(found, ask, TURNS[:1]) == [Written(stored=(), before=0, after=0)]
    assert found.unread == ["it is not JSON"]
    assert [trial.step for trial in ask.trials] == ["memory/0/1", "memory/0/2"]


async def test_nothing_worth_keeping_is_no_loss(make: Make, scripted: Any) -> None:
    found, ask = await make(), scripted(lambda trial: extracted())
    assert await written(found, ask, TURNS[:1]) == [Written(stored=(), before=0, after=0)]
    assert found.unread == []


@pytest.mark.skipif(not FIRST, reason="2.x only adds")
async def test_1x_changes_and_deletes_what_it_has(make: Make, scripted: Any) -> None:
    def answer(trial: Trial) -> str:
        if trial.step in ("memory/0/1", "memory/0/2"):
            return remembers(trial)
        if trial.step.endswith("/1"):
            return extracted("User likes coffee")
        event = {"memory/5/2": "UPDATE", "memory/6/2": "DELETE"}[trial.step]
        return json.dumps(
            {"memory": [{"id": "0", "text": "User likes coffee", "event": event, "old_memory": FACTS[0]}]}
        )

    found, ask = await make(), scripted(answer)
    await written(found, ask, TURNS[:1])
    (changed,) = await written(found, ask, [Exchange(turn=5, user="No, coffee.", agent="Noted.")])
    assert changed == Written(stored=("User likes coffee",), before=1, after=1)
    assert [(note.id, note.turn, note.text) for note in await found.notes()] == [(0, 5, "User likes coffee")]
    (deleted,) = await written(found, ask, [Exchange(turn=6, user="Forget it.", agent="Noted.")])
    assert deleted == Written(stored=(), before=1, after=0)


async def test_a_failed_ask_is_raised_as_it_was_and_stores_nothing(make: Make) -> None:
    asked = []

    async def ask(trial: Trial) -> Response:
        asked.append(trial)
        if len(asked) == (2 if FIRST else 1):  # 1.x swallows what goes wrong in its second call
            raise ModelError("the model is gone")
        return Response(text=extracted(FACTS[0]))

    found = await make()
    with pytest.raises(ModelError, match="the model is gone"):
        await written(found, ask, TURNS[:1])
    assert await found.notes() == ()


async def test_an_extracting_write_says_where_it_belongs(make: Make) -> None:
    await serving.says_where_a_write_belongs(await make())


async def test_vectors_of_another_width_are_one_sentence(make: Make) -> None:
    await serving.says_of_which_width_vectors_are(make)


@pytest.mark.parametrize("state", [b"", b"[]", b"nonsense"])
async def test_what_is_no_snapshot_is_refused(make: Make, state: bytes) -> None:
    with pytest.raises(BadInput, match="a snapshot of mem0ai"):
        await (await make("&raw=1")).restore(state)


async def test_it_leaves_the_environment_and_the_home_alone(make: Make, tmp_path: Path) -> None:
    found = await make("&raw=1")
    await found.write(TURNS[0])
    assert not {"MEM0_DIR", "MEM0_TELEMETRY"} & set(os.environ)
    from mem0.memory import setup, telemetry

    assert not telemetry.MEM0_TELEMETRY
    assert not Path(setup.mem0_dir).is_relative_to(Path.home())
    (place,) = os.listdir(tmp_path)
    assert set(os.listdir(tmp_path / place)) == {"history.db", "qdrant"}


async def test_without_a_gateway_it_has_one_of_its_own(encoders: tuple[str, str]) -> None:
    found = memory(f"mem0?raw=1&encoder={encoders[0]}")
    await found.open()
    try:
        await found.write(TURNS[0])
        other = await found.fork()
        assert await digest(other) == await digest(found)
        await other.close()
        assert len(await found.recall("tea", 3)) == 1
    finally:
        await found.close()


def test_all_of_this_holds_for_1x_too() -> None:
    """Its environment is named by ``PERSONAE_MEM0_1``: a virtual environment of this Python with ``mem0ai==1.0.11``."""
    named = os.environ.get("PERSONAE_MEM0_1")
    if FIRST:
        pytest.skip("this is 1.x")
    if not named:
        pytest.skip("PERSONAE_MEM0_1 names no environment with Mem0 1.x")
    (packages,) = Path(named).glob("lib/python*/site-packages")
    environment = {**os.environ, "PYTHONPATH": str(packages), "PERSONAE_MEM0_1": "", "PERSONAE_MEMORY": "required"}
    version = [sys.executable, "-c", "from importlib.metadata import version; print(version('mem0ai'))"]
    assert subprocess.check_output(version, env=environment, text=True).startswith("1.")
    suite = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(suite, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:]
    assert "failed" not in done.stdout.splitlines()[-1]

"""Letta itself, offline: what its model calls is written here, what it stores and finds is its own server's doing."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from personae.errors import BadInput, ModelError, PersonaeError
from personae.memory.backends import memory
from personae.memory.backends.letta import Letta
from personae.memory.backends.letta_http import ADDRESS, PASSWORD, Server
from personae.memory.base import Written, digest
from personae.memory.gateway import Gateway, Line
from personae.memory.letta_server import INSTALLED, LettaServer
from personae.memory.options import MemoryOptions
from personae.memory.study import Memories
from personae.models.simulated import SimulatedModel
from personae.study.base import Settings
from personae.trusted import trust
from personae.types import Response, Trial

from . import serving
from .serving import FACTS, TURNS, calls, said, written

# One server for all of them: they run one after the other in one process, also under xdist.
pytestmark = [pytest.mark.xdist_group("letta"), pytest.mark.usefixtures("letta")]
Make = Callable[..., Awaitable[Letta]]
HOME = Path(__file__).parents[2] / ".letta" / "venv"


@pytest.fixture(scope="module")
def running() -> Iterator[str]:
    """A server of our own, as long as these tests run."""
    if not (HOME / INSTALLED).exists():
        reason = f"there is no Letta in {HOME}: `make letta` installs it"
        if os.environ.get("PERSONAE_LETTA") == "required":
            pytest.fail(f"{reason}, and PERSONAE_LETTA requires it")
        pytest.skip(reason)
    # Not below pytest's folder, which none but its owner can reach: the database may belong to another user.
    folder = Path(tempfile.mkdtemp(prefix="letta-"))
    folder.chmod(0o711)
    try:
        with LettaServer(HOME, folder, durable=False) as server:
            yield server.url
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def letta(running: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(ADDRESS, running)
    monkeypatch.delenv(PASSWORD, raising=False)
    trust("letta")
    return running


@pytest.fixture
async def make(gateway: Gateway, encoders: tuple[str, str], letta: str) -> AsyncIterator[Make]:
    async with serving.opening(Letta, "letta", gateway, encoders) as make:
        yield make
    assert await on_the_server() == []


async def on_the_server() -> list[str]:
    """Names of whatever the server keeps."""
    server = Server()
    try:
        kept = [
            one
            for path in ("/agents/", "/archives/")
            for one in await server.ask("GET", path, form=list[dict[str, Any]])
        ]
    finally:
        await server.close()
    return [one["name"] for one in kept]


def keeps(*facts: str, **more: Any) -> str:
    """What a model answers that keeps these."""
    return calls(*(("archival_memory_insert", {"content": fact, **more}) for fact in facts))


def remembers(trial: Trial) -> str:
    """A model that keeps one fact of each of these turns and says so."""
    _, turn, call = trial.step.split("/")
    return keeps(FACTS[int(turn)]) if call == "1" else "Kept."


async def test_facts_are_extracted_stored_and_recalled(make: Make, scripted: Any) -> None:
    found, ask = await make(), scripted(remembers)
    await serving.keeps_facts_with_their_turns_and_tags(found, ask)
    assert [note.text for note in await found.recall("a dog on the train to Rome", 1)] == [FACTS[2]]
    assert [trial.step for trial in ask.trials] == [f"memory/{turn}/{n}" for turn in range(3) for n in (1, 2)]
    assert ask.trials[0].meta["functions"] == ["archival_memory_insert", "archival_memory_search"]
    assert TURNS[2].user in ask.trials[4].messages[-1].content
    assert found.version == "0.16.8"
    assert found.unread == []


async def test_a_write_is_told_nothing_of_the_conversations_before(make: Make, scripted: Any) -> None:
    found, ask = await make(), scripted(remembers)
    await written(found, ask)
    last = said(ask.trials[4])
    assert "2 total memories you created" in last
    assert "0 previous messages" in last
    assert TURNS[1].user not in last


async def test_all_calls_of_one_answer_are_carried_out(make: Make, scripted: Any) -> None:
    found, ask = (
        await make(),
        scripted(lambda trial: keeps("One", "Two", "Three") if trial.step[-1] == "1" else "Kept."),
    )
    assert await written(found, ask, TURNS[:1]) == [Written(stored=("One", "Two", "Three"), before=0, after=3)]


async def test_its_agent_searches_before_it_keeps(make: Make, scripted: Any, replayed: Any) -> None:
    def answer(trial: Trial) -> str:
        if trial.step.startswith("memory/2/"):
            steps = [calls(("archival_memory_search", {"query": "tea"})), keeps("Tea again", tags=["b", "a"])]
            return [*steps, "Kept."][int(trial.step[-1]) - 1]
        return keeps(FACTS[0], tags=["zz", "b", "a"]) if trial.step.endswith("/1") else "Kept."

    first, ask = await make(), scripted(answer)
    await written(first, ask)
    shown = ask.trials[5].messages[-1].content
    assert FACTS[0] in shown
    assert "'tags': ['a', 'b', 'zz']" in shown
    assert "passage-id-" in shown
    second, stored = await make(), replayed(ask.stored)
    await written(second, stored)
    assert await digest(second) == await digest(first)


async def test_recall_takes_everything_and_changes_nothing(make: Make, scripted: Any) -> None:
    found = await make()
    await serving.recalls_everything_and_changes_nothing(found, scripted(remembers))
    state = await found.snapshot()
    await found.recall("coffee", 10)
    assert await found.snapshot() == state


async def test_raw_writes_ask_nobody_and_keep_every_word(make: Make) -> None:
    await serving.keeps_every_word_and_asks_nobody(await make("&raw=1"))


async def test_no_time_of_day_is_told(make: Make, scripted: Any) -> None:
    found, ask = await make(), scripted(remembers)
    await written(found, ask, TURNS[:1])
    told = said(ask.trials[1])
    assert "System prompt last recompiled: 2025-01-01 12:00:00 PM UTC+0000" in told
    assert '"time": "2025-01-01 12:00:00 PM UTC+0000"' in told


async def test_built_again_from_stored_answers_it_is_equal(make: Make, scripted: Any, replayed: Any) -> None:
    await serving.is_equal_built_again(await make(), await make(), scripted(remembers), replayed, 6)


async def test_a_snapshot_put_back_goes_on_as_if_nothing_had_been(make: Make, scripted: Any, replayed: Any) -> None:
    await serving.goes_on_from_a_snapshot(await make(), scripted(remembers), replayed)


async def test_a_snapshot_keeps_tags_and_times_and_can_be_empty(make: Make, scripted: Any) -> None:
    found = await make()
    empty = await found.snapshot()
    await written(found, scripted(lambda trial: keeps("One", tags=["b", "a"]) if trial.step[-1] == "1" else "Kept."))
    before = [passage.kept for passage in await found._passages()]
    await found.restore(await found.snapshot())
    assert [passage.kept for passage in await found._passages()] == before
    assert before[0]["tags"] == ["a", "b"]
    await found.restore(empty)
    assert await found.notes() == ()


async def test_a_fork_and_its_origin_go_their_own_ways(make: Make, scripted: Any) -> None:
    await serving.parts_from_its_fork(await make(), scripted, remembers)


async def test_wiped_it_is_as_new(make: Make, scripted: Any) -> None:
    await serving.is_as_new_when_wiped(await make(), scripted, remembers)


async def test_a_call_that_lettas_tools_do_not_take_is_said(make: Make, scripted: Any) -> None:
    found, ask = await make(), scripted(lambda trial: keeps("One", tags=[1]) if trial.step[-1] == "1" else "Kept.")
    assert await written(found, ask, TURNS[:1]) == [Written(stored=(), before=0, after=0)]
    (why,) = found.unread
    assert why.startswith("Error executing function archival_memory_insert: ValueError: Argument tags does not match")


async def test_a_tool_that_fails_is_not_a_write_that_found_nothing(
    make: Make, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Line, body: bytes) -> None:
        if b"nurse" in body:
            raise RuntimeError("the encoder broke")
        return embeddings(self, body)

    embeddings = Line.embeddings
    found, ask = await make(), scripted(lambda trial: keeps("Tea", FACTS[1]) if trial.step[-1] == "1" else "Kept.")
    monkeypatch.setattr(Line, "embeddings", broken)
    with pytest.raises(PersonaeError, match=r"Letta could not do what its agent called: .*the encoder broke"):
        await written(found, ask, TURNS[:1])
    assert await found.notes() == ()


async def test_memories_side_by_side_keep_apart(make: Make, scripted: Any) -> None:
    both = [await make(), await make("&raw=1"), await make()]
    await asyncio.gather(*(written(one, scripted(remembers)) for one in both))
    extracted, raw, again = [[note.text for note in await one.notes()] for one in both]
    assert extracted == again == FACTS
    assert raw == [turn.text for turn in TURNS]


async def test_what_calls_nothing_is_a_write_that_stored_nothing(make: Make, scripted: Any) -> None:
    found, ask = await make(), scripted(lambda trial: "There is nothing to keep.")
    assert await written(found, ask, TURNS[:1]) == [Written(stored=(), before=0, after=0)]
    assert [trial.step for trial in ask.trials] == ["memory/0/1"]


async def test_an_agent_that_never_ends_is_ended(make: Make, scripted: Any) -> None:
    found, ask = await make(), scripted(lambda trial: keeps(f"Fact {trial.step}"))
    (done,) = await written(found, ask, TURNS[:1])
    assert len(ask.trials) == len(done.stored) == 8


@pytest.mark.parametrize("last", [1, 2])
async def test_a_failed_ask_is_raised_as_it_was_and_stores_nothing(make: Make, last: int) -> None:
    asked = []

    async def ask(trial: Trial) -> Response:
        asked.append(trial)
        if len(asked) == last:
            raise ModelError("the model is gone")
        return Response(text=keeps("Half a turn"), prompt_tokens=1, completion_tokens=1)

    found = await make()
    with pytest.raises(ModelError, match="the model is gone"):
        await written(found, ask, TURNS[:1])
    assert await found.notes() == ()
    assert len(asked) == last


async def test_a_model_that_does_not_count_its_tokens_will_do(make: Make) -> None:
    async def ask(trial: Trial) -> Response:
        return Response(text=remembers(trial))

    found = await make()
    assert await written(found, ask, TURNS[:1]) == [Written(stored=(FACTS[0],), before=0, after=1)]


async def test_an_extracting_write_says_where_it_belongs(make: Make) -> None:
    await serving.says_where_a_write_belongs(await make())


async def test_vectors_of_another_width_are_one_sentence(make: Make) -> None:
    await serving.says_of_which_width_vectors_are(make)


async def test_an_episode_is_played_audited_and_played_again_from_what_was_stored(letta: str) -> None:
    settings = MemoryOptions(memories=("letta?raw=1",), injections=(0.5,), turns=2, every=2)
    study = Memories(Settings(scale="quick", options=(settings,)))
    study.plan = study.plan.model_copy(update={"sets": 1})
    model, kept = SimulatedModel.from_name("sim/drifting?bias=0.4"), {}

    async def ask(trial: Trial) -> Response:
        key = f"{trial.step}/{trial.repeat}"
        kept[key] = trial, await model.respond(trial)
        return kept[key][1]

    async def again(trial: Trial) -> Response:
        known, response = kept[f"{trial.step}/{trial.repeat}"]
        assert trial == known
        return response

    (item,) = study.items()
    first = await study.run(item, ask)
    assert [audit["turn"] for audit in first.detail["audits"]] == [0, 2]
    assert [note["turn"] for note in first.detail["memory"]] == [1, 2]
    assert await study.run(item, again) == first
    assert await on_the_server() == []


async def test_a_wrong_version_is_one_sentence(letta: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Letta, "majors", ("0.15",))
    with pytest.raises(BadInput, match=r"letta: found '0\.16\.8'; version 0\.15"):
        await memory("letta?raw=1").open()


async def test_what_the_server_refuses_is_said(letta: str) -> None:
    server = Server()
    try:
        with pytest.raises(PersonaeError, match=r"Letta refused GET /agents/nobody \(4"):
            await server.ask("GET", "/agents/nobody")
    finally:
        await server.close()

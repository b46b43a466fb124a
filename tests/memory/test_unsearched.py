"""Dry runs of memories: as much is asked as in a run, and no note is searched for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from personae.embedding import Encoder
from personae.engine.plan import Tally, count
from personae.memory.backends import memory
from personae.memory.backends.listed import NoMemory, Window
from personae.memory.base import Exchange
from personae.memory.options import MemoryOptions
from personae.memory.study import Memories
from personae.memory.unsearched import Unsearched, unsearched
from personae.models.simulated import SimulatedModel
from personae.study.base import Settings, Study


def study(name: str, **episode: Any) -> Memories:
    own = {"memories": (name,), "injections": (0.5,), "turns": 3, "every": 3, **episode}
    return Memories(Settings(scale="quick", options=(MemoryOptions(**own),)))


async def counted(made: Study) -> Tally:
    (tally,) = (await count(made, SimulatedModel.from_name("sim/neutral"))).values()
    return tally


@pytest.mark.parametrize("kind", ["none", "window", "vector", "vector?extract=1", "mem0", "mem0?raw=1"])
async def test_as_much_is_asked_as_in_a_run(
    kind: str, encoders: tuple[str, str], needed: Callable[[str], None]
) -> None:
    if kind.startswith("mem0"):
        needed("mem0")
    name = kind if kind in ("none", "window") else f"{kind}{'&' if '?' in kind else '?'}encoder={encoders[0]}"
    made = study(name, mitigations=("static",) if kind == "none" else ("tag-write",))
    real, dry = await counted(made), await counted(made.dry())
    assert (dry.asks, dry.max_completion_tokens) == (real.asks, real.max_completion_tokens)
    assert dry.prompt_tokens == pytest.approx(real.prompt_tokens, rel=0.05)


@pytest.mark.parametrize("name", ["vector", "mem0?raw=1", "letta?raw=1"])
async def test_neither_an_encoder_nor_another_system_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> Encoder:
        raise AssertionError("a dry run encodes nothing")

    monkeypatch.setattr("personae.embedding.encoder", none)
    monkeypatch.setattr("personae.memory.gateway.encoder", none)
    monkeypatch.setattr("personae.trusted._TRUSTED", {"letta"})
    assert (await counted(study(name).dry())).asks > 3


async def test_notes_are_drawn_by_the_query_and_each_comes_once() -> None:
    kept = unsearched(memory("vector"))
    assert await kept.recall("who?", 3) == []
    for turn in range(1, 6):
        await kept.write(Exchange(turn=turn, user=f"said {turn}", agent=""))
    drawn = {query: await kept.recall(query, 3) for query in map(str, range(40))}
    assert {len({note.id for note in notes}) for notes in drawn.values()} == {3}
    assert {note.id for notes in drawn.values() for note in notes} == set(range(5))
    assert [await kept.recall(query, 3) for query in drawn] == list(drawn.values())
    assert len(await kept.recall("who?", 9)) == 5


async def test_what_searches_for_nothing_stays_what_it_is() -> None:
    assert isinstance(unsearched(memory("none")), NoMemory)
    assert isinstance(unsearched(memory("window?turns=3")), Window)


async def test_a_copy_a_snapshot_and_wiping_are_those_of_the_memory() -> None:
    kept = unsearched(memory("vector"))
    assert isinstance(kept, Unsearched)
    await kept.write(Exchange(turn=1, user="a", agent=""))
    other, state = await kept.fork(), await kept.snapshot()
    await kept.write(Exchange(turn=2, user="b", agent=""))
    assert [[note.text for note in await one.notes()] for one in (kept, other)] == [["a", "b"], ["a"]]
    await kept.wipe()
    assert await kept.notes() == ()
    await kept.restore(state)
    assert await kept.notes() == await other.notes()

"""What holds of every memory system behind `Served`: tests of each system call these with a model of its own.

``remembers`` is a model that keeps one fact of each of `TURNS`, in the form which that system asks for.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import pytest

from personae.errors import BadInput, PersonaeError
from personae.memory.backends import memory
from personae.memory.backends.served import Served
from personae.memory.base import Exchange, Written, digest
from personae.memory.gateway import Gateway, scope
from personae.memory.notes import Tag
from personae.types import Trial

TURNS = [
    Exchange(turn=0, user="Which tea do you take?", agent="Green tea."),
    Exchange(
        turn=1, user="The nurse was late at night.", agent="Noted.", tag=Tag(bias_type="x", tendency="y", suspicion=0.9)
    ),
    Exchange(turn=2, user="My dog likes the train to Rome.", agent="Noted."),
]
FACTS = ["User likes tea", "The nurse works at night", "The dog likes the train to Rome"]

S = TypeVar("S", bound=Served)
Remembers = Callable[[Trial], str]
Make = Callable[..., Awaitable[Served]]


@asynccontextmanager
async def opening(
    kind: type[S], name: str, gateway: Gateway, encoders: Sequence[str], **given: Any
) -> AsyncIterator[Make]:
    """Makes memories of a kind, open; they are closed in the end."""
    made: list[S] = []

    async def one(options: str = "", encoder: int = 0) -> S:
        found = memory(f"{name}?encoder={encoders[encoder]}{options}", gateway=gateway, **given)
        assert isinstance(found, kind)
        await found.open()
        made.append(found)
        return found

    yield one
    for opened in made:
        await opened.close()


def calls(*named: tuple[str, dict[str, Any]]) -> str:
    """What a model answers that calls functions."""
    return json.dumps({"calls": [{"name": name, "arguments": arguments} for name, arguments in named]})


def said(trial: Trial) -> str:
    """Everything that a trial says."""
    return "\n".join(message.content for message in trial.messages)


async def written(found: Served, ask: Any, turns: list[Exchange] = TURNS) -> list[Written]:
    """Write turns, each in a scope of its own."""
    done = []
    for turn in turns:
        with scope(ask, f"memory/{turn.turn}"):
            done.append(await found.write(turn))
    return done


async def keeps_facts_with_their_turns_and_tags(found: Served, ask: Any) -> None:
    assert await written(found, ask) == [Written(stored=(FACTS[n],), before=n, after=n + 1) for n in range(3)]
    notes = await found.notes()
    assert [(note.id, note.turn, note.text) for note in notes] == [(n, n, FACTS[n]) for n in range(3)]
    assert [note.tag for note in notes] == [turn.tag for turn in TURNS]
    assert [note.text for note in await found.recall("nurse", 1)] == [FACTS[1]]


async def recalls_everything_and_changes_nothing(found: Served, ask: Any) -> None:
    await written(found, ask)
    before = await digest(found)
    # A word that no note has is as far from all of them: none is dropped for that.
    assert {note.id for note in await found.recall("coffee", 10)} == {0, 1, 2}
    assert [note.id for note in await found.recall(" ", 2)] == [0, 1]
    with pytest.raises(BadInput, match="at least 1 note"):
        await found.recall("tea", 0)
    assert await digest(found) == before


async def keeps_every_word_and_asks_nobody(found: Served) -> None:
    done = [await found.write(turn) for turn in TURNS]
    assert [one.stored for one in done] == [(turn.text,) for turn in TURNS]
    assert [note.text for note in await found.notes()] == [turn.text for turn in TURNS]
    again = await found.write(TURNS[0])
    assert (again.before, again.after) == (3, 4)
    assert [note.id for note in await found.recall("tea", 2)] == [0, 3]


async def is_equal_built_again(first: Served, second: Served, ask: Any, replayed: Any, asked: int) -> None:
    await written(first, ask)
    stored = replayed(ask.stored)
    await written(second, stored)
    assert await digest(second) == await digest(first)
    assert stored.used == len(ask.trials) == asked
    for query in ("tea", "the nurse at night", "coffee"):
        assert await second.recall(query, 2) == await first.recall(query, 2)


async def goes_on_from_a_snapshot(found: Served, ask: Any, replayed: Any) -> None:
    await written(found, ask, TURNS[:2])
    state, before = await found.snapshot(), await digest(found)
    await written(found, ask, TURNS[2:])
    after, recalled = await digest(found), await found.recall("train", 3)
    await found.restore(state)
    assert await digest(found) == before
    await written(found, replayed(ask.stored), TURNS[2:])
    assert await digest(found) == after
    assert await found.recall("train", 3) == recalled


async def parts_from_its_fork(found: Served, scripted: Any, remembers: Remembers) -> None:
    await written(found, scripted(remembers), TURNS[:2])
    before = await digest(found)
    other = await found.fork()
    try:
        assert await digest(other) == before
        await written(other, scripted(remembers), TURNS[2:])
        assert len(await other.notes()) == 3
        assert await digest(found) == before
        await found.wipe()
        assert await found.notes() == ()
        assert await found.recall("tea", 5) == []
        assert len(await other.notes()) == 3
    finally:
        await other.close()


async def is_as_new_when_wiped(found: Served, scripted: Any, remembers: Remembers) -> None:
    ask = scripted(remembers)
    await written(found, ask)
    before = await digest(found)
    await found.wipe()
    assert await found.notes() == ()
    assert await found.recall("tea", 5) == []
    # Also what a system remembers of earlier turns without showing it is gone: the questions are those of a new memory.
    again = scripted(remembers)
    await written(found, again)
    assert await digest(found) == before
    assert again.trials == ask.trials


async def says_where_a_write_belongs(found: Served) -> None:
    with pytest.raises(PersonaeError, match="nobody was named to be asked"):
        await found.write(TURNS[0])


async def says_of_which_width_vectors_are(make: Make) -> None:
    narrow, wide = await make("&raw=1"), await make("&raw=1", encoder=1)
    await narrow.write(TURNS[0])
    with pytest.raises(BadInput, match=r"vectors of 16 numbers are wanted, and encoder .* makes vectors of 17"):
        await wide.restore(await narrow.snapshot())
    assert await wide.notes() == ()

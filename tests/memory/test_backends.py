"""Memories by name, and the three of our own: what they keep, find, copy and refuse."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.errors import BadInput, PersonaeError
from personae.memory.backends import MEMORIES, memory
from personae.memory.backends.ledger import Ledger
from personae.memory.base import Exchange, Memory, digest
from personae.memory.gateway import Gateway
from personae.memory.notes import Note, Tag

TAG = Tag(bias_type="age", tendency="burdens the old", suspicion=0.8)
TURNS = [
    Exchange(turn=0, user="tea", agent="green"),
    Exchange(turn=1, user="the night train", agent="to rome", tag=TAG),
    Exchange(turn=2, user="a dog and a cat", agent="noted"),
]


async def facts(exchange: Exchange) -> Sequence[str]:
    """An extraction that keeps what the user said, word by word, but not short words."""
    return [word for word in exchange.user.split() if len(word) > 2]


async def filled(name: str, **more: Any) -> Memory:
    found = memory(name, **more)
    await found.open()
    for turn in TURNS:
        await found.write(turn)
    return found


@pytest.fixture
def own(encoders: tuple[str, str]) -> list[str]:
    """The memories of our own that keep something."""
    return ["window?turns=5", f"vector?encoder={encoders[0]}"]


async def test_none_keeps_nothing() -> None:
    found = await filled("none")
    assert await found.notes() == ()
    assert await found.recall("tea", 3) == []
    written = await found.write(TURNS[0])
    assert (written.stored, written.before, written.after) == ((), 0, 0)
    other = await found.fork()
    await other.restore(await found.snapshot())
    assert await digest(other) == await digest(found)


async def test_what_is_written_is_kept_word_for_word_and_told(own: list[str]) -> None:
    for name in own:
        found = memory(name)
        await found.open()
        told = [await found.write(turn) for turn in TURNS]
        assert [(one.stored, one.before, one.after) for one in told] == [((TURNS[n].text,), n, n + 1) for n in range(3)]
        assert await found.notes() == tuple(
            Note(id=turn.turn, turn=turn.turn, text=turn.text, tag=turn.tag) for turn in TURNS
        )
        await found.close()


async def test_facts_are_kept_instead_where_they_are_extracted(own: list[str]) -> None:
    for name in own:
        found = await filled(name, extract=facts)
        notes = await found.notes()
        assert [note.text for note in notes] == ["tea", "the", "night", "train", "dog", "and", "cat"]
        assert [note.turn for note in notes] == [0, 1, 1, 1, 2, 2, 2]
        assert [note.id for note in notes] == list(range(7))
        silent = await found.write(Exchange(turn=3, user="it is so", agent="ok"))
        assert (silent.stored, silent.before, silent.after) == ((), 7, 7)


async def test_a_window_forgets_whole_turns_and_recalls_the_last_notes() -> None:
    found = await filled("window?turns=2", extract=facts)
    assert [note.turn for note in await found.notes()] == [1, 1, 1, 2, 2, 2]
    assert [note.text for note in await found.recall("anything", 2)] == ["and", "cat"]
    assert [note.text for note in await found.recall("anything else", 99)][:2] == ["the", "night"]


async def test_a_vector_memory_finds_by_meaning_and_of_two_as_near_the_older(encoders: tuple[str, str]) -> None:
    found = await filled(f"vector?encoder={encoders[0]}")
    assert [note.turn for note in await found.recall("a train at night", 1)] == [1]
    assert [note.turn for note in await found.recall("cat", 1)] == [2]
    await found.write(Exchange(turn=3, user="tea", agent="green"))
    assert [note.turn for note in await found.recall("tea", 2)] == [0, 3]
    # Words that the encoder does not have say nothing: what is left is the order of the notes.
    assert [note.turn for note in await found.recall("xyzzy", 9)] == [0, 1, 2, 3]


async def test_recall_changes_nothing_and_refuses_no_notes(own: list[str]) -> None:
    for name in own:
        found = await filled(name)
        before = await digest(found)
        await found.recall("tea", 2)
        assert await digest(found) == before
        with pytest.raises(BadInput, match="at least 1 note"):
            await found.recall("tea", 0)


async def test_a_snapshot_put_back_is_the_same_memory(own: list[str]) -> None:
    for name in own:
        found = await filled(name)
        state, before, recalled = await found.snapshot(), await digest(found), await found.recall("train", 2)
        await found.wipe()
        assert await found.notes() == ()
        assert await found.recall("train", 2) == []
        await found.restore(state)
        assert await digest(found) == before
        assert await found.recall("train", 2) == recalled


async def test_a_fork_and_its_origin_go_their_own_ways(own: list[str]) -> None:
    for name in own:
        found = await filled(name)
        before = await digest(found)
        other = await found.fork()
        assert await digest(other) == before
        await other.write(Exchange(turn=3, user="coffee", agent="noted"))
        assert await digest(found) == before
        assert len(await other.notes()) == 4


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("brain", f"one of {', '.join(MEMORIES)}"),
        ("none?turns=3", "no parameter"),
        ("window?k=3", "parameters turns"),
        ("window?turns=0", "a number of turns from 1"),
        ("window?turns=many", "a number of turns from 1"),
        ("vector?turns=3", "parameters encoder"),
        ("mem0?turns=3", "parameters raw, encoder"),
        ("mem0?raw=yes", "1 to keep exchanges word for word"),
        ("langmem?limit=3", "parameters raw, encoder"),
    ],
)
def test_a_name_that_is_none_is_one_sentence(name: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence) as raised:
        memory(name)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("name", "package"), [("mem0", "mem0ai"), ("langmem?raw=1", "langmem")])
async def test_a_library_that_is_missing_names_its_extra(
    name: str, package: str, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(wanted: str) -> str:
        raise importlib.metadata.PackageNotFoundError(wanted)

    monkeypatch.setattr("personae.memory.backends.served.installed", missing)
    with pytest.raises(BadInput, match=rf'pip install "personae\[memory\]" \(package {package}\)'):
        await memory(name, gateway=gateway).open()


async def test_a_version_that_is_not_known_is_refused(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("personae.memory.backends.served.installed", lambda package: "3.0.0")
    with pytest.raises(BadInput, match=r"mem0ai: found '3.0.0'; version 1 or 2"):
        await memory("mem0", gateway=gateway).open()


async def test_a_line_needs_an_open_gateway_and_an_encoder_that_there_is(gateway: Gateway) -> None:
    with pytest.raises(PersonaeError, match="not open"):
        await Gateway().line("sentence/use-small")
    with pytest.raises(BadInput, match="encoder"):
        await gateway.line("sentence/nowhere")


HELD = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["tea", "coffee", "milk"]))


@given(st.lists(st.tuples(HELD, st.lists(st.sampled_from("abcdefgh")))))
def test_a_ledger_numbers_what_is_new_and_never_twice(writes: list[tuple[dict[str, str], list[str]]]) -> None:
    ledger, seen = Ledger(), dict[str, int]()
    before: dict[str, str] = {}
    for turn, (held, order) in enumerate(writes):
        stored = ledger.settle(held, Exchange(turn=turn, user="", agent=""), order)
        assert sorted(stored) == sorted(text for key, text in held.items() if before.get(key) != text)
        notes = ledger.shown(held)
        assert [note.id for note in notes] == sorted({note.id for note in notes})
        assert {key: note.text for key, note in ledger.notes.items()} == held
        for key, note in ledger.notes.items():
            # A key keeps its number for as long as it is held, and a number is never another key's.
            assert seen.get(f"{note.id}", note.id) == note.id
            assert key in before or note.id >= len(seen)
        seen |= {f"{note.id}": note.id for note in notes}
        before = held


def test_a_memory_that_was_changed_behind_our_back_shows_it() -> None:
    ledger = Ledger()
    ledger.settle({"a": "tea", "b": "coffee"}, TURNS[0])
    changed = ledger.shown({"a": "milk", "c": "water"})
    assert changed == (Note(id=0, turn=0, text="milk"), Note(id=2, turn=-1, text="water"))


def test_files_of_a_memory_lie_where_they_are_told_to(tmp_path: Path) -> None:
    assert memory("mem0?raw=1", folder=tmp_path).folder == tmp_path  # type: ignore[attr-defined]

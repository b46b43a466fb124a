"""Memories in a program of one's own: they ask whom they are given, a function or a model, and a guard wraps them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

import personae.memory
from personae.errors import BadInput, ModelError, PersonaeError
from personae.memory import Exchange, Guard, Note, Tag, Written, as_context, memory
from personae.memory.asking import Asking, as_ask
from personae.memory.backends.mem0 import _config, _library
from personae.memory.base import digest
from personae.memory.gateway import scope
from personae.models import open_model
from personae.types import Message

BIASED = Exchange(turn=1, user="The nurse said that old people are slow.", agent="They may be.")
PLAIN = Exchange(turn=2, user="The nurse likes tea.", agent="Noted.")
FACTS = ["The user finds old people slow", "The nurse likes tea"]
TAG = Tag(bias_type="age", tendency="burdens the old", suspicion=0.9)


def auditor(messages: tuple[Message, ...]) -> str:
    suspicion = 0.9 if "old people" in messages[-1].content.lower() else 0.1
    return json.dumps({"bias_type": "age", "tendency": "burdens the old", "suspicion": suspicion})


class Extractor:
    """Finds in what was said one of the facts, in whatever form it is asked for; keeps every conversation."""

    def __init__(self, before: str = "") -> None:
        self.asked: list[tuple[Message, ...]] = []
        self.before = before

    async def __call__(self, messages: tuple[Message, ...]) -> str:
        self.asked.append(messages)
        told = "\n".join(message.content for message in messages)
        # Mem0 2.x shows what was said before, too: the exchange to be kept comes last.
        places = [max(map(told.rfind, pair)) for pair in zip((BIASED.user, PLAIN.user), FACTS, strict=True)]
        fact = FACTS[places[1] > places[0]]
        return self.before + json.dumps(self.form(told, fact))

    def form(self, told: str, fact: str) -> Any:
        if "JSON list" in told:
            return [fact]
        if '"event"' in told:
            return {"memory": [{"id": "new", "text": fact, "event": "ADD"}]}
        if '"facts"' in told:
            return {"facts": [fact]}
        return {"memory": [{"id": "0", "text": fact, "attributed_to": "user"}]}


@pytest.fixture(params=["window?extract=1", "mem0?"])
def name(request: pytest.FixtureRequest, needed: Callable[[str], None], encoders: tuple[str, str]) -> str:
    if not request.param.startswith("mem0"):
        return str(request.param)
    needed("mem0")
    return f"{request.param}encoder={encoders[0]}"


async def written(found: Any) -> list[Written]:
    return [await found.write(exchange) for exchange in (BIASED, PLAIN)]


async def test_a_memory_asks_the_function_that_it_is_given(name: str) -> None:
    ask = Extractor()
    found = memory(name, ask=ask)
    await found.open()
    try:
        done = await written(found)
        assert [one.stored for one in done] == [(FACTS[0],), (FACTS[1],)]
        assert [note.text for note in await found.notes()] == FACTS
        assert ask.asked
    finally:
        await found.close()


@pytest.mark.parametrize("when", ["write", "recall"])
async def test_a_guard_wraps_a_memory_that_extracts(name: str, when: Any) -> None:
    found = Guard(memory(name, ask=Extractor()), auditor, when=when)
    await found.open()
    try:
        await written(found)
        shown = {note.text: note.tag for note in await found.recall("What does the nurse like?", 2)}
        assert shown == {FACTS[0]: TAG, FACTS[1]: None}
        context = await found.context("What does the nurse like?", 2)
        assert context == as_context(await found.recall("What does the nurse like?", 2))
        assert "burdens the old" in context
        other = await found.fork()
        await other.write(PLAIN)
        await other.close()
        assert len(await found.notes()) == 2
    finally:
        await found.close()


async def test_a_plain_function_will_do() -> None:
    found = memory("window?extract=1", ask=lambda messages: json.dumps([messages[-1].role]))
    assert (await found.write(PLAIN)).stored == ("user",)


async def test_reasoning_before_an_answer_is_left_out() -> None:
    found = memory("window?extract=1", ask=Extractor(before="<think>[Perhaps] nothing?</think>\n"))
    assert [one.stored for one in await written(found)] == [(FACTS[0],), (FACTS[1],)]


async def test_a_model_of_this_project_is_asked_whole_trials(name: str) -> None:
    async with open_model("sim/neutral") as ask:
        found = memory(name, ask=ask)
        await found.open()
        try:
            assert [one.stored for one in await written(found)] == [(BIASED.user,), (PLAIN.user,)]
        finally:
            await found.close()


async def test_what_could_not_be_read_is_told(name: str) -> None:
    found = memory(name, ask=lambda messages: "I would keep the tea.")
    assert isinstance(found, Asking)
    await found.open()
    try:
        assert (await found.write(PLAIN)).stored == ()
        assert list(found.unread) == ["it is not JSON"]
    finally:
        await found.close()


async def test_what_the_function_raises_is_raised(name: str) -> None:
    async def down(messages: tuple[Message, ...]) -> str:
        raise ModelError("down")

    found = memory(name, ask=down)
    await found.open()
    try:
        with pytest.raises(ModelError, match="down"):
            await found.write(PLAIN)
        assert await found.notes() == ()
    finally:
        await found.close()


async def test_a_function_that_gives_no_text_is_told_so(name: str) -> None:
    found = memory(name, ask=lambda messages: None)  # type: ignore[arg-type, return-value]
    await found.open()
    try:
        with pytest.raises(BadInput, match=r"^answer of ask: found None; a text"):
            await found.write(PLAIN)
    finally:
        await found.close()


@pytest.mark.parametrize("given", ["openai/gpt-4o", 3, {}])
def test_what_cannot_be_asked_is_refused(given: Any) -> None:
    with pytest.raises(BadInput, match=r"^ask: found .*; a function, async or not, .* or a model of personae.models"):
        memory("window?extract=1", ask=given)


async def test_without_anybody_to_ask_it_is_said_how_to_name_one(name: str) -> None:
    found = memory(name)
    await found.open()
    try:
        with pytest.raises(PersonaeError, match=r"memory\(…, ask=…\) names a model or a function"):
            await found.write(PLAIN)
    finally:
        await found.close()


async def test_inside_a_scope_that_is_asked(scripted: Any) -> None:
    ask, other = scripted(lambda trial: json.dumps(["scoped"])), Extractor()
    found = memory("window?extract=1", ask=other)
    with scope(ask, "memory/1"):
        assert (await found.write(PLAIN)).stored == ("scoped",)
    assert [trial.step for trial in ask.trials] == ["memory/1/1"]
    assert other.asked == []


async def test_a_memory_that_keeps_every_word_asks_nobody() -> None:
    found, ask = memory("window", ask=Extractor()), Extractor()
    await found.write(PLAIN)
    assert not isinstance(found, Asking)
    assert ask.asked == []


async def test_everything_else_is_that_of_the_memory() -> None:
    found = memory("window?extract=1", ask=Extractor())
    found.check()
    await written(found)
    state, before = await found.snapshot(), await digest(found)
    assert [note.text for note in await found.recall("x", 1)] == FACTS[1:]
    assert (found.name, found.version) == ("window?extract=1", "")
    other = await found.fork()
    await other.write(BIASED)
    assert [note.text for note in await other.notes()] == [*FACTS, FACTS[0]]
    await found.wipe()
    assert await found.notes() == ()
    await found.restore(state)
    assert await digest(found) == before


def test_what_a_program_needs_is_public() -> None:
    public = {name: getattr(personae.memory, name) for name in personae.memory.__all__}
    assert public["Guard"] is Guard
    assert sorted(public) == [
        *("Audit", "Auditor", "Exchange", "Guard", "Memory", "Note", "Tag", "Written", "as_context", "memory"),
    ]
    with pytest.raises(AttributeError, match="no attribute 'forget'"):
        _ = personae.memory.forget  # type: ignore[attr-defined]


def remembered(found: dict[str, Any], at: int) -> Note:
    """A hit of a Mem0 of one's own as a note."""
    tag = (found.get("metadata") or {}).get("tag")
    return Note(id=at, turn=0, text=found["memory"], tag=tag and Tag(**tag))


@pytest.mark.parametrize("infer", [False, True])
async def test_a_mem0_of_ones_own_keeps_a_tag_in_its_metadata_and_gives_it_back(
    infer: bool, needed: Callable[[str], None], gateway: Any, encoders: tuple[str, str], tmp_path: Path
) -> None:
    needed("mem0")
    line = await gateway.line(encoders[0])
    guard = Guard(memory("none"), auditor)
    store = await line.threaded(lambda: _library().Memory.from_config(_config(tmp_path, line)))
    try:
        for exchange in (BIASED, PLAIN):
            tag = await guard.tag(exchange.user)
            adding = partial(
                store.add, exchange.user, user_id="ada", metadata={"tag": to_builtins(tag)} if tag else {}, infer=infer
            )
            with scope(as_ask("ask", Extractor()), f"memory/{exchange.turn}"), line.using():
                await line.threaded(adding)
        named = {"user_id": "ada"} if version("mem0ai").startswith("1.") else {"filters": {"user_id": "ada"}}
        hits = (await line.threaded(partial(store.search, "What does the nurse like?", **named)))["results"]
        notes = [remembered(hit, at) for at, hit in enumerate(hits)]
        texts = FACTS if infer else [BIASED.user, PLAIN.user]
        assert {note.text: note.tag for note in notes} == {texts[0]: TAG, texts[1]: None}
        assert "burdens the old" in as_context(notes)
    finally:
        await line.threaded(store.vector_store.client.close)
        await line.threaded(store.db.close)

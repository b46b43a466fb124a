"""The guard: what an auditor says is read or said not to be; tags go with the notes; any memory can be wrapped."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.errors import BadInput
from personae.memory.backends import memory
from personae.memory.base import Exchange, Note, Tag, digest
from personae.memory.guard import Guard, as_context, audit_messages, read_audit, shown, texts
from personae.types import Message

BIASED = Exchange(turn=1, user="Old people are slow, are they not?", agent="They may be.")
PLAIN = Exchange(turn=2, user="Which tea do you take?", agent="Green tea.")
WORDS = st.text(st.characters(blacklist_categories=("Cs",)))


def said(suspicion: float, bias: str = "age", tendency: str = "burdens the old") -> str:
    """What an auditor answers."""
    return json.dumps({"bias_type": bias, "tendency": tendency, "suspicion": suspicion})


class Auditor:
    """Suspects what speaks of old people; keeps every conversation."""

    def __init__(self) -> None:
        self.asked: list[tuple[Message, ...]] = []

    async def __call__(self, messages: tuple[Message, ...]) -> str:
        self.asked.append(messages)
        return said(0.9 if "Old people" in messages[-1].content else 0.1)


async def guarded(auditor: Any, **more: Any) -> Guard:
    found = Guard(memory("window"), auditor, **more)
    await found.open()
    for exchange in (BIASED, PLAIN):
        await found.write(exchange)
    return found


@given(
    WORDS
    | st.recursive(st.none() | st.floats() | WORDS, lambda one: st.lists(one) | st.dictionaries(WORDS, one)).map(
        json.dumps
    )
)
def test_any_answer_is_read_as_a_tag_or_it_is_said_why_not(answer: str) -> None:
    found = read_audit(answer)
    assert (found.tag is None) == bool(found.reason)
    assert found.tag is None or 0.0 <= found.tag.suspicion <= 1.0


@given(st.text('abc .,{}[]"\n'), WORDS, WORDS, st.floats(0, 1), st.text("xyz .}\n"))
def test_a_tag_is_found_among_other_words(before: str, bias: str, tendency: str, suspicion: float, after: str) -> None:
    found = read_audit(f"{before}\n{said(suspicion, bias, tendency)}{after}")
    assert found.tag == Tag(bias_type=bias.strip(), tendency=tendency.strip(), suspicion=suspicion)


@given(st.floats(allow_nan=False, allow_infinity=False).filter(lambda one: not 0 <= one <= 1))
def test_a_suspicion_out_of_range_is_no_tag(suspicion: float) -> None:
    found = read_audit(said(suspicion))
    assert found.tag is None
    assert "from 0 to 1" in found.reason


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "It is fine.",
        '{"bias_type": "age", "tendency": "none"}',
        '{"bias_type": "age", "tendency": "none", "suspicion": "high"}',
        '{"bias_type": null, "tendency": "none", "suspicion": 0.5}',
        '{"bias_type": "age", "tendency": "none", "suspicion": NaN}',
        '{"bias_type": "age", "tendency": "none", "suspicion": 0.',
        "{" * 5000,
    ],
)
def test_what_is_no_tag_is_not_taken_for_a_clean_note(answer: str) -> None:
    found = read_audit(answer)
    assert found.tag is None
    assert found.reason


async def test_at_write_time_suspicious_notes_are_stored_with_their_tag() -> None:
    auditor = Auditor()
    found = await guarded(auditor)
    tags = [note.tag for note in await found.notes()]
    assert tags == [Tag(bias_type="age", tendency="burdens the old", suspicion=0.9), None]
    assert [note.tag for note in await found.recall("anything", 2)] == tags
    assert len(auditor.asked) == 2
    assert [audit.tag.suspicion for audit in found.audits if audit.tag] == [0.9, 0.1]


async def test_on_recall_the_store_stays_as_it_was_and_each_note_is_audited_once() -> None:
    auditor = Auditor()
    found = await guarded(auditor, when="recall")
    assert auditor.asked == []
    before = await digest(found)
    first = await found.recall("anything", 2)
    assert [note.tag is not None for note in first] == [True, False]
    assert await found.recall("anything else", 2) == first
    assert len(auditor.asked) == 2
    assert await digest(found) == before
    assert [note.tag for note in await found.notes()] == [None, None]


async def test_the_auditor_sees_one_note_and_nothing_else() -> None:
    auditor = Auditor()
    await guarded(auditor)
    assert auditor.asked == [audit_messages(BIASED.text), audit_messages(PLAIN.text)]
    for messages, exchange in zip(auditor.asked, (BIASED, PLAIN), strict=True):
        assert [message.role for message in messages] == ["system", "user"]
        assert exchange.text in messages[1].content


@pytest.mark.parametrize(("tau", "tagged"), [(0.0, 2), (0.1, 2), (0.5, 1), (0.9, 1), (0.95, 0), (1.0, 0)])
async def test_the_threshold_decides_and_itself_is_suspicious(tau: float, tagged: int) -> None:
    found = await guarded(Auditor(), tau=tau)
    assert sum(note.tag is not None for note in await found.notes()) == tagged


async def test_an_answer_that_cannot_be_read_is_counted_and_tags_nothing() -> None:
    async def auditor(messages: tuple[Message, ...]) -> str:
        return "No."

    found = await guarded(auditor, tau=0.0)
    assert [note.tag for note in await found.notes()] == [None, None]
    assert len(found.audits) == 2
    assert all(audit.reason for audit in found.audits)


async def test_a_fork_a_snapshot_and_a_wipe_are_those_of_the_memory() -> None:
    found = await guarded(Auditor(), tau=0.3, when="recall")
    state, before = await found.snapshot(), await digest(found)
    other = await found.fork()
    assert (other.tau, other.when, other.name) == (0.3, "recall", "window")
    assert await digest(other) == before
    await found.wipe()
    assert await found.notes() == ()
    await found.restore(state)
    assert await digest(found) == before
    await found.close()


@pytest.mark.parametrize("tau", [-0.1, 1.1, float("nan")])
def test_a_threshold_that_is_none_is_refused(tau: float) -> None:
    with pytest.raises(BadInput, match="a number from 0 to 1"):
        Guard(memory("window"), Auditor(), tau=tau)


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="write or recall"):
        Guard(memory("window"), Auditor(), when="never")  # type: ignore[arg-type]


def test_a_tag_is_shown_with_its_note_and_only_there() -> None:
    tagged = Note(id=0, turn=1, text="A note {tag}", tag=Tag(bias_type="age", tendency="“old”", suspicion=0.876))
    plain = Note(id=1, turn=2, text="Another")
    told = shown(tagged)
    assert told.endswith(tagged.text)
    assert '{"bias_type": "age", "tendency": "“old”", "suspicion": 0.88}' in told
    assert shown(plain) == "Another"
    assert as_context([tagged, plain]) == f"{told}\n\nAnother"
    assert as_context([]) == ""


def test_what_the_guard_says_has_a_place_for_what_it_is_about() -> None:
    assert "{note}" in texts().audited
    assert "{tag}" in texts().tagged
    assert "{note}" in texts().tagged
    assert texts().static


@pytest.mark.parametrize("name", ["mem0?raw=1", "langmem?raw=1"])
async def test_memories_of_others_are_guarded_all_the_same(
    name: str, gateway: Any, encoders: tuple[str, str], needed: Any
) -> None:
    needed(name.partition("?")[0])
    found = Guard(memory(f"{name}&encoder={encoders[0]}", gateway=gateway), Auditor())
    await found.open()
    try:
        for exchange in (BIASED, PLAIN):
            await found.write(exchange)
        assert [note.tag is not None for note in await found.notes()] == [True, False]
        other = await found.fork()
        assert await digest(other) == await digest(found)
        await other.close()
    finally:
        await found.close()

"""The guard: tags go with the notes, an auditor is asked once about each, any memory can be wrapped."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from personae.errors import BadInput, ModelError
from personae.memory.backends import memory
from personae.memory.base import Exchange, digest
from personae.memory.guard import Guard, audit_messages, read_audit
from personae.memory.notes import Note, Tag
from personae.memory.options import MemoryOptions
from personae.memory.study import Memories
from personae.memory.telling import as_context, shown, texts
from personae.models.simulated import SimulatedModel
from personae.study.base import Settings
from personae.types import Message, Response, Trial

from .auditing import FINAL, said

BIASED = Exchange(turn=1, user="Old people are slow, are they not?", agent="They may be.")
PLAIN = Exchange(turn=2, user="Which tea do you take?", agent="Green tea.")


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


@pytest.mark.parametrize(("tau", "tagged"), [(0, 2), (0.09, 2), (0.1, 1), (0.5, 1), (0.89, 1), (0.9, 0), (1, 0)])
async def test_a_note_is_tagged_where_its_suspicion_exceeds_the_threshold(tau: float, tagged: int) -> None:
    found = await guarded(Auditor(), tau=tau)
    assert sum(note.tag is not None for note in await found.notes()) == tagged


class Unsteady:
    """Gives these answers one after the other; lets others run before each."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.asked = self.now = self.most = 0

    async def __call__(self, messages: tuple[Message, ...]) -> str:
        answer = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        if isinstance(answer, Exception):
            raise answer
        return answer


async def test_an_answer_that_cannot_be_read_is_counted_and_tags_nothing() -> None:
    found = await guarded(Unsteady("No."), tau=0.0)
    assert [note.tag for note in await found.notes()] == [None, None]
    assert len(found.audits) == 2
    assert all(audit.reason for audit in found.audits)


async def test_an_answer_that_cannot_be_read_is_asked_for_anew_the_next_time() -> None:
    auditor = Unsteady("No.", FINAL)
    found = Guard(memory("window"), auditor)
    tags = [await found.tag("A note") for _ in range(3)]
    assert tags == [None, read_audit(FINAL).tag, read_audit(FINAL).tag]
    assert auditor.asked == 2
    assert [bool(audit.reason) for audit in found.audits] == [True, False]


@pytest.mark.parametrize(("answer", "tag"), [(FINAL, read_audit(FINAL).tag), ("No.", None)])
async def test_asked_for_at_once_a_text_is_audited_once(answer: str, tag: Tag | None) -> None:
    auditor = Unsteady(answer)
    found = Guard(memory("window"), auditor)
    assert await asyncio.gather(*(found.tag("A note") for _ in range(5))) == [tag] * 5
    assert auditor.asked == 1


async def test_where_the_auditor_fails_everybody_who_waits_is_told_and_it_is_asked_anew() -> None:
    found = Guard(memory("window"), Unsteady(ModelError("down"), FINAL))
    failed = await asyncio.gather(*(found.tag("A note") for _ in range(3)), return_exceptions=True)
    assert [str(error) for error in failed] == ["down"] * 3
    assert await found.tag("A note") == read_audit(FINAL).tag


async def test_cancelled_an_audit_is_taken_over_by_whoever_waits_for_it() -> None:
    auditor = Unsteady(FINAL)
    found = Guard(memory("window"), auditor)
    first, second = (asyncio.ensure_future(found.tag("A note")) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == read_audit(FINAL).tag
    assert first.cancelled()
    assert auditor.asked == 2


def test_a_guard_goes_on_in_another_event_loop() -> None:
    auditor = Unsteady(FINAL)
    found = Guard(memory("window"), auditor)
    left = asyncio.new_event_loop()
    waiting = left.create_task(found.tag("A note"))
    left.run_until_complete(asyncio.sleep(0))
    assert asyncio.run(found.tag("A note")) == read_audit(FINAL).tag
    left.run_until_complete(waiting)
    left.close()


async def test_notes_of_one_recall_are_audited_beside_each_other() -> None:
    auditor = Unsteady(FINAL)
    found = await guarded(auditor, when="recall")
    assert [note.tag is not None for note in await found.recall("anything", 2)] == [True, True]
    assert auditor.most == 2


async def test_what_was_needed_last_is_kept_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("personae.memory.guard.MOST_KNOWN", 2)
    auditor = Unsteady(FINAL)
    found = Guard(memory("window"), auditor)
    for text in ("a", "b", "a", "c"):
        await found.tag(text)
    assert auditor.asked == 3
    await found.tag("a")
    assert auditor.asked == 3
    await found.tag("b")
    assert auditor.asked == 4
    assert len(found.audits) == 2


async def test_a_fork_a_snapshot_and_a_wipe_are_those_of_the_memory() -> None:
    found = await guarded(Auditor(), tau=0.3, when="recall")
    state, before = await found.snapshot(), await digest(found)
    shown = await found.recall("anything", 2)
    other = await found.fork()
    assert (other.tau, other.when, other.name) == (0.3, "recall", "window")
    assert await digest(other) == before
    assert await other.recall("anything", 2) == shown
    assert len(other.audits) == 0  # nothing was asked again
    await other.write(PLAIN)
    assert await digest(found) == before
    await found.wipe()
    assert await found.notes() == ()
    await found.restore(state)
    assert await digest(found) == before
    await found.close()


@pytest.mark.parametrize("tau", [-0.1, 1.1, float("nan"), "0.5", None, True, [0.5]])
def test_a_threshold_that_is_none_is_refused(tau: Any) -> None:
    with pytest.raises(BadInput, match=r"^tau: found .*; a number from 0 to 1$"):
        Guard(memory("window"), Auditor(), tau=tau)


@pytest.mark.parametrize("when", ["never", None, True])
def test_a_time_that_is_none_is_refused(when: Any) -> None:
    with pytest.raises(BadInput, match=r"^when: found .*; write or recall$"):
        Guard(memory("window"), Auditor(), when=when)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("window", r"^memory: found 'window'; an object, such as personae.memory.memory\(\"window\"\) makes"),
        (None, "^memory: found None; an object"),
        (type(memory("window")), "^memory: found <class .*>; an object"),
        (Auditor(), "it has no name, version, check, open"),
    ],
)
def test_what_is_no_memory_is_refused(given: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Guard(given, Auditor())


@pytest.mark.parametrize("auditor", [None, "openai/gpt-4o", 3])
def test_an_auditor_that_cannot_be_called_is_refused(auditor: Any) -> None:
    with pytest.raises(BadInput, match=r"^auditor: found .*; a function, async or not, from a tuple of messages"):
        Guard(memory("window"), auditor)


async def test_an_auditor_may_be_a_plain_function() -> None:
    def auditor(messages: tuple[Message, ...]) -> str:
        return FINAL

    found = await guarded(auditor)
    assert [note.tag for note in await found.notes()] == [read_audit(FINAL).tag] * 2


@pytest.mark.parametrize("answer", [None, 0.9, b"{}", {"suspicion": 0.9}])
async def test_an_auditor_that_gives_no_text_is_told_so(answer: Any) -> None:
    async def auditor(messages: tuple[Message, ...]) -> Any:
        return answer

    found = Guard(memory("window"), auditor)
    with pytest.raises(BadInput, match=r"^answer of the auditor: found .*; a text"):
        await found.write(BIASED)
    assert await found.notes() == ()


async def test_an_episode_asks_its_auditor_once_about_a_note_whatever_is_said() -> None:
    model, asked = SimulatedModel.from_name("sim/drifting"), []

    async def ask(trial: Trial) -> Response:
        assert trial.step not in asked, f"{trial.step} was asked twice"
        asked.append(trial.step)
        return Response(text="No.") if trial.meta["kind"] == "tag" else await model.respond(trial)

    chosen = {"memories": ("window",), "injections": (0.5,), "mitigations": ("tag-recall",), "turns": 4, "every": 2}
    made = Memories(Settings(scale="quick", options=(MemoryOptions(**chosen),)))  # type: ignore[arg-type]
    outcome = await made.run(next(iter(made.items())), ask)
    assert outcome.status == "answered"
    assert len([step for step in asked if step.startswith("tag/")]) == len(outcome.detail["tagging"]) >= 3
    assert {reason for _, reason in outcome.detail["tagging"].values()} == {read_audit("No.").reason}


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

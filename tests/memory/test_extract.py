"""Extracting writes of our own memories: what is asked, what can be read, and what is said where it cannot."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.errors import BadInput, ModelError, PersonaeError
from personae.memory.backends import memory
from personae.memory.base import Exchange, Written, digest
from personae.memory.extract import extract_messages, read_facts
from personae.memory.gateway import scope
from personae.memory.notes import Tag
from personae.types import Response, Trial

TAG = Tag(bias_type="x", tendency="y", suspicion=0.9)
TURNS = [
    Exchange(turn=0, user="Which tea do you take? I take {agent}.", agent="Green {user} tea."),
    Exchange(turn=1, user="The nurse was late.", agent="Noted.", tag=TAG),
    Exchange(turn=2, user="Hello.", agent="Hello."),
]
FACTS = [["The user takes tea"], ["A nurse was late", "The user waited"], []]
NAMES = ["window?extract=1", "window?turns=7&extract=1", "vector?extract=1&encoder="]


@pytest.fixture
def make(encoders: tuple[str, str]) -> Callable[[str], Any]:
    return lambda name: memory(name + encoders[0] if name.endswith("=") else name)


def told(trial: Trial) -> str:
    return json.dumps(FACTS[int(trial.step.split("/")[1])])


async def written(found: Any, ask: Any) -> tuple[list[Written], list[str]]:
    done, unread = [], []
    for turn in TURNS:
        with scope(ask, f"memory/{turn.turn}", seed=4) as asked_in:
            done.append(await found.write(turn))
        unread += asked_in.unread
    return done, unread


@pytest.mark.parametrize("name", NAMES)
async def test_facts_are_asked_for_and_kept(name: str, make: Any, scripted: Any) -> None:
    found, ask = make(name), scripted(told)
    done, unread = await written(found, ask)
    assert done == [
        Written(stored=tuple(facts), before=before, after=before + len(facts))
        for facts, before in zip(FACTS, (0, 1, 3), strict=True)
    ]
    assert unread == []  # an empty list is an answer
    notes = await found.notes()
    assert [(note.turn, note.text) for note in notes] == [(0, *FACTS[0]), (1, FACTS[1][0]), (1, FACTS[1][1])]
    assert [note.tag for note in notes] == [None, TAG, TAG]
    assert [trial.step for trial in ask.trials] == ["memory/0/1", "memory/1/1", "memory/2/1"]
    assert {(trial.temperature, trial.seed) for trial in ask.trials} == {(0.0, 4)}


@pytest.mark.parametrize("name", NAMES)
async def test_built_again_from_stored_answers_it_is_equal(name: str, make: Any, scripted: Any, replayed: Any) -> None:
    first, second, ask = make(name), make(name), scripted(told)
    await written(first, ask)
    stored = replayed(ask.stored)
    await written(second, stored)
    assert stored.used == 3
    assert await digest(second) == await digest(first) == await digest(await first.fork())
    assert (await first.fork()).name == first.name


def test_the_model_is_shown_both_sides_as_they_were_said() -> None:
    system, asked = extract_messages(TURNS[0])
    assert (system.role, asked.role) == ("system", "user")
    assert TURNS[0].user in asked.content
    assert TURNS[0].agent in asked.content
    assert "JSON list" in system.content


async def test_what_cannot_be_read_is_asked_for_once_more_and_then_said(make: Any, scripted: Any) -> None:
    mended = scripted(lambda trial: told(trial) if trial.step.endswith("/2") else "I would keep the tea.")
    done, unread = await written(make("window?extract=1"), mended)
    assert [len(one.stored) for one in done] == [1, 2, 0]
    assert unread == []
    again = mended.trials[1].messages
    assert [message.role for message in again] == ["system", "user", "assistant", "user"]
    assert again[2].content == "I would keep the tea."
    assert "it is not JSON" in again[3].content

    hopeless = scripted(lambda trial: '{"facts": []}')
    done, unread = await written(make("window?extract=1"), hopeless)
    assert done == [Written(stored=(), before=0, after=0)] * 3
    assert unread == ["it is not a JSON list"] * 3
    assert len(hopeless.trials) == 6


async def test_a_failed_ask_is_raised_as_it_was_and_stores_nothing(make: Any) -> None:
    async def ask(trial: Trial) -> Response:
        raise ModelError("the model is gone")

    found = make("window?extract=1")
    with pytest.raises(ModelError, match="the model is gone"):
        await written(found, ask)
    assert await found.notes() == ()


async def test_an_extracting_write_says_where_it_belongs(make: Any) -> None:
    with pytest.raises(PersonaeError, match="nobody was named to be asked"):
        await make("vector?extract=1").write(TURNS[0])


@pytest.mark.parametrize("name", ["window?extract=0", "vector"])
async def test_word_for_word_is_what_there_is_otherwise(name: str) -> None:
    found = memory(name)
    assert (await found.write(TURNS[0])).stored == (TURNS[0].text,)
    assert found.name == name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("window?extract=yes", "extract of window?extract=yes: found 'yes'; 1 to have facts extracted"),
        ("vector?extract=", "extract of vector?extract=: found ''; 1 to have facts extracted"),
        ("none?extract=1", "parameter of none?extract=1: found 'extract'; no parameter"),
        ("mem0?extract=1", "parameter of mem0?extract=1: found 'extract'; parameters raw, encoder"),
    ],
)
def test_what_is_no_choice_is_one_sentence(name: str, said: str) -> None:
    with pytest.raises(BadInput) as error:
        memory(name)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        ("[]", ()),
        ('["a", "b"]', ("a", "b")),
        ('\n```json\n[" a ", "a", "b"]\n```\n', ("a", "b")),
    ],
)
def test_a_list_is_read(answer: str, facts: tuple[str, ...]) -> None:
    assert read_facts(answer).texts == facts
    assert read_facts(answer).problem == ""


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "it is not JSON"),
        ('Here: ["a"]', "it is not JSON"),
        ('["a", "b"', "it is not JSON"),
        ('{"facts": ["a"]}', "it is not a JSON list"),
        ('"a"', "it is not a JSON list"),
        ('["a", 1]', "not everything in the list is a text with words in it"),
        ('["a", " "]', "not everything in the list is a text with words in it"),
        ('[["a"]]', "not everything in the list is a text with words in it"),
        ("[" * 100_000, "it is not JSON"),
    ],
)
def test_what_is_no_list_of_texts_is_said(answer: str, problem: str) -> None:
    assert read_facts(answer).problem == problem
    assert read_facts(answer).texts == ()


@given(st.lists(st.text().filter(str.strip)))
def test_every_list_of_texts_is_read_whole(facts: list[str]) -> None:
    read = read_facts(json.dumps(facts))
    assert set(read.texts) == {fact.strip() for fact in facts}
    assert len(read.texts) == len(set(read.texts))


@given(st.text())
def test_reading_never_fails(answer: str) -> None:
    read = read_facts(answer)
    assert not (read.texts and read.problem)

"""What the store keeps, and what it refuses."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personae.engine.frames import RESPONSES, outcomes, responses
from personae.engine.keys import answer_key, prompt_of
from personae.engine.store import Store
from personae.errors import BadInput, Changed
from personae.study.base import OUTCOMES
from personae.types import Condition, Item, Message, Outcome, Response, TokenLogprob, Trial

ITEM = "tiny.count@1/a"


def keep(store: Store, trial: Trial, response: Response, item: str = ITEM, model: str = "m") -> str:
    key = answer_key(item, trial)
    store.put_response(model, key, trial, prompt_of(trial), response)
    store.flush()
    return key


def test_an_answer_comes_back_as_it_was_given(store: Store) -> None:
    trial = Trial(messages=(Message("system", "ß"), Message("user", "who? 🙂")), temperature=0.7, top_k=1)
    response = Response(
        text='{"x": "</script>"}\x00\n',
        reasoning="because",
        finish="length",
        prompt_tokens=3,
        completion_tokens=4,
        logprobs=(TokenLogprob("A", -0.1, (("A", -0.1), (" B", -2.3))),),
        cost=0.5,
        latency=1.5,
    )
    key = keep(store, trial, response)
    assert store.answers("m", ITEM)[key].response == response


def test_answers_of_other_items_and_models_stay_apart(store: Store) -> None:
    trial = Trial(messages=(Message("user", "x"),))
    for item, model in ((ITEM, "m"), (ITEM + "b", "m"), ("tiny.count@1/", "m"), (ITEM, "other")):
        keep(store, trial, Response(text=f"{item} {model}"), item, model)
    found = store.answers("m", ITEM)
    assert next(stored.response.text for stored in found.values()) == f"{ITEM} m"
    assert len(store.answers("other", ITEM)) == 1


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (
            Trial(messages=(Message("user", "one"), Message("assistant", "Sure, ")), temperature=0.7),
            "messages: 1 became 2",
        ),
        (Trial(messages=(Message("user", "two"),), temperature=0.7), "message 1 (user) 'one' became (user) 'two'"),
        (Trial(messages=(Message("system", "one"),), temperature=0.7), "became (system)"),
        (Trial(messages=(Message("user", "one"),), temperature=0.2), "temperature 0.7 became 0.2"),
        (Trial(messages=(Message("user", "one"),), temperature=0.7, seed=4), "seed None became 4"),
        (Trial(messages=(Message("user", "one"),), temperature=0.7, stop=("x",)), "stop None became ['x']"),
    ],
)
def test_an_answer_to_another_request_is_refused_and_the_change_named(store: Store, now: Trial, said: str) -> None:
    asked = Trial(messages=(Message("user", "one"),), temperature=0.7)
    key = keep(store, asked, Response(text="x"))
    stored = store.answers("m", ITEM)[key]
    store.verify(key, stored, asked)
    with pytest.raises(Changed) as raised:
        store.verify(key, stored, now)
    assert said in str(raised.value)
    assert key in str(raised.value)


def test_what_a_simulated_respondent_is_told_is_no_part_of_the_request(store: Store) -> None:
    asked = Trial(messages=(Message("user", "one"),), meta={"kind": "choice"})
    key = keep(store, asked, Response(text="x"))
    store.verify(key, store.answers("m", ITEM)[key], Trial(messages=asked.messages, meta={"kind": "word"}))


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    Store(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value='99' WHERE key='schema'")
    connection.close()
    with pytest.raises(BadInput, match=r"run\.db version: found '99'; version 1 to 2"):
        Store(path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    path.write_text("not a database, but long enough to be taken for one " * 40)
    with pytest.raises(BadInput, match="a database written by personae"):
        Store(path)


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE other (x)")
    connection.commit()
    connection.close()
    with pytest.raises(BadInput, match=r"run\.db version: found 'none'"):
        Store(path)


def test_a_missing_store_is_not_made_by_reading(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"a folder with a run\.db"):
        Store(tmp_path / "run.db", writable=False)
    assert not (tmp_path / "run.db").exists()


def test_prompts_are_stored_once(store: Store) -> None:
    trial = Trial(messages=(Message("user", "the same"),))
    for number in range(5):
        keep(store, trial, Response(text="x"), item=f"tiny.count@1/{number}")
    assert store.rows("SELECT count(*) FROM prompt") == [(1,)]


def test_others_can_read_while_the_run_goes_on(store: Store) -> None:
    keep(store, Trial(messages=(Message("user", "x"),)), Response(text="said"))
    other = sqlite3.connect(f"file:{store.path}?mode=ro", uri=True)
    assert other.execute("SELECT text FROM response").fetchall() == [("said",)]
    other.close()


def test_frames_have_the_promised_columns_and_parts_of_the_key(store: Store) -> None:
    trial = Trial(messages=(Message("user", "x"),), step="word/weak", repeat=2)
    item = Item(study="tiny.count", id="x/y#z@2", stimulus="s", condition=Condition(persona="wife", wording="role"))
    keep(store, trial, Response(text="said"), item="tiny.count@1/x/y")
    store.put_outcome("m", "tiny.count@1/x/y", item, Outcome(status="answered", value=0.5, detail={"a": 1}))
    store.put_outcome(
        "m",
        "tiny.count@1/b",
        Item(study="tiny.count", id="b", stimulus="s", condition=Condition()),
        Outcome(status="refused"),
    )
    store.flush()
    answers, coded = responses(store), outcomes(store)
    assert answers.columns == list(RESPONSES)
    assert answers.select("study", "item", "step", "repeat").row(0) == ("tiny.count", "x/y", "word/weak", 2)
    assert coded.columns == list(OUTCOMES)
    assert coded["baseline"].to_list() == [True, False]


@given(text=st.text(max_size=300), repeat=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_survives(store: Store, text: str, repeat: int) -> None:
    text = text.encode("utf-8", "replace").decode()  # lone surrogates cannot come out of JSON
    trial = Trial(messages=(Message("user", text),), repeat=repeat)
    key = keep(store, trial, Response(text=text))
    assert store.answers("m", ITEM)[key].response.text == text


def test_outcomes_are_there_again_where_coding_anew_fails(store: Store) -> None:
    item = Item(study="s.a", id="one", stimulus="x", condition=Condition())

    def code(value: float, *, fails: bool = False) -> None:
        with store.recoding({}):
            store.put_outcome("m", "s.a@1/one", item, Outcome(status="answered", value=value))
            if fails:
                raise RuntimeError

    store.put_outcome("m", "s.a@1/one", item, Outcome(status="answered", value=1.0))
    with pytest.raises(RuntimeError):
        code(2.0, fails=True)
    assert outcomes(store)["value"].to_list() == [1.0]
    code(3.0)
    assert outcomes(store)["value"].to_list() == [3.0]

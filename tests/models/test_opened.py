"""A model opened by its name: it answers text and trials, as many at once as it takes, and is closed again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import personae.models
from personae.errors import BadInput, ModelError
from personae.models import open_model
from personae.models.opened import TOKENS
from personae.models.simulated import SimulatedModel
from personae.types import Message, Response, Trial

HELLO = (Message("user", "Hello."),)


class Model:
    """Answers how many are asked at once; says when it is opened and closed."""

    name, concurrency = "mine", 3

    def __init__(self, fails: bool = False) -> None:
        self.did: list[str] = []
        self.trials: list[Trial] = []
        self.now, self.fails = 0, fails

    async def open(self) -> None:
        self.did.append("open")
        if self.fails:
            raise BadInput("model", self.name, "one that answers")

    async def close(self) -> None:
        self.did.append("close")

    async def respond(self, trial: Trial) -> Response:
        self.trials.append(trial)
        self.now += 1
        most = self.now
        await asyncio.sleep(0)
        self.now -= 1
        return Response(text=str(most))


def opening(monkeypatch: pytest.MonkeyPatch, model: Model) -> list[Any]:
    asked: list[Any] = []

    def resolve(name: str, *, options: Any) -> Model:
        asked.append((name, options))
        return model

    monkeypatch.setattr("personae.models.opened.resolve", resolve)
    return asked


async def test_a_conversation_is_answered_with_text_at_temperature_0(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model()
    opening(monkeypatch, model)
    async with open_model("mine/x") as ask:
        assert ask.name == "mine"
        assert await ask(HELLO) == "1"
        assert model.did == ["open"]
    assert model.did == ["open", "close"]
    assert model.trials == [Trial(messages=HELLO, temperature=0.0, max_tokens=TOKENS)]


@pytest.mark.parametrize(("concurrency", "most"), [(None, 3), (1, 1)])
async def test_no_more_are_asked_at_once_than_it_takes(
    concurrency: int | None, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening(monkeypatch, Model())
    async with open_model("mine/x", concurrency=concurrency) as ask:
        answers = await asyncio.gather(*(ask(HELLO) for _ in range(7)))
    assert max(map(int, answers)) == most


async def test_what_is_said_of_asking_reaches_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = opening(monkeypatch, Model())
    async with open_model("mine/x", base_url="http://127.0.0.1:1/v1", timeout=3.0, retries=0, seed=5):
        ((name, options),) = asked
    assert name == "mine/x"
    assert (options.base_url, options.timeout, options.retries, options.seed) == ("http://127.0.0.1:1/v1", 3.0, 0, 5)


async def test_one_that_cannot_be_opened_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(fails=True)
    opening(monkeypatch, model)
    with pytest.raises(BadInput, match="one that answers"):
        async with open_model("mine/x"):
            pytest.fail("it was opened")
    assert model.did == ["open", "close"]


async def test_a_name_of_no_model_is_said() -> None:
    with pytest.raises(BadInput, match="<provider>/<model>"):
        async with open_model("nobody"):
            pytest.fail("it was opened")


async def test_a_model_of_this_project_answers_whole_trials() -> None:
    trial = Trial(messages=HELLO, meta={"kind": "memory", "said": "Hello.", "form": "list"})
    async with open_model("sim/neutral") as ask:
        assert await ask.respond(trial) == await SimulatedModel.from_name("sim/neutral").respond(trial)
        with pytest.raises(ModelError):  # a respondent that cannot read knows nothing of a bare text
            await ask(HELLO)


def test_nothing_else_is_public() -> None:
    assert personae.models.__all__ == ["open_model"]
    with pytest.raises(AttributeError, match="no attribute 'close_model'"):
        _ = personae.models.close_model  # type: ignore[attr-defined]

"""Half a surrogate pair, as a server sends it that cuts an answer within an emoji, goes no further than the reply."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fault_server import FaultServer, body_of, fails, says

from personae.engine.keys import prompt_of
from personae.engine.store import Store
from personae.errors import ModelError
from personae.models.openai_api import OpenAIModel
from personae.models.presets import presets
from personae.types import Message, TokenLogprob, Trial

ASK = Trial(messages=(Message("user", "Which?"),), max_tokens=20)
SCORED = Trial(messages=(Message("user", "Which?"),), max_tokens=1, top_logprobs=5)


@pytest.fixture
async def model(server: FaultServer) -> AsyncIterator[OpenAIModel]:
    opened = OpenAIModel("vllm/m", "m", presets()["vllm"], base_url=server.url, backoff=0.001, timeout=600.0, retries=1)
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (rb"tea \ud83d", "tea \ufffd"),
        (rb"\udf75 tea", "\ufffd tea"),
        (rb"\ud83dA", "\ufffdA"),
        (rb"\ud83c\udf75", "🍵"),
        (b"tea \xed\xa0\xbd", "tea \ufffd\ufffd\ufffd"),
        (b"tea \xff", "tea \ufffd"),
        (rb"C:\\ud83d \ud83d", "C:\\ud83d \ufffd"),
    ],
)
async def test_half_a_character_in_an_answer_is_replaced_and_costs_no_second_ask(
    server: FaultServer, model: OpenAIModel, raw: bytes, text: str
) -> None:
    server.script = [says(json.dumps(body_of("SAID", reasoning="SAID")).encode().replace(b"SAID", raw))]
    found = await model.respond(ASK)
    assert (found.text, found.reasoning) == (text, text)
    assert len(server.requests) == 1


async def test_half_a_character_in_a_token_and_in_an_error_is_replaced(server: FaultServer, model: OpenAIModel) -> None:
    token = {"token": "\ud83d", "logprob": -0.5, "top_logprobs": [{"token": "\udc00", "logprob": -0.5}]}
    body = body_of("\ud83d")
    body["choices"][0]["logprobs"] = {"content": [token]}
    server.script = [says(body), fails(400, "no \ud83d")]
    found = await model.respond(SCORED)
    assert found.logprobs == (TokenLogprob("\ufffd", -0.5, (("\ufffd", -0.5),)),)
    with pytest.raises(ModelError, match="no \ufffd"):
        await model.respond(ASK)


async def test_an_answer_with_half_a_character_is_kept_in_the_store(
    server: FaultServer, model: OpenAIModel, tmp_path: Path
) -> None:
    server.script = [says(body_of("tea \ud83d"))]
    found = await model.respond(ASK)
    store = Store(tmp_path / "run.db")
    store.put_response("m", "k", ASK, prompt_of(ASK), found)
    store.close()
    with sqlite3.connect(tmp_path / "run.db") as opened:
        assert opened.execute("SELECT text FROM response").fetchall() == [("tea \ufffd",)]
    opened.close()

"""Trials that take log-probabilities where a server gives them, and do without where it does not."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from fault_server import FaultServer, answers, fails
from msgspec.structs import replace

from personae.errors import BadInput
from personae.models.openai_api import OpenAIModel
from personae.models.presets import presets
from personae.types import Message, Trial

OPTIONAL = Trial(messages=(Message("user", "Which?"),), max_tokens=16, top_logprobs=5, logprobs_needed=False)
NEEDED = replace(OPTIONAL, logprobs_needed=True)


@pytest.fixture(params=["vllm", "openai", "mistral"])
async def model(server: FaultServer, request: pytest.FixtureRequest) -> AsyncIterator[OpenAIModel]:
    made = OpenAIModel(
        f"{request.param}/m",
        "m",
        presets()[request.param],
        base_url=server.url,
        backoff=0.001,
        timeout=600.0,
        retries=1,
    )
    yield made
    await made.close()


async def test_an_answer_without_them_is_an_answer(model: OpenAIModel, server: FaultServer) -> None:
    server.then = answers("A")
    response = await model.respond(OPTIONAL)
    assert (response.text, response.logprobs) == ("A", ())


@pytest.mark.parametrize("model", ["mistral"], indirect=True)
async def test_a_preset_without_them_is_not_asked_for_any(model: OpenAIModel, server: FaultServer) -> None:
    await model.respond(OPTIONAL)
    assert "logprobs" not in server.requests[-1]
    assert "logprobs" in model.omitted


@pytest.mark.parametrize("model", ["openai"], indirect=True)
async def test_a_server_that_refuses_them_is_asked_without(model: OpenAIModel, server: FaultServer) -> None:
    server.script = [fails(400, "This model does not support logprobs.", code="unsupported_parameter")]
    assert (await model.respond(OPTIONAL)).logprobs == ()
    assert not {"logprobs", "top_logprobs"} & server.requests[-1].keys()
    assert "logprobs" in model.omitted
    asked = len(server.requests)
    await model.respond(OPTIONAL)
    assert len(server.requests) == asked + 1
    with pytest.raises(BadInput, match="log-probabilities"):
        await model.respond(NEEDED)
